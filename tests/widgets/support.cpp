#include "tests/widgets/support.h"

#include <algorithm>
#include <map>
#include <random>

#include "app/gui/request/arguments.h"
#include "core/allocators/heap.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"

namespace hw::test {

namespace {

/// A chain of operators, one a step, and a tensor per piece.
std::shared_ptr<const Model> modelOf(const std::vector<Piece>& pieces, std::int64_t steps) {
  auto graph = std::make_shared<Graph>();
  graph->name = "pieces";
  for (std::int64_t step = 0; step < steps; ++step) {
    graph->ops.add({.name = "op" + std::to_string(step), .type = "Test"});
  }
  for (const Piece& piece : pieces) {
    graph->tensors.add({.name = piece.name,
                        .bytes = Bytes(piece.size),
                        .origin = SizeOrigin::declared,
                        .producer = OpId(static_cast<std::size_t>(piece.begin))});
  }
  auto model = std::make_shared<Model>();
  model->name = "pieces";
  model->graph = std::move(graph);
  return model;
}

/// The lowest offset that meets none of the pieces placed before; quadratic and obvious.
std::int64_t lowestOffset(const Run& run, StayId stay) {
  std::vector<Interval<Bytes>> taken;
  for (const StayId other : IdRange<StayId>(stay.index())) {
    if (!run.problem.stays[other].steps.overlaps(run.problem.stays[stay].steps)) continue;
    const Bytes offset = run.plan.addresses[other]->offset;
    taken.push_back({offset, offset + run.problem.stays[other].size});
  }
  std::ranges::sort(taken);
  Bytes offset;
  for (const Interval<Bytes>& block : taken) {
    if (offset + run.problem.stays[stay].size <= block.begin) break;
    offset = std::max(offset, block.end);
  }
  return offset.count();
}

void addPieces(Run& run, const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    const Interval<Step> steps{Step(piece.begin), Step(piece.end)};
    const TensorId tensor(run.storage.buffers.size());
    const BufferId buffer = run.storage.buffers.add(
        {.size = Bytes(piece.size), .steps = steps, .root = tensor, .tensors = {tensor}});
    run.storage.slots.add(Slot{.buffer = buffer});
    const StayId stay = run.problem.stays.add(
        {.buffer = buffer, .steps = steps, .size = Bytes(piece.size), .pool = PoolId(0)});
    run.plan.addresses.add(std::nullopt);
    run.plan.addresses[stay] = Address{PoolId(0), RegionId(0), Bytes(lowestOffset(run, stay))};
  }
}

void measureByHand(Run& run) {
  Bytes top;
  std::map<Step, Bytes> changes;
  for (const StayId stay : run.problem.stays.keys()) {
    const Stay& one = run.problem.stays[stay];
    top = std::max(top, run.plan.addresses[stay]->offset + one.size);
    changes[one.steps.begin] += one.size;
    changes[one.steps.end] -= one.size;
  }
  Bytes live;
  Bytes bound;
  for (const auto& [step, change] : changes) bound = std::max(bound, live += change);
  run.plan.regions.add({});
  run.plan.regions[PoolId(0)].add(top);
  run.metrics.pools.add({.pool = PoolId(0), .peak = top, .lowerBound = bound});
  run.metrics.lowerBound = bound;
}

}  // namespace

std::shared_ptr<const Run> makeRun(const std::vector<Piece>& pieces,
                                   std::optional<Bytes> capacity) {
  auto run = std::make_shared<Run>();
  std::int64_t steps = 1;
  for (const Piece& piece : pieces) steps = std::max(steps, piece.end);
  run->model = modelOf(pieces, steps);
  run->request = defaultRequest();
  for (const OpId op : run->graph().ops.keys()) {
    run->schedule.order.push_back(op);
    run->schedule.stepOf.add(Step(static_cast<std::int64_t>(op.index())));
  }
  run->problem.pools.add({.name = "L2", .capacity = capacity});
  run->problem.steps = Step(steps);
  addPieces(*run, pieces);
  measureByHand(*run);
  run->plan.story = narrate(run->problem, run->plan);
  Trace::Builder trace(1);
  for (const MemoryEvent& event : run->plan.story) {
    trace.add(SimTime(event.step * std::int64_t{1000}), event);
  }
  run->trace = std::move(trace).finish();
  run->timeline = describe(run->plan.story, 1);
  return run;
}

std::shared_ptr<const Run> randomRun(std::uint64_t seed, std::size_t count, std::int64_t steps) {
  std::mt19937_64 random(seed);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(steps));
    const auto longest = static_cast<std::uint64_t>(std::min<std::int64_t>(8, steps - begin));
    const auto size = static_cast<std::int64_t>(64 * (1 + random() % 200));
    pieces.push_back({"t" + std::to_string(i), size, begin,
                      begin + 1 + static_cast<std::int64_t>(random() % longest)});
  }
  return makeRun(pieces);
}

std::shared_ptr<const Run> smallRun() {
  return makeRun({{"a", 4, 0, 1}, {"b", 6, 0, 2}, {"c", 3, 1, 2}, {"d", 10, 2, 3}}, Bytes(12));
}

std::shared_ptr<const Run> timed(const Run& run) {
  auto copy = std::make_shared<Run>(run);
  copy->timing.ops.resize(run.schedule.order.size());
  return copy;
}

RunRequest requestBy(const std::string& allocator, const std::string& platform) {
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  if (!platform.empty()) request.platform = openPlatform(platform).value();
  return request;
}

std::shared_ptr<const Model> sampleModel(const std::string& sample) {
  static std::map<std::string, std::shared_ptr<const Model>> models;
  auto& model = models[sample];
  if (!model) model = std::make_shared<const Model>(openModel("samples:" + sample, {}).value());
  return model;
}

std::shared_ptr<const Run> sampleRun(const std::string& sample, const RunRequest& request) {
  return execute(sampleModel(sample), request, {}).value();
}

std::shared_ptr<const Run> fileRun(const std::string& bytes, const RunRequest& request) {
  const auto model =
      std::make_shared<const Model>(importModel(bytes, "model", request.import).value());
  return execute(model, request, {}).value();
}

std::shared_ptr<const Run> movedRun(const std::string& sample, const std::string& allocator,
                                    const std::string& platform) {
  RunRequest request = requestBy(allocator, platform);
  request.residency = ResidencyRule::belady;
  return sampleRun(sample, request);
}

}  // namespace hw::test
