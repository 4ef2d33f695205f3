// Blocks that are handed out as a whole, in the bars of memory now.
// Tensors that share a block, in the bars of memory now.

#include <QTest>
#include <catch2/catch.hpp>
#include <set>

#include "core/storage/parts.h"
#include "tests/widgets/method/method_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/base/theme.h"
#include "widgets/now/memory_now.h"

using namespace hw::literals;
using namespace hw::test;
using namespace hw;

namespace {

struct ShownMemory {
  explicit ShownMemory(std::shared_ptr<const Run> run) : memory(&state) {
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

/// Bytes of the pieces that `wanted` picks.
template <class Wanted>
double bytesOf(const MemoryScene& scene, Wanted wanted) {
  double sum = 0;
  for (const ScenePiece& piece : scene.pieces) sum += wanted(piece) ? piece.high - piece.low : 0;
  return sum;
}

bool isInFrame(const MemoryScene& scene, const ScenePiece& piece) {
  return std::ranges::any_of(scene.frames, [&](const SceneFrame& frame) {
    return frame.pool == piece.pool && frame.low < piece.high && piece.low < frame.high;
  });
}

}  // namespace

TEST_CASE("chunks are drawn as wide as they are large", "[memory]") {
  const auto run = test::makeRun({{"a", 400, 0, 2}, {"b", 600, 0, 1}, {"c", 200, 1, 2}});
  ShownMemory shown(run);
  shown.state.setStep(0_st);
  shown.memory.finish();
  const ByteAxis axis = shown.memory.axisOf(PoolId(0));
  const QColor live = Theme::current().classColor(stayClass(*run, StayId(0)));
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
  ShownMemory shown(run);
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
  ShownMemory shown(run);
  const auto kind = GENERATE(Happening::fresh, Happening::release, Happening::merge);
  const TimelineEntry& entry = entryOf(*run, kind);
  const bool forwards = GENERATE(true, false);
  CAPTURE(happeningName(kind), forwards);
  shown.state.setMoment(forwards ? entry.firstEvent : entry.lastEvent);
  shown.memory.finish();
  shown.state.setMoment(forwards ? entry.lastEvent : entry.firstEvent);
  CHECK(shown.memory.isMoving());
  CHECK(shown.memory.movementLength() < 250);
  CHECK(test::comes([&] { return !shown.memory.isMoving(); }));
  CHECK(shown.memory.scene() == memoryScene(*run, shown.state.moment()));
}

TEST_CASE("a step in the middle of a movement starts from the exact state", "[memory]") {
  const auto run = test::randomRun(5, 25, 12);
  ShownMemory shown(run);
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
  ShownMemory shown(run);
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
  ShownMemory shown(test::smallRun());
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
  ShownMemory shown(run);
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
  ShownMemory shown(run);
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

TEST_CASE("the unused rest of a block is apart from free bytes, at every moment", "[memory]") {
  for (const char* sample : {"chain", "residual", "inception"}) {
    const auto run = figure(sample, "block-id", false);
    const RunFrames frames = runFrames(*run);
    double rests = 0;
    for (std::size_t moment = 0; moment <= run->trace.size(); ++moment) {
      CAPTURE(sample, moment);
      const MemoryScene plain = memoryScene(*run, moment);
      const MemoryScene scene = memoryScene(*run, moment, frames);
      const auto isUsed = [](const ScenePiece& piece) { return bool(piece.owner); };
      const auto isFree = [](const ScenePiece& piece) { return !piece.owner && !piece.rest; };
      const auto isRest = [](const ScenePiece& piece) { return piece.rest; };
      CHECK(bytesOf(scene, isUsed) == bytesOf(plain, isUsed));
      CHECK(bytesOf(scene, isFree) + bytesOf(scene, isRest) == bytesOf(plain, isFree));
      CHECK(bytesOf(plain, isRest) == 0);
      for (const ScenePiece& piece : scene.pieces) {
        if (!piece.owner) CHECK(isInFrame(scene, piece) == piece.rest);
      }
      rests += bytesOf(scene, isRest);
    }
    CHECK(rests > 0);  // The output is smaller than the block that it takes.
  }
}

TEST_CASE("u leaves 16 of the 24 bytes of its block unused", "[memory]") {
  const auto run = figure("inception", "block-id", false);
  ViewState state;
  state.setRun(run);
  MemoryNow memory(&state);
  state.setStep(Step(4));  // u is written there.
  memory.finish();
  const auto& pieces = memory.scene().pieces;
  const auto u = std::ranges::find_if(pieces, [&](const ScenePiece& piece) {
    return piece.owner && run->stayName(piece.owner) == "u";
  });
  REQUIRE(u != pieces.end());
  const auto rest = std::next(u);
  REQUIRE(rest != pieces.end());
  CHECK(rest->rest);
  CHECK(rest->low == u->high);
  CHECK(rest->high - rest->low == 16);
}

TEST_CASE("tensors that share a block are drawn and chosen one by one", "[memory]") {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse("free-list").value();
  const auto model = test::sampleModel("share_concat");
  const auto run = execute(model, request, {}).value();
  ViewState state;
  state.setRun(run);
  MemoryNow memory(&state);
  memory.resize(900, 200);
  memory.show();
  std::set<TensorId> seen;
  for (Step step; step < state.steps(); step += Step(1)) {
    state.setStep(step);
    memory.finish();
    const QRect bar = memory.barOf(PoolId(0));
    const ByteAxis axis = memory.axisOf(PoolId(0));
    for (int x = bar.left() + 1; x < bar.right(); x += 3) {
      const QPoint at(x, bar.center().y());
      const TensorId tensor = memory.tensorAt(at);
      if (!tensor) continue;
      const StayId stay = memory.stayAt(at);
      const auto parts = partsOf(run->graph(), run->storage, run->problem.stays[stay].buffer);
      const auto part = std::ranges::find(parts, tensor, &BufferPart::tensor);
      REQUIRE(part != parts.end());
      CHECK(part->steps.contains(step));
      const Bytes begin = run->plan.addresses[stay]->offset + part->bytes.begin;
      CHECK(axis.toBytes(x + 0.5) >= static_cast<double>(begin.count()) - 1);
      if (!seen.insert(tensor).second) continue;
      QTest::mouseClick(&memory, Qt::LeftButton, {}, at);
      CHECK(state.selected() == stay);
      CHECK(state.selectedPart() == tensor);
    }
  }
  CHECK(seen.size() >= 2);
}
