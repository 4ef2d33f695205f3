#pragma once

#include <memory>

#include "core/picture/plot.h"
#include "core/picture/step_curve.h"

namespace hw {

/// What a chart of one pool draws, added up once.
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
  /// What these are, where they are no plans: what was measured. Empty: they are, and have letters.
  std::vector<std::string> otherNames{};
  double button = 0;  ///< Units to leave free behind the heading.

  /// All of the run, before anything has happened.
  static ChartScene whole(std::shared_ptr<const Run> run, PoolId pool,
                          AxisUnit unit = AxisUnit::step);

  /// What to write above the chart where there is room.
  std::string heading() const;
};

/// What stands above the chart in `title`: the heading, or where that would not leave its legend
/// enough room, the pool's name.
std::string chartHeading(const ChartScene& scene, const Box& title, const Ruler& ruler);

/// The most points a curve is ever drawn with.
inline constexpr std::size_t kMostPoints = 4'000;

/// "A", "B", …, "Z", "AA": what the views call the run at `place`, 0 being the one on show.
std::string placeLetter(std::size_t place);

/// How the curve of the run at `place` is drawn: the Okabe-Ito colours that can be told apart, and
/// another dash for each, so that colour is not all that tells them apart. After `kSeriesInks` the
/// colours come again with other dashes, and both together after seven times as many.
Stroke seriesStroke(std::size_t place);

/// Everything but what moves with the playhead.
void drawCurves(Canvas& canvas, const ChartScene& scene, const Box& where);

/// All of it.
void drawChart(Canvas& canvas, const ChartScene& scene, const Box& where);

}  // namespace hw
