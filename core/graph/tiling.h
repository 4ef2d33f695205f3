#pragma once

#include <functional>

#include "core/base/interval.h"
#include "core/graph/graph.h"

namespace hw {

/// The relation of a graph to the one that it was made from by a rewrite.
///
/// An operator that runs again is there twice, each time with tensors of its own that are the same
/// of the original. Where some run again and then in parts, the original of the parts has such a
/// tiling itself.
///
/// A tensor of a run of such operators is there in *pieces*: boxes of it, each made by one part. A
/// piece lies in the storage of a *host*: the tensor itself, where that is whole, or a *ring*, a
/// tensor that nobody makes or reads, with room for as many rows as are needed at a time.
///
///     original    x -> conv -> t -> pool -> y
///     tiled       x -> Parts -> x[r0], x[r1], …
///                 x[r0], x[r1] -> conv[r0] -> t[r0]     in the ring of t, at row 0
///                 …
///                 t[r0], t[r1] -> pool[r0] -> y[r0]     in y, at row 0
///                 y[r0], y[r1], … -> Whole -> y         where they lie
struct Tiling {
  /// The rewrite that made the graph.
  enum class Kind : std::uint8_t {
    parts,    ///< Operators run in parts.
    repeats,  ///< Operators run again.
    batches,  ///< The whole graph runs several times, each time on inputs of its own.
    layout,   ///< Tensors are held with their axes in another order.
    scratch,  ///< Operators have scratch: see `isScratch`.
  };
  struct Piece {
    TensorId of{};    ///< The tensor of the original graph that it is a box of.
    Shape begin{};    ///< Its first element in there; its own shape says how large it is.
    TensorId host{};  ///< In whose storage it lies, in this graph.
    Shape at{};       ///< The element of the host where it begins.
  };
  /// The part of an original op's outputs that an op makes: `rows` along `axis`, be that of places
  /// or of channels, which has `size` of them, and of these the `columns` along `across`, which has
  /// `width`.
  ///
  /// Parts of one op may overlap, where several need what lies between them and each makes it
  /// anew: the halo. Those of one `cell` do not.
  struct Part {
    OpId of{};
    int axis = 0;
    Interval<std::int64_t> rows{};
    std::int64_t size = 1;
    int across = -1;  ///< None: all columns.
    Interval<std::int64_t> columns{0, 1};
    std::int64_t width = 1;
    std::size_t cell = 0;  ///< Of the grid of its run.
  };

  Kind kind{};
  std::shared_ptr<const Graph> original{};
  /// By tensor of this graph; nothing for whole tensors and rings.
  IdMap<TensorId, std::optional<Piece>> pieces{};
  /// The tensor of the original graph that a whole one is; none for pieces and rings.
  IdMap<TensorId, TensorId> wholeOf{};
  /// The op of the original graph that an op is, or is a part of; none for those that were added.
  IdMap<OpId, OpId> opOf{};
  IdMap<OpId, std::optional<Part>> parts{};  ///< Nothing for ops that run whole.
  /// The orders of axes, by tensor of this graph, where a layout changed them (core/layout): its
  /// axis i is axis order[i] of the original's. Otherwise empty.
  IdMap<TensorId, std::vector<std::size_t>> orders{};
  /// The number of inferences that run one behind the other (core/rewrite/batches.h), and the one
  /// that an op or a tensor belongs to, from 0, ascending by op; the maps are empty where there is
  /// one.
  std::size_t batches = 1;
  IdMap<OpId, std::uint32_t> batchOf{};
  IdMap<TensorId, std::uint32_t> batchOfTensor{};

  /// Sets these maps for `graph`, whose tiling this becomes. A made tensor belongs to the inference
  /// of its op; every inference has as many of the graph's inputs, in order; weights and state
  /// belong to the first.
  void setBatches(const Graph& graph, IdMap<OpId, std::uint32_t> ofOps);
};

/// The domain of ops that only tiled graphs have, and their types.
inline constexpr std::string_view kTileDomain = "highwater";
inline constexpr std::string_view kPartsType = "Parts";    ///< A whole tensor seen as its pieces.
inline constexpr std::string_view kWholeType = "Whole";    ///< Pieces seen as the whole tensor.
inline constexpr std::string_view kArriveType = "Arrive";  ///< A graph input comes in.

/// True for Parts and Whole, which move no bytes.
bool isSeam(const Op& op);

/// The piece of a tensor; null for one that is no piece.
const Tiling::Piece* pieceOf(const Graph& graph, TensorId tensor);
/// The part of an op; null for one that runs whole.
const Tiling::Part* partOf(const Graph& graph, OpId op);

/// True for a graph with another layout: its operators are those of the original, tensors are held
/// with their axes in another order, and Transposes and views were removed or added.
bool isRelaid(const Graph& graph);

/// The tensor, or what it is a piece of, is held with its axes in another order than the model's.
bool isHeldOtherwise(const Graph& graph, TensorId tensor);

/// Some operators of it run in parts.
bool runsInParts(const Graph& graph);

/// The number of inferences that a graph is of: 1 for most.
std::size_t batchesOf(const Graph& graph);
/// The inference that an op or a tensor belongs to, from 0.
std::size_t batchOf(const Graph& graph, OpId op);
std::size_t batchOf(const Graph& graph, TensorId tensor);

/// By op: the op that it repeats, the first one of its inference with the same original. None for
/// first runs and for parts.
IdMap<OpId, OpId> repeatedOps(const Graph& graph);

/// True for a ring: no op makes or reads it, pieces lie in it.
bool isRing(const Graph& graph, TensorId tensor);

/// True for a tensor that exists before the first op of its inference runs. A ring does not, though
/// no op makes it: its first piece begins its life.
bool isGiven(const Graph& graph, TensorId tensor);

/// Calls `visit(offset, length)` for each stretch of bytes of `host` in which a piece of `shape`
/// lies that begins at `at`, in order. `element`: the bytes of one.
void forEachStretch(const Shape& host, const Shape& at, const Shape& shape, Bytes element,
                    const std::function<void(Bytes offset, Bytes length)>& visit);

/// forEachStretch for those that have some of the bytes `of` the piece, found without a look at the
/// others; all of a piece have the same length. None where it has no elements.
void forEachStretchIn(const Shape& host, const Shape& at, const Shape& shape, Bytes element,
                      Interval<Bytes> of,
                      const std::function<void(Bytes offset, Bytes length)>& visit);

/// The length of each stretch in which a piece lies (forEachStretch); the tensor is a piece.
Bytes stretchLength(const Graph& graph, TensorId tensor);

/// The bytes of its host from a piece's first to its last.
Interval<Bytes> extentOf(const Graph& graph, TensorId tensor);

/// The stretches of bytes of its host in which a piece lies, in order, those that meet as one.
std::vector<Interval<Bytes>> stretchesOf(const Graph& graph, TensorId tensor);

/// The bytes of one element; nothing where elements share bytes.
std::optional<Bytes> elementSize(const Tensor& tensor);

// Parts of ops that fold their input, such as the mean of an image. Each takes in some rows, and
// reads what came of those before it: a piece of the whole output, whose elements may be wider. It
// makes the next such piece, the last part the output itself.
//
//     t[r0]          -> mean[r0] -> y so far[r0]
//     t[r1], y so far[r0] -> mean[r1] -> y so far[r1]
//     …
//     t[r9], y so far[r8] -> mean[r9] -> y

// A convolution that adds up the products of some channels of its input at a time has such parts as
// well: its rows are channels.

/// Tiling::Part::axis of such parts: their rows and columns are those of what they fold, for the
/// output has none.
inline constexpr int kFoldAxis = -1;

inline bool isFoldPart(const Tiling::Part& part) { return part.axis == kFoldAxis; }

/// Scratch: bytes that an op needs for as long as it runs, as a tensor of its own, which it makes
/// last and nobody reads. The model has none: what sets it aside (core/rewrite/set_aside.h) says so
/// with a tiling, in which scratch is a whole tensor of nothing. It takes bytes only where the op
/// makes use of it, by running over its input.
bool isScratch(const Graph& graph, TensorId tensor);

/// The scratch of an op of `graph`; none for most.
TensorId scratchOf(const Graph& graph, const Op& op);

/// The graph that this one was made of, where nothing but scratch was added; else null.
const Graph* withoutScratch(const Graph& graph);

}  // namespace hw
