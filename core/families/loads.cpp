#include <array>
#include <cmath>

#include "core/families/family_rows.h"

namespace hw {
namespace {

constexpr ParamSpec kLoadParams[] = {kBuffersParam, kSeedParam};

}  // namespace

std::span<const ParamSpec> loadParams() { return kLoadParams; }

Result<GeneratedProblem> makeScattered(const Params& params) {
  Dice dice(static_cast<std::uint64_t>(params.integer(kSeedParam)));
  const std::int64_t steps = params.integer(kBuffersParam);
  std::vector<FamilyStay> stays(static_cast<std::size_t>(steps));
  for (FamilyStay& stay : stays) {
    stay.begin = dice.roll(0, steps - 1);
    stay.length = 1 + static_cast<std::int64_t>(-32 * std::log(1 - dice.fraction()));
    stay.size = static_cast<std::int64_t>(64 * std::exp2(14 * dice.fraction()));
  }
  return GeneratedProblem{problemOfStays(std::move(stays))};
}

Result<GeneratedProblem> makeInference(const Params& params) {
  Dice dice(static_cast<std::uint64_t>(params.integer(kSeedParam)));
  std::array<std::int64_t, 32> classes{};
  for (std::int64_t& size : classes) {
    size = 64 * static_cast<std::int64_t>(std::exp2(14 * dice.fraction()));
  }
  const std::int64_t buffers = params.integer(kBuffersParam);
  const std::int64_t steps = std::max<std::int64_t>(1, buffers / 8);
  std::vector<FamilyStay> stays(static_cast<std::size_t>(buffers));
  for (FamilyStay& stay : stays) {
    stay.begin = dice.roll(0, steps - 1);
    stay.length = dice.roll(1, 3);
    stay.size = classes[static_cast<std::size_t>(dice.roll(0, 31))];
  }
  return GeneratedProblem{problemOfStays(std::move(stays))};
}

}  // namespace hw
