#include "core/latency/removal.h"

#include <algorithm>

namespace hw {
namespace {

/// Tenants of the same bytes are looked for so many steps away.
constexpr std::int64_t kNearSteps = 12;

}  // namespace

Removal::Removal(const TimedWork& work, std::mt19937_64& random)
    : work_(work), random_(random), opening_(work.stays.size()), isTaken_(work.stays.size()) {
  for (std::uint32_t i = 0; i < work.byOpening.size(); ++i) opening_[work.byOpening[i]] = i;
}

void Removal::take(std::uint32_t stay) {
  if (work_.stays[stay].pinned || isTaken_[stay]) return;
  isTaken_[stay] = true;
  taken_.push_back(stay);
}

std::uint32_t Removal::seed(const std::vector<ReusePair>& critical) {
  if (critical.empty() || below(5) == 0) {
    return static_cast<std::uint32_t>(below(work_.stays.size()));
  }
  const ReusePair& pair = critical[below(critical.size())];
  const std::size_t which = below(3);
  if (which == 2) take(pair.after);
  return which == 1 ? pair.after : pair.before;
}

const std::vector<std::uint32_t>& Removal::choose(const std::vector<Bytes>& offsets,
                                                  const std::vector<ReusePair>& critical) {
  for (const std::uint32_t stay : taken_) isTaken_[stay] = false;
  taken_.clear();
  const std::uint32_t first = seed(critical);
  take(first);
  // Few most of the time: the square of a fraction.
  const std::size_t part = below(1024);
  const std::size_t most = std::min(kMost, work_.stays.size() / 2);
  const std::size_t count = 1 + part * part * most / (1024 * 1024);
  switch (below(4)) {
    case 0:
      takeAlive(first, count);
      break;
    case 1:
      takeOpenedAround(first, count);
      break;
    case 2:
      takeTenants(first, count, offsets);
      break;
    default:
      takeWalk(first, count);
      break;
  }
  order();
  return taken_;
}

void Removal::takeAlive(std::uint32_t seed, std::size_t count) {
  found_.clear();
  for (std::uint32_t i = 0; i < work_.stays.size(); ++i) {
    if (i != seed && work_.stays[i].liveWith(work_.stays[seed])) found_.push_back(i);
  }
  for (std::size_t i = 0; i < count && !found_.empty(); ++i) take(found_[below(found_.size())]);
}

/// Takes up to `count` stays, each chosen among those that are live together with the one before.
void Removal::takeWalk(std::uint32_t seed, std::size_t count) {
  for (std::size_t step = 0; step < count; ++step) {
    std::uint32_t next = seed;
    std::size_t seen = 0;
    for (std::uint32_t i = 0; i < work_.stays.size(); ++i) {
      if (i != seed && work_.stays[i].liveWith(work_.stays[seed]) && below(++seen) == 0) next = i;
    }
    if (next == seed) return;
    take(next);
    seed = next;
  }
}

void Removal::takeOpenedAround(std::uint32_t seed, std::size_t count) {
  const std::size_t middle = opening_[seed];
  const std::size_t first = middle - std::min(middle, count / 2);
  for (std::size_t i = first; i < std::min(first + count, work_.byOpening.size()); ++i) {
    take(work_.byOpening[i]);
  }
}

void Removal::takeTenants(std::uint32_t seed, std::size_t count,
                          const std::vector<Bytes>& offsets) {
  const TimedStay& own = work_.stays[seed];
  found_.clear();
  for (std::uint32_t i = 0; i < work_.stays.size(); ++i) {
    const TimedStay& other = work_.stays[i];
    const std::int64_t apart = (other.steps.begin - own.steps.begin).count();
    if (i == seed || other.pool != own.pool || std::abs(apart) >= kNearSteps) continue;
    const bool meets =
        offsets[i] < offsets[seed] + own.size && offsets[seed] < offsets[i] + other.size;
    if (meets) found_.push_back(i);
  }
  for (std::size_t i = 0; i < count && !found_.empty(); ++i) take(found_[below(found_.size())]);
}

/// At random, largest first, as they are opened, or by size x steps, more or less.
void Removal::order() {
  const auto key = [&](std::uint32_t stay, std::size_t way) -> std::int64_t {
    const TimedStay& own = work_.stays[stay];
    if (way == 0) return static_cast<std::int64_t>(random_() >> 1);
    if (way == 1) return -own.size.count();
    if (way == 2) return opening_[stay];
    const auto noise = static_cast<std::int64_t>(512 + below(1024));
    const std::int64_t height = std::min(own.size.count() / 1024 + 1, std::int64_t{1} << 36);
    return -height * std::min<std::int64_t>(own.steps.length().count(), 4096) * noise;
  };
  const std::size_t way = below(4);
  std::vector<std::pair<std::int64_t, std::uint32_t>> keyed;
  for (const std::uint32_t stay : taken_) keyed.emplace_back(key(stay, way), stay);
  std::ranges::sort(keyed);
  for (std::size_t i = 0; i < keyed.size(); ++i) taken_[i] = keyed[i].second;
}

}  // namespace hw
