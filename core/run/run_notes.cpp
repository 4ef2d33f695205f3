#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/order/least_peak.h"
#include "core/plan/overlap_use.h"
#include "core/run/embedded.h"
#include "core/run/first_device.h"
#include "core/run/overlaid.h"

namespace hw {
namespace {

/// Why buffers are not moved although a rule was asked for.
std::string whyNothingMoves(const Prepared& prepared) {
  const Platform& platform = prepared.request.platform;
  if (prepared.spread) {
    return fmt::format("a device of platform '{}' has one memory", printable(platform.name));
  }
  if (prepared.method().way == Way::embedded) {
    return "the model's own plan gives each one place for its whole life";
  }
  if (platform.devices.front().pools.size() < 2) {
    return fmt::format("device '{}' of platform '{}' has one memory",
                       printable(platform.devices.front().name), printable(platform.name));
  }
  return "a planning problem does not say which operators touch what, so nothing can be moved in "
         "time for them";
}

void addFetchNotes(const Prepared& prepared, std::vector<std::string>& notes) {
  const WeightChoice& weights = prepared.request.weights;
  if (weights.near() && !prepared.weightsNear) {
    notes.emplace_back(
        "weights are streamed: they come near for a graph on one device with two memories or more, "
        "or on several between whose memories buffers move");
  } else if (weights.rule == WeightRule::resident) {
    notes.emplace_back(
        "resident weights are loaded once and hold their bytes for the whole run; weights that "
        "take neither bytes nor time, which is what this word meant once, are now called free");
  }
  const bool moves = prepared.inputsLoaded || prepared.outputsStored || prepared.moves();
  if ((prepared.request.loadInputs || prepared.request.storeOutputs) && !moves) {
    notes.emplace_back(
        "graph inputs and outputs are where they are planned from the first step to the last: they "
        "are loaded and stored for a graph on one device with two memories or more");
  }
}

/// Why no output overlaps its input although it was asked for; empty where some may.
std::string whyNothingOverlaps(const Prepared& prepared, const Problem& problem) {
  if (!problem.overlaps.empty()) return {};
  const Platform& platform = prepared.request.platform;
  if (!prepared.method().overlaps) {
    return fmt::format("{} gives each bytes of its own", prepared.method().name);
  }
  if (prepared.spread || prepared.moves() || prepared.fetches()) {
    return "buffers would have to keep their places in one memory, and here they move";
  }
  if (runsInParts(*prepared.program.graph)) {
    return "operators run in parts, which keep rings of rows";
  }
  const bool known = std::ranges::any_of(platform.devices.front().units, [](const UnitSpec& unit) {
    return unit.kernels != KernelWays();
  });
  if (!known) {
    return fmt::format("no unit of platform '{}' says in which order its kernels make rows",
                       printable(platform.name));
  }
  return "no operator makes its output row by row of an input that ends with it";
}

void addOverlapNote(const Prepared& prepared, const Planned& planned,
                    std::vector<std::string>& notes) {
  if (!prepared.request.overlap) return;
  if (const std::string why = whyNothingOverlaps(prepared, planned.problem); !why.empty()) {
    notes.push_back("outputs overlap no inputs: " + why);
    return;
  }
  const auto used = std::ranges::count_if(planned.problem.overlaps, [&](const Overlap& overlap) {
    return !sharedBytes(planned.problem, planned.plan, overlap).empty();
  });
  notes.push_back(fmt::format(
      "{} of {} outputs that may overlap their inputs do; the lower bound is one for this order of "
      "whole tensors, each pair as near as its kernel allows",
      used, planned.problem.overlaps.size()));
}

/// Of convolutions that run over their input.
void addScratchNote(const Prepared& prepared, const Storage& storage,
                    std::vector<std::string>& notes) {
  const Graph& graph = *prepared.program.graph;
  std::size_t count = 0;
  Bytes most;
  for (const TensorId id : graph.tensors.keys()) {
    if (!storage.bufferOf(id) || !isScratch(graph, id)) continue;
    ++count;
    most = std::max(most, *graph.tensors[id].bytes);
  }
  if (count == 0) return;
  notes.push_back(fmt::format(
      "{} depthwise {} channel by channel over {}, which takes a kernel made for it and scratch "
      "for one plane: {} bytes at most",
      count, count == 1 ? "convolution runs" : "convolutions run",
      count == 1 ? "its input" : "their inputs", groupDigits(most.count())));
}

/// Of a method that could place outputs over inputs, but was not offered to; empty where it was, or
/// nothing could be.
std::string overlaysOff(const Prepared& prepared, const Storage& storage) {
  if (!prepared.method().overlays || prepared.sharing.alias.inPlace) return {};
  const Program& program = prepared.program;
  const auto chances = permittedOverlays(*program.graph, program.schedule, storage).size();
  if (chances == 0) return {};
  const std::string which = chances == 1
                                ? "1 output could be written over an input"
                                : fmt::format("{} outputs could be written over an input",
                                              groupDigits(static_cast<std::int64_t>(chances)));
  return fmt::format("overlays are off: {}, and {} tries that with --alias all", which,
                     prepared.method().name);
}

}  // namespace

std::vector<std::string> notesOf(const Prepared& prepared, const Answer& answer) {
  const RunRequest& request = prepared.request;
  std::vector<std::string> notes;
  if (prepared.program.layout) {
    notes.push_back(layoutText(*prepared.program.layout));
  } else if (request.channelsLast) {
    notes.emplace_back(
        "nothing is held in another layout: only tensors of a graph on one device can be, and not "
        "where the model's own plan is followed");
  }
  if (prepared.program.order) {
    notes.push_back(orderText(request.order, *prepared.program.order));
  } else if (request.order != OpOrder::given) {
    notes.emplace_back("a planning problem has no operators to put in another order");
  }
  if (prepared.program.repeats) {
    notes.push_back(recomputeText(*prepared.program.repeats));
  } else if (request.recompute) {
    notes.emplace_back(
        "no operator runs again: only those of a graph on one device can, and not where the "
        "model's own plan is followed");
  }
  if (prepared.program.tiles) {
    notes.push_back(tileText(*prepared.program.tiles));
  } else if (request.tile != TileRule::off || request.inputRows) {
    notes.emplace_back(
        "operators run whole: only those of a graph on one device can run in parts, and not where "
        "the model's own plan is followed");
  }
  std::vector<std::string> moves;
  for (const OpMove& move : request.moves) moves.push_back(moveText(move));
  if (!moves.empty()) {
    notes.push_back(
        fmt::format("the order of the operators is not the model's: {}", fmt::join(moves, ", ")));
  }
  if (prepared.spread && prepared.sharing.alias != request.alias) {
    notes.emplace_back("views are off: over several devices every buffer is one tensor");
  }
  if (request.planInputs && !prepared.sharing.planInputs &&
      !prepared.program.graph->inputs.empty()) {
    notes.push_back(fmt::format("{} gives graph inputs no place: they live outside the arena",
                                prepared.method().name));
  }
  if (const auto& devices = request.platform.devices; devices.size() > 1 && !prepared.spread) {
    notes.push_back(fmt::format("platform '{}' has {} devices; everything runs on '{}'",
                                request.platform.name, devices.size(), devices.front().name));
  }
  if (prepared.residency != request.residency) {
    notes.push_back("every buffer stays where it is: " + whyNothingMoves(prepared));
  }
  if (answer.storage.raise > Bytes()) {
    notes.push_back(
        fmt::format("slices are shared as published, which raises the lower bound by {} bytes",
                    groupDigits(answer.storage.raise.count())));
  }
  if (const std::string off = overlaysOff(prepared, answer.storage); !off.empty()) {
    notes.push_back(off);
  }
  addScratchNote(prepared, answer.storage, notes);
  addFetchNotes(prepared, notes);
  addOverlapNote(prepared, answer.planned, notes);
  if (!answer.storage.unsized.empty()) {
    notes.push_back(
        fmt::format("{} tensors have no known size and are left out: every total "
                    "is at least what is shown",
                    answer.storage.unsized.size()));
  }
  if (prepared.method().way != Way::embedded) return notes;
  addOwnPlanNotes(*prepared.program.graph, prepared.program.schedule, prepared.sharing,
                  answer.planned.problem, notes);
  return notes;
}

}  // namespace hw
