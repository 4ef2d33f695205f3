#include "core/residency/fetching.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/live_sum.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

/// The constants that an op moves: all it reads, or, where only copies are left of it, what these
/// read.
std::vector<TensorId> movedConstants(const Graph& graph, OpId id, const Storage& storage,
                                     const std::vector<const CopyNote*>& copies) {
  const Op& op = graph.ops[id];
  std::vector<TensorId> read;
  if (op.folded) return read;
  if (copies.empty() && !storage.free[id]) read = graph.reads(id);
  for (const CopyNote* copy : copies) {
    const bool gathered = std::ranges::find(op.outputs, copy->tensor) == op.outputs.end();
    read.push_back(gathered ? copy->tensor : dataInput(op));
  }
  std::erase_if(read, [&](TensorId tensor) {
    return !tensor || !graph.tensors[tensor].constant ||
           graph.tensors[tensor].bytes.value_or(Bytes()) <= Bytes();
  });
  return read;
}

class Fetcher {
 public:
  Fetcher(Problem& problem, Bytes alignment, const WeightWays& ways,
          const IdMap<PoolId, std::optional<Bytes>>& budgets)
      : problem_(problem), alignment_(alignment), ways_(ways), budgets_(budgets) {
    for (std::size_t pool = 0; pool < problem.pools.size(); ++pool) {
      live_.emplace_back(static_cast<std::size_t>(problem.steps.count()));
    }
    for (const StayId id : problem.stays.keys()) {
      hold(problem.poolOf(id), problem.stays[id].steps, id);
    }
    for (const StepUses& uses : problem.uses) uses_[uses.step] = uses;
  }

  /// Returns the number of its reads that find the weight near.
  std::size_t prefetch(const WeightReads& weight, BufferId buffer, Step ahead) {
    std::size_t found = 0;
    for (device_ = 0; device_ < ways_.pools.size(); ++device_) {
      found += prefetchHere(weight, buffer, ahead);
    }
    return found;
  }

  std::size_t keep(const WeightReads& weight, BufferId buffer) {
    std::size_t found = 0;
    for (device_ = 0; device_ < ways_.pools.size(); ++device_) found += keepHere(weight, buffer);
    return found;
  }

  void finish() {
    problem_.uses.clear();
    for (auto& [step, uses] : uses_) {
      uses.step = step;
      problem_.uses.push_back(std::move(uses));
    }
    std::ranges::stable_sort(problem_.moves, {}, &Move::step);
  }

 private:
  bool isHere(Step step) const { return ways_.deviceOf(step) == device_; }
  const std::vector<PoolId>& way() const { return ways_.pools[device_]; }

  std::size_t prefetchHere(const WeightReads& weight, BufferId buffer, Step ahead) {
    std::size_t found = 0;
    StayId last;
    for (const Step step : weight.steps) {
      if (!isHere(step)) continue;
      const Step first = std::max(Step(), step - ahead);
      if (last && goesOn(last, first, step)) {
        problem_.stays[last].steps.end = step + Step(1);
      } else {
        const Step free = last ? problem_.stays[last].steps.end : Step();
        const StayId opened = openBefore(weight, buffer, {std::max(first, free), step + Step(1)});
        if (!opened) continue;
        last = opened;
      }
      uses_[step].reads.push_back(last);
      ++found;
    }
    return found;
  }

  std::size_t keepHere(const WeightReads& weight, BufferId buffer) {
    std::vector<Step> steps;
    std::ranges::copy_if(weight.steps, std::back_inserter(steps),
                         [&](Step step) { return isHere(step); });
    if (steps.empty()) return 0;
    const StayId stay = open(weight, buffer, {Step(), problem_.steps});
    if (!stay) return 0;
    problem_.stays[stay].outlives = true;
    for (const Step step : steps) uses_[step].reads.push_back(stay);
    return steps.size();
  }

  Bytes mostLive(PoolId pool, const Interval<Step>& steps, Bytes more) {
    return live_[pool.index()].add(static_cast<std::size_t>(steps.begin.count()),
                                   static_cast<std::size_t>(steps.end.count()), more);
  }
  void hold(PoolId pool, const Interval<Step>& steps, StayId stay) {
    mostLive(pool, steps, problem_.stays[stay].size);
  }
  bool hasRoom(PoolId pool, const Interval<Step>& steps, Bytes size) {
    return !budgets_[pool] || mostLive(pool, steps, Bytes()) + size <= *budgets_[pool];
  }

  /// Lets the stay go on where its bytes are wanted again soon enough and may stay; true if it
  /// does.
  bool goesOn(StayId id, Step first, Step step) {
    const Stay& stay = problem_.stays[id];
    const Interval<Step> more{stay.steps.end, step + Step(1)};
    if (first > stay.steps.end || !hasRoom(stay.pool, more, stay.size)) return false;
    hold(stay.pool, more, id);
    return true;
  }

  StayId openBefore(const WeightReads& weight, BufferId buffer, Interval<Step> steps) {
    for (; !steps.empty(); steps.begin += Step(1)) {
      if (const StayId stay = open(weight, buffer, steps)) return stay;
    }
    return {};
  }

  /// In the nearest pool that has room, if all on the way to it have.
  StayId open(const WeightReads& weight, BufferId buffer, const Interval<Step>& steps) {
    const Bytes size = alignUp(weight.size, alignment_);
    const Interval<Step> passing{steps.begin, steps.begin + Step(1)};
    const std::size_t far = way().size() - 1;
    for (std::size_t at = 0; at < far; ++at) {
      bool fits = hasRoom(way()[at], steps, size);
      for (std::size_t behind = at + 1; behind < far; ++behind) {
        fits = fits && hasRoom(way()[behind], passing, size);
      }
      if (!fits) continue;
      StayId from;
      for (std::size_t behind = far - 1; behind > at; --behind) {
        from = add({.buffer = buffer, .steps = passing, .size = size, .pool = way()[behind]}, from);
      }
      return add({.buffer = buffer, .steps = steps, .size = size, .pool = way()[at]}, from);
    }
    return {};
  }

  /// A stay that begins with a load.
  StayId add(Stay stay, StayId from) {
    stay.alignment = alignment_;
    const StayId id = problem_.stays.add(stay);
    hold(stay.pool, stay.steps, id);
    problem_.moves.push_back({stay.buffer, from, id, stay.steps.begin});
    return id;
  }

  Problem& problem_;
  Bytes alignment_;
  const WeightWays& ways_;
  const IdMap<PoolId, std::optional<Bytes>>& budgets_;
  std::size_t device_ = 0;     ///< Whose reads are looked at.
  std::vector<LiveSum> live_;  ///< By pool, by step.
  std::map<Step, StepUses> uses_;
};

}  // namespace

std::vector<WeightReads> weightReads(const Graph& graph, const Schedule& schedule,
                                     const Storage& storage) {
  std::map<OpId, std::vector<const CopyNote*>> copies;
  for (const CopyNote& copy : storage.copies) copies[copy.op].push_back(&copy);
  std::vector<WeightReads> found;
  std::map<TensorId, std::size_t> known;
  for (const OpId op : schedule.order) {
    const auto constants = movedConstants(graph, op, storage, copies[op]);
    for (const TensorId tensor : std::set(constants.begin(), constants.end())) {
      const auto [at, isNew] = known.emplace(tensor, found.size());
      if (isNew) found.push_back({.tensor = tensor, .size = *graph.tensors[tensor].bytes});
      found[at->second].steps.push_back(schedule.stepOf[op]);
    }
  }
  return found;
}

WeightWays wayOf(const IdMap<PoolId, ProblemPool>& pools) {
  WeightWays ways{.pools = {{}}};
  for (const PoolId pool : pools.keys()) ways.pools.front().push_back(pool);
  return ways;
}

FetchedWeights fetchWeights(Problem& problem, const std::vector<WeightReads>& weights,
                            const WeightChoice& choice, BufferId first, Bytes alignment,
                            const WeightWays& ways,
                            const IdMap<PoolId, std::optional<Bytes>>& budgets) {
  FetchedWeights fetched;
  Fetcher fetcher(problem, alignment, ways, budgets);
  std::vector<const WeightReads*> order;
  for (const WeightReads& weight : weights) order.push_back(&weight);
  const bool kept = choice.rule == WeightRule::resident;
  if (kept) {
    std::ranges::stable_sort(order, std::greater(),
                             [](const WeightReads* weight) { return weight->steps.size(); });
  }
  for (const WeightReads* weight : order) {
    const BufferId buffer(first.index() + fetched.roots.size());
    const std::size_t reads = kept ? fetcher.keep(*weight, buffer)
                                   : fetcher.prefetch(*weight, buffer, Step(choice.ahead));
    if (reads > 0) fetched.roots.push_back(weight->tensor);
    fetched.reads += reads;
  }
  fetcher.finish();
  return fetched;
}

void loadInputs(Problem& problem, const std::vector<BufferId>& inputs) {
  const PoolId far(problem.pools.size() - 1);
  const std::set<BufferId> loaded(inputs.begin(), inputs.end());
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    if (problem.poolOf(id) >= far || !loaded.contains(stay.buffer)) continue;
    problem.moves.push_back({stay.buffer, {}, id, stay.steps.begin});
  }
  std::ranges::stable_sort(problem.moves, {}, &Move::step);
}

void storeOutputs(Problem& problem, const std::vector<BufferId>& outputs) {
  const PoolId far(problem.pools.size() - 1);
  const std::set<BufferId> stored(outputs.begin(), outputs.end());
  std::map<StayId, Step> last;
  for (const StepUses& uses : problem.uses) {
    for (const auto* stays : {&uses.reads, &uses.writes}) {
      for (const StayId id : *stays) last[id] = uses.step;
    }
  }
  for (const auto& [id, step] : last) {
    const Stay& stay = problem.stays[id];
    if (problem.poolOf(id) >= far || !stored.contains(stay.buffer)) continue;
    problem.moves.push_back({stay.buffer, id, {}, step});
  }
  std::ranges::stable_sort(problem.moves, {}, &Move::step);
}

Storage withWeights(Storage storage, const Graph& graph, const std::vector<WeightReads>& weights,
                    const std::vector<TensorId>& roots) {
  std::map<TensorId, const WeightReads*> readsOf;
  for (const WeightReads& weight : weights) readsOf[weight.tensor] = &weight;
  for (const TensorId root : roots) {
    // In the far pool from the beginning, until its last reader is done.
    const Interval<Step> steps{Step(), readsOf.at(root)->steps.back() + Step(1)};
    const BufferId buffer = storage.buffers.add(
        {.size = *graph.tensors[root].bytes, .steps = steps, .root = root, .tensors = {root}});
    storage.slots[root] = Slot{buffer, Bytes()};
    storage.lifetimes[root] = steps;
  }
  return storage;
}

}  // namespace hw
