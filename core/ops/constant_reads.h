#pragma once

#include <map>
#include <utility>

#include "core/graph/graph.h"

namespace hw {

/// A part of an op, which makes some of its outputs along `axis`, reads of that constant operand
/// only what belongs to them: weights and biases of its channels, or what is added to them.
bool readsShare(const Graph& graph, OpId op, std::size_t input, int axis);

/// The bytes of constants that ops read. A part reads its share of a constant in which each element
/// is for some of the op's outputs alone, else all of it. Of a convolution that adds up its
/// channels part by part, each part reads the weights of its channels, and the last one all else.
class ConstantReads {
 public:
  explicit ConstantReads(const Graph& graph) : graph_(graph) {}

  Bytes of(OpId op, TensorId constant);

 private:
  enum class Use : std::uint8_t { all, share, last };
  Use useOf(OpId part, TensorId constant) const;

  const Graph& graph_;
  /// By op and operand of the original graph, since parts of one op are alike.
  std::map<std::pair<OpId, TensorId>, Use> uses_;
};

}  // namespace hw
