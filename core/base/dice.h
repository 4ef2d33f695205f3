#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace hw {

/// Random numbers that are the same on every machine (std distributions are not).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// In [least, most].
  std::int64_t roll(std::int64_t least, std::int64_t most) {
    const auto span = static_cast<std::uint64_t>(most - least) + 1;
    return least + static_cast<std::int64_t>(engine_() % span);
  }
  bool chance(int percent) { return roll(1, 100) <= percent; }

  /// Uniform in [0, 1).
  double fraction() {
    constexpr std::int64_t kParts = std::int64_t{1} << 40;
    return static_cast<double>(roll(0, kParts - 1)) / static_cast<double>(kParts);
  }

  /// Every order of `things` is as likely.
  template <class T>
  void shuffle(std::vector<T>& things) {
    for (std::size_t i = things.size(); i > 1; --i) {
      const std::int64_t other = roll(0, static_cast<std::int64_t>(i) - 1);
      std::swap(things[i - 1], things[static_cast<std::size_t>(other)]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

/// Between the numbers whose scrambles make a good row of random numbers.
inline constexpr std::uint64_t kScrambleStep = 0x9E3779B97F4A7C15ULL;

/// Spreads 64 bits: numbers that are alike become unlike (the finalizer of splitmix64, Steele, Lea
/// and Flood 2014).
constexpr std::uint64_t scramble(std::uint64_t x) {
  x += kScrambleStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// Small random numbers, faster than those of `Dice`: splitmix64.
class SmallDice {
 public:
  explicit SmallDice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t draw() {
    const std::uint64_t drawn = scramble(state_);
    state_ += kScrambleStep;
    return drawn;
  }
  /// In [0, count); `count` is positive.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((draw() >> 32) * count) >> 32);
  }
  /// In [0, 1).
  double fraction() { return static_cast<double>(draw() >> 11) * 0x1p-53; }

  /// Every order of `things` is as likely.
  template <class T>
  void shuffle(std::vector<T>& things) {
    for (std::size_t i = things.size(); i > 1; --i) {
      std::swap(things[i - 1], things[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace hw
