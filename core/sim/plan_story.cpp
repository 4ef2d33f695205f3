#include <optional>

#include "core/base/check.h"
#include "core/sim/digest.h"
#include "core/sim/event_queue.h"
#include "core/sim/stories.h"

namespace hw {
namespace {

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

TimedStory planStory(const SimulationInput& input, const PlannedWork& work, const Execution& run) {
  return PlanStoryPlayer(input, work, run).play();
}

}  // namespace hw
