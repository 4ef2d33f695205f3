#include "core/order/order_problem.h"

#include <algorithm>

#include "core/graph/scratch.h"
#include "core/order/byte_sources.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

/// Puts together pieces, the tensors that hold them, and the ops that touch those.
class ProblemMaker {
 public:
  ProblemMaker(const Graph& graph, const StorageOptions& options)
      : graph_(graph), options_(options), held_(graph.tensors.size()) {}

  PieceId add(Bytes size) { return problem_.pieces.add({.size = size}); }
  void hold(TensorId tensor, PieceId piece) { held_[tensor].push_back(piece); }

  /// `fills`: whether a tensor is all of what it lies in, so that another may take that over.
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
      // What the caller gave is not handed back to them.
      if (graph_.tensors[in].graphInput && graph_.tensors[out].graphOutput) continue;
      const Bytes both = std::min(*graph_.tensors[in].bytes, *graph_.tensors[out].bytes);
      const Bytes saved = alignUp(both, options_.alignment) - scratchBytes(op);
      if (saved > Bytes()) problem_.chances[id].push_back({.over = held_[in], .saved = saved});
    }
  }

  /// What an op takes for as long as it runs over its input.
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
