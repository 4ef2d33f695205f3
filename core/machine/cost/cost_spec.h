#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/ops/loops.h"

namespace hw {

/// The operand that stays in a systolic array while the other two flow through it.
enum class Dataflow : std::uint8_t { weight, output, input };
inline constexpr std::array<std::string_view, 3> kDataflowNames = {"weight", "output", "input"};

/// The rule by which a unit's cycles are counted, as a row of `costModels`, and the parameters that
/// the rows read.
struct CostSpec {
  std::size_t model = 0;  ///< Index into `costModels`; 0: by the unit's rates.
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  Dataflow dataflow = Dataflow::weight;
  Loops unroll{};  ///< Of each loop so many at once.
  /// Bytes a cycle through the array's own ports; 0: no bound.
  double weightPort = 0;
  double outputPort = 0;
  double weightRatio = 1;  ///< Bytes of weights as they are stored for the unit, of the model's.
  friend bool operator==(const CostSpec&, const CostSpec&) = default;
};

}  // namespace hw
