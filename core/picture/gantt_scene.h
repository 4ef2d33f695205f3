#pragma once

#include <memory>

#include "core/picture/gantt_store.h"
#include "core/picture/plot.h"

namespace hw {

/// Every engine of the machine in time: what it runs, in the colour of the kind, full on the
/// critical path and pale beside it; what it waits for, in the colour of the cause, hatched where
/// that is reused bytes. Plain data, like a MapScene.
struct GanttScene {
  std::shared_ptr<const Run> run{};           ///< Never null; timed.
  std::shared_ptr<const GanttStore> store{};  ///< Never null.
  double begin = 0;                           ///< Picoseconds.
  double end = 1;                             ///< Greater than `begin`.
  PlotNow now{};
  ActivityId selected{};  ///< Encircled, with an arrow to its cause.
  std::string title{};    ///< Whose engines, where there are several; empty: nobody needs to ask.

  /// All of the run, before anything has happened.
  static GanttScene whole(std::shared_ptr<const Run> run);

  /// What to write above it where there is room.
  std::string heading() const;
};

/// Draws it; holds no state beyond its arguments.
class GanttDrawing {
 public:
  GanttDrawing(Canvas& canvas, const GanttScene& scene, const Box& where);

  const PlotFrame& frame() const { return frame_; }
  const RunAxis& axis() const { return axis_; }
  Box rowBox(std::size_t row) const;
  /// Null where there is none.
  const GanttBar* barAt(Point point) const;

  /// Everything but selection and moment.
  void drawStill() const;
  /// The selected activity, what it waited for, and the moment.
  void drawOver() const;

 private:
  void drawRow(std::size_t row) const;
  void drawBars(std::size_t row) const;
  void drawColumns(std::size_t row) const;
  void drawBar(const Box& box, const GanttBar& bar, double leastName) const;
  void drawHeading() const;
  void drawSelection() const;
  Box boxOf(std::size_t row, const GanttBar& bar) const;

  Canvas& canvas_;
  const GanttScene& scene_;
  PlotFrame frame_;
  RunAxis axis_;
};

void drawGantt(Canvas& canvas, const GanttScene& scene, const Box& where);

/// Units high that so many rows are best drawn at.
double ganttHeight(const Ruler& ruler, std::size_t rows);

}  // namespace hw
