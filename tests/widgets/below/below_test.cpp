// Plans below have their lanes too: engines of both over one axis of time.
// Before and after in lock-step where operators run in parts in one of the two plans only.

#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <catch2/catch.hpp>
#include <map>

#include "app/gui/request/arguments.h"
#include "app/gui/studio.h"
#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/picture/svg_canvas.h"
#include "core/plan_file/plan_story.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/base/theme.h"
#include "widgets/below/divergence.h"
#include "widgets/below/lock_step.h"
#include "widgets/map/map_painter.h"
#include "widgets/map/minimap.h"

using namespace hw::test;
using namespace hw;

namespace {

std::shared_ptr<const Model> mobilenet() {
  return std::make_shared<const Model>(openModel(kMobilenet.toStdString(), {}).value());
}

/// Without aliases every tensor is a buffer, so names say what is where.
std::shared_ptr<const Run> unshared(const std::shared_ptr<const Model>& model, const char* name) {
  RunRequest request = requestBy(name);
  request.l2 = {.kind = PoolSize::Kind::unbounded};
  request.alias = AliasRules::none();
  return execute(model, request, {}).value();
}

std::map<std::string, Bytes> offsets(const Run& run) {
  std::map<std::string, Bytes> all;
  for (const StayId stay : run.problem.stays.keys()) {
    REQUIRE(run.plan.addresses[stay]);
    all[run.stayName(stay)] = run.plan.addresses[stay]->offset;
  }
  return all;
}

/// A window with two plans of one model, A above B.
struct Pair {
  Pair() {
    window.resize(1400, 1000);
    window.show();
    window.show(a->request, {.run = a, .violations = {}});
    window.showBelow(b);
    QTest::qWait(20);
  }

  std::shared_ptr<const Model> model = mobilenet();
  std::shared_ptr<const Run> a = unshared(model, "greedy-by-size");
  std::shared_ptr<const Run> b = unshared(model, "in-order");
  Settings none;
  Studio window{&none};
};

std::shared_ptr<const Model> twoDevices() { return test::sampleModel("two_devices"); }

std::shared_ptr<const Run> onTwoDevices(const std::shared_ptr<const Model>& model,
                                        const char* name) {
  return execute(model, requestBy(name, "two-devices"), {}).value();
}

void show(Studio& window, const std::shared_ptr<const Run>& run) {
  window.resize(1400, 1000);
  window.show();
  window.show(run->request, {.run = run, .violations = {}});
}

/// Names of the pools whose maps are on show, from top to bottom.
std::vector<std::string> shownPools(const Studio& window, const Run& run) {
  std::vector<std::string> names;
  for (const MapView* map : window.compareMaps()->shownMaps()) {
    names.push_back(run.problem.pools[map->pool()].name);
  }
  return names;
}

std::shared_ptr<const Run> enginesOf(const std::shared_ptr<const Model>& model,
                                     const char* allocator) {
  RunRequest request = requestBy(allocator, "ethos-u85-512");
  request.model = "samples:squeezenet";
  request.weights = {.rule = WeightRule::prefetch};
  return execute(model, request, {}).value();
}

struct BeforeAfter {
  BeforeAfter() {
    model = test::sampleModel("mobilenet_v2_int8");
    RunRequest request = defaultRequest();
    before = execute(model, request, {}).value();
    request.tile = TileRule::lines;
    after = execute(model, request, {}).value();
    again = execute(model, request, {}).value();
  }
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Run> before, after, again;
};

const BeforeAfter& beforeAfter() {
  static const BeforeAfter both;
  return both;
}

std::string nameAt(const Run& run, Step step) {
  const std::string name = displayName(run.graph(), run.schedule.opAt(step));
  return name.substr(0, name.find('['));
}

}  // namespace

TEST_CASE("a block is hatched where its tensor has another address", "[shell][compare]") {
  const auto model = mobilenet();
  const auto a = unshared(model, "greedy-by-size");
  const auto name = GENERATE("in-order", "two-sided", "none", "greedy-by-size");
  INFO(name);
  const auto b = unshared(model, name);
  const auto before = offsets(*a);
  const BlockStore blocks = BlockStore::ofPool(*b, PoolId(0));
  const MovedBlocks moved = movedBlocks(*b, PoolId(0), blocks, *a);
  std::size_t count = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto was = before.find(b->stayName(blocks.stay(i)));
    const bool elsewhere =
        was == before.end() || was->second != b->plan.addresses[blocks.stay(i)]->offset;
    CHECK(moved.contains(i) == elsewhere);
    count += elsewhere ? 1 : 0;
  }
  CHECK(moved.count == count);
  CHECK((moved.count == 0) == (std::string(name) == "greedy-by-size"));
  CHECK(movedBlocks(*b, PoolId(0), blocks, *b).count == 0);
}

TEST_CASE("the first divergence is where the first tensor goes elsewhere", "[shell][compare]") {
  const auto model = mobilenet();
  const auto a = unshared(model, "greedy-by-size");
  CHECK_FALSE(firstDivergence(*a, *unshared(model, "greedy-by-size")));
  const auto name = GENERATE("in-order", "two-sided", "none");
  INFO(name);
  const auto b = unshared(model, name);
  const auto after = offsets(*b);
  std::optional<Step> expected;
  for (const StayId stay : a->problem.stays.keys()) {
    const auto now = after.find(a->stayName(stay));
    const bool elsewhere = now == after.end() || now->second != a->plan.addresses[stay]->offset;
    if (!elsewhere) continue;
    const Step begin = a->problem.stays[stay].steps.begin;
    expected = expected ? std::min(*expected, begin) : begin;
  }
  const auto found = firstDivergence(*a, *b);
  REQUIRE(expected);
  REQUIRE(found);
  CHECK(found->step == *expected);
  REQUIRE(found->stay);
  CHECK(after.at(a->stayName(found->stay)) != a->plan.addresses[found->stay]->offset);
  CHECK(found->text.contains(QString::fromStdString(a->stayName(found->stay))));
  // The last event that has happened there is the one that is told.
  REQUIRE(found->moment);
  ViewState state;
  state.setRun(a);
  state.setMomentOf(*found->moment, found->step);
  const EventList events(*a);
  std::string last;
  for (const EventRow& row : memoryEvents(*a)) {
    if (events.isBy(row.seq, state.moment(), state.step())) last = row.tensor;
  }
  CHECK(last == a->stayName(found->stay));
}

TEST_CASE("A and B go in lock-step: steps, zoom, selection and pointer", "[shell][compare]") {
  const auto model = mobilenet();
  ViewState a;
  ViewState b;
  LockStep lockStep(&a, &b);
  QSignalSpy changed(&lockStep, &LockStep::changed);
  a.setRun(unshared(model, "greedy-by-size"));
  a.setStep(Step(7));
  a.setVisible(3, 20);
  a.select(StayId(4));
  lockStep.setB(unshared(model, "in-order"));
  CHECK(changed.size() == 1);
  CHECK(a.visibleBegin() == 3);  // Showing B changes nothing of A.
  CHECK(a.step() == Step(7));
  CHECK(b.step() == Step(7));
  CHECK(b.visibleBegin() == 3);
  CHECK(b.visibleEnd() == 20);
  CHECK(b.run()->stayName(b.selected()) == a.run()->stayName(StayId(4)));
  a.setStep(Step(12));
  CHECK(b.step() == Step(12));
  a.setMoment(0);
  CHECK(b.moment() == 0);
  b.setVisible(1, 9);
  CHECK(a.visibleEnd() == 9);
  b.select(StayId(9));
  CHECK(a.run()->stayName(a.selected()) == b.run()->stayName(StayId(9)));
  a.hover(StayId(2));
  CHECK(b.run()->stayName(b.hovered()) == a.run()->stayName(StayId(2)));
  b.select({});
  CHECK_FALSE(a.selected());
  a.setColorBy(ColorBy::size);
  CHECK(b.colorBy() == ColorBy::size);
  CHECK(b.coloring()->of(*b.run(), StayId(4)) >= static_cast<BlockClass>(kBlockClasses));

  a.setRun(unshared(model, "two-sided"));
  CHECK(b.run());
  a.setRun(unshared(mobilenet(), "two-sided"));  // Another model: nothing to hold B against.
  CHECK_FALSE(b.run());
}

TEST_CASE("two maps have one scale, one playhead, and the lower one is hatched",
          "[shell][compare]") {
  Pair pair;
  MapView* above = pair.window.maps().front();
  MapView* below = pair.window.compareMaps()->map(0, PoolId(0));
  REQUIRE(below->isVisible());
  CHECK(below->isLed());
  CHECK(below->window() == above->window());
  CHECK(above->window().highByte >=
        static_cast<double>(pair.b->metrics.pools[PoolId(0)].peak.count()));
  CHECK(above->plotArea().left() == below->plotArea().left());
  CHECK(above->plotArea().width() == below->plotArea().width());
  below->setVisibleBytes(100, 5'000);
  CHECK(above->window().lowByte == 100);
  above->fit();
  CHECK(below->window() == above->window());
  pair.window.player()->goToPeak();
  CHECK(pair.window.belowState()->step() == pair.window.state()->step());

  const auto drawn = [&] {
    QImage image(800, 300, QImage::Format_RGB32);
    QPainter painter(&image);
    paintMap(painter, below->pictureScene(), image.rect());
    return image;
  };
  const QImage hatched = drawn();
  CHECK(below->pictureScene().moved);
  CHECK_FALSE(above->pictureScene().moved);
  below->setLeader(nullptr);
  CHECK(drawn() != hatched);
  CHECK_FALSE(below->pictureScene().moved);
}

TEST_CASE("the keys compare, show below, find the divergence and close", "[shell][compare]") {
  test::Opened window({}, {1400, 1000});
  CHECK_FALSE(action(window, "compare")->isEnabled());
  window.openModel(kMobilenet);
  REQUIRE(test::comes([&] { return !window.job()->isRunning(); }));
  CHECK_FALSE(action(window, "firstDivergence")->isEnabled());
  AllocatorList* list = window.comparison()->allocators();
  for (int row = 0; row < list->list()->count(); ++row) {
    list->list()->item(row)->setCheckState(Qt::Unchecked);
  }
  REQUIRE(list->add(QStringLiteral("greedy-by-size")));
  REQUIRE(list->add(QStringLiteral("none")));
  QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier);
  REQUIRE(test::comes([&] { return window.comparison()->comparison() != nullptr; }));
  CHECK(window.comparison()->isVisible());

  const auto& rows = window.comparison()->comparison()->rows;
  Q_EMIT window.comparison()->runWanted(rows.front().run);
  REQUIRE(test::comes([&] { return window.state()->run() == rows.front().run; }));
  CHECK(window.request().allocator.text() == "greedy-by-size");
  QTest::keyClick(&window, Qt::Key_B);
  REQUIRE(window.compareMaps()->map(0, PoolId(0))->isVisible());
  CHECK(window.belowState()->run() == rows.back().run);

  const auto expected = firstDivergence(*rows.front().run, *rows.back().run);
  REQUIRE(expected);
  window.state()->setStep(Step(40));
  QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
  REQUIRE(test::comes([&] { return window.messages()->text() == expected->text; }));
  CHECK(window.state()->step() == expected->step);
  CHECK(window.belowState()->step() == expected->step);
  CHECK(window.state()->selected() == expected->stay);
  QTest::keyClick(&window, Qt::Key_B, Qt::ShiftModifier);
  CHECK_FALSE(window.compareMaps()->map(0, PoolId(0))->isVisible());
  CHECK_FALSE(action(window, "closeBelow")->isEnabled());
}

TEST_CASE("any number of plans stand below A, in lock-step and on one scale", "[shell][compare]") {
  Pair pair;
  CompareMaps* maps = pair.window.compareMaps();
  const auto c = unshared(pair.model, "none");
  const auto d = unshared(pair.model, "two-sided");
  for (const auto& run : {c, d, c, pair.a}) pair.window.showBelow(run);  // Two are there already.
  QTest::qWait(20);
  REQUIRE(maps->runs() == std::vector{pair.b, c, d});
  const auto shown = maps->shownMaps();
  REQUIRE(shown.size() == 4);
  double highest = 0;
  for (const auto& run : {pair.a, pair.b, c, d}) {
    highest = std::max(highest, static_cast<double>(run->metrics.pools[PoolId(0)].peak.count()));
  }
  for (MapView* map : shown) {
    CHECK(map->isVisible());
    CHECK(map->window() == shown.front()->window());
    CHECK(map->window().highByte >= highest);
    CHECK(map->height() >= 100);
    CHECK(map->plotArea().left() == shown.front()->plotArea().left());
    CHECK(map->plotArea().width() == shown.front()->plotArea().width());
    CHECK(map->isLed() == (map != shown.front()));
  }
  CHECK(shown[0]->title().startsWith(QStringLiteral("L2   greedy-by-size on generic-npu")));
  CHECK(shown[2]->title().startsWith(QStringLiteral("L2   none on generic-npu")));
  CHECK(shown[2]->title().contains(QStringLiteral("over the live peak")));
  CHECK(shown[0]->accessibleName().startsWith(QStringLiteral("Memory map, A: ")));
  CHECK(shown[2]->accessibleName().startsWith(QStringLiteral("Memory map, C: ")));
  shown[3]->setVisibleBytes(64, 9'000);
  for (MapView* map : shown) CHECK(map->window().lowByte == 64);
  pair.window.player()->goToPeak();
  maps->state(2)->select(StayId(3));
  for (std::size_t place = 0; place < 3; ++place) {
    const ViewState* state = maps->state(place);
    CHECK(state->step() == pair.window.state()->step());
    CHECK(state->run()->stayName(state->selected()) == d->stayName(StayId(3)));
  }
  // Every drawing has ids of its own, so that they can be told apart in one file.
  SvgCanvas canvas(900, 900, "maps", 12, nullptr);
  pair.window.picture({.kind = PictureKind::map}, {900, 900}).draw(canvas, {0, 0, 900, 900});
  const std::string svg = canvas.finish();
  for (const char* id : {"id=\"stay-", "id=\"B-stay-", "id=\"C-stay-", "id=\"D-stay-"}) {
    CHECK(svg.find(id) != std::string::npos);
  }
}

TEST_CASE("each map below has a button that closes it and one for its divergence",
          "[shell][compare]") {
  Pair pair;
  CompareMaps* maps = pair.window.compareMaps();
  const auto c = unshared(pair.model, "none");
  pair.window.showBelow(c);
  QTest::qWait(20);
  CHECK(pair.window.chart()->scene()->others.size() == 2);
  const auto expected = firstDivergence(*pair.a, *c, QStringLiteral("C"));
  REQUIRE(expected);
  auto* diverge = maps->map(1, PoolId(0))->findChild<QToolButton*>(QStringLiteral("diverge"));
  QTest::mouseClick(diverge, Qt::LeftButton);
  REQUIRE(test::comes([&] { return pair.window.messages()->text() == expected->text; }));
  CHECK(pair.window.state()->step() == expected->step);

  auto* close = maps->map(0, PoolId(0))->findChild<QToolButton*>(QStringLiteral("close"));
  QTest::mouseClick(close, Qt::LeftButton);
  REQUIRE(test::comes([&] { return maps->runs().size() == 1; }));
  CHECK(maps->runs().front() == c);  // C is B now.
  CHECK(maps->map(0, PoolId(0))->isVisible());
  CHECK_FALSE(maps->map(1, PoolId(0))->isVisible());
  CHECK(pair.window.belowState()->run() == c);
  CHECK(pair.window.chart()->scene()->others.size() == 1);

  // When the plan on show becomes the one below, there is nothing left to hold it against.
  pair.window.state()->setRun(c);
  CHECK(maps->runs().empty());
  CHECK(pair.window.maps().front()->title().isEmpty());
}

TEST_CASE("what lives in L3 has maps in lock-step too", "[shell][compare]") {
  const auto model = mobilenet();
  const auto small = [&](const char* allocator) {
    RunRequest request = requestBy(allocator);
    request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(256 << 10)};
    return execute(model, request, {}).value();
  };
  const auto a = small("greedy-by-size");
  const auto b = small("free-list");
  REQUIRE(a->metrics.pools[PoolId(1)].stays > 0);
  REQUIRE(b->metrics.pools[PoolId(1)].stays > 0);
  test::Opened window({}, {1280, 800});
  window.show(a->request, {.run = a, .violations = {}});
  window.showBelow(b);
  QTest::qWait(20);
  const auto shown = window.compareMaps()->shownMaps();
  REQUIRE(shown.size() == 4);
  for (const std::size_t pool : {0U, 1U}) {
    CHECK(shown[2 * pool]->pool() == PoolId(pool));
    CHECK(shown[2 * pool + 1]->pool() == PoolId(pool));
    CHECK(shown[2 * pool]->window() == shown[2 * pool + 1]->window());
    CHECK(shown[2 * pool + 1]->isLed());
  }
  shown[3]->setVisibleBytes(0, 4'096);
  CHECK(shown[2]->window().highByte == 4'096);
  CHECK(shown[0]->window().highByte != 4'096);
}

TEST_CASE("every memory that something lives in has a map, however many there are", "[compare]") {
  test::Opened window;
  const auto model = twoDevices();
  const auto split = onTwoDevices(model, "partition");
  REQUIRE(split->problem.pools.size() == 4);
  show(window, split);
  CHECK(shownPools(window, *split) == std::vector<std::string>{"A/L2", "B/L2"});
  const StayId inB = [&] {
    for (const StayId stay : split->problem.stays.keys()) {
      if (split->plan.addresses[stay]->pool == PoolId(2)) return stay;
    }
    return StayId();
  }();
  REQUIRE(inB);
  // It can be pointed at, like those of the first device.
  MapView* map = window.maps()[2];
  const auto steps = split->problem.stays[inB].steps;
  window.state()->setVisible(static_cast<double>(steps.begin.count()),
                             static_cast<double>(steps.end.count()));
  QTest::qWait(20);
  map->grab();
  const Bytes middle = split->plan.addresses[inB]->offset + Bytes(1);
  const MapWindow seen = map->window();
  const QRect plot = map->plotArea();
  const double y = plot.bottom() - (static_cast<double>(middle.count()) - seen.lowByte) /
                                       (seen.highByte - seen.lowByte) * plot.height();
  CHECK(map->stayAt({plot.center().x(), qRound(y)}));
  // One device below: its maps stand below A's, pool by pool.
  const auto whole = onTwoDevices(model, "best");
  window.showBelow(whole);
  CHECK(shownPools(window, *split) == std::vector<std::string>{"A/L2", "A/L2", "B/L2"});
  window.showBelow(nullptr);
  CHECK(shownPools(window, *split) == std::vector<std::string>{"A/L2", "B/L2"});
}

TEST_CASE("a plan below may use memories that the one above does not", "[compare]") {
  test::Opened window;
  const auto model = twoDevices();
  const auto whole = onTwoDevices(model, "best");
  const auto split = onTwoDevices(model, "partition");
  show(window, whole);
  CHECK(window.compareMaps()->shownMaps().size() == 1);
  window.showBelow(split);
  CHECK(shownPools(window, *split) == std::vector<std::string>{"A/L2", "A/L2", "B/L2"});
  CHECK(window.compareMaps()->map(0, PoolId(2))->isVisible());
  CHECK_FALSE(window.maps()[2]->isVisible());
}

TEST_CASE("a map that joins keeps the addresses that were zoomed to", "[compare]") {
  test::Opened window;
  const auto model = twoDevices();
  const auto a = onTwoDevices(model, "best");
  show(window, a);
  window.maps()[0]->setVisibleBytes(16, 80);
  window.showBelow(onTwoDevices(model, "in-order"));
  for (const MapView* map : window.compareMaps()->shownMaps()) {
    if (map->pool() != PoolId(0)) continue;
    CHECK(map->window().lowByte == 16);
    CHECK(map->window().highByte == 80);
  }
}

TEST_CASE("chart and minimap show the memory that was chosen", "[compare]") {
  QTemporaryDir folder;
  test::Opened window;
  const auto model = twoDevices();
  show(window, onTwoDevices(model, "partition"));
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  auto* minimap = window.findChild<Minimap*>();
  auto* button = test::part<QToolButton>(*window.chart(), "chartPool");
  CHECK(window.chart()->pool() == PoolId(0));
  CHECK(button->isVisible());
  QTest::keyClick(window.maps().front(), Qt::Key_L);
  CHECK(window.chart()->pool() == PoolId(2));
  CHECK(minimap->pool() == PoolId(2));
  // Its button offers those in use, and ticks the one on show.
  Q_EMIT button->menu()->aboutToShow();
  const auto entries = button->menu()->actions();
  REQUIRE(entries.size() == 2);
  CHECK(entries[1]->text() == QStringLiteral("B/L2"));
  CHECK(entries[1]->isChecked());
  // Another plan of the same machine: the choice stays.
  window.state()->setRun(onTwoDevices(model, "partition:allocator=in-order"));
  CHECK(window.chart()->pool() == PoolId(2));
  entries[0]->trigger();
  CHECK(window.chart()->pool() == PoolId(0));
  CHECK(minimap->pool() == PoolId(0));
  // With one memory in use there is nothing to choose.
  window.state()->setRun(onTwoDevices(model, "best"));
  CHECK(window.chart()->pool() == PoolId(0));
  CHECK_FALSE(button->isVisible());
  QTest::keyClick(window.maps().front(), Qt::Key_L);
  CHECK(window.messages()->isVisible());
}

TEST_CASE("while lanes are on show, plans below show theirs", "[shell][compare][time]") {
  const auto model = test::sampleModel("squeezenet");
  const auto a = enginesOf(model, "best");
  const auto b = enginesOf(model, "none");
  test::Opened window({}, {1400, 1000});
  window.show(a->request, {.run = a, .violations = {}});
  CompareMaps& maps = *window.compareMaps();
  CHECK(maps.shownLanes().empty());
  window.showBelow(b);
  QTest::qWait(20);
  CHECK(maps.shownLanes().empty());  // Over steps they are not asked for.
  window.state()->setAxis(AxisUnit::time);
  QTest::qWait(20);
  REQUIRE(maps.shownLanes() == std::vector<LanesView*>{window.lanes(), maps.lanes(0)});
  const LanesView& first = *window.lanes();
  const LanesView& second = *maps.lanes(0);
  CHECK(second.isVisible());
  REQUIRE(first.gantt().rows().size() == second.gantt().rows().size());
  // One axis for both, below each other: it ends with the longer run.
  CHECK(window.state()->visibleEnd() == maps.state(0)->visibleEnd());
  CHECK(first.laneRect(0).left() == second.laneRect(0).left());
  CHECK(first.laneRect(0).width() == second.laneRect(0).width());
  CHECK(second.mapTo(&window, QPoint()).y() > first.mapTo(&window, QPoint()).y());
  CHECK(second.laneRect(0).height() >= 12);  // Names can be read.
  // The bars are those of its own run.
  for (std::size_t row = 0; row < second.gantt().rows().size(); ++row) {
    for (const GanttBar& bar : second.gantt().bars(row)) {
      REQUIRE(bar.end == b->timing.times[bar.activity].end);
    }
  }
  action(window, "showLanes")->trigger();
  CHECK(maps.shownLanes().empty());
  CHECK_FALSE(second.isVisible());
  action(window, "showLanes")->trigger();
  CHECK(second.isVisible());
  maps.clear();
  QTest::qWait(20);
  CHECK(maps.shownLanes() == std::vector<LanesView*>{window.lanes()});
  CHECK_FALSE(second.isVisible());
}

TEST_CASE("B goes to the operator under A's playhead, whichever of them has parts",
          "[compare][parts]") {
  const auto before = beforeAfter().before;
  const auto after = beforeAfter().after;
  for (const auto& [first, second] : {std::pair(after, before), std::pair(before, after)}) {
    ViewState a;
    ViewState b;
    LockStep both(&a, &b);
    a.setRun(first);
    both.setB(second);
    for (Step step; step < a.steps(); step += Step(1)) {
      a.setStep(step);
      const OpId op = first->graph().tiling ? first->schedule.opAt(step) : OpId();
      if (op && first->graph().ops[op].domain == kTileDomain) continue;
      CAPTURE(step.count());
      CHECK(nameAt(*second, b.step()) == nameAt(*first, step));
    }
    // All of the one is all of the other; a few steps are their operators.
    CHECK(b.visibleBegin() == 0);
    CHECK(b.visibleEnd() == b.length());
    a.setVisible(0, 4);
    CHECK(b.visibleEnd() < b.length());
    a.showAll();
    CHECK(b.visibleEnd() == b.length());
  }
}

TEST_CASE("selections go over by tensor between whole operators and parts", "[compare][parts]") {
  const auto before = beforeAfter().before;
  const auto after = beforeAfter().after;
  const auto again = beforeAfter().again;
  ViewState a;
  ViewState b;
  LockStep both(&a, &b);
  a.setRun(after);
  both.setB(before);
  std::size_t found = 0;
  for (const StayId stay : after->problem.stays.keys()) {
    a.select(stay);
    if (!b.selected()) continue;
    ++found;
    const std::string name = after->stayName(stay);
    const auto& held = before->storage.tensorsOf(before->problem.stays[b.selected()].buffer);
    const bool holds = std::ranges::any_of(held, [&](TensorId tensor) {
      return displayName(before->graph(), tensor) == name.substr(0, name.find('['));
    });
    CAPTURE(name, before->stayName(b.selected()));
    CHECK(holds);
  }
  CHECK(found > 10);
  // The window, too: another plan of the model, with something selected.
  for (const auto& run : {before, after, again, before}) {
    for (const OpId op : a.run()->graph().ops.keys()) {
      if (op.index() % 97 == 5) a.selectOp(op);
    }
    a.setRun(run);
    if (a.selectedOp()) CHECK(run->graph().ops.contains(a.selectedOp()));
    if (a.selected()) CHECK(run->problem.stays.contains(a.selected()));
  }
}

TEST_CASE("two plans in the same parts share their steps and are held against each other",
          "[compare][parts]") {
  const auto before = beforeAfter().before;
  const auto after = beforeAfter().after;
  const auto again = beforeAfter().again;
  CHECK(SameThings(*after, *again).same());
  CHECK_FALSE(SameThings(*after, *before).same());
  const BlockStore blocks = BlockStore::ofPool(*after, PoolId(0));
  CHECK(movedBlocks(*after, PoolId(0), blocks, *again).count == 0);
  CHECK(movedBlocks(*after, PoolId(0), blocks, *before).count == 0);
  test::Opened window({}, {1200, 900});
  window.show(after->request, {.run = after, .violations = {}});
  window.showBelow(before);
  CHECK(window.belowState()->length() == double(before->schedule.steps().count()));
  CHECK_FALSE(window.compareMaps()->map(0, PoolId(0))->isLed());
  window.state()->setAxis(AxisUnit::time);
  CHECK(window.belowState()->length() == window.state()->length());
  window.showBelow(nullptr);
  window.state()->setAxis(AxisUnit::step);
  window.showBelow(again);
  CHECK(window.compareMaps()->map(0, PoolId(0))->isLed());
}
