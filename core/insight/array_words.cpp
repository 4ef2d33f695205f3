#include "core/insight/array_words.h"

#include <algorithm>

#include "core/sim/cost_model.h"

namespace hw {

bool hasArrays(const Platform& platform) {
  return std::ranges::any_of(platform.devices, [](const DeviceSpec& device) {
    return std::ranges::any_of(device.units,
                               [](const UnitSpec& unit) { return costModel(unit).array; });
  });
}

std::string arrayWords(const Run& run, Step step) {
  const auto at = static_cast<std::size_t>(step.count());
  if (at >= run.timing.ops.size() || run.timing.ops[at].macs == 0) return {};
  const OpTiming& timing = run.timing.ops[at];
  const OpId id = run.schedule.opAt(step);
  const std::size_t device = run.partition.deviceOf.contains(id) ? run.partition.deviceOf[id] : 0;
  const UnitSpec& unit = run.request.platform.devices[device].units[timing.unit];
  return arrayWords(unit, workOf(run.graph(), id), costedOp(run.graph(), id, timing));
}

}  // namespace hw
