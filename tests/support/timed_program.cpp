#include "tests/support/timed_program.h"

#include <random>

#include "tests/support/must.h"

namespace hw::test {
namespace {

class Maker {
 public:
  Maker(std::uint64_t seed, const TimedProgramShape& shape) : random_(seed), shape_(shape) {}

  TimedProgram run() {
    addMachine();
    addStays();
    for (std::int64_t step = 0; step < shape_.steps; ++step) addStep(Step(step));
    return std::move(made_);
  }

 private:
  std::int64_t below(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
  }
  bool chance(std::int64_t oneIn) { return below(oneIn) == 0; }

  void addMachine() {
    ActivityList& list = made_.list;
    list.contention = static_cast<Contention>(below(4));
    list.ports = {{"read", 1 + below(4), 0}, {"write", 0, 1 + below(4)}, {"far", 1 + below(2), 1}};
    for (Port& port : list.ports) {
      port.read *= 1'000'000'000;
      port.write *= 1'000'000'000;
    }
    const auto several = [&] { return chance(3) ? 2U : 1U; };
    list.engines = {
        {"mac", false, several()}, {"vector", false, several()}, {"dma", true, several()}};
    if (chance(3)) list.engines[2].bandwidth = 500'000'000;
    const Issue issues[] = {Issue::parallel, Issue::parallel, Issue::parallel, Issue::inOrder,
                            Issue::sequential};
    list.devices = {{"one", issues[below(5)]}, {"two", issues[below(5)]}};
  }

  void addStays() {
    Problem& problem = made_.problem;
    problem.pools = {{.name = "L2"}};
    problem.steps = Step(shape_.steps);
    for (std::size_t i = 0; i < shape_.stays; ++i) {
      const Step begin(below(shape_.steps));
      const Step end(begin.count() + 1 +
                     below(std::min<std::int64_t>(5, shape_.steps - begin.count())));
      const Bytes alignment(chance(2) ? 1 : 4);
      problem.stays.add({.buffer = BufferId(i),
                         .steps = {begin, end},
                         .size = alignUp(Bytes(1 + below(shape_.maxSize)), alignment),
                         .alignment = alignment});
    }
  }

  void addStep(Step step) {
    const auto& stays = made_.problem.stays;
    std::vector<StayId> begun;
    for (const StayId id : stays.keys()) {
      if (stays[id].steps.begin != step) continue;
      if (chance(3))
        addMove(ActivityKind::load, id, step);
      else
        begun.push_back(id);
    }
    const std::int64_t ops = 1 + below(2);
    for (std::int64_t i = 0; i < ops; ++i) {
      Activity op{.device = static_cast<std::uint32_t>(below(2)),
                  .engine = static_cast<std::uint32_t>(below(2)),
                  .step = step,
                  .fixed = SimTime(chance(2) ? 0 : below(20'000)),
                  .compute = SimTime(below(150'000))};
      for (const StayId id : stays.keys()) {
        const bool last = stays[id].steps.end == step + Step(1);
        if (!stays[id].steps.contains(step)) continue;
        const bool written = std::ranges::find(begun, id) != begun.end();
        if (written || last || chance(4)) touch(op, id, written);
      }
      op.ports = {{0, Bytes(below(300)), {}}, {1, {}, Bytes(below(300))}};
      if (chance(4)) op.ports.push_back({2, Bytes(below(100)), Bytes(below(100))});
      made_.list.activities.add(std::move(op));
    }
    for (const StayId id : stays.keys()) {
      if (stays[id].steps.contains(step) && chance(12)) addMove(ActivityKind::store, id, step);
    }
  }

  /// A slice now and then, so that not all that touch a stay wait for each other.
  void touch(Activity& activity, StayId id, bool write) {
    const std::int64_t size = made_.problem.stays[id].size.count();
    Interval<Bytes> bytes{Bytes(), Bytes(size)};
    if (chance(3)) bytes.begin = Bytes(below(size));
    activity.accesses.push_back({id, bytes, write});
  }

  void addMove(ActivityKind kind, StayId id, Step step) {
    const Bytes size = made_.problem.stays[id].size;
    Activity move{.kind = kind,
                  .device = static_cast<std::uint32_t>(below(2)),
                  .engine = chance(6) ? Activity::kNoEngine : 2,
                  .step = step,
                  .fixed = SimTime(below(10'000)),
                  .bytes = size};
    const bool load = kind == ActivityKind::load;
    move.ports = {{2, load ? size : Bytes(), load ? Bytes() : size},
                  {load ? 1U : 0U, load ? Bytes() : size, load ? size : Bytes()}};
    move.accesses.push_back({id, {Bytes(), size}, load});
    made_.list.activities.add(std::move(move));
  }

  std::mt19937_64 random_;
  TimedProgramShape shape_;
  TimedProgram made_;
};

}  // namespace

ActivityList TimedProgram::at(const std::vector<Bytes>& offsets) const {
  ActivityList placed = list;
  placed.stays = IdMap<StayId, PlacedStay>(problem.stays.size());
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    const Bytes offset = offsets[id.index()];
    placed.stays[id] = {
        .pool = PoolId(0), .bytes = {offset, offset + stay.size}, .steps = stay.steps};
  }
  return placed;
}

TimedProgram randomTimedProgram(std::uint64_t seed, const TimedProgramShape& shape) {
  return Maker(seed, shape).run();
}

std::vector<Bytes> offsetsBy(const std::string& allocator, const Problem& problem) {
  const auto choice = test::must(AllocatorChoice::parse(allocator));
  const auto plan = test::must(choice.make()->plan(problem, {}));
  std::vector<Bytes> offsets;
  for (const auto& offset : plan.flatOffsets()) offsets.push_back(offset.value());
  return offsets;
}

}  // namespace hw::test
