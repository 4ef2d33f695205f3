#include "core/sim/cost_model.h"

#include <algorithm>
#include <cmath>

namespace hw {
namespace {

std::int64_t capped(double value) {
  const auto most = static_cast<double>(kMaxTime.count());
  return value < most ? static_cast<std::int64_t>(value) : kMaxTime.count();
}

SimTime capTime(Wide picoseconds) {
  const auto most = static_cast<Wide>(kMaxTime.count());
  return SimTime(static_cast<std::int64_t>(std::min(picoseconds, most)));
}

constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace

SimTime computeTime(const UnitSpec& unit, const Work& work) {
  const auto cycles = [](std::int64_t count, double perCycle) {
    return capped(std::ceil(static_cast<double>(count) / perCycle));
  };
  const std::int64_t total = std::max(cycles(work.macs, unit.macsPerCycle),
                                      cycles(countedElements(unit, work), unit.elementsPerCycle));
  return capTime(static_cast<Wide>(total) * kPicosecondsPerSecond / static_cast<Wide>(unit.clock));
}

SimTime transferTime(Bytes bytes, std::int64_t bandwidth) {
  if (bandwidth <= 0) return {};
  const auto rate = static_cast<Wide>(bandwidth);
  return capTime((static_cast<Wide>(bytes.count()) * kPicosecondsPerSecond + rate - 1) / rate);
}

}  // namespace hw
