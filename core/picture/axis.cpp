#include "core/picture/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/text.h"

namespace hw {
namespace {

/// The least of 1, 2, 5, 10, 20, … that is not below `wanted`.
double roundStep(double wanted) {
  double power = 1;
  while (true) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= wanted) return factor * power;
    }
    power *= 10;
  }
}

struct TickDistance {
  double bytes = 1;
  double unit = 1;
  const char* name = "B";
};

/// The least distance that is a round number of some unit and not below `wanted` bytes. Where the
/// axis reaches the next unit, hundreds become quarters and halves of that.
TickDistance roundDistance(double wanted, double high) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double unit = 1;
  for (std::size_t i = 0; i + 1 < std::size(kUnits); ++i) {
    for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
      if (factor * unit >= wanted) return {factor * unit, unit, kUnits[i]};
    }
    const double next = unit * 1024;
    for (const double factor : {200.0, 500.0}) {
      const double part = factor == 200.0 ? next / 4 : next / 2;
      if (high >= next && part >= wanted) return {part, next, kUnits[i + 1]};
      if (high < next && factor * unit >= wanted) return {factor * unit, unit, kUnits[i]};
    }
    unit = next;
  }
  return {unit, unit, "EiB"};
}

/// Both ends `factor` times nearer to `fixed`.
void narrow(double& low, double& high, double factor, double fixed) {
  low = fixed - (fixed - low) / factor;
  high = fixed + (high - fixed) / factor;
}

/// "1,200", "0.25", "1.5".
std::string tickNumber(double value) {
  const double whole = std::floor(value + 1e-9);
  std::string text = groupDigits(static_cast<std::int64_t>(whole));
  const int hundredths = static_cast<int>((value - whole) * 100 + 0.5);
  if (hundredths > 0) {
    text += fmt::format(".{:02}", hundredths);
    if (hundredths % 10 == 0) text.pop_back();
  }
  return text;
}

/// Writes times of an axis up to `most`, `distance` apart, both in picoseconds.
class TimeText {
 public:
  TimeText(double most, double distance) {
    while (most >= 1000 * unit_ && name_ + 1 < kTimeUnits.size()) {
      unit_ *= 1000;
      ++name_;
    }
    for (double part = unit_; part > distance * 1.001 && digits_ < 12; part /= 10) ++digits_;
  }
  std::string operator()(double time) const {
    if (time == 0) return "0";
    return fmt::format("{:.{}f} {}", time / unit_, digits_, kTimeUnits[name_]);
  }

 private:
  double unit_ = 1;
  std::size_t name_ = 0;
  int digits_ = 0;
};

/// Places of marks `distance` apart on [low, high], from 0 up.
std::vector<double> markPlaces(double low, double high, double distance) {
  std::vector<double> places;
  const double first = std::max(0.0, std::ceil(low / distance) * distance);
  const int count = static_cast<int>(std::clamp((high - first) / distance + 1, 0.0, 1000.0));
  for (int i = 0; i < count; ++i) places.push_back(first + i * distance);
  return places;
}

}  // namespace

RunAxis RunAxis::zoomed(double factor, double x) const {
  RunAxis axis = *this;
  narrow(axis.begin, axis.end, factor, toPlace(x));
  return axis;
}

RunAxis RunAxis::panned(double pixels) const {
  const double places = pixels * (end - begin) / width;
  RunAxis axis = *this;
  axis.begin -= places;
  axis.end -= places;
  return axis;
}

std::vector<AxisTick> RunAxis::ticks(double spacing) const {
  const double distance = roundStep(spacing / pixelsPerUnit());
  std::vector<AxisTick> marks;
  const TimeText timeText(end, distance);
  for (const double place : markPlaces(begin, end, distance)) {
    const bool isTime = unit == AxisUnit::time;
    marks.push_back(
        {place, isTime ? timeText(place) : groupDigits(static_cast<std::int64_t>(place))});
  }
  return marks;
}

ByteAxis ByteAxis::zoomed(double factor, double pixel) const {
  ByteAxis axis = *this;
  narrow(axis.low, axis.high, factor, toBytes(pixel));
  return axis;
}

ByteAxis ByteAxis::panned(double pixels) const {
  const double bytes = pixels * (high - low) / length;
  ByteAxis axis = *this;
  axis.low -= bytes;
  axis.high -= bytes;
  return axis;
}

std::vector<AxisTick> ByteAxis::ticks(double spacing) const {
  const double wantedBytes = spacing * (high - low) / std::abs(length);
  const TickDistance distance =
      hex ? TickDistance{std::exp2(std::ceil(std::log2(std::max(1.0, wantedBytes))))}
          : roundDistance(wantedBytes, high);
  std::vector<AxisTick> marks;
  for (const double bytes : markPlaces(low, high, distance.bytes)) {
    std::string label = "0";
    if (bytes != 0) {
      label = hex ? fmt::format("{:#x}", static_cast<std::uint64_t>(bytes))
                  : fmt::format("{} {}", tickNumber(bytes / distance.unit), distance.name);
    }
    marks.push_back({bytes, std::move(label)});
  }
  return marks;
}

bool isTimed(const Run& run) {
  return run.timing.makespan > SimTime() && !run.timing.ops.empty() && run.trace.size() > 0;
}

std::string_view stepWord(const Run& run) {
  return run.problem.constraints.virtualTime ? "virtual time" : "step";
}

Step stepsOf(const Run& run) {
  return std::max({Step(1), run.problem.steps, run.schedule.steps()});
}

RunScale::RunScale(const Run& run, AxisUnit unit) : unit_(unit), steps_(stepsOf(run).count()) {
  length_ = static_cast<double>(steps_);
  if (unit == AxisUnit::step) return;
  length_ = std::max(1.0, onAxis(run.timing.makespan));
  double begun = 0;
  for (const OpTiming& op : run.timing.ops) {
    begun = std::max(begun, onAxis(op.time.begin));
    begins_.push_back(begins_.empty() ? 0 : begun);
    ops_.push_back({onAxis(op.time.begin), onAxis(op.time.end)});
  }
}

double RunScale::leastVisible() const {
  constexpr double kLeastSteps = 0.25;
  constexpr double kLeastPicoseconds = 100;
  return std::min(length_, unit_ == AxisUnit::step ? kLeastSteps : kLeastPicoseconds);
}

double RunScale::begin(Step step) const {
  if (unit_ == AxisUnit::step) return step.real();
  const auto index = static_cast<std::size_t>(std::max(step, Step()).count());
  return index < begins_.size() ? begins_[index] : length_;
}

Interval<double> RunScale::during(Step step) const {
  const auto index = static_cast<std::size_t>(std::max(step, Step()).count());
  if (unit_ == AxisUnit::time && index < ops_.size()) return ops_[index];
  return {begin(step), begin(step + Step(1))};
}

Step RunScale::stepAt(double place) const {
  const auto last = static_cast<double>(steps_ - 1);
  if (unit_ == AxisUnit::step) {
    return Step(static_cast<std::int64_t>(std::clamp(std::floor(place), 0.0, last)));
  }
  const auto next = std::ranges::upper_bound(begins_, place);
  return Step(std::max<std::int64_t>(0, next - begins_.begin() - 1));
}

double RunScale::fromSteps(double step) const {
  if (unit_ == AxisUnit::step) return step;
  const Step whole(static_cast<std::int64_t>(std::floor(step)));
  const double from = begin(whole);
  return from + (step - std::floor(step)) * (begin(whole + Step(1)) - from);
}

double RunScale::toSteps(double place) const {
  if (unit_ == AxisUnit::step) return place;
  if (place >= length_) return static_cast<double>(steps_);
  const Step step = stepAt(place);
  const double from = begin(step);
  const double width = begin(step + Step(1)) - from;
  return step.real() + (width > 0 ? (place - from) / width : 0);
}

}  // namespace hw
