#include "core/sim/cost_model.h"

#include <algorithm>

namespace hw {
namespace {

SimTime capTime(Wide picoseconds) {
  const auto most = static_cast<Wide>(kMaxTime.count());
  return SimTime(static_cast<std::int64_t>(std::min(picoseconds, most)));
}

constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace

SimTime computeTime(const UnitSpec& unit, const Work& work, const OpBytes& bytes) {
  return capTime(static_cast<Wide>(computeCycles(unit, work, bytes)) * kPicosecondsPerSecond /
                 static_cast<Wide>(unit.clock));
}

SimTime transferTime(Bytes bytes, std::int64_t bandwidth) {
  if (bandwidth <= 0) return {};
  const auto rate = static_cast<Wide>(bandwidth);
  return capTime((static_cast<Wide>(bytes.count()) * kPicosecondsPerSecond + rate - 1) / rate);
}

}  // namespace hw
