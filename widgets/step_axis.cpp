#include "widgets/step_axis.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "widgets/view_state.h"

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

}  // namespace

StepAxis StepAxis::zoomed(double factor, double x) const {
  const double fixed = toStep(x);
  StepAxis axis = *this;
  axis.begin = fixed - (fixed - begin) / factor;
  axis.end = fixed + (end - fixed) / factor;
  return axis;
}

StepAxis StepAxis::panned(double pixels) const {
  const double steps = pixels * (end - begin) / width;
  StepAxis axis = *this;
  axis.begin -= steps;
  axis.end -= steps;
  return axis;
}

std::vector<AxisTick> StepAxis::ticks(double spacing) const {
  const double distance = roundStep(spacing / pixelsPerStep());
  std::vector<AxisTick> marks;
  const double first = std::max(0.0, std::ceil(begin / distance) * distance);
  const int count = static_cast<int>(std::clamp((end - first) / distance + 1, 0.0, 1000.0));
  for (int i = 0; i < count; ++i) {
    const double step = first + i * distance;
    const std::string text = groupDigits(static_cast<std::int64_t>(step));
    marks.push_back({step, QString::fromStdString(text)});
  }
  return marks;
}

double playheadStep(const ViewState& state) {
  return state.run() ? playheadAt(*state.run(), state.moment(), state.step()) : 0;
}

double playheadAt(const Run& run, std::size_t moment, Step step) {
  if (moment == 0 && step == Step(0)) return 0;
  const std::size_t first = run.trace.indexOfStep(step);
  const std::size_t last = run.trace.indexOfStep(step + Step(1));
  if (first == last) return static_cast<double>(step.count()) + 0.5;
  const double done = static_cast<double>(moment - std::min(moment, first));
  const double all = static_cast<double>(last - first) + 1;
  return static_cast<double>(step.count()) + std::clamp(done / all, 0.0, 0.999);
}

}  // namespace hw
