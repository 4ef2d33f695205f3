#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>

namespace hw::test {

#ifdef HW_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many of `wanted` random problems a property is tried with. Under sanitizers a sixth: each
/// takes ten times as long there, and all of them are tried by the build without.
constexpr std::uint64_t rounds(std::uint64_t wanted) {
  return kSanitized ? (wanted + 5) / 6 : wanted;
}

/// The seeds from 1 on of `rounds(wanted)` rounds. Whatever fails in a round says its seed.
class Seeds {
 public:
  explicit Seeds(std::uint64_t wanted) : count_(rounds(wanted)) {}

  class Iterator {
   public:
    Iterator(Seeds& seeds, std::uint64_t seed) : seeds_(seeds), seed_(seed) {}
    std::uint64_t operator*() const { return seeds_.told(seed_); }
    void operator++() { ++seed_; }
    bool operator==(const Iterator& other) const { return seed_ == other.seed_; }

   private:
    Seeds& seeds_;
    std::uint64_t seed_;
  };

  Iterator begin() { return {*this, 1}; }
  Iterator end() { return {*this, count_ + 1}; }

 private:
  std::uint64_t told(std::uint64_t seed) {
    round_.reset();
    round_.emplace(Catch::MessageBuilder("CAPTURE", CATCH_INTERNAL_LINEINFO, Catch::ResultWas::Info)
                   << "seed := " << seed);
    return seed;
  }

  std::uint64_t count_;
  std::optional<Catch::ScopedMessage> round_{};
};

/// How often at least something has to be met in so many rounds, if it is `wanted` in all of them.
/// Half as often for its share under sanitizers, where a few problems need not be like all.
constexpr int atLeast(int wanted) { return kSanitized ? wanted / 12 : wanted; }

/// True if pair `number` of two catalogues is tried. Under sanitizers every seventh is, for the
/// same reason; where the inner catalogue is longer and no multiple of seven, each entry of both is
/// met.
constexpr bool isTried(std::uint64_t number) { return !kSanitized || number % 7 == 0; }

}  // namespace hw::test
