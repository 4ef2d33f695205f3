#pragma once

#include "core/ops/op_rules.h"

// Beginnings of rows of the op table. A row that differs says so after it:
//
//   op("Conv", shapes::convolution).works(work::convolution).over(InPlace::depthwise)

namespace hw {

constexpr OpInfo op(std::string_view type, ShapeRule* shape = nullptr) {
  return {.type = type, .shape = shape};
}

/// One op under another name.
constexpr OpInfo same(std::string_view type, std::string_view standard) {
  return {.type = type, .standard = standard};
}

/// Each element from the one at the same place.
constexpr OpInfo mapped(std::string_view type, Evaluator* evaluate = nullptr) {
  const OpInfo row = op(type, shapes::sameAsFirst).evaluated(evaluate).over(InPlace::first);
  return row.is(OpClass::activation).needs(regions::elements);
}

/// The same, where an element needs all of its row.
constexpr OpInfo mappedByRow(std::string_view type) {
  return op(type, shapes::sameAsFirst).is(OpClass::activation).over(InPlace::first);
}

/// The same, where the row is scaled by what it holds.
constexpr OpInfo normalised(std::string_view type) {
  return mappedByRow(type).is(OpClass::elements);
}

/// Inputs broadcast together, element by element.
constexpr OpInfo combined(std::string_view type, Evaluator* evaluate = nullptr) {
  const OpInfo row = op(type, shapes::broadcastAll).evaluated(evaluate, 2).over(InPlace::any);
  return row.needs(regions::elements);
}

constexpr OpInfo compared(std::string_view type, Evaluator* evaluate = nullptr) {
  return op(type, shapes::compare).evaluated(evaluate, 2).needs(regions::elements);
}

/// As large as the first input, and nothing more is known.
constexpr OpInfo like(std::string_view type) { return op(type, shapes::sameAsFirst); }

constexpr OpInfo reduced(std::string_view type, Evaluator* evaluate = nullptr) {
  const OpInfo row = op(type, shapes::reduce).evaluated(evaluate).is(OpClass::pooling);
  return row.needs(regions::reduced);
}

constexpr OpInfo moved(std::string_view type, ShapeRule* shape, Evaluator* evaluate = nullptr,
                       std::int8_t operands = 1) {
  return op(type, shape).evaluated(evaluate, operands).is(OpClass::movement);
}

/// The first input under another shape.
constexpr OpInfo reshaped(std::string_view type, ShapeRule* shape, Evaluator* evaluate = nullptr) {
  return op(type, shape).evaluated(evaluate).seenAs(ViewFamily::reshape);
}

constexpr OpInfo pooled(std::string_view type, ShapeRule* shape = shapes::pool) {
  return op(type, shape).works(work::pooling, OpClass::pooling).needs(regions::window);
}

/// Carried out by the importer.
constexpr OpInfo special(std::string_view type, Special how) {
  return op(type, shapes::elsewhere).carriedOut(how);
}

constexpr OpInfo looped(std::string_view type, Special how = Special::none) {
  return special(type, how).works(work::body, OpClass::body);
}

std::span<const OpInfo> standardOps();
std::span<const OpInfo> microsoftOps();
std::span<const OpInfo> classicOps();
/// Rows of a domain; several domains may have the same.
struct DomainOps {
  std::string_view domain;
  std::span<const OpInfo> rows;
};
std::span<const DomainOps> otherOps();
std::span<const OpInfo> customOps();  ///< Custom operators of TFLite files that are met most.

}  // namespace hw
