#include "core/sim/event_queue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tuple>
#include <vector>

using namespace hw;

TEST_CASE("events leave in the order of their whole key", "[sim][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{21}));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::uint64_t times = 1 + random() % 20;  // Few: nearly everything ties.
  using Key = std::tuple<std::int64_t, Phase, std::uint8_t, std::uint32_t, int>;
  std::vector<Key> pending;
  EventQueue queue;
  for (int i = 0; i < 2'000; ++i) {
    if (random() % 3 != 0) {
      const Key key{static_cast<std::int64_t>(random() % times), static_cast<Phase>(random() % 6),
                    static_cast<std::uint8_t>(random() % 3),
                    static_cast<std::uint32_t>(random() % 4), i};
      queue.push(SimEvent(SimTime(std::get<0>(key)), std::get<1>(key), std::get<2>(key),
                          std::get<3>(key)));
      pending.push_back(key);
    } else if (!pending.empty()) {
      const auto least = std::ranges::min_element(pending);
      const SimEvent event = queue.pop();
      REQUIRE(event.time() == SimTime(std::get<0>(*least)));
      REQUIRE(event.phase() == std::get<1>(*least));
      REQUIRE(event.device() == std::get<2>(*least));
      REQUIRE(event.entity() == std::get<3>(*least));
      pending.erase(least);
    }
    REQUIRE(queue.size() == pending.size());
  }
}

TEST_CASE("at one instant, memory is freed before it is taken", "[sim]") {
  EventQueue queue;
  queue.push(SimEvent(SimTime(7), Phase::computeStart, 0, 1));
  queue.push(SimEvent(SimTime(7), Phase::alloc, 0, 2));
  queue.push(SimEvent(SimTime(7), Phase::free, 0, 9));
  queue.push(SimEvent(SimTime(7), Phase::computeEnd, 0, 0));
  queue.push(SimEvent(SimTime(6), Phase::computeStart, 255, 0xFFFFFFFF));
  std::vector<Phase> order;
  while (!queue.empty()) order.push_back(queue.pop().phase());
  CHECK(order == std::vector{Phase::computeStart, Phase::computeEnd, Phase::free, Phase::alloc,
                             Phase::computeStart});
}
