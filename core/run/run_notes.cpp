#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/plan/overlap_use.h"
#include "core/run/embedded.h"
#include "core/run/overlaid.h"
#include "core/run/rewrites.h"
#include "core/run/shapes.h"

namespace hw {
namespace {

/// Why buffers are not moved although a rule was asked for; empty where they may be.
std::string whyNothingMoves(const Task& task) {
  const Platform& platform = task.request.platform;
  const bool oneMemory = std::ranges::any_of(
      platform.devices, [](const DeviceSpec& device) { return device.pools.size() < 2; });
  switch (task.shape) {
    case RunShape::movesOnDevices:
      return {};
    case RunShape::blocks:
      if (!oneMemory) return {};
      return fmt::format("a device of platform '{}' has one memory", printable(platform.name));
    case RunShape::problem:
      if (task.method().way == Way::embedded) break;
      if (platform.devices.front().pools.size() < 2) break;
      return "a planning problem does not say which operators touch what, so nothing can be moved "
             "in time for them";
    default:
      break;
  }
  if (task.method().way == Way::embedded) {
    return "the model's own plan gives each one place for its whole life";
  }
  if (platform.devices.front().pools.size() > 1) return {};
  return fmt::format("device '{}' of platform '{}' has one memory",
                     printable(platform.devices.front().name), printable(platform.name));
}

void addFetchNotes(const RunRequest& asked, const Task& task, std::vector<std::string>& notes) {
  if (asked.weights.near() && !task.request.weights.near()) {
    notes.emplace_back(
        "weights are streamed: they come near for a graph on one device with two memories or more, "
        "or on several between whose memories buffers move");
  } else if (asked.weights.rule == WeightRule::resident) {
    notes.emplace_back(
        "resident weights are loaded once and hold their bytes for the whole run; weights that "
        "take neither bytes nor time, which is what this word meant once, are now called free");
  }
  const bool ends = asked.inputs == InputPlace::loaded || asked.outputs == OutputPlace::stored;
  if (ends && !task.inputsLoaded() && !task.outputsStored() && !task.moves()) {
    notes.emplace_back(
        "graph inputs and outputs are where they are planned from the first step to the last: they "
        "are loaded and stored for a graph on one device with two memories or more");
  }
}

/// Why no output overlaps its input although it was asked for; empty where some may.
std::string whyNothingOverlaps(const Task& task, const Problem& problem) {
  if (!problem.overlaps.empty()) return {};
  if (!task.method().overlaps) {
    return fmt::format("{} gives each bytes of its own", task.method().name);
  }
  if (isSpread(task.shape) || task.moves() || task.fetches()) {
    return "buffers would have to keep their places in one memory, and here they move";
  }
  const auto& overlap = *std::ranges::find(rewriteCatalog(), "overlap", &RewriteInfo::name);
  if (std::string why = overlap.whyNot(task.request); !why.empty()) return why;
  return "no operator makes its output row by row of an input that ends with it";
}

void addOverlapNote(const Task& task, const Planned& planned, std::vector<std::string>& notes) {
  if (!task.request.overlap) return;
  if (const std::string why = whyNothingOverlaps(task, planned.problem); !why.empty()) {
    notes.push_back("outputs overlap no inputs: " + why);
    return;
  }
  const auto used = std::ranges::count_if(planned.problem.overlaps, [&](const Overlap& overlap) {
    return !sharedBytes(planned.problem, planned.plan, overlap).empty();
  });
  notes.push_back(fmt::format(
      "{} of {} outputs that may overlap their inputs do; the lower bound is one for this order of "
      "whole tensors, each pair as near as it may lie",
      used, planned.problem.overlaps.size()));
}

/// Of convolutions that run over their input.
void addScratchNote(const Task& task, const Storage& storage, std::vector<std::string>& notes) {
  const Graph& graph = *task.program.graph;
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
std::string overlaysOff(const Task& task, const Storage& storage) {
  if (!task.method().overlays || task.sharing.alias.inPlace) return {};
  const Program& program = task.program;
  const auto chances = permittedOverlays(*program.graph, program.schedule, storage).size();
  if (chances == 0) return {};
  const std::string which =
      chances == 1 ? "1 output could be written over an input"
                   : fmt::format("{} outputs could be written over an input", groupDigits(chances));
  return fmt::format("overlays are off: {}, and {} tries that with --alias all", which,
                     task.method().name);
}

}  // namespace

std::vector<std::string> notesOf(const RunRequest& asked, const PlannedTask& done) {
  const Task& task = done.task;
  std::vector<std::string> notes;
  std::vector<RewriteInfo> rewrites(rewriteCatalog().begin(), rewriteCatalog().end());
  std::ranges::stable_sort(rewrites, {}, [](const RewriteInfo& info) { return info.stage.begins; });
  for (const RewriteInfo& info : rewrites) {
    std::string note = info.note ? info.note(asked, task.program) : std::string();
    if (!note.empty()) notes.push_back(std::move(note));
  }
  std::vector<std::string> moves;
  for (const OpMove& move : asked.moves) moves.push_back(moveText(move));
  if (!moves.empty()) {
    notes.push_back(
        fmt::format("the order of the operators is not the model's: {}", fmt::join(moves, ", ")));
  }
  if (isSpread(task.shape) && task.sharing.alias != asked.alias) {
    notes.emplace_back("views are off: over several devices every buffer is one tensor");
  }
  if (asked.plansInputs() && !task.sharing.planInputs && !task.program.graph->inputs.empty()) {
    notes.push_back(fmt::format("{} gives graph inputs no place: they live outside the arena",
                                task.method().name));
  }
  if (const auto& devices = asked.platform.devices; devices.size() > 1 && !isSpread(task.shape)) {
    notes.push_back(fmt::format("platform '{}' has {} devices; everything runs on '{}'",
                                asked.platform.name, devices.size(), devices.front().name));
  }
  const std::string fixed = whyNothingMoves(task);
  if (asked.residency != ResidencyRule::wholeLife && !fixed.empty()) {
    notes.push_back("every buffer stays where it is: " + fixed);
  }
  if (done.storage.raise > Bytes()) {
    notes.push_back(
        fmt::format("slices are shared as published, which raises the lower bound by {} bytes",
                    groupDigits(done.storage.raise.count())));
  }
  if (const std::string off = overlaysOff(task, done.storage); !off.empty()) notes.push_back(off);
  addScratchNote(task, done.storage, notes);
  addFetchNotes(asked, task, notes);
  addOverlapNote(task, done.planned, notes);
  if (!done.storage.unsized.empty()) {
    notes.push_back(
        fmt::format("{} tensors have no known size and are left out: every total "
                    "is at least what is shown",
                    done.storage.unsized.size()));
  }
  if (task.method().way != Way::embedded) return notes;
  addOwnPlanNotes(*task.program.graph, task.program.schedule, task.sharing, done.planned.problem,
                  notes);
  return notes;
}

}  // namespace hw
