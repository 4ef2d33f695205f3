#include "core/check/audit_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/graph/scratch.h"
#include "core/graph/tiling.h"
#include "core/plan_file/tensor_names.h"
#include "core/residency/fetching.h"
#include "core/rewrite/set_aside.h"
#include "core/run/options.h"
#include "core/run/stages.h"
#include "core/storage/alias_text.h"
#include "core/storage/overlays.h"

namespace hw {
namespace {

/// The tensor that holds each tensor's bytes in the plan; none for tensors it does not list.
IdMap<TensorId, TensorId> statedRoots(const Graph& graph, const std::vector<Resolved>& placements) {
  IdMap<TensorId, TensorId> roots(graph.tensors.size());
  for (const Resolved& resolved : placements) roots[resolved.tensor] = resolved.root;
  return roots;
}

bool explains(const Storage& storage, const IdMap<TensorId, TensorId>& roots, bool rootsOnly) {
  return std::ranges::all_of(storage.slots.keys(), [&](TensorId id) {
    const auto& slot = storage.slots[id];
    if (!slot) return true;
    const TensorId root = storage.buffers[slot->buffer].root;
    return roots[id] ? root == roots[id] : !rootsOnly || root != id;
  });
}

/// Whether the plan says that the output of a chance lies over its input.
bool isTaken(const Storage& storage, const OverlayChance& chance,
             const IdMap<TensorId, TensorId>& roots, bool rootsOnly) {
  if (!rootsOnly) return roots[chance.input] && roots[chance.input] == roots[chance.output];
  // Of the two buffers the larger is listed, of equals the output's.
  const Buffer& input = storage.buffers[storage.slots[chance.input]->buffer];
  const Buffer& output = storage.buffers[storage.slots[chance.output]->buffer];
  return !roots[output.size < input.size ? output.root : input.root];
}

/// Storage where just those ops work in place of which the plan says so, and which may.
Storage storageWithStatedOverlays(const Graph& graph, const Schedule& schedule,
                                  const StorageOptions& options,
                                  const IdMap<TensorId, TensorId>& roots, bool rootsOnly) {
  Storage storage = shareForOverlays(graph, schedule, options);
  std::vector<OverlayChance> taken;
  std::set<TensorId> overlaid;
  for (const OverlayChance& chance : overlayChances(graph, schedule, storage)) {
    if (!isTaken(storage, chance, roots, rootsOnly)) continue;
    if (overlaid.insert(chance.output).second) taken.push_back(chance);
  }
  return overlay(graph, std::move(storage), taken);
}

/// The model with the scratch that the plan places: without, its op cannot run over its input.
Result<std::shared_ptr<const Model>> withStatedScratch(const std::shared_ptr<const Model>& model,
                                                       const PlanDocument& plan) {
  if (model->problem) return model;
  std::set<std::string> placed;
  for (const Placement& placement : plan.placements) placed.insert(placement.tensor);
  const Graph& graph = *model->graph;
  HW_TRY(aside, scratchSetAside(model->graph, [&](OpId op) {
           return placed.contains(plan.byId ? scratchIdText(graph.ops[op].outputs[0])
                                            : scratchName(graph, op));
         }));
  if (aside == model->graph) return model;
  auto more = std::make_shared<Model>(*model);
  more->graph = std::move(aside);
  return more;
}

/// The model as its images are held where it is planned as `request` says, and nothing else of it
/// rewritten.
Result<std::shared_ptr<const Model>> withStatedLayout(const std::shared_ptr<const Model>& model,
                                                      RunRequest request) {
  if (!request.channelsLast || model->graph->tiling) return model;
  request.alias = AliasRules::none();
  request.order = OpOrder::given;
  request.moves.clear();
  HW_TRY(program, rewrittenProgram(*model, request));
  auto held = std::make_shared<Model>(*model);
  held->graph = std::move(program.graph);
  return held;
}

/// How many of the plan's placements are of tensors of this size and life.
std::ptrdiff_t agreement(const Program& program, const PlanDocument& plan) {
  const Graph& graph = *program.graph;
  const TensorNames names(graph);
  const IdMap<TensorId, Interval<Step>> lives = lifetimes(graph, program.schedule);
  return std::ranges::count_if(plan.placements, [&](const Placement& placement) {
    const auto tensor = names.find(placement.tensor);
    if (!tensor || (placement.size && placement.size != graph.tensors[*tensor].bytes)) return false;
    const Interval<Step>& life = lives[*tensor];  // Of a ring it is empty: its pieces live.
    return life.empty() || !placement.first || *placement.first == life.begin;
  });
}

/// Of the ways to run in parts that the plan's settings may have come to, the one that it is of.
Program statedWay(Program program, const PlanDocument& plan) {
  std::vector<Program> ways = std::exchange(program.otherWays, {});
  if (ways.empty()) return program;
  ways.insert(ways.begin(), std::move(program));
  return std::move(*std::ranges::max_element(
      ways, {}, [&](const Program& way) { return agreement(way, plan); }));
}

}  // namespace

Interval<Step> statedSteps(const Placement& placement, const std::optional<Demand>& demand) {
  Interval<Step> steps;
  if (demand) steps = {demand->steps.front().begin, demand->steps.back().end};
  if (placement.first) steps.begin = *placement.first;
  if (placement.last) steps.end = *placement.last + Step(1);
  return steps;
}

Result<StatedProgram> statedProgram(const std::shared_ptr<const Model>& model,
                                    const PlanDocument& plan) {
  RunRequest request = defaultRequest();
  request.alignment = plan.alignment;
  for (const char* name : {"layout", "recompute", "tile", "tile-to", "extra-work", "inputs",
                           "outputs", "order", "move", "alias", "allocator"}) {
    const auto texts = plan.settings.find(name);
    if (texts == plan.settings.end()) continue;
    // A plug-in is a file, and none that a plan names is looked at; it plans like any other.
    const bool plugin = std::ranges::any_of(texts->second, [](const std::string& text) {
      return trimText(text).starts_with("plugin");
    });
    if (plugin) continue;
    HW_DO(findOption(name)->read(texts->second, request));
  }
  const bool whole = request.tile == TileRule::off && !request.inputRows && !request.recompute;
  if (whole || model->graph->tiling) {
    HW_TRY(held, withStatedLayout(model, request));
    HW_TRY(aside, withStatedScratch(held, plan));
    HW_TRY(order, statedOrder(*aside->graph, plan));
    return StatedProgram{std::move(aside), std::move(order)};
  }
  HW_TRY(program, rewrittenProgram(*model, request));
  program = statedWay(std::move(program), plan);
  auto parts = std::make_shared<Model>(*model);
  parts->graph = std::move(program.graph);
  return StatedProgram{std::move(parts), std::move(program.schedule)};
}

std::string spelledSteps(const Interval<Step>& steps) {
  const std::int64_t last = steps.end.count() - 1;
  if (steps.begin.count() == last) return fmt::format("step {}", last);
  return fmt::format("steps {}-{}", steps.begin.count(), last);
}

Result<Schedule> statedOrder(const Graph& graph, const PlanDocument& plan) {
  if (!plan.schedule.empty()) {
    if (respects(plan.schedule, precedenceOf(graph))) return scheduleOf(plan.schedule);
    return fail(ErrorCode::malformed,
                fmt::format("the schedule is no order of the model's {} ops; expected each once, "
                            "and none before one whose result it reads",
                            graph.ops.size()),
                "order.schedule");
  }
  RunRequest request;
  if (const auto texts = plan.settings.find("move"); texts != plan.settings.end()) {
    HW_DO(findOption("move")->read(texts->second, request));
  }
  return movedOrder(graph, request.moves, givenOrder(graph));
}

IdMap<TensorId, std::optional<Demand>> demandsOf(const Model& model, const Schedule& schedule,
                                                 bool planInputs, bool planOutputs) {
  const Graph& graph = *model.graph;
  IdMap<TensorId, std::optional<Demand>> demands(graph.tensors.size());
  if (model.problem) {
    const Problem& problem = *model.problem;
    for (const StayId id : problem.stays.keys()) {
      demands[TensorId(problem.stays[id].buffer.index())] =
          Demand{problem.stays[id].size, problem.liveSteps(id)};
    }
    return demands;
  }
  const auto steps = lifetimes(graph, schedule);
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    const bool external =
        (tensor.graphInput && !planInputs) || (tensor.graphOutput && !planOutputs);
    if (tensor.constant || tensor.persistent || external || isRing(graph, id)) continue;
    if (!tensor.bytes || *tensor.bytes == Bytes()) continue;
    demands[id] = Demand{*tensor.bytes, {steps[id]}};
  }
  return demands;
}

void dropIdleScratch(const Graph& graph, const Storage& storage,
                     IdMap<TensorId, std::optional<Demand>>& demands) {
  for (const TensorId id : graph.tensors.keys()) {
    if (!storage.bufferOf(id) && isScratch(graph, id)) demands[id].reset();
  }
}

AliasReading readAliases(const Graph& graph, const Schedule& schedule,
                         const std::vector<Resolved>& placements, const AliasQuestion& question) {
  const auto roots = statedRoots(graph, placements);
  std::optional<AliasReading> first;
  for (const AliasRules& candidate : question.rules) {
    StorageOptions options = question.options;
    options.alias = candidate;
    AliasReading reading{.storage = shareStorage(graph, schedule, options), .rules = candidate};
    reading.explains = explains(reading.storage, roots, question.buffersOnly);
    if (reading.explains) return reading;
    if (candidate.inPlace) {
      Storage stated =
          storageWithStatedOverlays(graph, schedule, options, roots, question.buffersOnly);
      if (explains(stated, roots, question.buffersOnly)) {
        return {.storage = std::move(stated), .rules = candidate, .explains = true};
      }
    }
    if (!first) first = std::move(reading);
  }
  return std::move(*first);
}

Storage withPlacedWeights(const Graph& graph, const Schedule& schedule, Storage storage,
                          const std::vector<Resolved>& placements) {
  std::set<TensorId> placed;
  for (const Resolved& placement : placements) placed.insert(placement.tensor);
  const auto reads = weightReads(graph, schedule, storage);
  std::vector<TensorId> roots;
  for (const WeightReads& weight : reads) {
    if (placed.contains(weight.tensor)) roots.push_back(weight.tensor);
  }
  return withWeights(std::move(storage), graph, reads, roots);
}

std::vector<AliasRules> rulesToTry(const PlanDocument& plan) {
  std::vector<AliasRules> all;
  all.reserve(32);
  for (int bits = 0; bits < 32; ++bits) {
    all.push_back(
        {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0});
  }
  const auto rank = [&](const AliasRules& rules) {
    if (aliasText(rules) == plan.alias) return 0;
    if (rules == AliasRules()) return 1;
    if (rules == AliasRules::none()) return 2;
    if (rules.always) return 5;
    return rules == AliasRules::all() ? 3 : 4;
  };
  std::ranges::stable_sort(all, {}, rank);
  return all;
}

}  // namespace hw
