#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/picture/axis.h"
#include "core/picture/coloring.h"
#include "core/picture/plot.h"
#include "core/picture/port_lane.h"
#include "core/run/run.h"

namespace hw {

/// One channel of an engine, or a unit: what runs one activity at a time.
struct GanttRow {
  std::string name{};
  bool dma = false;
};

/// An activity where it ran, and what its engine waited for just before.
struct GanttBar {
  ActivityId activity{};
  SimTime idle{};  ///< Since when the row could have run it; `begin` where nothing held it up.
  SimTime begin{};
  SimTime end{};
  ActivityKind kind{};
  WaitRule rule{};        ///< What it waited for last; nothing without a stall.
  bool critical = false;  ///< On the critical path.
  float used = 1;         ///< The part of the multipliers of an array that work while it computes.
};

/// Look of a moment of a row: an activity of a kind, on the critical path or beside it, or a
/// stall by its cause.
class GanttLook {
 public:
  static constexpr std::size_t kActivities = 2 * kActivityKindNames.size();
  static constexpr std::size_t kCount = kActivities + kWaitRuleNames.size();

  static std::size_t of(ActivityKind kind, bool critical) {
    return 2 * static_cast<std::size_t>(kind) + (critical ? 0 : 1);
  }
  static std::size_t of(WaitRule rule) { return kActivities + static_cast<std::size_t>(rule); }
};

/// The rows that a picture of engines has.
enum class GanttRows : std::uint8_t { engines, enginesAndPorts };

/// Work of every engine of a machine in time: immutable rows of bars that do not overlap, with
/// the sums of all before every `kZone`-th, so that a pixel that covers thousands costs what it
/// takes to look at one zone.
class GanttStore {
 public:
  static constexpr std::size_t kZone = 32;
  /// By look, in picoseconds.
  using Sums = std::array<std::int64_t, GanttLook::kCount>;

  GanttStore() = default;
  /// A list of bars for each row, ascending in time, without overlap, stalls included.
  GanttStore(std::vector<GanttRow> rows, std::vector<std::vector<GanttBar>> bars);

  /// Without rows where nothing is timed. Channels are told apart as far as times do: each activity
  /// is on the first that is free. O(n log n), and for ports the time of `portCurves`.
  static GanttStore of(const Run& run, GanttRows rows = GanttRows::enginesAndPorts);

  const std::vector<GanttRow>& rows() const { return rows_; }
  /// Bandwidth over time, below the engines.
  const std::vector<PortLane>& ports() const { return ports_; }
  std::span<const GanttBar> bars(std::size_t row) const { return bars_[row]; }

  /// The bars of a row of which a part, or of their stall, lies in [from, to).
  std::span<const GanttBar> between(std::size_t row, double from, double to) const;
  /// Time of the row that each look takes before `to`. O(kZone + log n).
  Sums until(std::size_t row, double to) const;
  /// Time of [from, to) that each look takes.
  Sums sums(std::size_t row, double from, double to) const;

  struct Position {
    std::size_t row = 0;
    std::size_t bar = 0;
  };
  /// Place of an activity; nothing for one that no row has. O(rows log n).
  std::optional<Position> find(ActivityId activity, SimTime begin) const;

  /// True if any bar, or stall, looks so.
  bool has(std::size_t look) const { return total_[look] > 0; }
  /// True if any operator leaves a part of an array idle.
  bool leavesIdle() const { return leavesIdle_; }

 private:
  std::vector<GanttRow> rows_;
  std::vector<std::vector<GanttBar>> bars_;
  std::vector<PortLane> ports_;
  struct Zone {
    SimTime begin{};  ///< Where its first bar, or the stall of it, begins.
    Sums before{};    ///< Of all bars of the row before it.
  };
  std::vector<std::vector<Zone>> zones_;
  Sums total_{};
  bool leavesIdle_ = false;
};

/// Every engine of the machine in time: what it runs, in the colour of its operator or of the kind
/// of work, full on the critical path and pale beside it, hatched as far as an array idles under
/// it; what it waits for, in the colour of the cause, hatched where that is reused bytes. Below
/// them every port: bytes per second over time, under its roof. Plain data, like a MapScene.
struct GanttScene {
  std::shared_ptr<const Run> run{};           ///< Never null; timed.
  std::shared_ptr<const GanttStore> store{};  ///< Never null.
  double begin = 0;                           ///< Picoseconds.
  double end = 1;                             ///< Greater than `begin`.
  PlotNow now{};
  ActivityId selected{};  ///< Encircled, with an arrow to its cause.
  /// What gives operators their colours; null: all have that of work.
  std::shared_ptr<const Coloring> coloring{};
  std::string title{};  ///< Whose engines, where there are several; empty: nobody needs to ask.

  /// All of the run, before anything has happened.
  static GanttScene whole(std::shared_ptr<const Run> run,
                          GanttRows rows = GanttRows::enginesAndPorts);

  /// Title above it where there is room.
  std::string heading() const;
};

/// The box of a row in a plot of them all: those of engines first, then those of ports.
Box ganttRow(const Box& plot, const GanttStore& store, std::size_t row);
/// The port at a point of that plot; null where there is none.
const PortLane* portAt(const Box& plot, const GanttStore& store, Point point);

/// Draws it; holds no state beyond its arguments.
class GanttDrawing {
 public:
  GanttDrawing(Canvas& canvas, const GanttScene& scene, const Box& where);

  const PlotFrame& frame() const { return frame_; }
  const RunAxis& axis() const { return axis_; }
  Box rowBox(std::size_t row) const { return ganttRow(frame_.plot, *scene_.store, row); }
  /// Null where there is none.
  const GanttBar* barAt(Point point) const;

  /// Everything but selection and moment.
  void drawStill() const;
  /// The selected activity, what it waited for, and the moment.
  void drawOver() const;

 private:
  void drawRow(std::size_t row) const;
  void drawPort(std::size_t port) const;
  void drawName(const Box& row, const std::string& name, Ink ink) const;
  void drawBars(std::size_t row) const;
  void drawColumns(std::size_t row) const;
  void drawBar(const Box& box, const GanttBar& bar, double leastName) const;
  void drawHeading() const;
  Ink inkOf(const GanttBar& bar, bool word) const;
  void drawSelection() const;
  Box boxOf(std::size_t row, const GanttBar& bar) const;

  Canvas& canvas_;
  const GanttScene& scene_;
  PlotFrame frame_;
  RunAxis axis_;
};

void drawGantt(Canvas& canvas, const GanttScene& scene, const Box& where);

/// The operator that a bar is, or the buffer that moves.
std::string barName(const Run& run, const GanttBar& bar);

/// Units high that the rows are best drawn at.
double ganttHeight(const Ruler& ruler, const GanttStore& store);

}  // namespace hw
