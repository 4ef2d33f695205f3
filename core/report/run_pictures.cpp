#include "core/report/run_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/report/svg_writer.h"

namespace hw {

namespace {

constexpr double kWidth = 1200;
constexpr double kLeft = 84;
constexpr double kRight = 16;
constexpr double kTop = 30;
constexpr double kBottom = 30;
constexpr double kLetter = 7.4;  ///< Wide enough for most letters; nothing is measured.
/// A capacity more than this many times the footprint would flatten the picture.
constexpr double kFarCapacity = 2;

/// A horizontal line that means something.
struct Mark {
  std::string_view style;
  Bytes bytes;
  std::string label;
};

/// The frame of a plot over the steps of a run and the bytes of a pool.
class Plot {
 public:
  Plot(const Run& run, PoolId pool, double height, std::string_view title)
      : run_(run),
        pool_(pool),
        height_(height),
        steps_(std::max<double>(1, static_cast<double>(run.problem.steps.count()))),
        svg_(kWidth, height, title) {
    for (const Mark& mark : marks()) {
      high_ = std::max(high_, static_cast<double>(mark.bytes.count()) * 1.08);
    }
    svg_.text(kLeft, 18, title, R"(class="hw-title")");
  }

  double x(double step) const { return kLeft + step / steps_ * (kWidth - kLeft - kRight); }
  double y(double bytes) const {
    return height_ - kBottom - bytes / high_ * (height_ - kTop - kBottom);
  }
  double x(Step step) const { return x(static_cast<double>(step.count())); }
  double y(Bytes bytes) const { return y(static_cast<double>(bytes.count())); }
  SvgWriter& svg() { return svg_; }

  void drawAxes() {
    for (const PlotTick& tick : stepTicks(steps_, 12)) {
      svg_.line(x(tick.value), kTop, x(tick.value), height_ - kBottom, R"(class="hw-grid")");
      svg_.text(x(tick.value), height_ - kBottom + 16, tick.label,
                R"(class="hw-axis" text-anchor="middle")");
    }
    for (const PlotTick& tick : byteTicks(high_, static_cast<int>(height_ / 50))) {
      svg_.line(kLeft, y(tick.value), kWidth - kRight, y(tick.value), R"(class="hw-grid")");
      svg_.text(kLeft - 6, y(tick.value) + 4, tick.label, R"(class="hw-axis" text-anchor="end")");
    }
    svg_.text(kLeft - 12, height_ - kBottom + 16, "step", R"(class="hw-axis" text-anchor="end")");
  }

  void drawMarks() {
    const std::vector<Mark> all = marks();
    for (const Mark& mark : all) {
      svg_.line(kLeft, y(mark.bytes), kWidth - kRight, y(mark.bytes),
                fmt::format(R"(class="hw-line {}")", mark.style));
    }
    double left = kLeft + 6;
    for (const Mark& mark : all) {
      svg_.text(left, y(mark.bytes) - 4, mark.label, fmt::format(R"(class="{}-text")", mark.style));
      left += static_cast<double>(mark.label.size()) * kLetter + 18;
    }
  }

  std::string finish() { return svg_.finish(); }

 private:
  std::vector<Mark> marks() const {
    const Bytes peak = run_.plan.footprint(pool_);
    const PoolMetrics& metrics = run_.metrics.pools[pool_];
    std::vector<Mark> marks;
    const auto capacity = run_.problem.pools[pool_].capacity;
    const double far = kFarCapacity * static_cast<double>(peak.count());
    if (capacity && static_cast<double>(capacity->count()) <= far) {
      marks.push_back({"hw-capacity", *capacity, "capacity " + formatBytes(*capacity)});
    }
    const bool tight = metrics.lowerBound == peak;
    marks.push_back(
        {"hw-peak", peak, "peak " + formatBytes(peak) + (tight ? " = lower bound" : "")});
    if (!tight && metrics.lowerBound > Bytes()) {
      marks.push_back(
          {"hw-bound", metrics.lowerBound, "lower bound " + formatBytes(metrics.lowerBound)});
    }
    return marks;
  }

  const Run& run_;
  PoolId pool_;
  double height_;
  double steps_;
  double high_ = 1;
  SvgWriter svg_;
};

std::string_view classOf(const Run& run, StayId stay) {
  const BufferId buffer = run.problem.stays[stay].buffer;
  if (!run.storage.buffers.contains(buffer)) return "hw-c2";
  const Buffer& storage = run.storage.buffers[buffer];
  if (storage.graphOutput) return "hw-c1";
  if (run.graph().tensors[storage.root].graphInput) return "hw-c0";
  return storage.tensors.size() > 1 ? "hw-c3" : "hw-c2";
}

struct Rectangle {
  StayId stay{};
  Interval<Step> steps{};
  Interval<Bytes> bytes{};
  double area() const {
    return static_cast<double>(steps.length().count()) *
           static_cast<double>(bytes.length().count());
  }
};

std::vector<Rectangle> rectanglesOf(const Run& run, PoolId pool) {
  IdMap<RegionId, Bytes> starts;
  Bytes start{};
  for (const RegionId region : run.plan.regions[pool].keys()) {
    starts.add(start);
    start += run.plan.regions[pool][region];
  }
  std::vector<Rectangle> result;
  for (const StayId stay : run.problem.stays.keys()) {
    const auto& address = run.plan.addresses[stay];
    if (!address || address->pool != pool) continue;
    const Bytes low = starts[address->region] + address->offset;
    for (const Interval<Step>& steps : run.problem.liveSteps(stay)) {
      result.push_back({stay, steps, {low, low + run.problem.stays[stay].size}});
    }
  }
  return result;
}

/// Keeps the largest ones, in the order they had; returns how many went.
std::size_t dropSmallest(std::vector<Rectangle>& rectangles) {
  if (rectangles.size() <= kMaxRectangles) return 0;
  std::vector<std::size_t> order(rectangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return rectangles[i].area(); });
  order.resize(kMaxRectangles);
  std::ranges::sort(order);
  std::vector<Rectangle> kept;
  for (const std::size_t i : order) kept.push_back(rectangles[i]);
  const std::size_t dropped = rectangles.size() - kept.size();
  rectangles = std::move(kept);
  return dropped;
}

std::string tooltipOf(const Run& run, const Rectangle& rectangle) {
  return fmt::format("{}: {} B at {:#x}, steps {} to {}", printable(run.stayName(rectangle.stay)),
                     groupDigits(rectangle.bytes.length().count()), rectangle.bytes.begin.count(),
                     rectangle.steps.begin.count(), rectangle.steps.end.count() - 1);
}

}  // namespace

std::string memoryMapSvg(const Run& run, PoolId pool) {
  constexpr double kLabelHeight = 14;
  std::vector<Rectangle> rectangles = rectanglesOf(run, pool);
  const std::size_t dropped = dropSmallest(rectangles);
  std::string title = run.problem.pools[pool].name + ": address by execution step";
  if (dropped > 0)
    title +=
        fmt::format(" (the {} smallest left out)", groupDigits(static_cast<std::int64_t>(dropped)));
  Plot plot(run, pool, 460, title);
  plot.drawAxes();
  for (const Rectangle& each : rectangles) {
    const double left = plot.x(each.steps.begin);
    const double top = plot.y(each.bytes.end);
    const double width = plot.x(each.steps.end) - left;
    const double height = plot.y(each.bytes.begin) - top;
    plot.svg().rectangle(left, top, width, height,
                         fmt::format(R"(class="hw-block {}")", classOf(run, each.stay)),
                         tooltipOf(run, each));
  }
  for (const Rectangle& each : rectangles) {
    const double left = plot.x(each.steps.begin);
    const double top = plot.y(each.bytes.end);
    const double height = plot.y(each.bytes.begin) - top;
    const std::string name = printable(run.stayName(each.stay), 60);
    const double room = plot.x(each.steps.end) - left;
    if (height < kLabelHeight || room < static_cast<double>(name.size()) * kLetter + 8) continue;
    plot.svg().text(left + 4, top + height / 2 + 4, name, R"(class="hw-name")");
  }
  plot.drawMarks();
  return plot.finish();
}

std::string liveBytesSvg(const Run& run, PoolId pool) {
  Problem placed = run.problem;
  for (const StayId stay : placed.stays.keys()) {
    const auto& address = run.plan.addresses[stay];
    placed.stays[stay].pool = address ? address->pool : PoolId(0);
    if (!address) placed.stays[stay].size = Bytes();  // A part of a plan: it is not there.
  }
  const StepFunction live = liveBytes(placed, pool);
  Plot plot(run, pool, 230, run.problem.pools[pool].name + ": bytes live at each step");
  plot.drawAxes();
  std::vector<double> points{plot.x(0.0), plot.y(0.0)};
  Bytes before{};
  for (const StepFunction::Piece& piece : live.pieces) {
    const double x = plot.x(std::min(piece.from, run.problem.steps));
    points.insert(points.end(), {x, plot.y(before), x, plot.y(piece.value)});
    before = piece.value;
  }
  const double end = plot.x(run.problem.steps);
  points.insert(points.end(), {end, plot.y(before), end, plot.y(0.0)});
  plot.svg().path(points, R"(class="hw-live")");
  plot.drawMarks();
  return plot.finish();
}

}  // namespace hw
