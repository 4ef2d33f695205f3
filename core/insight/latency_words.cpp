#include "core/insight/latency_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/base/text.h"
#include "core/plan_file/activities_writer.h"

namespace hw {
namespace {

std::string tensorWords(const Run& run, BufferId buffer) {
  const TensorId root = run.storage.rootOf(buffer);
  const Tensor& tensor = run.graph().tensors[root];
  const std::string name = printable(displayName(run.graph(), root), 60);
  if (!tensor.constant || tensor.consumers.size() != 1) return name;
  return printable(displayName(run.graph(), tensor.consumers.front()), 60) + "'s weights";
}

/// Stays of which one has bytes that were the other's.
struct Handover {
  StayId from{};
  StayId to{};
};

/// The stay of `cause` whose bytes are one of `id`'s now.
Handover handover(const Run& run, ActivityId id, ActivityId cause) {
  const ActivityList& list = run.timing.activities;
  for (const Access& own : list.activities[id].accesses) {
    const PlacedStay& stay = list.stays[own.stay];
    for (const Access& former : list.activities[cause].accesses) {
      const PlacedStay& other = list.stays[former.stay];
      const bool meet = other.pool == stay.pool && other.bytes.overlaps(stay.bytes);
      if (own.stay != former.stay && meet) return {former.stay, own.stay};
    }
  }
  return {};
}

}  // namespace

std::string activityWords(const Run& run, ActivityId id) {
  const Activity& activity = run.timing.activities.activities[id];
  switch (activity.kind) {
    case ActivityKind::compute:
      break;
    case ActivityKind::load:
      return "fetching " + tensorWords(run, activity.buffer);
    case ActivityKind::store:
      return "storing " + tensorWords(run, activity.buffer);
    case ActivityKind::copy:
      return "copying " + tensorWords(run, activity.buffer);
  }
  return printable(activityName(run, id), 60);
}

std::string causeWords(const Run& run, ActivityId id) {
  const ActivityList& list = run.timing.activities;
  const ActivityTime& time = run.timing.times[id];
  if (!time.cause) return {};
  const ActivityId on = time.cause->activity;
  const std::string other = activityWords(run, on);
  const std::uint32_t engine = list.activities[id].engine;
  switch (time.cause->rule) {
    case WaitRule::data:
      break;
    case WaitRule::unit:
      return fmt::format("waits for the unit {}, busy with {}", list.engines[engine].name, other);
    case WaitRule::channel:
      return fmt::format("waits for a channel of {}, busy with {}", list.engines[engine].name,
                         other);
    case WaitRule::sequence:
      return "comes after " + other;
    case WaitRule::order:
      return fmt::format("starts no sooner than {}, which precedes it", other);
    case WaitRule::inPlace:
      return fmt::format("writes over what {} uses", other);
    case WaitRule::reuse:
      return fmt::format("waits {} for bytes of {}", formatTime(time.start - time.ready),
                         printable(run.stayName(handover(run, id, on).from), 60));
  }
  return "waits for " + other;
}

std::string reuseWordsOf(const Run& run, StayId stay) {
  struct Waiter {
    SimTime time{};
    ActivityId id{};
  };
  constexpr std::size_t kNamed = 3;
  std::vector<Waiter> waiters;
  std::string text;
  for (const ActivityId id : run.timing.times.keys()) {
    const ActivityTime& time = run.timing.times[id];
    if (!time.cause || time.cause->rule != WaitRule::reuse) continue;
    const Handover bytes = handover(run, id, time.cause->activity);
    if (bytes.from == stay) waiters.push_back({time.start - time.ready, id});
    if (bytes.to == stay) text = activityWords(run, id) + " " + causeWords(run, id);
  }
  std::ranges::stable_sort(waiters, std::greater(), &Waiter::time);
  for (std::size_t i = 0; i < std::min(waiters.size(), kNamed); ++i) {
    text += fmt::format("{}{} waits {} for its bytes", text.empty() ? "" : "; ",
                        activityWords(run, waiters[i].id), formatTime(waiters[i].time));
  }
  if (waiters.size() > kNamed) text += fmt::format("; so do {} more", waiters.size() - kNamed);
  return text;
}

std::string boundWords(const LatencyAccount& account) {
  return fmt::format("{} for this plan ({}), {} for any of this order ({})",
                     formatTime(account.ofPlan.time), account.ofPlan.binds,
                     formatTime(account.ofOrder.time), account.ofOrder.binds);
}

std::string reuseWords(const ReusePrice& price) {
  std::string text = fmt::format("{} of waits on the critical path", formatTime(price.waits));
  if (price.bound > SimTime()) {
    text += fmt::format("; {} of latency if ports were no bound", formatTime(price.bound));
  }
  if (price.simulated < SimTime()) {
    return text + fmt::format("; reuse helps here: {} less than without",
                              formatTime(SimTime() - price.simulated));
  }
  return text + fmt::format("; {} as simulated", formatTime(price.simulated));
}

}  // namespace hw
