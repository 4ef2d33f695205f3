#pragma once

#include <memory>
#include <vector>

#include "core/picture/axis.h"
#include "core/picture/canvas.h"
#include "core/picture/plot.h"
#include "core/plan/metrics.h"
#include "core/run/run.h"

namespace hw {

/// Most bytes in use during each step of a run in one pool, read off its trace; a run without a
/// trace gives what its stays ask for.
StepFunction liveCurve(const Run& run, PoolId pool);

/// The largest footprint so far at each step: what has ever been touched. Never falls.
StepFunction highWaterCurve(const Run& run, PoolId pool);

/// A quantity over a run's axis that holds its value from one place to the next.
struct Stair {
  AxisPlace from{};
  Bytes value{};
  friend bool operator==(const Stair&, const Stair&) = default;
};

/// The same two curves over simulated time, from the run's own story: what is in use after all that
/// happens at an instant. Only of a run that is timed.
std::vector<Stair> liveOverTime(const Run& run, PoolId pool);
std::vector<Stair> highWaterOverTime(const Run& run, PoolId pool);

/// A step function that is drawn at any zoom in the time that the points take, not the pieces: it
/// knows the least and the greatest value of every run of `kZone` pieces.
class StairCurve {
 public:
  static constexpr std::size_t kZone = 64;

  StairCurve() = default;
  explicit StairCurve(std::vector<Stair> pieces);
  explicit StairCurve(const StepFunction& curve);

  /// The bytes in use of one pool of a run, or its high water, on an axis of `unit`.
  static StairCurve live(const Run& run, PoolId pool, AxisUnit unit);
  static StairCurve highWater(const Run& run, PoolId pool, AxisUnit unit);

  /// The first piece with the greatest value; null without pieces.
  const Stair* peak() const { return pieces_.empty() ? nullptr : &pieces_[peak_]; }

  /// What the curve comes to between two places of the axis, `begin` before `end`: each value
  /// counts as long as it holds.
  struct Figures {
    Bytes least{};
    Bytes most{};
    double mean = 0;  ///< Bytes.
  };
  Figures over(double begin, double end) const;

  /// The curve between two places as a polyline of stairs: consecutive points differ in x or in y,
  /// never in both. From more pieces than `limit` allows, columns are made that each show the
  /// least, the greatest and the last value within them, so that no peak is lost. `limit` is at
  /// least 8.
  std::vector<Point> stairs(double begin, double end, std::size_t limit) const;

 private:
  struct Span {
    Bytes least{};
    Bytes most{};
    void add(const Span& other);
  };

  /// Over the pieces [first, last), of which there is one at least.
  Span spanOf(std::size_t first, std::size_t last) const;

  std::vector<Stair> pieces_;
  std::vector<Span> zones_;
  std::size_t peak_ = 0;
};

/// The same of a curve that is drawn but once.
std::vector<Point> stairs(const StepFunction& curve, double begin, double end, std::size_t limit);

/// Curves of a chart of one pool, added up once.
struct ChartCurves {
  StairCurve live{};
  StairCurve highWater{};

  static std::shared_ptr<const ChartCurves> of(const Run& run, PoolId pool,
                                               AxisUnit unit = AxisUnit::step);
};

/// Bytes in use and high water of one pool over the steps or in time, with its capacity, lower
/// bound and peak: stairs, because memory never changes gradually. Plain data, like a MapScene.
struct ChartScene {
  std::shared_ptr<const Run> run{};             ///< Never null; knows `pool`.
  std::shared_ptr<const ChartCurves> curves{};  ///< Never null.
  PoolId pool{0};
  AxisUnit unit = AxisUnit::step;  ///< Of `curves`, `window` and `now`.
  MapWindow window{};
  PlotNow now{};
  /// Other plans of the model (B, C, …), whose high water is drawn too.
  std::vector<std::shared_ptr<const StairCurve>> others{};
  /// Names of these where they are no plans: what was measured. Empty: they are, and have letters.
  std::vector<std::string> otherNames{};
  double button = 0;  ///< Units to leave free behind the heading.

  /// All of the run, before anything has happened.
  static ChartScene whole(std::shared_ptr<const Run> run, PoolId pool,
                          AxisUnit unit = AxisUnit::step);

  /// Title above the chart where there is room.
  std::string heading() const;
};

/// Title of the chart that fits in `title`: the heading, or where that would not leave its legend
/// enough room, the pool's name.
std::string chartHeading(const ChartScene& scene, const Box& title, const Ruler& ruler);

/// The most points a curve is ever drawn with.
inline constexpr std::size_t kMostPoints = 4'000;

/// Stroke of the curve of the run at `place`: the Okabe-Ito colours that can be told apart, and
/// another dash for each, so that colour is not all that tells them apart. After `kSeriesInks` the
/// colours come again with other dashes, and both together after seven times as many.
Stroke seriesStroke(std::size_t place);

/// Everything but what moves with the playhead.
void drawCurves(Canvas& canvas, const ChartScene& scene, const Box& where);

/// All of it.
void drawChart(Canvas& canvas, const ChartScene& scene, const Box& where);

}  // namespace hw
