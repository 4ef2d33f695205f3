#include "core/check/replay_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace hw {
namespace {

/// Eight bytes of a pattern: the finaliser of splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t patternWord(std::uint64_t key, std::uint64_t index) {
  std::uint64_t word = key + (index + 1) * 0x9E3779B97F4A7C15U;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31);
}

/// Calls `visit(at, bytes, count)` for up to eight bytes of the pattern after the other, until
/// `length` of them are done or it returns false. `at` counts from 0.
template <class Visit>
void forEachWord(const Pattern& pattern, std::size_t length, const Visit& visit) {
  auto offset = static_cast<std::uint64_t>(pattern.offset.count());
  for (std::size_t at = 0; at < length;) {
    std::array<unsigned char, 8> bytes{};
    const std::uint64_t word = patternWord(pattern.key, offset / 8);
    std::memcpy(bytes.data(), &word, 8);
    const std::size_t inside = offset % 8;
    const std::size_t count = std::min(8 - inside, length - at);
    if (!visit(at, bytes.data() + inside, count)) return;
    at += count;
    offset += count;
  }
}

/// Calls `visit(first, addresses)` for each part of `span` that exists, `first` being the index of
/// its first byte, until it returns false.
template <class Stretches, class Visit>
void forEachStretch(const Stretches& stretches, const Interval<Bytes>& span, const Visit& visit) {
  auto stretch = std::ranges::upper_bound(stretches, span.begin, {},
                                          [](const auto& each) { return each.addresses.end; });
  for (; stretch != stretches.end() && stretch->addresses.begin < span.end; ++stretch) {
    const Interval<Bytes> part{std::max(span.begin, stretch->addresses.begin),
                               std::min(span.end, stretch->addresses.end)};
    const auto skipped = static_cast<std::size_t>((part.begin - stretch->addresses.begin).count());
    if (!part.empty() && !visit(stretch->at + skipped, part)) return;
  }
}

std::size_t sizeOf(const Interval<Bytes>& addresses) {
  return static_cast<std::size_t>(addresses.length().count());
}

}  // namespace

/// The bytes behind each edge, up to `kSample` of them, and the ranges; each byte once.
void ReplayMemory::allocate(PoolId pool, Bytes size, const std::vector<Bytes>& edges,
                            std::vector<Interval<Bytes>> ranges) {
  for (const Bytes edge : edges) ranges.push_back({edge, edge + kSample});
  std::ranges::sort(ranges);
  Arena& arena = arenas_[pool];
  std::size_t total = 0;
  Bytes covered;
  for (const Interval<Bytes>& range : ranges) {
    const Interval<Bytes> addresses{std::max(covered, range.begin), std::min(size, range.end)};
    if (addresses.empty()) continue;
    arena.stretches.push_back({addresses, total});
    total += sizeOf(addresses);
    covered = addresses.end;
  }
  arena.bytes.assign(total, 0);
}

Bytes ReplayMemory::allocated() const {
  Bytes total;
  for (const Arena& arena : arenas_) total += Bytes(static_cast<std::int64_t>(arena.bytes.size()));
  return total;
}

void ReplayMemory::write(const ByteSpan& span, const Pattern& pattern) {
  Arena& arena = arenas_[span.pool];
  forEachStretch(arena.stretches, span.bytes, [&](std::size_t first, Interval<Bytes> addresses) {
    const Pattern here{pattern.key, pattern.offset + addresses.begin - span.bytes.begin};
    forEachWord(here, sizeOf(addresses),
                [&](std::size_t at, const unsigned char* bytes, std::size_t count) {
                  std::memcpy(arena.bytes.data() + first + at, bytes, count);
                  return true;
                });
    return true;
  });
}

void ReplayMemory::copy(const ByteSpan& from, const ByteSpan& to) {
  const Arena& source = arenas_[from.pool];
  Arena& target = arenas_[to.pool];
  const Bytes shift = from.bytes.begin - to.bytes.begin;
  forEachStretch(target.stretches, to.bytes, [&](std::size_t first, Interval<Bytes> addresses) {
    const Interval<Bytes> wanted{addresses.begin + shift, addresses.end + shift};
    forEachStretch(source.stretches, wanted, [&](std::size_t at, Interval<Bytes> found) {
      const auto skipped = static_cast<std::size_t>((found.begin - wanted.begin).count());
      std::memmove(target.bytes.data() + first + skipped, source.bytes.data() + at, sizeOf(found));
      return true;
    });
    return true;
  });
}

std::optional<Bytes> ReplayMemory::firstDifference(const ByteSpan& span,
                                                   const Pattern& pattern) const {
  const Arena& arena = arenas_[span.pool];
  std::optional<Bytes> bad;
  forEachStretch(arena.stretches, span.bytes, [&](std::size_t first, Interval<Bytes> addresses) {
    const Pattern here{pattern.key, pattern.offset + addresses.begin - span.bytes.begin};
    forEachWord(here, sizeOf(addresses),
                [&](std::size_t at, const unsigned char* bytes, std::size_t count) {
                  const unsigned char* held = arena.bytes.data() + first + at;
                  if (std::memcmp(held, bytes, count) == 0) return true;
                  const auto [wrong, right] = std::mismatch(held, held + count, bytes);
                  bad = addresses.begin + Bytes(static_cast<std::int64_t>(at) + (wrong - held));
                  return false;
                });
    return !bad;
  });
  return bad;
}

}  // namespace hw
