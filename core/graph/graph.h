#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/id.h"
#include "core/base/quantity.h"
#include "core/graph/dtype.h"

namespace hw {

/// Dimensions, outermost first; a scalar has none. Never negative.
using Shape = std::vector<std::int64_t>;

/// The product of the dimensions (1 for a scalar); nothing when it leaves 64 bits.
std::optional<std::int64_t> elementCount(const Shape& shape);

/// The source of a tensor's size, for honesty about totals.
enum class SizeOrigin : std::uint8_t {
  unknown,    ///< Not known; `Tensor::unknownReason` says why.
  declared,   ///< Stored in the file.
  inferred,   ///< Derived from the shapes of the inputs by a shape rule.
  evaluated,  ///< Needed the value of a small integer tensor computed ahead of time.
  assumed,    ///< A free dimension was taken to be 1.
};

std::string_view sizeOriginName(SizeOrigin origin);

/// A value that flows between operators.
struct Tensor {
  std::string name{};  ///< As in the file: may be empty, repeated or odd. Ids identify, not names.
  Dtype dtype = Dtype::unknown;
  std::optional<Shape> shape{};
  std::optional<Bytes> bytes{};  ///< Exact size, not rounded; nothing when unknown.
  SizeOrigin origin = SizeOrigin::unknown;
  std::string unknownReason{};  ///< The reason why `bytes` is missing, else empty.
  /// A weight: stored in the file, or computed from weights only. Never planned.
  bool constant = false;
  /// Keeps its value from run to run: a variable, or the state behind a resource. Never planned,
  /// and nobody knows it ahead of time.
  bool persistent = false;
  double weightRatio = 0;  ///< Bytes of a weight as stored for each of `bytes`; 0: nobody said.
  std::optional<Bytes> plannedOffset{};  ///< Its offset in a plan that came with the file.
  bool graphInput = false;
  bool graphOutput = false;
  OpId producer{};                ///< None for graph inputs and stored weights.
  std::vector<OpId> consumers{};  ///< Ascending, each once, captures included.
};

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    std::vector<double>, std::vector<std::string>>;

struct OpInfo;

/// One operator. Its type is called as `domain` calls it; attributes have ONNX's names where ONNX
/// has such, whatever the file's own format. core/ops says what is known of a type.
struct Op {
  std::string name{};
  std::string type{};
  std::string domain{};              ///< Empty for standard operators.
  std::vector<TensorId> inputs{};    ///< A none id where an optional input is absent.
  std::vector<TensorId> outputs{};   ///< A none id where an optional output is absent.
  std::vector<TensorId> captures{};  ///< Tensors that bodies of control flow read from outside.
  std::map<std::string, AttributeValue> attributes{};
  /// All inputs are constants, so it runs ahead of time. It keeps its step, but does nothing there.
  bool folded = false;
  /// Of its type in core/ops, once it is part of a graph; who changes the type clears it.
  const OpInfo* row = nullptr;

  std::int64_t intAttribute(const std::string& key, std::int64_t fallback) const;
  std::vector<std::int64_t> intsAttribute(const std::string& key) const;
  std::string stringAttribute(const std::string& key, const std::string& fallback) const;
};

struct Tiling;
struct Wholes;

/// A model as data flow: immutable once built (see GraphBuilder), shared by everything.
///
/// Ops are in execution order: topologically sorted, stably with respect to the file. Tensor ids
/// are dense and ordered as docs/methods.md wants them: graph inputs in graph order, then outputs
/// by producing op and output position, then stored weights.
struct Graph {
  std::string name{};
  std::string format{};  ///< "onnx", "graph-json", …
  IdMap<OpId, Op> ops{};
  IdMap<TensorId, Tensor> tensors{};
  std::vector<TensorId> inputs{};    ///< Without constants.
  std::vector<TensorId> outputs{};   ///< May repeat, may be constants or inputs.
  bool reordered = false;            ///< The file's ops were not topologically sorted.
  std::vector<std::string> notes{};  ///< Remarks about the import for the user, in sentences.
  /// Of a graph that was made of another one: what of it comes from where (core/graph/tiling.h).
  std::shared_ptr<const Tiling> tiling{};
  /// Of a graph that was read with its operators in parts: what these are parts of, if known.
  std::shared_ptr<const Wholes> wholes{};

  /// Distinct tensors `op` reads while it runs, in input order, captures last.
  std::vector<TensorId> reads(OpId op) const;
};

/// The operators that those of a file in parts are parts of, as far as the file's names tell: to
/// draw, and to find the same in another graph. They are not planned, and tensors have no sizes.
struct Wholes {
  Graph graph{};
  IdMap<OpId, OpId> opOf{};              ///< By op of the graph in parts; none for added ones.
  IdMap<TensorId, TensorId> tensorOf{};  ///< By tensor of it; none for what has no name.
};

/// A short name for people: the tensor's own, or "t12" when it has none.
std::string displayName(const Graph& graph, TensorId id);
std::string displayName(const Graph& graph, OpId id);

}  // namespace hw
