#include <QTest>
#include <catch2/catch.hpp>
#include <set>

#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/base/theme.h"
#include "widgets/now/memory_now.h"

using namespace hw;
using namespace hw::literals;

namespace {

struct Shown {
  explicit Shown(std::shared_ptr<const Run> run) : memory(&state) {
    state.setRun(std::move(run));
    memory.resize(700, 160);
    memory.show();
  }

  /// Pixels of one row through the middle of the bar, where no text or outline is.
  std::vector<QColor> row() {
    const QRect bar = memory.barOf(PoolId(0));
    const QImage picture = memory.grab().toImage();
    std::vector<QColor> colors;
    for (int x = bar.left(); x <= bar.right(); ++x) {
      colors.push_back(picture.pixelColor(x, bar.top() + 2));
    }
    return colors;
  }

  ViewState state;
  MemoryNow memory;
};

/// The entry of the timeline that is the `n`-th of its kind.
const TimelineEntry& entryOf(const Run& run, Happening kind) {
  const auto found = std::ranges::find(run.timeline, kind, &TimelineEntry::happening);
  REQUIRE(found != run.timeline.end());
  return *found;
}

}  // namespace

TEST_CASE("chunks are drawn as wide as they are large", "[memory]") {
  Shown shown(test::makeRun({{"a", 400, 0, 2}, {"b", 600, 0, 1}, {"c", 200, 1, 2}}));
  shown.state.setStep(0_st);
  shown.memory.finish();
  const ByteAxis axis = shown.memory.axisOf(PoolId(0));
  const QColor live = Theme::current().classColor(TensorClass::intermediate);
  const auto occupied = std::ranges::count(shown.row(), live);
  const double expected = axis.toPixel(1000) - axis.toPixel(0);
  // Each of the two chunks has an outline of a pixel on both sides.
  CHECK(static_cast<double>(occupied) == Approx(expected).margin(6));

  shown.state.setStep(1_st);
  shown.memory.finish();
  const auto after = std::ranges::count(shown.row(), live);
  CHECK(static_cast<double>(after) == Approx(axis.toPixel(600) - axis.toPixel(0)).margin(6));
}

TEST_CASE("every pixel of the bar answers with the owner of its bytes", "[memory]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{6}));
  CAPTURE(seed);
  const auto run = test::randomRun(seed, 25, 12);
  Shown shown(run);
  shown.memory.setReducedMotion(true);
  const QRect bar = shown.memory.barOf(PoolId(0));
  const ByteAxis axis = shown.memory.axisOf(PoolId(0));
  for (const std::size_t moment : {run->trace.size() / 3, run->trace.size() / 2}) {
    shown.state.setMoment(moment);
    const MemoryState state = run->trace.stateAfter(moment);
    int wrong = 0;
    for (int x = bar.left(); x <= bar.right(); ++x) {
      const Bytes byte(static_cast<std::int64_t>(axis.toBytes(x + 0.5)));
      const auto chunk = state[PoolId(0)].chunkAt(RegionId(0), byte);
      const StayId expected = chunk ? chunk->owner : StayId();
      if (shown.memory.stayAt({x, bar.center().y()}) != expected) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a single step moves for less than a quarter of a second and ends exactly", "[memory]") {
  const auto run = test::randomRun(5, 25, 12);
  Shown shown(run);
  const auto kind = GENERATE(Happening::fresh, Happening::release, Happening::merge);
  const TimelineEntry& entry = entryOf(*run, kind);
  const bool forwards = GENERATE(true, false);
  CAPTURE(happeningName(kind), forwards);
  shown.state.setMoment(forwards ? entry.firstEvent : entry.lastEvent);
  shown.memory.finish();
  shown.state.setMoment(forwards ? entry.lastEvent : entry.firstEvent);
  CHECK(shown.memory.isMoving());
  CHECK(shown.memory.movementLength() < 250);
  CHECK(QTest::qWaitFor([&] { return !shown.memory.isMoving(); }, test::kPatience));
  CHECK(shown.memory.scene() == memoryScene(*run, shown.state.moment()));
}

TEST_CASE("a step in the middle of a movement starts from the exact state", "[memory]") {
  const auto run = test::randomRun(5, 25, 12);
  Shown shown(run);
  qint64 now = 0;
  shown.memory.setClock([&] { return now; });
  for (std::size_t moment = 1; moment <= 20; ++moment) {
    now += 1'000;
    shown.state.setMoment(moment);
    CHECK(shown.memory.isMoving());
    QCoreApplication::processEvents();
  }
  shown.memory.finish();
  CHECK_FALSE(shown.memory.isMoving());
  CHECK(shown.memory.scene() == memoryScene(*run, 20));
}

TEST_CASE("jumps and reduced motion show the new state at once", "[memory]") {
  const auto run = test::randomRun(6, 60, 40);
  Shown shown(run);
  shown.state.setMoment(run->trace.size() - 1);
  CHECK_FALSE(shown.memory.isMoving());
  CHECK(shown.memory.scene() == memoryScene(*run, run->trace.size() - 1));
  shown.memory.setReducedMotion(true);
  shown.state.setMoment(run->trace.size() - 2);
  CHECK_FALSE(shown.memory.isMoving());
  CHECK(shown.memory.scene() == memoryScene(*run, run->trace.size() - 2));
}

TEST_CASE("on the way an allocation opens, a release fades and the frontier moves", "[memory]") {
  //  before |a a a a|           after |. . . .|b b|
  MemoryScene before;
  before.pieces = {{.pool = PoolId(0), .low = 0, .high = 4, .owner = StayId(0)}};
  before.frontiers = {4};
  MemoryScene after;
  after.pieces = {{.pool = PoolId(0), .low = 0, .high = 4},
                  {.pool = PoolId(0), .low = 4, .high = 6, .owner = StayId(1)}};
  after.frontiers = {6};
  const MemoryScene half = between(before, after, 0.5);
  CHECK(half.frontiers == std::vector<double>{5});
  const auto pieceOf = [&](StayId owner) {
    return *std::ranges::find(half.pieces, owner, &ScenePiece::owner);
  };
  CHECK(pieceOf(StayId(1)).high == 5);
  CHECK(pieceOf(StayId(0)).presence == 0.5);
  CHECK(between(before, after, 1) == after);
}

TEST_CASE("a split opens a cut and a merge closes one", "[memory]") {
  const ScenePiece whole{.pool = PoolId(0), .low = 0, .high = 10};
  MemoryScene joined;
  joined.pieces = {whole};
  joined.frontiers = {10};
  MemoryScene cut = joined;
  cut.pieces = {{.pool = PoolId(0), .low = 0, .high = 4, .owner = StayId(7)},
                {.pool = PoolId(0), .low = 4, .high = 10}};
  const MemoryScene splitting = between(joined, cut, 0.25);
  REQUIRE(splitting.cuts.size() == 1);
  CHECK(splitting.cuts[0].at == 4);
  const MemoryScene merging = between(cut, joined, 0.25);
  REQUIRE(merging.cuts.size() == 1);
  CHECK(merging.cuts[0].at == 4);
  CHECK(merging.cuts[0].openness > between(cut, joined, 0.75).cuts[0].openness);
}

TEST_CASE("the memory bars take part in hovering and selecting", "[memory]") {
  Shown shown(test::smallRun());
  shown.state.setStep(0_st);
  shown.memory.finish();
  const QRect bar = shown.memory.barOf(PoolId(0));
  const int x = static_cast<int>(shown.memory.axisOf(PoolId(0)).toPixel(7));
  QTest::mouseMove(&shown.memory, QPoint(x, bar.center().y()));
  CHECK(shown.state.hovered() == StayId(1));
  QTest::mouseClick(&shown.memory, Qt::LeftButton, {}, {x, bar.center().y()});
  CHECK(shown.state.selected() == StayId(1));
  QTest::mouseClick(&shown.memory, Qt::LeftButton, {}, {bar.right() - 1, bar.center().y()});
  CHECK_FALSE(shown.state.selected());
}

TEST_CASE("what has just happened is told with names and sizes", "[memory]") {
  const auto run = test::smallRun();
  CHECK(happeningText(*run, 0).isEmpty());
  bool told = false;
  for (std::size_t moment = 1; moment <= run->trace.size(); ++moment) {
    const QString text = happeningText(*run, moment);
    told |= text.contains(QLatin1String("split: c takes 3 B of 4 B that a left"));
  }
  CHECK(told);
}

TEST_CASE("steps that come faster than movements are shown at once", "[memory]") {
  const auto run = test::randomRun(5, 25, 12);
  Shown shown(run);
  qint64 now = 0;
  shown.memory.setClock([&] { return now; });
  shown.state.setMoment(1);
  CHECK(shown.memory.isMoving());
  now += 20;
  shown.state.setMoment(2);
  CHECK_FALSE(shown.memory.isMoving());
  CHECK(shown.memory.scene() == memoryScene(*run, 2));
  now += 300;
  shown.state.setMoment(3);
  CHECK(shown.memory.isMoving());
}

TEST_CASE("what had no room flies to the slower pool, what comes back flies back", "[memory]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->problem.pools.add({.name = "L3", .level = 1});
  MemoryScene before;
  before.pieces = {{.pool = PoolId(0), .low = 0, .high = 4, .owner = StayId(0)}};
  before.frontiers = {4, 0};
  MemoryScene after = before;
  after.pieces.push_back({.pool = PoolId(1), .low = 0, .high = 6, .owner = StayId(1)});
  after.frontiers = {4, 6};
  const auto spill = flights(*run, before, after);
  REQUIRE(spill.size() == 1);
  CHECK(spill[0].owner == StayId(1));
  CHECK(spill[0].fromPool == PoolId(0));
  CHECK(spill[0].fromLow == 4);
  CHECK(spill[0].toPool == PoolId(1));
  CHECK_FALSE(spill[0].isFill);
  run->problem.pools[PoolId(1)].level = 0;
  CHECK(flights(*run, before, after).empty());

  // Stay 2 holds the same buffer as stay 1: it comes back from where that lies.
  run->problem.stays[StayId(2)].buffer = run->problem.stays[StayId(1)].buffer;
  MemoryScene back = after;
  back.pieces.insert(back.pieces.begin() + 1,
                     {.pool = PoolId(0), .low = 4, .high = 7, .owner = StayId(2)});
  back.frontiers = {7, 6};
  const auto fill = flights(*run, after, back);
  REQUIRE(fill.size() == 1);
  CHECK(fill[0].isFill);
  CHECK(fill[0].fromPool == PoolId(1));
  CHECK(fill[0].toLow == 4);
}

TEST_CASE("what a move brings comes from where it was, and nothing was spilled", "[memory]") {
  const auto run = test::movedRun("late_input", "greedy-by-size");
  std::set<QString> origins;
  for (std::size_t moment = 0; moment <= run->trace.size(); ++moment) {
    const QString text = happeningText(*run, moment);
    if (text.contains(QLatin1Char(';'))) origins.insert(text.section(QLatin1String("; "), -1));
    if (moment == 0) continue;
    for (const SceneFlight& flight :
         flights(*run, memoryScene(*run, moment - 1), memoryScene(*run, moment))) {
      CHECK(flight.isFill == (flight.toPool == PoolId(0)));
    }
  }
  CHECK(origins == std::set<QString>{"comes from L2", "comes from L3"});
}

TEST_CASE("with many pools every bar can be read, and empty ones take no room", "[memory]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  for (int pool = 1; pool < 5; ++pool) {
    run->problem.pools.add({.name = "pool" + std::to_string(pool)});
    run->plan.regions.add({});
    if (pool < 4) run->plan.regions[PoolId(static_cast<std::size_t>(pool))].add(Bytes(64));
  }
  Shown shown(run);
  shown.memory.resize(700, shown.memory.minimumSizeHint().height());
  QRect above;
  for (std::size_t pool = 0; pool < 4; ++pool) {
    const QRect bar = shown.memory.barOf(PoolId(pool));
    CHECK(bar.height() >= shown.memory.fontMetrics().height());
    CHECK(bar.top() > above.bottom());
    CHECK(bar.bottom() < shown.memory.height());
    above = bar;
  }
  CHECK(shown.memory.barOf(PoolId(4)).isEmpty());
}
