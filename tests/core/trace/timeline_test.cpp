#include "core/trace/timeline.h"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>

using namespace hw;

namespace {

/// Writes stories by hand: one line an allocator's move, in its primitive events.
class Story {
 public:
  Story& at(std::int32_t step, std::uint8_t pool = 0) {
    step_ = step;
    pool_ = pool;
    return *this;
  }
  Story& because(Reason reason) {
    reason_ = reason;
    return *this;
  }
  Story& add(EventKind kind, std::size_t stay, std::int64_t begin, std::int64_t end) {
    events.push_back({.offset = Bytes(begin),
                      .size = Bytes(end - begin),
                      .step = step_,
                      .stay = StayId(stay),
                      .region = RegionId(0),
                      .pool = pool_,
                      .kind = kind,
                      .reason = reason_});
    return *this;
  }
  Story& extend(std::size_t stay, std::int64_t begin, std::int64_t end) {
    return add(EventKind::extend, stay, begin, end);
  }
  Story& split(std::size_t stay, std::int64_t begin, std::int64_t end) {
    return add(EventKind::split, stay, begin, end);
  }
  Story& merge(std::size_t stay, std::int64_t begin, std::int64_t end) {
    return add(EventKind::merge, stay, begin, end);
  }
  Story& alloc(std::size_t stay, std::int64_t begin, std::int64_t end) {
    return add(EventKind::alloc, stay, begin, end);
  }
  Story& free(std::size_t stay, std::int64_t begin, std::int64_t end) {
    return add(EventKind::free, stay, begin, end);
  }

  std::vector<MemoryEvent> events;

 private:
  std::int32_t step_ = 0;
  std::uint8_t pool_ = 0;
  Reason reason_ = Reason::frontier;
};

constexpr std::array kNames = {"x", "t0", "t1", "t2", "y"};

/// "2 split t2 [0,5)", one a line.
std::string told(const std::vector<MemoryEvent>& events) {
  std::string text;
  for (const TimelineEntry& entry : describe(events, 2)) {
    text += fmt::format("{} {} {} [{},{})\n", entry.step.count(), happeningName(entry.happening),
                        kNames[entry.stay.index()], entry.offset.count(),
                        (entry.offset + entry.size).count());
  }
  return text;
}

/// What the last allocation's detail says.
std::string lastDetail(const std::vector<MemoryEvent>& events, std::optional<Bytes> capacity = {},
                       std::string (*sizeText)(Bytes) = nullptr) {
  const TimelineEntry entry = describe(events, 2).back();
  DetailNames names{
      .formerTenant = "", .firstPool = "L2", .firstCapacity = capacity, .sizeText = sizeText};
  if (entry.formerTenant) names.formerTenant = kNames[entry.formerTenant.index()];
  return detailText(entry, names);
}

/// docs/methods.md, "chain" by free-list: x4 -> t0 16 -> t1 10 -> t2 5 -> y2.
Story chain() {
  Story story;
  story.at(0).extend(0, 0, 4).alloc(0, 0, 4);
  story.extend(1, 4, 20).alloc(1, 4, 20).free(0, 0, 4);
  story.at(1).extend(2, 20, 30).alloc(2, 20, 30).free(1, 4, 20).merge(1, 4, 20);
  story.at(2).because(Reason::largestFree).split(3, 5, 20).alloc(3, 0, 5);
  story.free(2, 20, 30).merge(2, 20, 30);
  story.at(3).split(4, 7, 30).alloc(4, 5, 7).free(3, 0, 5);
  return story;
}

}  // namespace

TEST_CASE("the chain's story reads as docs/methods.md tells it", "[timeline]") {
  CHECK(told(chain().events) ==
        "0 fresh x [0,4)\n"
        "0 fresh t0 [4,20)\n"
        "0 release x [0,4)\n"
        "1 fresh t1 [20,30)\n"
        "1 release t0 [4,20)\n"
        "1 merge t0 [0,20)\n"
        "2 split t2 [0,5)\n"
        "2 release t1 [20,30)\n"
        "2 merge t1 [5,30)\n"
        "3 split y [5,7)\n"
        "3 release t2 [0,5)\n");
}

TEST_CASE("entries cover their events and know what was there", "[timeline]") {
  const std::vector<TimelineEntry> entries = describe(chain().events, 1);
  std::size_t covered = 0;
  for (const TimelineEntry& entry : entries) {
    CHECK(entry.firstEvent == covered);
    covered = entry.lastEvent;
  }
  CHECK(covered == chain().events.size());
  CHECK_FALSE(entries[1].formerTenant);
  CHECK(entries[6].formerTenant == StayId(0));  // t2 begins where x was,
  CHECK(entries[9].formerTenant == StayId(1));  // y where t0 was.
  CHECK(entries[6].freeBefore == Bytes(20));
  CHECK(entries[8].freeBefore == Bytes(15));
}

TEST_CASE("a hole of the right size is reused", "[timeline]") {
  Story story = chain();
  story.at(4).because(Reason::exactFit).alloc(1, 0, 5);
  CHECK(describe(story.events, 1).back().happening == Happening::reuse);
  CHECK(lastDetail(story.events) == "exact fit, reuses t2");
}

TEST_CASE("the tail grows: 4 free at the frontier, 10 wanted", "[timeline]") {
  // | 2 free | x 3 | 4 free |        -> the last block grows by 6
  Story story;
  story.extend(1, 0, 2).alloc(1, 0, 2).extend(0, 2, 5).alloc(0, 2, 5);
  story.extend(2, 5, 9).alloc(2, 5, 9).free(1, 0, 2).free(2, 5, 9);
  story.at(1).because(Reason::tailExtension);
  story.extend(3, 9, 15).merge(3, 9, 15).alloc(3, 5, 15);
  const TimelineEntry entry = describe(story.events, 1).back();
  CHECK(entry.happening == Happening::extend);
  CHECK(entry.offset == Bytes(5));
  CHECK(entry.size == Bytes(10));
  CHECK(entry.freeBefore == Bytes(4));
  CHECK(lastDetail(story.events) == "last free block of 4 grows by 6, reuses t1");
}

TEST_CASE("a release between two holes is one merge of all three", "[timeline]") {
  // 2 released between free 2 and free 6: one block of 10.
  Story story;
  story.extend(0, 0, 2).alloc(0, 0, 2).extend(1, 2, 4).alloc(1, 2, 4);
  story.extend(2, 4, 10).alloc(2, 4, 10);
  story.free(0, 0, 2).free(2, 4, 10);
  story.free(1, 2, 4).merge(1, 2, 4).merge(1, 4, 10);
  const TimelineEntry entry = describe(story.events, 1).back();
  CHECK(entry.happening == Happening::merge);
  CHECK(entry.offset == Bytes(0));
  CHECK(entry.size == Bytes(10));
  CHECK(entry.freeBefore == Bytes(8));
  CHECK(entry.lastEvent - entry.firstEvent == 2);
  CHECK(lastDetail(story.events) == "joined 8 free beside it");
  const auto inWords = [](Bytes bytes) { return std::to_string(bytes.count()) + " bytes"; };
  CHECK(lastDetail(story.events, {}, inWords) == "joined 8 bytes free beside it");
}

TEST_CASE("the sources' 16 = 10 + 6, 6 = 5 + 1", "[timeline]") {
  Story story;
  story.extend(0, 0, 16).alloc(0, 0, 16).free(0, 0, 16);
  story.at(1).because(Reason::largestFree);
  story.split(1, 10, 16).alloc(1, 0, 10).split(2, 15, 16).alloc(2, 10, 15);
  CHECK(told(story.events) ==
        "0 fresh x [0,16)\n0 release x [0,16)\n1 split t0 [0,10)\n1 split t1 [10,15)\n");
  CHECK(lastDetail(story.events) == "largest free block of 6, reuses x");
}

TEST_CASE("a planned address may cut twice, or leave a hole below it", "[timeline]") {
  Story story;
  story.because(Reason::planned);
  // Nothing yet, planned at 8: memory grows to 12 and the lower part stays free.
  story.extend(0, 0, 12).split(0, 8, 12).alloc(0, 8, 12);
  // Planned inside that hole, which is free but was never used: one cut above, one below.
  story.split(1, 2, 8).split(1, 5, 8).alloc(1, 2, 5);
  CHECK(told(story.events) == "0 fresh x [8,12)\n0 fresh t0 [2,5)\n");
  CHECK(lastDetail(story.events) == "planned, new memory");
  // One byte that somebody had is enough to make it a part of a free block.
  story.free(1, 2, 5).merge(1, 5, 8).merge(1, 2, 8);
  story.split(2, 4, 8).split(2, 6, 8).alloc(2, 4, 6);
  const TimelineEntry entry = describe(story.events, 1).back();
  CHECK(entry.happening == Happening::split);
  CHECK(entry.lastEvent - entry.firstEvent == 3);
  CHECK(entry.freeBefore == Bytes(8));
  CHECK(entry.formerTenant == StayId(1));
  CHECK(lastDetail(story.events) == "planned, free block of 8, reuses t0");
}

TEST_CASE("an entry in L3 says why it is not in L2", "[timeline]") {
  // L2: | 12 free | x 20 | 28 free |, capacity 60.
  Story story;
  story.extend(1, 0, 12).alloc(1, 0, 12).extend(0, 12, 32).alloc(0, 12, 32);
  story.extend(2, 32, 60).alloc(2, 32, 60).free(1, 0, 12).free(2, 32, 60);
  story.at(1, 1).extend(3, 0, 30).alloc(3, 0, 30);
  CHECK(lastDetail(story.events, Bytes(60)) == "L2 full: largest hole 28 of 40 free; new memory");
  // Another 4 above the frontier would go with the hole below them.
  CHECK(lastDetail(story.events, Bytes(64)) == "L2 full: largest hole 32 of 44 free; new memory");
  // Of a stay that had to go to L3, L2 is no part of the answer.
  CHECK(detailText(describe(story.events, 2).back(), {.firstPool = ""}) == "new memory");
  story.at(2, 1).because(Reason::planned).extend(4, 30, 31).alloc(4, 30, 31);
  CHECK(lastDetail(story.events, Bytes(60)) == "planned, new memory");
}
