#pragma once

#include <span>
#include <vector>

#include "core/base/interval.h"
#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/rewrite/graph_builder.h"

namespace hw {

/// A box of a tensor: [first, end) along each of its axes.
using TensorBox = std::vector<Interval<std::int64_t>>;

/// All of a tensor of that shape.
TensorBox wholeBox(const Shape& shape);

/// The boxes of its inputs that an operator of ONNX needs to make a box of its output.
struct OnnxNeeds {
  std::vector<TensorBox> inputs{};  ///< Empty: all of it, or the input is absent.
  /// The padding that remains, of an operator with windows: before each axis of places, then
  /// behind. Empty for others.
  std::vector<std::int64_t> pads{};
};

/// The least box around `wanted` that operator `op` makes in one part: Resize makes whole blocks of
/// rows and columns.
TensorBox onnxMakeable(const Graph& graph, OpId op, TensorBox wanted);

/// What operator `op` reads to make `made`, if the same operator on boxes of its inputs, with other
/// pads, makes just that: convolutions, pools, what goes element by element, Concat along another
/// axis, Resize to the nearest by whole factors. Else the reason, naming the operator.
Result<OnnxNeeds> onnxNeeds(const Graph& graph, OpId op, const TensorBox& made);

/// A part of an operator: the box that it makes of the operator's first output.
struct OnnxPart {
  OpId of{};
  TensorBox made{};
};

/// A model of ONNX some of whose operators run in parts, as nodes: what a file says, without names.
///
///     x -> Conv -> t -> MaxPool -> y           Conv and MaxPool in two parts
///
///     x -> Slice -> x[r0-4] -> Conv[r0-3] -> t[r0-3] -> MaxPool[r0-1] -> y[r0-1]
///     x -> Slice -> x[r3-7] -> Conv[r4-7] -> t[r4-7] -> MaxPool[r2-3] -> y[r2-3]
///     y[r0-1], y[r2-3] -> Concat -> y
struct PartProgram {
  static constexpr std::size_t kAbsent = GraphBuilder::kAbsent;

  /// A tensor of the model, or a box of one.
  struct Value {
    TensorId of{};
    TensorBox box{};  ///< Empty: all of it, under its own name.
  };
  struct Node {
    enum class Kind : std::uint8_t {
      whole,  ///< An operator as it is.
      part,   ///< An operator that makes a box.
      slice,  ///< `cut` of its input, in elements of that.
      join,   ///< Its inputs one behind the other along `axis`.
    };
    Kind kind{};
    OpId of{};  ///< The operator, or the one for which boxes are cut or joined.
    std::vector<std::size_t> inputs{};  ///< Numbers of values; kAbsent where one is left out.
    std::vector<std::size_t> outputs{};
    std::vector<std::int64_t> pads{};  ///< OnnxNeeds::pads
    TensorBox cut{};
    std::size_t axis = 0;
  };

  std::vector<Value> values{};  ///< First the tensors of the model, by number.
  std::vector<Node> nodes{};    ///< None before one whose outputs it reads.

  Shape shapeOf(const Graph& graph, std::size_t value) const;
};

/// The program in which `parts`, in that order, take the place of the operators that they are of.
/// What they read is cut from tensors that are whole and put together of boxes that were made
/// before; where several hold an element, the last one counts. Parts that cannot be made alone are
/// made with what is around them (`onnxMakeable`). A tensor made in parts that anything
/// else reads is joined. Fails where an operator cannot go in parts, or a box is not there yet.
Result<PartProgram> partProgram(const Graph& graph, std::span<const OnnxPart> parts);

/// The program as a graph, whose operators are its nodes in that order; `values` becomes the
/// number of the value that each tensor is.
Result<Graph> graphOf(const Graph& graph, const PartProgram& program,
                      IdMap<TensorId, std::size_t>& values);

}  // namespace hw
