#include "core/picture/port_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr double kPicoseconds = 1e12;  ///< Of a second.
/// A step narrower than this, on average, is no longer drawn by itself.
constexpr double kLeastStep = 2;

/// The stairs of a lane, as points from left to right.
class LaneStairs {
 public:
  LaneStairs(const PortLane& lane, const Box& box, const RunAxis& axis)
      : lane_(lane), box_(box), axis_(axis) {}

  std::vector<Point> points() {
    const auto steps = lane_.between(axis_.begin, axis_.end);
    if (static_cast<double>(steps.size()) * kLeastStep <= box_.width) {
      addSteps(steps);
    } else {
      addColumns();
    }
    return std::move(points_);
  }

 private:
  double heightAt(double bytesPerSecond) const {
    return box_.bottom() - box_.height * bytesPerSecond / lane_.top();
  }

  void add(double left, double right, double bytesPerSecond) {
    left = std::clamp(left, box_.left, box_.right());
    right = std::clamp(right, box_.left, box_.right());
    if (right <= left) return;
    const double y = heightAt(bytesPerSecond);
    if (!points_.empty() && points_.back() == Point{left, y})
      points_.pop_back();
    else
      points_.push_back({left, y});
    points_.push_back({right, y});
  }

  void addSteps(std::span<const PortStep> steps) {
    double reached = box_.left;
    for (const PortStep& step : steps) {
      const double left = axis_.toX(onAxis(step.begin));
      add(reached, left, 0);
      reached = axis_.toX(onAxis(step.end));
      add(left, reached, step.bytesPerSecond());
    }
    add(reached, box_.right(), 0);
  }

  void addColumns() {
    double before = lane_.until(axis_.toPlace(box_.left));
    for (double x = box_.left; x < box_.right(); ++x) {
      const double next = std::min(x + 1, box_.right());
      const double until = lane_.until(axis_.toPlace(next));
      const double seconds = (axis_.toPlace(next) - axis_.toPlace(x)) / kPicoseconds;
      add(x, next, (until - before) / seconds);
      before = until;
    }
  }

  const PortLane& lane_;
  const Box& box_;
  const RunAxis& axis_;
  std::vector<Point> points_;
};

}  // namespace

PortLane::PortLane(std::string name, PortCurve curve)
    : name_(std::move(name)),
      curve_(std::move(curve)),
      top_(std::max(static_cast<double>(curve_.roof), curve_.peak())) {
  double sum = 0;
  before_.reserve(curve_.steps.size() + 1);
  for (const PortStep& step : curve_.steps) {
    before_.push_back(sum);
    sum += step.bytes();
  }
  before_.push_back(sum);
}

std::vector<PortLane> PortLane::of(const Run& run) {
  const ActivityList& list = run.timing.activities;
  std::vector<PortLane> lanes;
  for (PortCurve& curve : portCurves(list, run.timing.times)) {
    if (curve.steps.empty()) continue;
    lanes.emplace_back(printable(portName(list, curve.port), 40), std::move(curve));
  }
  return lanes;
}

double PortLane::until(double place) const {
  const auto next = std::ranges::upper_bound(
      curve_.steps, place, {}, [](const PortStep& step) { return onAxis(step.begin); });
  if (next == curve_.steps.begin()) return 0;
  const PortStep& step = *std::prev(next);
  const double before = before_[static_cast<std::size_t>(next - curve_.steps.begin()) - 1];
  const double part = (place - onAxis(step.begin)) / onAxis(step.end - step.begin);
  return before + step.bytes() * std::min(1.0, part);
}

std::span<const PortStep> PortLane::between(double from, double to) const {
  const auto first = std::ranges::upper_bound(
      curve_.steps, from, {}, [](const PortStep& step) { return onAxis(step.end); });
  const auto last = std::ranges::lower_bound(
      curve_.steps, to, {}, [](const PortStep& step) { return onAxis(step.begin); });
  return first < last ? std::span(first, last) : std::span<const PortStep>();
}

std::string PortLane::rateWords(double bytesPerSecond) const {
  const std::string rate = formatRate(bytesPerSecond, "B");
  const auto share = curve_.ofRoof(bytesPerSecond);
  return share ? fmt::format("{}, {:.1f} % of the roof", rate, *share * 100) : rate;
}

void drawPortLane(Canvas& canvas, const PortLane& lane, const Box& box, const RunAxis& axis) {
  const std::vector<Point> points = LaneStairs(lane, box, axis).points();
  canvas.stairs(points, box.bottom(), kPortFill);
  if (lane.curve().roof == 0) return;
  const double part = static_cast<double>(lane.curve().roof) / lane.top();
  const double y = std::floor(box.bottom() - box.height * part);
  canvas.line({box.left, y}, {box.right() - 1, y}, {Ink::capacity, 1, kDashed});
}

}  // namespace hw
