#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/quantity.h"
#include "core/machine/memory_model.h"
#include "core/ops/op_table.h"
#include "core/ops/work.h"

namespace hw {

/// Facts of an operator beside its work. Bytes are those that it reads and writes, as they are
/// stored.
struct CostedOp {
  std::string_view type{};  ///< The standard one, where it is one under another name.
  OpClass kind = OpClass::elements;
  Bytes inputs{};  ///< Besides weights.
  Bytes weights{};
  Bytes outputs{};
  bool fromCaller = false;  ///< It reads an input of the network.
  bool toCaller = false;    ///< It makes an output of the network.
};

/// A key of a unit that a cost model reads.
struct CostParam {
  std::string_view key;
  std::variant<std::int64_t CostSpec::*, double CostSpec::*, Dataflow CostSpec::*,
               Loops CostSpec::*, CostTable CostSpec::*>
      member;
  bool required = false;
};

/// One way to count the cycles of an operator.
struct CostModel {
  std::string_view name;  ///< For `cycles = "..."`.
  std::span<const CostParam> params{};
  std::span<const std::int64_t> macs{};  ///< The `macs_per_cycle` that there are; empty: any.
  bool array = true;           ///< Its multipliers are places that an operator may leave idle.
  std::int64_t biasBytes = 0;  ///< Of a bias with its scale, as stored; 0: as in the model.
  /// Multiply-accumulates a cycle of an array that is full; null: `macs_per_cycle` says it.
  double (*peak)(const CostSpec&) = nullptr;
  /// The most multiply-accumulates a cycle of operators that it knows, whatever `macs_per_cycle`
  /// says; null: that is their most.
  double (*most)(const CostSpec&) = nullptr;
  /// Whole cycles, at most kMostCycles; nothing for operators that the model does not know, which
  /// go by the unit's rates.
  std::optional<std::int64_t> (*cycles)(const UnitSpec&, const Work&, const CostedOp&) = nullptr;
  /// Words for what leaves most of the array idle in an operator whose cycles it knows; null: none.
  std::string (*idle)(const UnitSpec&, const Work&, const CostedOp&) = nullptr;
};

/// Cycles are cut off here.
inline constexpr std::int64_t kMostCycles = std::int64_t{1} << 62;

/// The catalogue. The first is the default: cycles by `macs_per_cycle` and `elements_per_cycle`.
std::span<const CostModel> costModels();
/// Index of a row by its name, which there has to be.
std::size_t costModelNamed(std::string_view name);
inline const CostModel& costModel(const UnitSpec& unit) { return costModels()[unit.cost.model]; }

/// Of the work's elements those that the unit counts.
constexpr std::int64_t countedElements(const UnitSpec& unit, const Work& work) {
  return unit.elements == ElementCount::touched ? work.touched : work.written;
}

/// Whole cycles that a unit takes for an operator.
struct UnitCycles {
  std::int64_t count = 0;
  bool byModel = true;  ///< False: its cost model does not know the operator, and its rates hold.
};
UnitCycles unitCycles(const UnitSpec& unit, const Work& work, const CostedOp& op = {});
inline std::int64_t computeCycles(const UnitSpec& unit, const Work& work, const CostedOp& op = {}) {
  return unitCycles(unit, work, op).count;
}

/// The most multiply-accumulates a cycle of any operator on the unit, but for what laws of a table
/// leave out: rounding to whole cycles, and classes whose cycles do not grow with their work.
double peakMacs(const UnitSpec& unit);

/// The class of an operator in a table of cycles.
std::optional<CostClass> costClassOf(const Work& work, OpClass kind);
/// The count that the law of a class multiplies, for an operator of it.
std::int64_t countedWork(const UnitSpec& unit, CostClass kind, const Work& work);
/// Words for a class of which the unit's table has no law, so that the operator goes by the unit's
/// rates; empty: it has, or there is no table.
std::string withoutLaw(const UnitSpec& unit, const Work& work, const CostedOp& op);

/// The part of an array's multipliers that work in so many cycles; nothing where there is no array.
std::optional<double> arrayShare(const UnitSpec& unit, std::int64_t macs, double cycles);

/// "27 % of the array: 3 input channels on 32"; empty where there is no array, or nothing is
/// multiplied on it.
std::string arrayWords(const UnitSpec& unit, const Work& work, const CostedOp& op);

/// The part of an array's side of `places` that tiles of `size` fill, and words for that: "3 input
/// channels on 32".
struct ArrayFill {
  double part = 1;
  std::string words{};
};
ArrayFill fillOf(std::int64_t size, std::int64_t places, std::string_view what,
                 std::string_view where = "");
/// The words of the least of them; empty where all are full.
std::string leastFilled(std::span<const ArrayFill> fills);

/// Bytes of a constant as it is stored for the unit: weights by their own ratio, else by the
/// unit's, lists as biases.
Bytes storedBytes(const UnitSpec& unit, const Tensor& constant, Bytes bytes);

/// a x b and a + b of numbers from 0, at most kMostCycles.
std::int64_t cyclesTimes(std::int64_t a, std::int64_t b);
std::int64_t cyclesPlus(std::int64_t a, std::int64_t b);
/// Whole cycles of `count` things at `perCycle`, at most kMostCycles.
std::int64_t cyclesAt(double count, double perCycle);
/// The tiles of `size` places that cover `all`: all / size, rounded up.
constexpr std::int64_t tilesOf(std::int64_t all, std::int64_t size) {
  return all / size + (all % size == 0 ? 0 : 1);
}

// One file each.
extern const CostModel kSystolicCost;
extern const CostModel kSpatialCost;
extern const CostModel kEthosCost;
extern const CostModel kEthosU85Cost;
extern const CostModel kPulpCost;
extern const CostModel kTableCost;

/// The `macs_per_cycle` that the unit's cost model does not have, in words; empty: all is well.
std::string macsProblem(const UnitSpec& unit);

}  // namespace hw
