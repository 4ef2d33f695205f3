#include <algorithm>
#include <utility>

#include "core/run/planner.h"

namespace hw {
namespace {

/// The order in which releases that fall on one step are told: the op's distinct inputs in order,
/// then its outputs, then whatever nobody reads.
IdMap<BufferId, std::uint32_t> releaseRanks(const Graph& graph, const Schedule& schedule,
                                            const Storage& storage) {
  constexpr std::uint32_t kUnread = 0xFFFFFFFF;
  IdMap<BufferId, std::uint32_t> ranks(storage.buffers.size(), kUnread);
  for (const OpId op : graph.ops.keys()) {
    const Step end = schedule.stepOf[op] + Step(1);
    std::uint32_t position = 0;
    const auto rank = [&](TensorId tensor) {
      ++position;
      const BufferId buffer = storage.bufferOf(tensor);
      if (!buffer || storage.buffers[buffer].steps.end != end) return;
      ranks[buffer] = std::min(ranks[buffer], position);
    };
    std::ranges::for_each(graph.reads(op), rank);
    std::ranges::for_each(graph.ops[op].outputs, rank);
  }
  return ranks;
}

/// Lists stays without repeating any, however many an op has.
class StayLists {
 public:
  explicit StayLists(const Storage& storage)
      : storage_(storage), lastList_(storage.buffers.size(), 0) {}

  /// Those that hold `tensors`, each once, in order.
  std::vector<StayId> of(const std::vector<TensorId>& tensors) {
    ++list_;
    std::vector<StayId> stays;
    for (const TensorId tensor : tensors) {
      const BufferId buffer = storage_.bufferOf(tensor);
      if (buffer && std::exchange(lastList_[buffer], list_) != list_) {
        stays.emplace_back(buffer.index());
      }
    }
    return stays;
  }

 private:
  const Storage& storage_;
  IdMap<BufferId, std::size_t> lastList_;  ///< The number of the last list that holds its stay.
  std::size_t list_ = 0;
};

}  // namespace

Problem makeProblem(const Graph& graph, const Schedule& schedule, const Storage& storage,
                    Bytes alignment) {
  Problem problem;
  problem.steps = std::max(schedule.steps(), Step(1));
  const auto ranks = releaseRanks(graph, schedule, storage);
  problem.stays.reserve(storage.buffers.size());
  for (const BufferId id : storage.buffers.keys()) {
    const Buffer& buffer = storage.buffers[id];
    problem.stays.add({.buffer = id,
                       .steps = buffer.steps,
                       .size = alignUp(buffer.size, alignment),
                       .alignment = alignment,
                       .releaseRank = ranks[id],
                       .outlives = buffer.graphOutput});
  }
  StayLists stays(storage);
  for (const OpId op : schedule.order) {
    problem.uses.push_back({.step = schedule.stepOf[op],
                            .reads = stays.of(graph.reads(op)),
                            .writes = stays.of(graph.ops[op].outputs)});
  }
  return problem;
}

}  // namespace hw
