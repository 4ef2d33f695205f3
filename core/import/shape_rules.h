#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/op_table.h"
#include "core/import/op_facts.h"

namespace hw {

using OutputFacts = std::vector<TensorFacts>;

/// How ops of one kind (see op_table.h) shape their outputs; empty when it cannot tell.
struct ShapeRule {
  ShapeKind kind;
  OutputFacts (*infer)(const OpFacts& facts);
};

/// Ops that rearrange, cut, join and resize.
std::span<const ShapeRule> structureRules();
/// Ops that compute one element from another, and those that fold axes away.
std::span<const ShapeRule> elementRules();
/// Normalisation, attention and products, among them the fused ops of ONNX Runtime.
std::span<const ShapeRule> networkRules();
/// Windows that slide over images: convolutions, pools, and their reverses.
std::span<const ShapeRule> windowRules();
/// Tensors out of little, blocks moved about, sequences.
std::span<const ShapeRule> tensorRules();
/// Pictures and signals.
std::span<const ShapeRule> signalRules();
/// Classic machine learning: encoders, trees, linear models.
std::span<const ShapeRule> classicRules();

/// An output some of whose dimensions hang on the data itself.
struct OpenFacts {
  Dtype dtype = Dtype::unknown;
  Shape most{};                     ///< The most each can be; -n: no bound is known, n stands in.
  std::vector<std::size_t> open{};  ///< The axes that depend on data.
};

/// What can be said ahead of time about the outputs of ops that find out at run time how much
/// there is: NonZero, Compress, Unique, TopK and the like. Empty for all others.
std::vector<OpenFacts> inferOpenOutputs(const OpFacts& facts);

/// One output with a known shape.
inline OutputFacts one(Dtype dtype, Shape shape) { return {{dtype, std::move(shape)}}; }

/// One output like an input.
OutputFacts like(const OpFacts& facts, std::size_t input);

/// One output whose shape may have failed to come about.
inline OutputFacts maybe(Dtype dtype, std::optional<Shape> shape) {
  if (!shape) return {};
  return one(dtype, std::move(*shape));
}

/// The shape of a matrix product after NumPy's rules; nothing when the two do not fit.
std::optional<Shape> matrixProduct(const Shape& a, const Shape& b);

}  // namespace hw
