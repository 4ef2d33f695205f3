#pragma once

#include "tests/support/tflite/flatbuffer.h"

namespace hw::test::tfl {

/// Types of elements, numbered as in the file.
enum class Type : std::int8_t {
  kFloat32 = 0,
  kInt32 = 2,
  kUInt8 = 3,
  kInt64 = 4,
  kBool = 6,
  kInt16 = 7,
  kInt8 = 9,
  kInt4 = 17,
};

/// Name of a type, its number where it has none here.
std::string nameOf(Type type);

/// Tensor as the file describes it.
struct Tensor {
  std::string name{};
  std::vector<std::int32_t> shape{};
  Type type = Type::kFloat32;
  std::vector<float> scales{};
  std::vector<std::int64_t> zeros{};
  std::int32_t channelAxis = 0;  ///< The axis that `scales` belong to where there are several.
  bool variable = false;
  Table::Bytes data{};  ///< Weights, in the file; empty for others.

  std::int64_t elements() const;
  /// Bytes that it needs; throws where its type is not known.
  std::size_t bytes() const;
  /// Width of an element in bytes, 1 for half bytes.
  std::size_t width() const;
};

/// Operator as the file describes it.
struct Operator {
  std::int32_t code = 0;
  std::string name{};
  std::vector<std::int32_t> inputs{};
  std::vector<std::int32_t> outputs{};
  std::optional<Table> options{};
};

struct Graph {
  std::vector<Tensor> tensors{};
  std::vector<std::int32_t> inputs{};
  std::vector<std::int32_t> outputs{};
  std::vector<Operator> operators{};
};

/// File with all that running it needs.
struct Model {
  std::vector<Graph> graphs{};
  /// Offsets of the tensors of all graphs, one behind the other, where the file has a plan.
  std::optional<std::vector<std::int32_t>> plan{};
};

/// Model in a file, which outlives it. Indices are checked; throws a Refusal.
Model readModel(Table::Bytes file);

}  // namespace hw::test::tfl
