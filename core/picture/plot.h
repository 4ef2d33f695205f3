#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/picture/axis.h"
#include "core/picture/block_store.h"
#include "core/picture/canvas.h"
#include "core/run/run.h"

namespace hw {

/// A size that a map or chart marks across its whole width.
struct ReferenceLine {
  enum class Kind { capacity, peak, lowerBound };
  Kind kind{};
  Bytes bytes{};
  std::string label{};
};

/// Stroke of a reference line, everywhere.
Stroke strokeOf(ReferenceLine::Kind kind);

/// The sizes worth marking for one pool, capacity first. A highest address that meets the
/// live peak gives one line that says so. Without metrics of that pool there is no live peak.
std::vector<ReferenceLine> referenceLines(const Run& run, PoolId pool);

/// Upper end of a map of the whole pool: a little above the highest line worth seeing. A capacity
/// far above everything else is not.
double fullByteRange(const Run& run, PoolId pool);

/// The pools that something lives in.
std::vector<PoolId> usedPools(const Run& run);

/// The parts of a map or chart around its plot. All views of a column use the same margins, so that
/// a step is at the same pixel in each.
struct PlotFrame {
  Box whole{};
  Box title{};  ///< One line above the plot.
  Box plot{};
  Box ticks{};  ///< One line below the plot for steps or times.

  /// Divides `whole` with the margins below.
  static PlotFrame inside(const Box& whole, const Ruler& ruler);
};

/// Height of the ticks and the gap below a plot. A view without ticks is drawn that much higher
/// than its widget, so that they are cut off.
double plotTicksRoom(const Ruler& ruler);

/// The baseline of a line of text in the middle of a box.
double baselineIn(const Box& box, const Ruler& ruler);

/// Units left of every plot: room for "8,888 KiB" and a little air.
double plotLeftMargin(const Ruler& ruler);
inline constexpr int kPlotRightMargin = 12;

/// A frame with what it shows: steps or time to the right, bytes upwards.
struct Plot {
  PlotFrame frame{};
  RunAxis x{};
  ByteAxis bytes{};

  /// `window` inside `whole`; `hex`: bytes are written as addresses.
  Plot(const Box& whole, const Ruler& ruler, const MapWindow& window, AxisUnit unit,
       bool hex = false);

  /// Box of a block; it may reach out of the plot.
  Box boxOf(Interval<double> during, Interval<Bytes> addresses) const;
};

/// A moment and marks over a plot, in the unit of its axis.
struct PlotNow {
  double playhead = 0;
  std::vector<double> marks{};
  std::optional<Interval<double>> marked{};  ///< A range between two lines.
};

/// "A", "B", …, "Z", "AA": what the views call the run at `place`, 0 being the one on show.
std::string placeLetter(std::size_t place);
/// The colour of that run; they repeat after `kSeriesInks`.
Ink seriesInk(std::size_t place);

/// The title, bold, and `note`, muted, at the right end if both fit; before the title the letter of
/// the run at `place` in a frame of its colour.
void drawTitle(Canvas& canvas, const PlotFrame& frame, std::string_view title,
               std::string_view note, std::optional<std::size_t> place = {});

/// A round dot of this radius.
void drawDot(Canvas& canvas, Point center, double radius, Fill fill);

/// Steps or times below the plot, and beside them the name of the axis.
void drawRunTicks(Canvas& canvas, const PlotFrame& frame, const RunAxis& axis);

/// Least distance between the marks of each axis.
double runTickSpacing(const Ruler& ruler, AxisUnit unit);
double byteTickSpacing(const Ruler& ruler);

/// The background, and the lines that the ticks stand at.
void drawGrid(Canvas& canvas, const Plot& plot);
/// The outline and the ticks of both axes.
void drawAxes(Canvas& canvas, const Plot& plot);

/// The lines that are on screen, and beside each its label, capacity's as far right as can be and
/// the others as far left, where `isFree` says that nothing lies. Returns the labels of lines that
/// have no such place, one after the other.
std::string drawReferenceLines(Canvas& canvas, const Plot& plot,
                               const std::vector<ReferenceLine>& lines,
                               const std::function<bool(const Box&)>& isFree);

/// The marked steps shaded, a line at each mark, and the playhead over all, as far as they are on
/// screen.
void drawNow(Canvas& canvas, const PlotFrame& frame, const RunAxis& axis, const PlotNow& now);

}  // namespace hw
