#include "core/plan/method_record.h"

#include <array>

#include "core/base/check.h"

namespace hw {
namespace {

/// Carries out what turns `before` into `after`.
void apply(MethodState& state, const MethodChange& change, const MethodRow& before,
           const MethodRow& after) {
  std::vector<MethodRow>& rows = state[change.list];
  const auto at = rows.begin() + static_cast<std::ptrdiff_t>(change.at);
  if (before.empty()) {
    check(change.at <= rows.size(), "a row that a method puts in lies in or behind its list");
    rows.insert(at, after);
    return;
  }
  check(change.at < rows.size() && *at == before, "a method's record fits its lists");
  if (after.empty()) {
    rows.erase(at);
  } else {
    *at = after;
  }
}

}  // namespace

std::string_view listKindName(MethodList::Kind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"list", "stack", "table"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::span<const MethodChange> MethodRecord::changesOf(std::size_t tick) const {
  const std::size_t begin = tick == 0 ? 0 : ticks[tick - 1].changes;
  return std::span(changes).subspan(begin, ticks[tick].changes - begin);
}

MethodPlayer::MethodPlayer(const MethodRecord& record)
    : record_(record), state_(record.lists.size()) {}

void MethodPlayer::seek(std::size_t ticks) {
  check(ticks <= record_.ticks.size(), "a tick of the record");
  for (; at_ < ticks; ++at_) {
    for (const MethodChange& change : record_.changesOf(at_)) {
      apply(state_, change, change.before, change.after);
    }
  }
  for (; at_ > ticks; --at_) {
    const auto changes = record_.changesOf(at_ - 1);
    for (std::size_t i = changes.size(); i-- > 0;) {
      apply(state_, changes[i], changes[i].after, changes[i].before);
    }
  }
}

std::size_t MethodRecorder::addList(MethodList list) {
  if (!on()) return 0;
  record_->lists.push_back(std::move(list));
  state_.emplace_back();
  return state_.size() - 1;
}

void MethodRecorder::change(MethodChange change) {
  apply(state_, change, change.before, change.after);
  record_->changes.push_back(std::move(change));
}

void MethodRecorder::insert(std::size_t list, std::size_t at, MethodRow row) {
  if (!on()) return;
  change({static_cast<std::uint32_t>(list), static_cast<std::uint32_t>(at), {}, std::move(row)});
}

void MethodRecorder::erase(std::size_t list, std::size_t at) {
  if (!on()) return;
  change({static_cast<std::uint32_t>(list), static_cast<std::uint32_t>(at), state_[list][at], {}});
}

void MethodRecorder::replace(std::size_t list, std::size_t at, MethodRow row) {
  if (!on() || state_[list][at] == row) return;
  change({static_cast<std::uint32_t>(list), static_cast<std::uint32_t>(at), state_[list][at],
          std::move(row)});
}

void MethodRecorder::eraseKey(std::size_t list, const MethodCell& key) {
  for (std::size_t at = rows(list); at-- > 0;) {
    if (row(list, at).front() == key) erase(list, at);
  }
}

void MethodRecorder::tick(StayId stay, Step step, std::string what) {
  if (!on()) return;
  record_->ticks.push_back({stay, step, std::move(what), record_->changes.size(), {}});
  record_->truncated = record_->changes.size() >= kMostMethodChanges;
}

}  // namespace hw
