#include "core/sim/stories.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "core/allocators/heap.h"
#include "core/base/check.h"
#include "core/base/text.h"
#include "core/plan/constraint_use.h"
#include "core/plan/frames.h"
#include "core/sim/event_queue.h"

namespace hw {
namespace {

/// A heap that knows every address beforehand, and from the plan's own story why it was chosen.
class KnownPlaces final : public Heap {
 public:
  KnownPlaces(const Problem& problem, const Plan& plan)
      : Heap(problem), plan_(plan), reasons_(problem.stays.size(), Reason::planned) {
    for (const MemoryEvent& event : plan.story) {
      if (event.kind == EventKind::alloc) reasons_[event.stay] = event.reason;
    }
  }

 private:
  std::optional<Choice> choose(StayId stay) override {
    return Choice{*plan_.addresses[stay], reasons_[stay]};
  }
  const Plan& plan_;
  IdMap<StayId, Reason> reasons_;
};

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

/// When a stay has its bytes: by place in the run's log.
struct Life {
  StayId stay{};
  ActivityId opener{};  ///< The first in program order that touches it.
  bool takesOver = false;
  bool opened = false;  ///< By the run, at 0.
  std::size_t first = kNever;
  std::size_t last = kNever;
};

class RunStoryTeller {
 public:
  RunStoryTeller(const SimulationInput& input, const PlannedWork& work, const Execution& run)
      : input_(input), list_(work.list), run_(run), heap_(input.problem, input.plan) {}

  TimedStory tell() {
    findLives();
    leaveOutSharers();
    holdBlocks();
    const auto begins = inOrder(&Life::first);
    const auto ends = inOrder(&Life::last);
    for (const Life& life : lives_) {
      if (life.opened) acquire(life.stay, Step());
    }
    stamp(SimTime());
    auto begin = begins.begin();
    auto end = ends.begin();
    for (std::size_t i = 0; i < run_.log.size(); ++i) {
      const Step step = enter(run_.log[i]);
      const auto firstEnd = end;
      for (; end != ends.end() && (*end)->last == i; ++end) {
        if ((*end)->first != i) release((*end)->stay, step);
      }
      for (; begin != begins.end() && (*begin)->first == i; ++begin) acquire((*begin)->stay, step);
      // A stay that takes over and is never read has its bytes for no time.
      for (auto heir = firstEnd; heir != end; ++heir) {
        if ((*heir)->first == i) release((*heir)->stay, step);
      }
      stamp(run_.log[i].time);
    }
    return finish();
  }

 private:
  /// Makes room for all lives of stays, by stay.
  void countLives() {
    firstLife_ = IdMap<StayId, std::size_t>(list_.stays.size() + 1);
    for (const Activity& activity : list_.activities) {
      for (const Access& access : activity.accesses) {
        std::size_t& lives = firstLife_[StayId(access.stay.index() + 1)];
        lives = std::max(lives, std::size_t{access.life} + 1);
      }
    }
    std::partial_sum(firstLife_.begin(), firstLife_.end(), firstLife_.begin());
    lives_.resize(*std::prev(firstLife_.end()));
  }

  /// The place of a stay's life in `lives_`.
  std::size_t placeOf(StayId stay, std::uint32_t life) const { return firstLife_[stay] + life; }

  /// The first life of a stay; null where nothing touches it.
  Life* firstLifeOf(StayId stay) {
    const bool any = firstLife_[stay] < firstLife_[StayId(stay.index() + 1)];
    return any && lives_[firstLife_[stay]].opener ? &lives_[firstLife_[stay]] : nullptr;
  }

  void findLives() {
    countLives();
    for (const ActivityId id : list_.activities.keys()) {
      for (const Access& access : list_.activities[id].accesses) {
        Life& life = lives_[placeOf(access.stay, access.life)];
        if (life.opener) continue;
        const bool first = access.life == 0;
        life = {.stay = access.stay,
                .opener = id,
                .takesOver = first && list_.stays[access.stay].over,
                .opened = first && !access.write && list_.stays[access.stay].steps.begin == Step()};
      }
    }
    for (std::size_t i = 0; i < run_.log.size(); ++i) {
      const auto& [time, activity, starts] = run_.log[i];
      for (const Access& access : list_.activities[activity].accesses) {
        Life& life = lives_[placeOf(access.stay, access.life)];
        const bool before = life.takesOver && starts && activity == life.opener;
        if (!before) life.first = std::min(life.first, i);
        life.last = i;
      }
    }
    for (const StayId id : list_.stays.keys()) {
      const std::size_t end = firstLife_[StayId(id.index() + 1)];
      if (firstLife_[id] == end) continue;
      if (list_.stays[id].outlives) lives_[end - 1].last = kNever;
    }
    for (Life& life : lives_) {
      if (life.opened) life.first = kNever;
    }
  }

  /// Stays that constraints let share bytes with others while both live have no events: bytes are
  /// of one stay at a time here.
  void leaveOutSharers() {
    pieces_ = ownPieces(input_.problem, input_.plan);
    for (Life& life : lives_) {
      if (life.opener && isSharer(life.stay)) life = Life();
    }
  }

  bool isSharer(StayId id) const { return !pieces_.empty() && pieces_[id].has_value(); }

  /// Tenants of a block that is taken as a whole keep their bytes until others need these bytes, or
  /// until the block goes: when the step that ends its use is over, all its tenants have gone, or
  /// another block is there already, which on a machine that does things side by side can be
  /// sooner.
  void holdBlocks() {
    const auto holds = holdsOf(input_.problem, input_.plan);
    if (holds.empty()) return;
    std::map<Step, std::size_t> over;  // The last turn of what a step computes.
    for (std::size_t i = 0; i < run_.log.size(); ++i) {
      const Activity& activity = list_.activities[run_.log[i].activity];
      if (activity.kind == ActivityKind::compute) over[activity.step] = i;
    }
    const std::vector<HeldBlock>& blocks = input_.plan.blocks;
    std::vector<std::size_t> firsts;
    firsts.reserve(blocks.size());
    for (const HeldBlock& block : blocks) firsts.push_back(firstOf(block));
    for (std::size_t at = 0; at < blocks.size(); ++at) {
      std::size_t last = 0;
      for (const StayId id : blocks[at].tenants) {
        const Life* life = firstLifeOf(id);
        if (life != nullptr && life->last != kNever) last = std::max(last, life->last);
      }
      const auto through = over.find(blocks[at].steps.end - Step(1));
      if (through != over.end()) last = std::max(last, through->second);
      last = std::min(last, nextUse(at, firsts));
      for (const StayId id : blocks[at].tenants) hold(id, holds[id], last);
    }
  }

  void hold(StayId id, const Hold& held, std::size_t blockGoes) {
    Life* life = firstLifeOf(id);
    if (life == nullptr) return;
    std::size_t& last = life->last;
    if (held.kept) {
      last = kNever;
      return;
    }
    const Life* next = held.next ? firstLifeOf(held.next) : nullptr;
    const bool given = next != nullptr && next->first != kNever;
    const std::size_t until = given ? next->first : blockGoes;
    if (last != kNever) last = std::max(last, until);
  }

  /// The first turn at which a tenant of `block` needs its bytes.
  std::size_t firstOf(const HeldBlock& block) {
    std::size_t first = kNever;
    for (const StayId id : block.tenants) {
      const Life* life = firstLifeOf(id);
      if (life != nullptr) first = std::min(first, life->first);
    }
    return first;
  }

  /// The first turn of a block behind `at` that lies in bytes of its.
  std::size_t nextUse(std::size_t at, const std::vector<std::size_t>& firsts) const {
    const std::vector<HeldBlock>& blocks = input_.plan.blocks;
    const auto bytes = [](const HeldBlock& block) {
      return Interval<Bytes>{block.place.offset, block.place.offset + block.size};
    };
    std::size_t next = kNever;
    for (std::size_t other = 0; other < blocks.size(); ++other) {
      const HeldBlock& block = blocks[other];
      if (block.steps.begin < blocks[at].steps.end || firsts[other] >= next) continue;
      if (block.place.pool != blocks[at].place.pool) continue;
      if (block.place.region != blocks[at].place.region) continue;
      if (bytes(block).overlaps(bytes(blocks[at]))) next = firsts[other];
    }
    return next;
  }

  /// Lives by one of their moments, then by stay; without those that have none.
  std::vector<const Life*> inOrder(std::size_t Life::*moment) const {
    std::vector<const Life*> order;
    for (const Life& life : lives_) {
      if (life.opener && life.*moment != kNever) order.push_back(&life);
    }
    std::ranges::stable_sort(order, {}, [&](const Life* life) { return life->*moment; });
    return order;
  }

  /// Tells that `turn` comes next; returns its activity's step.
  Step enter(const ActivityTurn& turn) {
    const Activity& activity = list_.activities[turn.activity];
    digest_.add(turn.time);
    digest_.add(std::uint64_t{turn.activity.index()} << 1 | (turn.starts ? 1U : 0U));
    if (turn.starts && activity.kind == ActivityKind::compute) {
      starts_.emplace_back(activity.step, times_.size());
    }
    return activity.step;
  }

  void acquire(StayId stay, Step step) { heap_.acquire(stay, step); }
  void release(StayId stay, Step step) { heap_.release(stay, step); }

  /// Gives all events that were told since the last call the time `time`.
  void stamp(SimTime time) { times_.resize(heap_.told(), time); }

  TimedStory finish() {
    TimedStory result;
    const std::vector<MemoryEvent> story = heap_.takeStory();
    Trace::Builder builder(input_.problem.pools.size());
    builder.reserve(story.size());
    std::ranges::sort(starts_);
    // A step without an activity finds what the one before it found.
    std::size_t found = 0;
    auto start = starts_.begin();
    for (Step step; step < input_.schedule.steps(); step += Step(1)) {
      if (start != starts_.end() && start->first == step) found = (start++)->second;
      builder.addStepBegin(found);
    }
    for (std::size_t i = 0; i < story.size(); ++i) {
      digest_.add(story[i]);
      builder.add(times_[i], story[i]);
    }
    result.trace = std::move(builder).finish();
    result.digest = digest_.value();
    addNotes(result);
    return result;
  }

  void addNotes(TimedStory& result) {
    const auto sharers =
        std::ranges::count_if(pieces_, [](const auto& pieces) { return pieces.has_value(); });
    if (sharers > 0) {
      result.notes.push_back(fmt::format(
          "{} buffers share bytes with others while both live, and have no events", sharers));
    }
    std::size_t untouched = 0;
    StayId first;
    for (const StayId id : list_.stays.keys()) {
      if (!list_.stays[id].pool || firstLifeOf(id) != nullptr || isSharer(id)) continue;
      if (untouched++ == 0) first = id;
    }
    if (untouched == 0) return;
    const TensorId root = input_.storage.rootOf(input_.problem.stays[first].buffer);
    result.notes.push_back(
        fmt::format("{} planned buffers are touched by nothing and are in use at no time (first: "
                    "{})",
                    untouched, printable(displayName(input_.graph, root))));
  }

  const SimulationInput& input_;
  const ActivityList& list_;
  const Execution& run_;
  KnownPlaces heap_;
  OwnPieces pieces_;
  IdMap<StayId, std::size_t> firstLife_;  ///< Of each stay in `lives_`; one more at the end.
  std::vector<Life> lives_;               ///< By stay, then number; without opener: not there.
  std::vector<SimTime> times_;            ///< Of the story's events.
  std::vector<std::pair<Step, std::size_t>> starts_;  ///< Of ops: events before each.
  Digest digest_;
};

/// Plays step after step: its allocations, what is copied before its op, the op, what is stored
/// after it, its releases. Steps where nothing at all happens are skipped, for a problem may have
/// billions.
class PlanStoryPlayer {
 public:
  PlanStoryPlayer(const SimulationInput& input, const PlannedWork& work, const Execution& run)
      : input_(input),
        story_(input.plan.story),
        activities_(work.list.activities),
        run_(run),
        builder_(input.problem.pools.size()) {
    builder_.reserve(story_.size());
  }

  TimedStory play() {
    SimTime now;
    for (auto step = nextStep(Step(-1)); step; step = nextStep(*step)) {
      playEvents(*step, now, Phase::alloc);
      now = playActivities(*step, now);
      playEvents(*step, now, Phase::free);
    }
    check(next_ == story_.size(), "a story whose steps do not go backwards");
    return {.trace = std::move(builder_).finish(), .digest = digest_.value()};
  }

 private:
  /// The next step with an op or an event; nothing at the end.
  std::optional<Step> nextStep(Step after) const {
    const Step next = after + Step(1);
    if (next < input_.schedule.steps()) return next;
    if (next_ == story_.size()) return std::nullopt;
    return Step(story_[next_].step);
  }

  void add(SimTime time, std::uint64_t entity, Phase phase) {
    digest_.add(time);
    digest_.add(entity << 8 | static_cast<std::uint8_t>(phase));
  }

  /// The story's events of `step` that come before (or after) its op.
  void playEvents(Step step, SimTime now, Phase phase) {
    const std::size_t allocated = phase == Phase::alloc ? endOfAllocations(step) : next_;
    for (; next_ < story_.size() && story_[next_].step == step.count(); ++next_) {
      // The frees of a step, and what follows from them, happen when its op is done; but for those
      // of inputs that make way for what is allocated.
      const bool frees = story_[next_].kind == EventKind::free && next_ >= allocated;
      if (phase == Phase::alloc && frees) return;
      add(now, next_, phase);
      digest_.add(story_[next_]);
      builder_.add(now, story_[next_]);
    }
  }

  /// One past the last allocation of `step`, where outputs may overlap inputs.
  std::size_t endOfAllocations(Step step) const {
    std::size_t end = next_;
    if (input_.problem.overlaps.empty()) return end;
    for (std::size_t i = next_; i < story_.size() && story_[i].step == step.count(); ++i) {
      if (story_[i].kind == EventKind::alloc) end = i + 1;
    }
    return end;
  }

  SimTime playActivities(Step step, SimTime now) {
    const auto entity = static_cast<std::uint32_t>(step.count());
    bool computed = false;
    const auto compute = [&](SimTime end) {
      add(now, entity, Phase::computeStart);
      add(end, entity, Phase::computeEnd);
      now = end;
      computed = true;
    };
    for (; at_ < activities_.size() && activities_[ActivityId(at_)].step <= step; ++at_) {
      const ActivityKind kind = activities_[ActivityId(at_)].kind;
      const SimTime end = run_.times[ActivityId(at_)].end;
      if (kind == ActivityKind::compute) {
        compute(end);
        continue;
      }
      if (kind == ActivityKind::store && !computed) compute(now);
      add(now, entity, Phase::transferIssue);
      add(end, entity, Phase::transferEnd);
      now = end;
    }
    if (!computed) compute(now);
    return now;
  }

  const SimulationInput& input_;
  const std::vector<MemoryEvent>& story_;
  const IdMap<ActivityId, Activity>& activities_;
  const Execution& run_;
  Trace::Builder builder_;
  Digest digest_;
  std::size_t next_ = 0;  ///< The story's first event that was not played yet.
  std::size_t at_ = 0;    ///< Likewise of the activities.
};

}  // namespace

TimedStory runStory(const SimulationInput& input, const PlannedWork& work, const Execution& run) {
  return RunStoryTeller(input, work, run).tell();
}

TimedStory planStory(const SimulationInput& input, const PlannedWork& work, const Execution& run) {
  return PlanStoryPlayer(input, work, run).play();
}

}  // namespace hw
