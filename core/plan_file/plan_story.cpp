#include "core/plan_file/plan_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/allocators/heap.h"
#include "core/base/text.h"
#include "core/plan/validate.h"

namespace hw {
namespace {

constexpr std::size_t kMostStoryPools = 255;

/// A buffer at one place, put together from the placements of the tensors that share it.
struct Holding {
  std::string root{};
  PoolId pool{};
  Bytes begin{};
  Bytes end{};
  std::vector<Interval<Step>> steps{};  ///< May overlap while they are gathered.
};

/// Turns placements into a problem with an answer.
class StoryMaker {
 public:
  explicit StoryMaker(const PlanDocument& plan) : plan_(plan) {
    for (const Placement& each : plan.placements) {
      if (!each.aliasOf.empty()) parents_[each.tensor] = each.aliasOf;
    }
  }

  Result<std::shared_ptr<const Run>> run() {
    // A slice may be listed before the buffer it lies in.
    for (const bool roots : {true, false}) {
      for (const Placement& placement : plan_.placements) {
        if (placement.aliasOf.empty() != roots) continue;
        HW_DO(add(placement));
      }
    }
    for (Holding& holding : holdings_) addStay(holding);
    const auto wrong = validate(run_.problem, run_.plan, 1);
    if (!wrong.empty()) {
      return fail(ErrorCode::malformed, "the plan is not valid in itself: " + spelled(wrong[0]));
    }
    return finish();
  }

 private:
  /// A stay is nothing that a file knows, its tensor is.
  std::string spelled(const Violation& wrong) const {
    const auto quoted = [&](StayId id) {
      return "'" + printable(holdings_[id.index()].root, 80) + "'";
    };
    if (!wrong.a) return wrong.message;
    if (!wrong.b) return fmt::format("{}: {}", quoted(wrong.a), wrong.message);
    return fmt::format("{} and {} share bytes in the same step", quoted(wrong.a), quoted(wrong.b));
  }

  const std::string& rootOf(const std::string& tensor) const {
    const std::string* at = &tensor;
    // A chain of aliases that is longer than there are aliases is a circle; it ends there.
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      const auto parent = parents_.find(*at);
      if (parent == parents_.end()) break;
      at = &parent->second;
    }
    return *at;
  }

  Result<void> add(const Placement& placement) {
    if (!placement.size || !placement.first || !placement.last) {
      return fail(
          ErrorCode::unsupported,
          fmt::format("the plan does not say size and steps of '{}'", printable(placement.tensor)),
          placement.where);
    }
    HW_TRY(pool, poolOf(placement.pool));
    if (*placement.size == Bytes()) return {};
    const Interval<Step> steps{*placement.first, *placement.last + Step(1)};
    const Interval<Bytes> bytes{placement.offset, placement.offset + *placement.size};
    const std::string& root = rootOf(placement.tensor);
    Holding& holding = holdingOf(root, pool, bytes, placement.aliasOf.empty());
    holding.begin = std::min(holding.begin, bytes.begin);
    holding.end = std::max(holding.end, bytes.end);
    holding.steps.push_back(steps);
    return {};
  }

  Result<PoolId> poolOf(const std::string& name) {
    const std::string known = name.empty() ? "L2" : name;
    for (const PoolId pool : run_.problem.pools.keys()) {
      if (run_.problem.pools[pool].name == known) return pool;
    }
    if (run_.problem.pools.size() == kMostStoryPools) {
      return fail(ErrorCode::unsupported,
                  fmt::format("the plan has more than {} pools", kMostStoryPools));
    }
    run_.plan.regions.add({Bytes()});
    return run_.problem.pools.add({.name = known});
  }

  /// The holding of `root` that `bytes` belong to: that at the same place for the root itself, the
  /// one around it for an alias.
  Holding& holdingOf(const std::string& root, PoolId pool, Interval<Bytes> bytes, bool own) {
    for (const std::size_t index : byRoot_[root]) {
      Holding& holding = holdings_[index];
      const bool here = own ? holding.begin == bytes.begin
                            : holding.begin <= bytes.begin && bytes.end <= holding.end;
      if (holding.pool == pool && here) return holding;
    }
    byRoot_[root].push_back(holdings_.size());
    holdings_.push_back({.root = root, .pool = pool, .begin = bytes.begin, .end = bytes.end});
    return holdings_.back();
  }

  void addStay(Holding& holding) {
    holding.steps = mergedRanges(std::move(holding.steps));
    const Interval<Step> steps{holding.steps.front().begin, holding.steps.back().end};
    // Plans of graphs (which say how they alias) hold whole multiples of the alignment.
    const bool rounded = !plan_.alias.empty() && plan_.alignment;
    const Bytes exact = holding.end - holding.begin;
    const Bytes size = rounded ? alignUp(exact, *plan_.alignment) : exact;
    const auto [buffer, isNew] =
        buffers_.try_emplace(holding.root, BufferId(graph_.tensors.size()));
    if (isNew) graph_.tensors.add({.name = holding.root});
    const StayId stay = run_.problem.stays.add(
        {.buffer = buffer->second, .steps = steps, .size = size, .pool = holding.pool});
    for (std::size_t i = 1; i < holding.steps.size(); ++i) {
      run_.problem.gaps.push_back({stay, {holding.steps[i - 1].end, holding.steps[i].begin}});
    }
    run_.problem.steps = std::max(run_.problem.steps, steps.end);
    run_.plan.addresses.add(Address{holding.pool, RegionId(0), holding.begin});
    Bytes& top = run_.plan.regions[holding.pool][RegionId(0)];
    top = std::max(top, holding.begin + size);
  }

  Result<std::shared_ptr<const Run>> finish() {
    run_.plan.story = narrate(run_.problem, run_.plan);
    auto model = std::make_shared<Model>();
    model->graph = std::make_shared<const Graph>(std::move(graph_));
    run_.model = std::move(model);
    Trace::Builder builder(run_.problem.pools.size());
    for (const MemoryEvent& event : run_.plan.story) builder.add(SimTime(), event);
    run_.trace = std::move(builder).finish();
    run_.timeline = describe(run_.trace.events(), run_.problem.pools.size());
    return std::make_shared<const Run>(std::move(run_));
  }

  const PlanDocument& plan_;
  std::map<std::string, std::string> parents_;  ///< By alias.
  std::vector<Holding> holdings_;
  std::map<std::string, std::vector<std::size_t>> byRoot_;
  std::map<std::string, BufferId> buffers_;  ///< By root: one tensor each.
  Graph graph_;
  Run run_;
};

}  // namespace

std::vector<EventRow> memoryEvents(const Run& run) {
  const EventList events(run);
  std::vector<EventRow> rows;
  for (std::size_t seq = 0; seq < events.size(); ++seq) {
    if (events.kind(seq) == EventList::Kind::memory) rows.push_back(events.row(seq));
  }
  return rows;
}

Result<std::vector<EventRow>> memoryEvents(const PlanDocument& plan) {
  HW_TRY(run, StoryMaker(plan).run());
  return memoryEvents(*run);
}

}  // namespace hw
