#include "core/residency/near_ends.h"

#include <algorithm>

#include "core/residency/live_sum.h"

namespace hw {
namespace {

class EndKeeper {
 public:
  EndKeeper(const LevelProgram& program, Bytes budget, NearStays& near)
      : program_(program),
        budget_(budget),
        near_(near),
        live_(static_cast<std::size_t>(std::max(program.length, Step(1)).count())),
        uses_(program.buffers.size()) {
    for (const UseStep& step : program.steps) {
      for (const OperandUse& use : step.operands) {
        Uses& uses = uses_[use.buffer];
        uses.steps.push_back(step.step);
        uses.written |= use.writes;
      }
    }
    for (const NearStay& stay : near.stays) mostLive(stay.steps, sizeOf(stay.buffer));
  }

  void run() {
    const auto next = [&](auto at) {
      return std::find_if(at, near_.stays.end(),
                          [&](const NearStay& stay) { return stay.buffer != at->buffer; });
    };
    for (auto at = near_.stays.begin(); at != near_.stays.end(); at = next(at)) {
      const LevelBuffer& buffer = program_.buffers[at->buffer];
      if (buffer.mayStartNear) beginNear(*at);
      if (buffer.mayEndNear) endNear(*std::prev(next(at)));
    }
  }

 private:
  struct Uses {
    std::vector<Step> steps{};  ///< Ascending.
    bool written = false;
  };

  Bytes sizeOf(BufferId buffer) const { return program_.buffers[buffer].size; }
  Bytes movedOf(const NearStay& stay) const { return program_.buffers[stay.buffer].moved; }

  Bytes mostLive(const Interval<Step>& steps, Bytes more) {
    return live_.add(static_cast<std::size_t>(steps.begin.count()),
                     static_cast<std::size_t>(steps.end.count()), more);
  }
  /// Holds the buffer over `more`, too; false without room.
  bool hold(const NearStay& stay, const Interval<Step>& more) {
    if (more.empty()) return true;
    const Bytes size = sizeOf(stay.buffer);
    if (mostLive(more, Bytes()) + size > budget_) return false;
    mostLive(more, size);
    return true;
  }

  void beginNear(NearStay& first) {
    const Uses& uses = uses_[first.buffer];
    const bool usedBefore = uses.steps.front() < first.steps.begin;
    if (uses.written || !first.loaded || usedBefore) return;
    if (!hold(first, {Step(), first.steps.begin})) return;
    first.steps.begin = Step();
    first.loaded = false;
    first.given = true;
    near_.farTraffic -= movedOf(first);
    near_.atLeast = {};
    // It is no longer in the far pool from the start: if it is wanted there later, it has to be
    // stored.
    const bool later = uses.steps.back() >= first.steps.end;
    if (first.stored || !(later || program_.buffers[first.buffer].endsFar)) return;
    first.stored = *std::prev(std::ranges::lower_bound(uses.steps, first.steps.end));
    near_.farTraffic += movedOf(first);
  }

  void endNear(NearStay& last) {
    if (!last.stored || uses_[last.buffer].steps.back() >= last.steps.end) return;
    if (!hold(last, {last.steps.end, program_.length})) return;
    last.steps.end = program_.length;
    last.stored.reset();
    last.outlives = true;
    near_.farTraffic -= movedOf(last);
    near_.atLeast = {};
  }

  const LevelProgram& program_;
  Bytes budget_;
  NearStays& near_;
  LiveSum live_;
  IdMap<BufferId, Uses> uses_;
};

}  // namespace

void allowNearEnds(LevelProgram& program, bool inputs, bool outputs) {
  for (LevelBuffer& buffer : program.buffers) {
    buffer.mayStartNear = inputs && buffer.startsFar;
    buffer.mayEndNear = outputs && buffer.endsFar;
  }
}

void keepEndsNear(const LevelProgram& program, Bytes budget, NearStays& near) {
  const bool any = std::ranges::any_of(program.buffers, [](const LevelBuffer& buffer) {
    return buffer.mayStartNear || buffer.mayEndNear;
  });
  if (any) EndKeeper(program, budget, near).run();
}

}  // namespace hw
