#include "core/order/order_problem.h"

#include <algorithm>

#include "core/base/interval.h"
#include "core/graph/tiling.h"
#include "core/storage/alias_forest.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

/// Views cannot share what the caller gives or gets on both of their sides.
bool isBoundary(const Tensor& tensor) { return tensor.graphInput || tensor.graphOutput; }

/// The tensors that the bytes of every tensor were first written as, following views without a
/// copy: a reshape has the bytes of its input, a slice a part of them, a concat those of all its
/// inputs. It holds in every order of the ops, whether or not all these views can share at once.
class ByteSources {
 public:
  ByteSources(const Graph& graph, const StorageOptions& options)
      : content_(graph.tensors.size()), cuts_(graph.tensors.size()) {
    const AliasForest forest(graph, options);
    for (const TensorId id : graph.tensors.keys()) {
      // Work in place saves less by its scratch.
      if (forest.whyNotPlanned(id) || forest.isScratch(id)) continue;
      const Interval<Bytes> all{Bytes(), *graph.tensors[id].bytes};
      content_[id] = {{.source = id, .bytes = all}};
    }
    for (const OpId op : graph.ops.keys()) {
      if (!graph.ops[op].folded) follow(graph, options, forest, op);
    }
    for (const std::vector<Part>& parts : content_) {
      for (const Part& part : parts) {
        cuts_[part.source].push_back(part.bytes.begin);
        cuts_[part.source].push_back(part.bytes.end);
      }
    }
    for (std::vector<Bytes>& cuts : cuts_) {
      std::ranges::sort(cuts);
      // Clang 14 cannot use the subrange that std::ranges::unique returns.
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    }
  }

  /// Bytes that were first written as `source`.
  struct Part {
    TensorId source{};
    Interval<Bytes> bytes{};
  };
  /// All of a tensor, from its first byte to its last; empty for one that is not planned.
  const std::vector<Part>& content(TensorId tensor) const { return content_[tensor]; }

  /// The offsets at which the bytes of `source` are cut: 0, each begin and end of a part, its size.
  /// Empty where it has no bytes of its own.
  const std::vector<Bytes>& cuts(TensorId source) const { return cuts_[source]; }

 private:
  static Bytes sizeOf(const std::vector<Part>& parts) {
    Bytes size;
    for (const Part& part : parts) size += part.bytes.length();
    return size;
  }

  void follow(const Graph& graph, const StorageOptions& options, const AliasForest& forest,
              OpId op) {
    const bool joins = viewFamilyOf(graph.ops[op]) == ViewFamily::concat;
    for (const ViewSlice& slice : viewSlices(graph, options, forest, op)) {
      const Tensor& part = graph.tensors[slice.part];
      const Tensor& whole = graph.tensors[slice.whole];
      if (slice.whyNot || !isAligned(slice.offset, options.alignment)) continue;
      if (isBoundary(part) && isBoundary(whole)) continue;
      if (joins && !part.graphInput) {
        insert(slice.whole, slice.offset, content_[slice.part]);
      } else if (!joins) {
        content_[slice.part] =
            partOf(slice.whole, {slice.offset, slice.offset + forest.sizeOf(slice.part)});
      }
    }
  }

  std::vector<Part> partOf(TensorId tensor, Interval<Bytes> range) const {
    std::vector<Part> found;
    Bytes at;
    for (const Part& part : content_[tensor]) {
      const Bytes begin = std::max(range.begin, at);
      const Bytes end = std::min(range.end, at + part.bytes.length());
      if (begin < end) {
        const Bytes shift = part.bytes.begin - at;
        found.push_back({.source = part.source, .bytes = {begin + shift, end + shift}});
      }
      at += part.bytes.length();
    }
    return found;
  }

  /// Replaces the bytes of `whole` from `offset` on; not where it has some of them already.
  void insert(TensorId whole, Bytes offset, const std::vector<Part>& parts) {
    const std::vector<Part>& all = content_[whole];
    const bool twice = std::ranges::any_of(parts, [&](const Part& part) {
      return std::ranges::any_of(all, [&](const Part& other) {
        return other.source == part.source && other.bytes.overlaps(part.bytes);
      });
    });
    if (twice) return;
    const Bytes end = offset + sizeOf(parts);
    std::vector<Part> joined = partOf(whole, {Bytes(), offset});
    joined.insert(joined.end(), parts.begin(), parts.end());
    const std::vector<Part> rest = partOf(whole, {end, sizeOf(all)});
    joined.insert(joined.end(), rest.begin(), rest.end());
    content_[whole] = std::move(joined);
  }

  IdMap<TensorId, std::vector<Part>> content_;
  IdMap<TensorId, std::vector<Bytes>> cuts_;
};

/// Puts together pieces, the tensors that hold them, and the ops that touch those.
class ProblemMaker {
 public:
  ProblemMaker(const Graph& graph, const StorageOptions& options)
      : graph_(graph), options_(options), held_(graph.tensors.size()) {}

  PieceId add(Bytes size) { return problem_.pieces.add({.size = size}); }
  void hold(TensorId tensor, PieceId piece) { held_[tensor].push_back(piece); }

  /// `fills`: true for a tensor that is all of its buffer, so that another may take that over.
  template <class Fills>
  OrderProblem finish(const Fills& fills) && {
    problem_.touches.resize(graph_.ops.size());
    problem_.chances.resize(graph_.ops.size());
    for (const TensorId id : graph_.tensors.keys()) addTouches(id);
    for (const OpId op : graph_.ops.keys()) {
      auto& touches = problem_.touches[op];
      std::ranges::sort(touches);
      // Clang 14 cannot use the subrange that std::ranges::unique returns.
      touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
      for (const PieceId piece : touches) ++problem_.pieces[piece].touches;
    }
    if (options_.alias.inPlace) {
      for (const OpId op : graph_.ops.keys()) addChances(op, fills);
    }
    for (const OrderProblem::Piece& piece : problem_.pieces) {
      const bool unread = piece.atStart && piece.touches == 0;
      if (unread && !piece.atEnd) problem_.firstStep += piece.size;
    }
    return std::move(problem_);
  }

 private:
  void addTouches(TensorId id) {
    const Tensor& tensor = graph_.tensors[id];
    for (const PieceId held : held_[id]) {
      OrderProblem::Piece& piece = problem_.pieces[held];
      piece.atStart |= !tensor.producer;
      piece.atEnd |= tensor.graphOutput;
      if (tensor.producer) problem_.touches[tensor.producer].push_back(held);
      for (const OpId reader : tensor.consumers) problem_.touches[reader].push_back(held);
    }
  }

  template <class Fills>
  void addChances(OpId id, const Fills& fills) {
    const Op& op = graph_.ops[id];
    if (op.folded || op.outputs.empty() || held_[op.outputs[0]].empty()) return;
    const TensorId out = op.outputs[0];
    if (!fills(out)) return;
    for (const TensorId in : overwritable(graph_, op)) {
      if (!in || held_[in].empty() || !fills(in) || !mayOverwrite(graph_, op, in)) continue;
      // Bytes that the caller gave are not handed back.
      if (graph_.tensors[in].graphInput && graph_.tensors[out].graphOutput) continue;
      const Bytes both = std::min(*graph_.tensors[in].bytes, *graph_.tensors[out].bytes);
      const Bytes saved = alignUp(both, options_.alignment) - scratchBytes(op);
      if (saved > Bytes()) problem_.chances[id].push_back({.over = held_[in], .saved = saved});
    }
  }

  /// The scratch of an op that runs over its input.
  Bytes scratchBytes(const Op& op) const {
    const TensorId scratch = scratchOf(graph_, op);
    return scratch ? alignUp(*graph_.tensors[scratch].bytes, options_.alignment) : Bytes();
  }

  const Graph& graph_;
  const StorageOptions& options_;
  OrderProblem problem_;
  IdMap<TensorId, std::vector<PieceId>> held_;
};

}  // namespace

OrderProblem bufferProblem(const Graph& graph, const Storage& storage,
                           const StorageOptions& options) {
  ProblemMaker maker(graph, options);
  for (const BufferId id : storage.buffers.keys()) {
    const Buffer& buffer = storage.buffers[id];
    const PieceId piece = maker.add(alignUp(buffer.size, options.alignment));
    for (const TensorId tensor : buffer.tensors) maker.hold(tensor, piece);
  }
  return std::move(maker).finish([&](TensorId tensor) {
    return storage.buffers[storage.bufferOf(tensor)].size == *graph.tensors[tensor].bytes;
  });
}

OrderProblem byteProblem(const Graph& graph, const StorageOptions& options) {
  const ByteSources sources(graph, options);
  ProblemMaker maker(graph, options);
  // The pieces of a source begin where any tensor's part of it does, or ends.
  IdMap<TensorId, std::vector<std::pair<Bytes, PieceId>>> pieces(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    const std::vector<Bytes>& cuts = sources.cuts(id);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const Bytes size =
          alignUp(cuts[i + 1], options.alignment) - alignUp(cuts[i], options.alignment);
      pieces[id].emplace_back(cuts[i], maker.add(size));
    }
  }
  for (const TensorId id : graph.tensors.keys()) {
    for (const ByteSources::Part& part : sources.content(id)) {
      for (const auto& [begin, piece] : pieces[part.source]) {
        if (part.bytes.contains(begin)) maker.hold(id, piece);
      }
    }
  }
  return std::move(maker).finish([](TensorId) { return true; });
}

}  // namespace hw
