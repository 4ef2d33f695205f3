#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/plan_file/tensor_names.h"
#include "core/report/explain/explain_report.h"

namespace hw {
namespace {

/// What is wrong with the pool the stay wanted to be in, or with one of them.
std::string poolText(const Run& run, const Autopsy::Pool& pool) {
  std::string text = fmt::format(
      "{} has {} of {} bytes free, largest block {}",
      printable(run.problem.pools[pool.pool].name, 40), groupDigits(pool.freeBytes.count()),
      groupDigits(pool.capacity.count()), groupDigits(pool.largestFree.count()));
  if (pool.sufficient > pool.capacity) {
    text += fmt::format(", {} would have sufficed", groupDigits(pool.sufficient.count()));
  }
  return text;
}

/// Of a fragmented pool: who keeps its largest hole from being larger.
std::string wallsText(const Run& run, const Autopsy& found) {
  const Moment::Hole* largest = nullptr;
  for (const Autopsy::Pool& pool : found.pools) {
    const auto* hole = pool.moment.largestHole();
    if (hole == nullptr || pool.freeBytes < found.wanted) continue;
    if (largest == nullptr || hole->bytes.length() > largest->bytes.length()) largest = hole;
  }
  if (largest == nullptr) return {};
  const auto name = [&](StayId stay) { return "'" + printable(run.stayName(stay), 60) + "'"; };
  return fmt::format("; the largest hole, {} bytes, lies {} until step {}",
                     groupDigits(largest->bytes.length().count()),
                     largest->below
                         ? "between " + name(largest->below) + " and " + name(largest->above)
                         : "below " + name(largest->above),
                     largest->until.count() - 1);
}

std::string causeText(const Run& run, const Autopsy& found) {
  switch (found.cause) {
    case Autopsy::Cause::fragmentation:
      return "there is room, but it is fragmented" + wallsText(run, found);
    case Autopsy::Cause::exhaustion:
      return "memory is exhausted: fewer bytes are free than wanted";
    case Autopsy::Cause::impossible:
      break;
  }
  return fmt::format("no planner can: {} bytes are live at once",
                     groupDigits(found.lowerBound.count()));
}

}  // namespace

std::string autopsyText(const Run& run, const Autopsy& found) {
  const bool failed = run.plan.outOfMemory.has_value();
  std::string text =
      fmt::format("{} '{}', {} bytes, at step {}",
                  failed ? "out of memory: no room for" : "first to end too high:",
                  printable(run.stayName(found.stay), 80), groupDigits(found.wanted.count()),
                  groupDigits(found.step.count()));
  for (const Autopsy::Pool& pool : found.pools) text += "; " + poolText(run, pool);
  return text + "; " + causeText(run, found);
}

Result<TensorId> plannedTensor(const Run& run, std::string_view name) {
  const TensorNames names(run.graph());
  auto id = names.find(name);
  if (!id) id = names.findId(name);
  const auto refuse = [&](std::string message) {
    return fail(ErrorCode::invalidArgument, std::move(message));
  };
  const std::string shown = printable(name, 120);
  if (!id) {
    std::vector<std::string> candidates;
    for (const TensorId tensor : run.graph().tensors.keys()) candidates.push_back(names.of(tensor));
    const auto closest = closestWord(name, candidates);
    return refuse(fmt::format("there is no tensor '{}'{}", shown,
                              closest ? fmt::format("; did you mean '{}'?", printable(*closest))
                                      : "; 'highwater plan MODEL --all' lists them"));
  }
  if (run.storage.bufferOf(*id)) return *id;
  const Tensor& tensor = run.graph().tensors[*id];
  if (tensor.constant) {
    return refuse(fmt::format("'{}' is a weight: weights are not planned", shown));
  }
  if (!tensor.bytes) {
    return refuse(fmt::format("'{}' is not planned: its size is not known ({})", shown,
                              printable(tensor.unknownReason)));
  }
  if (*tensor.bytes == Bytes())
    return refuse(fmt::format("'{}' is empty: it needs no place", shown));
  return refuse(fmt::format("'{}' lives outside the arena: it is a graph {} and was not planned",
                            shown, tensor.graphInput ? "input" : "output"));
}

}  // namespace hw
