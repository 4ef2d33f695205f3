#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/ops/loops.h"

namespace hw {

/// The operand that stays in a systolic array while the other two flow through it.
enum class Dataflow : std::uint8_t { weight, output, input };
inline constexpr std::array<std::string_view, 3> kDataflowNames = {"weight", "output", "input"};

/// Classes of operators that a table of cycles tells apart: those of OpClass, and of convolutions
/// those with one input channel a group (depthwise) and those of 1 x 1 (pointwise), for which
/// libraries of kernels have others. Operators that run others are of none.
enum class CostClass : std::uint8_t {
  convolution,
  pointwise,
  depthwise,
  product,
  activation,
  elements,
  pooling,
  movement,
};
inline constexpr std::array<std::string_view, 8> kCostClassNames = {
    "convolution", "pointwise", "depthwise", "product",
    "activation",  "elements",  "pooling",   "movement"};
/// True if its operators are counted in multiply-accumulates, else in elements.
constexpr bool multiplies(CostClass kind) { return kind <= CostClass::product; }
/// The key of what is counted.
constexpr std::string_view countedKey(CostClass kind) {
  return multiplies(kind) ? "mac" : "element";
}

/// Cycles of an operator: call + each x what it counts.
struct CostLaw {
  double call = 0;
  double each = 0;
  friend bool operator==(const CostLaw&, const CostLaw&) = default;
};
/// By CostClass; nothing: the unit's rates hold.
using CostTable = std::array<std::optional<CostLaw>, kCostClassNames.size()>;

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
  double portBytes = 0;    ///< Through the port to the near memory; 0: as the model has it.
  double farLatency = 64;  ///< Cycles until the memory of the weights answers.
  CostTable table{};
  double weightRatio = 1;  ///< Bytes of weights as they are stored for the unit, of the model's.
  friend bool operator==(const CostSpec&, const CostSpec&) = default;
};

}  // namespace hw
