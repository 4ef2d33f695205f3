#include "core/run/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/machine/cost/cost_models.h"
#include "core/sim/contention.h"
#include "core/sim/port_curve.h"

namespace hw {
namespace {

/// The activity of the operator at a step; none: it does nothing.
ActivityId computeAt(const Run& run, Step step) {
  const auto& activities = run.timing.activities.activities;
  auto at = std::ranges::lower_bound(activities, step, {}, &Activity::step);
  for (; at != activities.end() && at->step == step; ++at) {
    if (at->kind == ActivityKind::compute) {
      return ActivityId(static_cast<std::size_t>(at - activities.begin()));
    }
  }
  return {};
}

double perSecond(double count, SimTime time) { return count * 1e12 / time.real(); }

/// Sets the port that holds the operator up longest, or that moves most.
void choosePort(const ActivityList& list, const Activity& activity, RoofDot& dot) {
  SimTime longest;
  const FlowNeed need = flowNeed(list, activity);
  for (const PortUse& use : activity.ports) {
    const auto own = std::ranges::find(need.ports, use.port, &PortNeed::port);
    const SimTime time = own == need.ports.end() ? SimTime() : own->time;
    const Bytes bytes = use.read + use.written;
    if (dot.port && (time < longest || (time == longest && bytes <= dot.bytes))) continue;
    longest = time;
    dot.port = use.port;
    dot.bytes = bytes;
  }
  if (longest > SimTime()) dot.bandwidth = perSecond(dot.bytes.real(), longest);
}

}  // namespace

double RoofDot::intensity() const {
  if (bytes == Bytes()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(macs) / bytes.real();
}

std::optional<RoofDot> roofDot(const Run& run, Step step) {
  const auto at = static_cast<std::size_t>(step.count());
  if (step < Step() || at >= run.timing.ops.size()) return std::nullopt;
  const OpTiming& timing = run.timing.ops[at];
  const ActivityId id = computeAt(run, step);
  if (!id || timing.macs == 0 || timing.time.length() == SimTime()) return std::nullopt;
  const Activity& activity = run.timing.activities.activities[id];
  const UnitSpec& unit = run.request.platform.devices[activity.device].units[timing.unit];
  RoofDot dot{.step = step,
              .activity = id,
              .macs = timing.macs,
              .attained = perSecond(static_cast<double>(timing.macs), timing.time.length()),
              .peak = peakMacs(unit) * static_cast<double>(unit.clock)};
  dot.peak = std::max(dot.peak, dot.attained);
  choosePort(run.timing.activities, activity, dot);
  const double slope = dot.bandwidth > 0 ? dot.bandwidth * dot.intensity() : dot.peak;
  dot.byCompute = dot.peak <= slope;
  dot.roof = std::min(dot.peak, slope);
  return dot;
}

const std::string& roofName(const Run& run, const RoofDot& dot) {
  static const std::string kCompute = "compute";
  return dot.byCompute ? kCompute : portName(run.timing.activities, *dot.port);
}

std::string roofWords(const Run& run, const RoofDot& dot) {
  std::string words = fmt::format("{:.1f} % of its roof, {} of {}, bound by {}",
                                  dot.attained / dot.roof * 100, formatRate(dot.attained, "MAC"),
                                  formatRate(dot.roof, "MAC"), printable(roofName(run, dot)));
  if (dot.bytes == Bytes()) return words;
  return words + fmt::format("; {:.3g} MACs a byte of {}", dot.intensity(),
                             printable(portName(run.timing.activities, *dot.port)));
}

std::vector<RoofDot> roofline(const Run& run) {
  std::vector<RoofDot> dots;
  for (std::size_t step = 0; step < run.timing.ops.size(); ++step) {
    if (const auto dot = roofDot(run, Step(static_cast<std::int64_t>(step)))) dots.push_back(*dot);
  }
  return dots;
}

}  // namespace hw
