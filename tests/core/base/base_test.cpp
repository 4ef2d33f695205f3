#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "core/base/key_sort.h"
#include "core/base/load_sweep.h"
#include "core/base/task_queue.h"
#include "core/base/text.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

struct Item {
  std::uint32_t key = 0;
  std::size_t position = 0;
  friend bool operator==(const Item&, const Item&) = default;
};

}  // namespace

TEST_CASE("sorting by a key is stable and like the library's", "[base][sort]") {
  const std::size_t count = GENERATE(0, 1, 2, 511, 512, 513, 5'000);
  // No bits, few bits, a digit in the middle alone, all bits.
  const std::uint32_t mask = GENERATE(0U, 0x7U, 0x3FF800U, 0xFFFFFFFFU);
  const std::uint64_t seed = GENERATE(1U, 2U);
  CAPTURE(count, mask, seed);
  test::Dice dice(seed);
  std::vector<Item> items;
  for (std::size_t i = 0; i < count; ++i) {
    items.push_back({static_cast<std::uint32_t>(dice.roll(0, 0xFFFFFFFF)) & mask, i});
  }
  std::vector<Item> expected = items;
  std::ranges::stable_sort(expected, {}, &Item::key);
  sortByKey(items, [](const Item& item) { return item.key; });
  CHECK(items == expected);
}

TEST_CASE("a sweep tells what is there at every place", "[base][property]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    test::Dice dice(seed);
    const auto places = static_cast<std::size_t>(dice.roll(1, 12));
    LoadSweep sweep(places);
    std::vector<Bytes> there(places);
    for (std::int64_t i = dice.roll(0, 20); i > 0; --i) {
      const auto begin = static_cast<std::size_t>(dice.roll(0, std::int64_t(places)));
      const auto end =
          static_cast<std::size_t>(dice.roll(std::int64_t(begin), std::int64_t(places)));
      const Bytes bytes(dice.roll(0, 9));
      sweep.add(begin, end, bytes);
      for (std::size_t place = begin; place < end; ++place) there[place] += bytes;
    }
    std::size_t next = 0;
    sweep.eachPlace([&](std::size_t place, Bytes bytes) {
      CHECK(place == next++);
      CHECK(bytes == there[place]);
    });
    CHECK(next == places);
    const auto most = std::ranges::max_element(there);
    CHECK(sweep.most().bytes == *most);
    const auto first = static_cast<std::size_t>(most - there.begin());
    CHECK(sweep.most().place == (*most == Bytes() ? 0 : first));
  }
}

TEST_CASE("a queue does every task once", "[tasks]") {
  const int threads = GENERATE(0, 1, 2, 7, 300);
  std::vector<int> done(200);
  runTasks(done.size(), threads, [&](std::size_t task) { ++done[task]; });
  CHECK(done == std::vector<int>(200, 1));
  runTasks(0, threads, [](std::size_t) { FAIL("a task that nobody asked for"); });
}

TEST_CASE("tasks of tasks are done once, by whoever is free", "[tasks]") {
  const int threads = GENERATE(1, 2, 7);
  Workers workers(threads);
  for (int again = 0; again < 3; ++again) {
    std::vector<std::vector<int>> done(40, std::vector<int>(30));
    workers.run(done.size(), [&](std::size_t outer) {
      workers.run(done[outer].size(), [&](std::size_t inner) { ++done[outer][inner]; });
    });
    CHECK(done == std::vector(40, std::vector(30, 1)));
  }
}

TEST_CASE("a thread that has no task takes over tasks of a task", "[tasks]") {
  Workers workers(2);
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  // Each of the two waits for the other, so one thread alone would not get through.
  const auto meet = [&](std::size_t) {
    std::unique_lock lock(mutex);
    ++begun;
    changed.notify_all();
    CHECK(changed.wait_for(lock, std::chrono::minutes(5), [&] { return begun == 2; }));
  };
  workers.run(1, [&](std::size_t) { workers.run(2, meet); });
}

TEST_CASE("a task of a task that throws ends both", "[tasks]") {
  const int threads = GENERATE(1, 3);
  Workers workers(threads);
  std::atomic<int> outers = 0;
  std::atomic<int> inners = 0;
  const auto inner = [&](std::size_t task) {
    ++inners;
    if (task == 1) throw std::runtime_error("inner");
  };
  const auto outer = [&](std::size_t) {
    ++outers;
    workers.run(100, inner);
  };
  CHECK_THROWS_WITH(workers.run(100, outer), "inner");
  CHECK(outers <= threads);
  if (threads == 1) CHECK(inners == 2);
  std::atomic<int> done = 0;
  workers.run(4, [&](std::size_t) { ++done; });
  CHECK(done == 4);
}

TEST_CASE("what a task throws comes through, and nothing is begun behind it", "[tasks]") {
  const int threads = GENERATE(1, 4);
  std::atomic<int> begun = 0;
  const auto work = [&](std::size_t task) {
    ++begun;
    if (task >= 2) throw std::runtime_error(std::to_string(task));
  };
  CHECK_THROWS_WITH(runTasks(100, threads, work), "2");
  CHECK(begun < 100);
}

TEST_CASE("figures have the digits that were asked for", "[text]") {
  const auto three = [](std::int64_t count) { return formatBytes(Bytes(count)); };
  CHECK(three(1000) == "1000 B");
  CHECK(three(1023) == "1023 B");
  CHECK(three(1536) == "1.50 KiB");
  CHECK(three(10'235) == "10.0 KiB");  // 9.9951.
  CHECK(three(102'350) == "100 KiB");  // 99.951.
  CHECK(three(1'048'063) == "1023 KiB");
  CHECK(three(1'048'064) == "1.00 MiB");  // 1023.5 KiB.
  CHECK(three(std::int64_t{5000} << 40) == "5000 TiB");
  CHECK(formatTime(SimTime(999'499)) == "999 ns");
  CHECK(formatTime(SimTime(999'500)) == "1.00 \u00b5s");

  constexpr UnitDigits kDown{.count = 4, .down = true};
  CHECK(formatTime(SimTime(999), kDown) == "999 ps");
  CHECK(formatTime(SimTime(1'999), kDown) == "1.999 ns");
  CHECK(formatTime(SimTime(9'999'900), kDown) == "9.999 \u00b5s");
  CHECK(formatTime(SimTime(99'999'000), kDown) == "99.99 \u00b5s");
  CHECK(formatTime(SimTime(999'999'000), kDown) == "999.9 \u00b5s");
  CHECK(formatBytes(Bytes(1'048'575), kDown) == "1023 KiB");
}

// What is rounded down never says more than there is, and less by one of the last digit at most.
TEST_CASE("four digits rounded down are no more than the figure", "[text][property]") {
  for (std::int64_t count = 1; count < 4'000'000'000'000; count += 1 + count / 97) {
    const std::string text = formatTime(SimTime(count), {.count = 4, .down = true});
    const auto said = test::must(parseNumber(text.substr(0, text.find(' '))));
    double unit = 1;
    for (const char* name : {" ps", " ns", " \u00b5s", " ms", " s"}) {
      if (text.ends_with(name)) break;
      unit *= 1000;
    }
    const auto exact = static_cast<double>(count);
    CAPTURE(count, text);
    CHECK(said * unit <= exact * (1 + 1e-12));
    CHECK(said * unit > exact * (1 - 1.001e-3));
  }
}
