#include "core/report/plan/autopsy_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

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

}  // namespace hw
