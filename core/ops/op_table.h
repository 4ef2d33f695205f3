#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/ops/op_facts.h"

namespace hw {

class Operands;
struct Regions;
struct Work;

using OutputFacts = std::vector<TensorFacts>;
using OpenOutputs = std::vector<OpenFacts>;
using SmallValues = std::vector<SmallValue>;

/// The rules of a row; each returns an empty list when it cannot tell.
using ShapeRule = OutputFacts(const OpFacts& facts);  ///< Types and shapes of the outputs.
using OpenRule = OpenOutputs(const OpFacts& facts);   ///< The most an output can be.
using Evaluator = SmallValues(const OpFacts& facts);  ///< The elements of small outputs.
using WorkRule = Work(const Operands& operands);      ///< The amount of work: core/ops/work.h.
/// The parts of its inputs needed for a part of an output of shape `made`: core/ops/regions.h.
using RegionRule = Regions(const OpFacts& facts, const Shape& made);

/// The kind of work that an op does, roughly.
enum class OpClass : std::uint8_t {
  convolution,  ///< Multiplies and adds under a window that moves.
  activation,   ///< Each element from the one at the same place, or from its row.
  product,      ///< Multiplies and adds otherwise: matrix products, attention, recurrences.
  elements,     ///< Several inputs element by element, normalizations, or anything else.
  pooling,      ///< Pools, resizes and folds.
  movement,     ///< Moves elements or shows them under another shape.
  body,         ///< Runs other ops.
};

/// True if the work of such ops is counted in multiply-accumulates.
constexpr bool multiplies(OpClass kind) {
  return kind == OpClass::convolution || kind == OpClass::product;
}

std::string_view opClassName(OpClass kind);

/// The inputs that a kernel may overwrite: every output element depends on the input elements at
/// the same place, or on a whole row that is read before it is written.
enum class InPlace : std::uint8_t {
  never,
  first,      ///< The one with the data.
  any,        ///< Any input that is not broadcast.
  sameWidth,  ///< The first, where the element width stays the same.
  depthwise,  ///< The first, where each channel comes from the one at the same place.
};

std::string_view inPlaceName(InPlace rule);

/// Ops that need not move data: the output is the input under another shape, or a slice of it.
enum class ViewFamily : std::uint8_t { none, reshape, concat, split };

std::string_view viewFamilyName(ViewFamily family);

/// Ops that the importer carries out itself, because they take more than the shapes of tensors:
/// those that run bodies, and those on sequences and optional values.
enum class Special : std::uint8_t {
  none,
  branch,  ///< One of two bodies runs.
  turns,   ///< A body runs again and again.
  scan,    ///< A body runs once for each slice of what goes in.
  sequenceEmpty,
  sequenceOf,
  sequenceInsert,
  sequenceErase,
  sequenceAt,
  sequenceLength,
  sequenceSplit,
  sequenceConcat,
  optionalOf,
  optionalGet,
  optionalHas,
};

/// All that is known about one op type, for importers, aliasing, the cost model and colours alike.
/// To teach the program an op, add a row to op_rows_*.cpp: the functions there begin one, and the
/// members here that return a row say more about it.
struct OpInfo {
  std::string_view type{};
  std::string_view domain{};    ///< Empty for standard ops, "tflite" for TFLite's.
  std::string_view standard{};  ///< The standard op whose row this is, under another name.
  ShapeRule* shape = nullptr;   ///< Null: only the file can tell.
  OpenRule* open = nullptr;     ///< Bounds where the data decides.
  Evaluator* evaluate = nullptr;
  std::int8_t operands = 1;  ///< Inputs that `evaluate` cannot do without; -1: it needs no values.
  WorkRule* work = nullptr;  ///< Null: the elements it touches.
  RegionRule* region = nullptr;  ///< Null: any part of an output needs all inputs.
  OpClass kind = OpClass::elements;
  InPlace inPlace = InPlace::never;
  ViewFamily view = ViewFamily::none;
  Special special = Special::none;
  std::uint8_t data = 0;     ///< The input that is worked on, cut or seen under another shape.
  std::uint8_t weight = 1;   ///< The input that is the weight of a convolution.
  bool lastChannel = false;  ///< Its channels are the last dimension of the weight, not the first.

  /// The same row but for one fact.
  template <class Fact>
  constexpr OpInfo with(Fact OpInfo::*fact, Fact value) const {
    OpInfo row = *this;
    row.*fact = value;
    return row;
  }
  constexpr OpInfo evaluated(Evaluator* rule, std::int8_t needed = 1) const {
    return with(&OpInfo::evaluate, rule).with(&OpInfo::operands, needed);
  }
  constexpr OpInfo bounded(OpenRule* rule) const { return with(&OpInfo::open, rule); }
  constexpr OpInfo works(WorkRule* rule, OpClass does = OpClass::product) const {
    return with(&OpInfo::work, rule).is(does);
  }
  constexpr OpInfo convolves(WorkRule* rule) const { return works(rule, OpClass::convolution); }
  constexpr OpInfo needs(RegionRule* rule) const { return with(&OpInfo::region, rule); }
  constexpr OpInfo is(OpClass does) const { return with(&OpInfo::kind, does); }
  constexpr OpInfo over(InPlace rule) const { return with(&OpInfo::inPlace, rule); }
  constexpr OpInfo seenAs(ViewFamily family) const {
    return is(OpClass::movement).with(&OpInfo::view, family);
  }
  constexpr OpInfo carriedOut(Special how) const { return with(&OpInfo::special, how); }
  constexpr OpInfo dataAt(std::uint8_t input) const { return with(&OpInfo::data, input); }
  constexpr OpInfo weightAt(std::uint8_t input, bool channelsLast = false) const {
    return with(&OpInfo::weight, input).with(&OpInfo::lastChannel, channelsLast);
  }
};

/// All rows, by domain and type.
std::span<const OpInfo> opTable();

/// The row of `op`; null when there is none. An op of no domain may also be one of ONNX Runtime's:
/// graph JSON has no domains.
const OpInfo* findOp(std::string_view type, std::string_view domain);
inline const OpInfo* findOp(const Op& op) {
  return op.row != nullptr ? op.row : findOp(op.type, op.domain);
}

/// An attribute of operators that move elements and change their scale meanwhile: they are no
/// views.
inline constexpr std::string_view kRescales = "rescales";

/// An attribute of convolutions that pool what they make: the places before pooling, axis by axis.
/// Nothing is known of the rows of such an operator.
inline constexpr std::string_view kPooled = "pooled_from";
inline bool isPooled(const Op& op) { return op.attributes.contains(std::string(kPooled)); }

ViewFamily viewFamilyOf(const Op& op);

/// The input that `op` works on, cuts or shows under another shape; none when it is left out.
TensorId dataInput(const Op& op);

/// One op of a format that numbers them.
struct NumberedOp {
  std::int32_t code;
  OpInfo row;
};

/// TFLite's, by number.
std::span<const NumberedOp> tfliteOps();

}  // namespace hw
