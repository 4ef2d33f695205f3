#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/base/text.h"

namespace hw {
namespace {

constexpr std::string_view kRecycleRules[] = {"all", "lifetime-one"};
constexpr ParamSpec kRecycle{.name = "recycle",
                             .type = ParamType::choice,
                             .summary =
                                 "whose side is chosen by the bytes that go at once: all tensors', "
                                 "or that of tensors read in the next step and no later",
                             .fallback = "all",
                             .choices = kRecycleRules,
                             .label = "bytes that go at once"};
constexpr ParamSpec kTwoSidedParams[] = {kRecycle};

enum Side : std::size_t { kRight = 0, kLeft = 1 };

/// Two stacks that grow away from one origin, filled from the last step to the first.
///
///      left                     origin                    right
///   <- | v 16 | u 8 |   free      0   | y 4 | w 64 | p 16 | ->
///
/// A stay is marked once every input of its producers has a place, and leaves when everything
/// above it on its stack is marked too.
class TwoStacks {
 public:
  /// `record` outlives the stacks; null: nothing is recorded.
  TwoStacks(const Problem& problem, MethodTable& table, MethodRecord* record = nullptr)
      : problem_(problem),
        table_(table),
        placed_(problem.stays.size()),
        marked_(problem.stays.size(), false),
        recorder_(record) {
    for (const Side side : {kRight, kLeft}) {
      lists_[side] = recorder_.addList(
          {.name = side == kRight ? "right stack" : "left stack",
           .summary = side == kRight ? "grows up from the origin" : "grows down from the origin",
           .kind = MethodList::Kind::stack,
           .columns = {"tensor", "from", "to", "recycled"},
           .role = side == kRight ? MethodList::Role::upwards : MethodList::Role::downwards});
    }
    current_ = recorder_.addList({.name = "current",
                                  .summary = "the tensor whose operator's inputs get places",
                                  .columns = {"tensor", "step"}});
    parked_ = recorder_.addList({.name = "parked",
                                 .summary = "recycled, but under others on their stack",
                                 .columns = {"tensor", "side", "bytes"}});
    boundaries_ = recorder_.addList({.name = "boundaries",
                                     .summary = "how far each side ever reached",
                                     .kind = MethodList::Kind::table,
                                     .columns = {"side", "bytes"},
                                     .role = MethodList::Role::boundaries});
    for (const Side side : {kRight, kLeft}) {
      recorder_.append(boundaries_, {std::string(sideName(side)), Bytes()});
    }
  }

  /// Keeps account of how `stay` gets its side.
  void watch(StayId stay) { account_.stay = stay; }

  /// The account, with offsets: they are known once both sides are.
  Decision takeAccount(PoolId pool) {
    for (Candidate& candidate : account_.candidates) {
      const Side side = candidate.kind == "left side" ? kLeft : kRight;
      const Bytes at = offset(accounted_[side]);
      if (at >= Bytes()) candidate.address = Address{pool, RegionId(0), at};
    }
    return std::move(account_);
  }

  bool isPlaced(StayId id) const { return placed_[id].has_value(); }

  void push(StayId id, Side side, Step step, std::string why) {
    const Stay& stay = problem_.stays[id];
    Stack& stack = stacks_[side];
    const Bytes end = endAfter(stay, side);
    placed_[id] = Place{side, end - stay.size, end};
    if (id == account_.stay && account_.candidates.empty()) {
      accountFor(side, stay, step, Verdict::chosen, "pushed without a choice");
      const Side other = side == kRight ? kLeft : kRight;
      accountFor(other, stay, step, Verdict::notAllowed, "final tensors go on the right");
      account_.decided = why + ": on the right";
    }
    stack.stays.push_back(id);
    stack.extent = std::max(stack.extent, end);
    note(step, "push", id, side, std::move(why));
  }

  void accountFor(Side side, const Stay& stay, Step step, Verdict verdict, std::string reason) {
    const Bytes end = endAfter(stay, side);
    accounted_[side] = {side, end - stay.size, end};
    account_.when =
        fmt::format("pushed when step {} was looked at, from the last to the first", step.count());
    Candidate candidate{.kind = side == kRight ? "right side" : "left side",
                        .verdict = verdict,
                        .reason = std::move(reason)};
    if (!stacks_[side].stays.empty()) candidate.because.push_back(stacks_[side].stays.back());
    account_.candidates.push_back(std::move(candidate));
  }

  /// `id` is the current tensor: of all on a stack and not recycled the one with the largest id.
  void lookAt(StayId id, Step step) {
    if (!recorder_.on()) return;
    if (recorder_.rows(current_) > 0) recorder_.erase(current_, 0);
    recorder_.append(current_, {id, step.count()});
    recorder_.tick(id, step, "is the current tensor: the inputs of its operator get places");
  }

  /// docs/methods.md §2, step 2: which side lets more bytes go at once, else grows less, else
  /// right.
  void pushOnBetterSide(StayId id, StayId current, Step step) {
    const Stay& stay = problem_.stays[id];
    // A push covers the top of its own side: only the other side can pop.
    std::array<Bytes, 2> freed{};
    if (!onlyLifetimeOne_ || stay.steps.length() == Step(2)) {
      freed = {poppable(kLeft, current), poppable(kRight, current)};
    }
    std::array<Bytes, 2> growth{};
    for (const Side side : {kRight, kLeft}) {
      growth[side] = std::max(Bytes(), endAfter(stay, side) - stacks_[side].extent);
    }
    if (id == account_.stay) accountForBoth(stay, step, freed, growth);
    if (freed[kRight] != freed[kLeft]) {
      const Side side = freed[kRight] > freed[kLeft] ? kRight : kLeft;
      push(id, side, step, fmt::format("lets {} go at once", countBytes(freed[side])));
    } else if (growth[kRight] != growth[kLeft]) {
      const Side side = growth[kRight] < growth[kLeft] ? kRight : kLeft;
      push(id, side, step,
           fmt::format("grows {}, the other side {}", countBytes(growth[side]),
                       groupDigits(growth[side == kRight ? kLeft : kRight].count())));
    } else {
      push(id, kRight, step, "both sides are equal");
    }
  }

  void accountForBoth(const Stay& stay, Step step, const std::array<Bytes, 2>& freed,
                      const std::array<Bytes, 2>& growth) {
    const bool byFreed = freed[kRight] != freed[kLeft];
    const bool byGrowth = !byFreed && growth[kRight] != growth[kLeft];
    const bool left = byFreed ? freed[kLeft] > freed[kRight] : growth[kLeft] < growth[kRight];
    for (const Side side : {kRight, kLeft}) {
      const bool chosen = (side == kLeft) == left;
      accountFor(side, stay, step, chosen ? Verdict::chosen : Verdict::lessGood,
                 fmt::format("lets {} go at once; the boundary grows by {}",
                             countBytes(freed[side]), countBytes(growth[side])));
    }
    account_.decided = byFreed    ? "the side that lets more bytes go at once"
                       : byGrowth ? "as many bytes go at once: the side whose boundary grows less"
                                  : "both sides are equal: the right one";
  }

  void recycle(StayId id, Step step) {
    marked_[id] = true;
    note(step, "recycle", id, placed_[id]->side, "every input has a place");
    for (const Side side : {kRight, kLeft}) {
      std::vector<StayId>& stays = stacks_[side].stays;
      while (!stays.empty() && marked_[stays.back()]) {
        note(step, "pop", stays.back(), side, "recycled, and on top");
        stays.pop_back();
      }
    }
    if (recorder_.on()) recordParked(id, step);
  }

  /// The left side lies below the origin: everything moves up by its extent.
  Bytes offset(StayId id) const { return offset(*placed_[id]); }
  void setAlignment(Bytes alignment) { alignment_ = alignment; }
  /// Only tensors with a lifetime of one choose the side from which more bytes go at once.
  void setOnlyLifetimeOne(bool only) { onlyLifetimeOne_ = only; }

 private:
  struct Place {
    Side side{};
    Bytes begin{};  ///< Distance from the origin.
    Bytes end{};
  };

  Bytes offset(const Place& place) const {
    const Bytes left = alignUp(stacks_[kLeft].extent, alignment_);
    return place.side == kRight ? left + place.begin : left - place.end;
  }

  struct Stack {
    std::vector<StayId> stays;  ///< From the origin outwards.
    Bytes extent;               ///< The greatest end ever: the side's boundary.
  };

  /// The offset at which the far end of `stay` would lie. The low address must be aligned: that is
  /// the near end on the right and the far end on the left.
  Bytes endAfter(const Stay& stay, Side side) const {
    const Stack& stack = stacks_[side];
    const Bytes top = stack.stays.empty() ? Bytes() : placed_[stack.stays.back()]->end;
    return side == kRight ? alignUp(top, stay.alignment) + stay.size
                          : alignUp(top + stay.size, stay.alignment);
  }

  /// Bytes that would leave `side` if `current` were recycled now.
  Bytes poppable(Side side, StayId current) const {
    Bytes bytes;
    const std::vector<StayId>& stays = stacks_[side].stays;
    for (auto top = stays.rbegin(); top != stays.rend(); ++top) {
      if (*top != current && !marked_[*top]) break;
      bytes += problem_.stays[*top].size;
    }
    return bytes;
  }

  static const char* sideName(Side side) { return side == kRight ? "right" : "left"; }

  MethodRow rowOf(StayId id) const {
    const Place& place = *placed_[id];
    return {id, place.begin, place.end, std::string(marked_[id] ? "yes" : "")};
  }

  /// The lists as they are after it; a pop is told before the stack has lost its top.
  void recordNote(Step step, std::string_view what, StayId id, Side side, const std::string& why) {
    if (what == "push") {
      recorder_.append(lists_[side], rowOf(id));
      recorder_.replace(boundaries_, side, {std::string(sideName(side)), stacks_[side].extent});
    } else if (what == "pop") {
      recorder_.erase(lists_[side], recorder_.rows(lists_[side]) - 1);
      recorder_.eraseKey(parked_, id);
    } else {
      const auto& stays = stacks_[side].stays;
      const auto at = std::ranges::find(stays, id) - stays.begin();
      recorder_.replace(lists_[side], static_cast<std::size_t>(at), rowOf(id));
    }
    recorder_.tick(id, step, fmt::format("{}, {}: {}", what, sideName(side), why));
  }

  /// Blocks that were recycled and did not pop wait under those that lie on them.
  void recordParked(StayId id, Step step) {
    const Place& place = *placed_[id];
    const auto& stays = stacks_[place.side].stays;
    if (std::ranges::find(stays, id) == stays.end()) return;
    recorder_.append(parked_, {id, std::string(sideName(place.side)), problem_.stays[id].size});
    recorder_.tick(id, step, "is parked: it is recycled, but others lie on it");
  }

  /// Cell by cell: a list in braces would copy every text, and there are three rows for each stay.
  void note(Step step, const char* what, StayId id, Side side, std::string why) {
    if (recorder_.on()) recordNote(step, what, id, side, why);
    std::vector<MethodCell> row;
    row.reserve(table_.columns.size());
    row.emplace_back(step.count());
    row.emplace_back(std::in_place_type<std::string>, what);
    row.emplace_back(id);
    row.emplace_back(std::in_place_type<std::string>, sideName(side));
    row.emplace_back(problem_.stays[id].size);
    row.emplace_back(stacks_[kLeft].extent);
    row.emplace_back(stacks_[kRight].extent);
    row.emplace_back(std::move(why));
    addRow(table_, std::move(row));
  }

  const Problem& problem_;
  MethodTable& table_;
  IdMap<StayId, std::optional<Place>> placed_;
  IdMap<StayId, bool> marked_;
  std::array<Stack, 2> stacks_;
  Bytes alignment_{1};
  bool onlyLifetimeOne_ = false;
  Decision account_;
  std::array<Place, 2> accounted_;  ///< Where either side would have put the stay.
  MethodRecorder recorder_;
  std::array<std::size_t, 2> lists_{};  ///< Of the record, by side.
  std::size_t current_ = 0;
  std::size_t parked_ = 0;
  std::size_t boundaries_ = 0;
};

class TwoSided final : public Allocator {
 public:
  explicit TwoSided(bool onlyLifetimeOne) : onlyLifetimeOne_(onlyLifetimeOne) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    HW_DO(refusePins(problem, "two-sided"));
    const std::vector<StepUses> uses = usesOf(problem);
    Plan plan;
    plan.addresses.resize(problem.stays.size());
    for (const PoolId pool : problem.pools.keys()) {
      MethodTable table{.name = "stacks " + problem.pools[pool].name,
                        .summary = "the two stacks step by step, from the last layer to the input",
                        .columns = {"step", "what", "tensor", "side", "bytes", "left boundary",
                                    "right boundary", "why"}};
      MethodRecord record{.name = "two-sided " + problem.pools[pool].name};
      TwoStacks stacks(problem, table, context.record ? &record : nullptr);
      stacks.setOnlyLifetimeOne(onlyLifetimeOne_);
      if (!solvePool(problem, uses, pool, context, stacks)) {
        return fail(ErrorCode::stopped, "planning was stopped");
      }
      stacks.setAlignment(commonAlignment(problem).value_or(Bytes(1)));
      for (const StayId id : problem.stays.keys()) {
        if (problem.poolOf(id) != pool) continue;
        plan.addresses[id] = Address{pool, RegionId(0), stacks.offset(id)};
      }
      if (!record.ticks.empty()) plan.records.push_back(std::move(record));
      if (!table.rows.empty()) plan.tables.push_back(std::move(table));
    }
    return plan;
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    const PoolId pool = problem.poolOf(stay);
    MethodTable unused;
    TwoStacks stacks(problem, unused);
    stacks.setOnlyLifetimeOne(onlyLifetimeOne_);
    stacks.watch(stay);
    solvePool(problem, usesOf(problem), pool, {}, stacks);
    stacks.setAlignment(commonAlignment(problem).value_or(Bytes(1)));
    return stacks.takeAccount(pool);
  }

  /// From the last step to the first. The source follows the two stack tops; with skip connections
  /// that overlaps, so writes are taken in descending order instead (docs/methods.md §2). A stay
  /// written by several ops (concat slices) is recycled with the first of them.
  static bool solvePool(const Problem& problem, const std::vector<StepUses>& uses, PoolId pool,
                        const PlanContext& context, TwoStacks& stacks) {
    const auto here = [&](StayId id) { return problem.poolOf(id) == pool; };
    pushFinals(problem, uses, pool, stacks);
    for (auto use = uses.rbegin(); use != uses.rend(); ++use) {
      if (context.stop.stop_requested()) return false;
      std::vector<StayId> inputs;
      std::ranges::copy_if(use->reads, std::back_inserter(inputs), here);
      std::ranges::sort(inputs);
      std::vector<StayId> outputs;
      std::ranges::copy_if(use->writes, std::back_inserter(outputs), here);
      std::ranges::sort(outputs, std::greater{});
      // All of them are live together, before any may go.
      for (const StayId output : outputs) {
        if (!stacks.isPlaced(output)) stacks.pushOnBetterSide(output, output, use->step);
      }
      for (const StayId current : outputs) {
        stacks.lookAt(current, use->step);
        pushInputs(inputs, current, use->step, stacks);
        if (problem.stays[current].steps.begin == use->step) stacks.recycle(current, use->step);
      }
      pushInputs(inputs, StayId(), use->step, stacks);
    }
    return true;
  }

  static void pushInputs(const std::vector<StayId>& inputs, StayId current, Step step,
                         TwoStacks& stacks) {
    for (const StayId input : inputs) {
      if (!stacks.isPlaced(input)) stacks.pushOnBetterSide(input, current, step);
    }
  }

  /// Graph outputs and what nobody reads, then graph inputs that nobody reads, on the right. Where
  /// the ops are not known, what is there to the end: a stay of one step says nothing about
  /// readers.
  static void pushFinals(const Problem& problem, const std::vector<StepUses>& uses, PoolId pool,
                         TwoStacks& stacks) {
    IdMap<StayId, bool> read(problem.stays.size(), false);
    IdMap<StayId, bool> written(problem.stays.size(), false);
    for (const StepUses& use : uses) {
      for (const StayId id : use.reads) read[id] = true;
      for (const StayId id : use.writes) written[id] = true;
    }
    for (const bool inputs : {false, true}) {
      for (const StayId id : problem.stays.keys()) {
        const Stay& stay = problem.stays[id];
        const bool last = problem.uses.empty() ? stay.steps.end == problem.steps : !read[id];
        const bool final = stay.outlives || last;
        const bool isInput = !written[id] && !stay.outlives;
        if (problem.poolOf(id) != pool || !final || isInput != inputs) continue;
        stacks.push(id, kRight, stay.steps.end - Step(1),
                    isInput ? "a graph input nobody reads" : "final");
      }
    }
  }

  bool onlyLifetimeOne_;
};

}  // namespace

std::span<const ParamSpec> twoSidedParams() { return kTwoSidedParams; }

std::unique_ptr<Allocator> makeTwoSided(const Params& params) {
  return std::make_unique<TwoSided>(params.text(kRecycle) == "lifetime-one");
}

}  // namespace hw
