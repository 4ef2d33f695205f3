#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <catch2/catch.hpp>
#include <map>

#include "app/gui/studio.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/picture/svg_canvas.h"
#include "tests/widgets/patience.h"
#include "widgets/base/theme.h"
#include "widgets/below/divergence.h"
#include "widgets/map/map_painter.h"

using namespace hw;

namespace {

const QString kSample = QStringLiteral("samples:mobilenet_v2");

std::shared_ptr<const Model> sampleModel() {
  return std::make_shared<const Model>(openModel(kSample.toStdString(), {}).value());
}

/// Without aliases every tensor is a buffer, so names say what is where.
std::shared_ptr<const Run> planned(const std::shared_ptr<const Model>& model, const char* name) {
  RunRequest request;
  request.allocator = AllocatorChoice::parse(name).value();
  request.platform = platformCatalog().front();
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

QAction* action(Studio& window, const char* name) {
  return window.findChild<QAction*>(QString::fromLatin1(name));
}

/// A window with two plans of one model, A above B.
struct Pair {
  Pair() {
    window.resize(1400, 1000);
    window.show();
    RunRequest request;
    request.model = kSample.toStdString();
    request = a->request;
    window.show(request, {.run = a, .violations = {}});
    window.showBelow(b);
    QTest::qWait(20);
  }

  std::shared_ptr<const Model> model = sampleModel();
  std::shared_ptr<const Run> a = planned(model, "greedy-by-size");
  std::shared_ptr<const Run> b = planned(model, "in-order");
  Settings none;
  Studio window{&none};
};

}  // namespace

TEST_CASE("a block is hatched where its tensor has another address", "[shell][compare]") {
  const auto model = sampleModel();
  const auto a = planned(model, "greedy-by-size");
  const auto name = GENERATE("in-order", "two-sided", "none", "greedy-by-size");
  INFO(name);
  const auto b = planned(model, name);
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
  const auto model = sampleModel();
  const auto a = planned(model, "greedy-by-size");
  CHECK_FALSE(firstDivergence(*a, *planned(model, "greedy-by-size")));
  const auto name = GENERATE("in-order", "two-sided", "none");
  INFO(name);
  const auto b = planned(model, name);
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
}

TEST_CASE("A and B go in lock-step: steps, zoom, selection and pointer", "[shell][compare]") {
  const auto model = sampleModel();
  ViewState a;
  ViewState b;
  LockStep lockStep(&a, &b);
  QSignalSpy changed(&lockStep, &LockStep::changed);
  a.setRun(planned(model, "greedy-by-size"));
  a.setStep(Step(7));
  a.setVisible(3, 20);
  a.select(StayId(4));
  lockStep.setB(planned(model, "in-order"));
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

  a.setRun(planned(model, "two-sided"));
  CHECK(b.run());
  a.setRun(planned(sampleModel(), "two-sided"));  // Another model: nothing to hold B against.
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
  Settings none;
  Studio window(&none);
  window.resize(1400, 1000);
  window.show();
  CHECK_FALSE(action(window, "compare")->isEnabled());
  window.openModel(kSample);
  REQUIRE(QTest::qWaitFor([&] { return !window.job()->isRunning(); }, test::kPatience));
  CHECK_FALSE(action(window, "firstDivergence")->isEnabled());
  AllocatorList* list = window.comparison()->allocators();
  for (int row = 0; row < list->list()->count(); ++row) {
    list->list()->item(row)->setCheckState(Qt::Unchecked);
  }
  REQUIRE(list->add(QStringLiteral("greedy-by-size")));
  REQUIRE(list->add(QStringLiteral("none")));
  QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier);
  REQUIRE(QTest::qWaitFor([&] { return window.comparison()->comparison() != nullptr; },
                          test::kPatience));
  CHECK(window.comparison()->isVisible());

  const auto& rows = window.comparison()->comparison()->rows;
  Q_EMIT window.comparison()->runWanted(rows.front().run);
  REQUIRE(
      QTest::qWaitFor([&] { return window.state()->run() == rows.front().run; }, test::kPatience));
  CHECK(window.runForm()->allocatorBox()->currentText() == QStringLiteral("greedy-by-size"));
  QTest::keyClick(&window, Qt::Key_B);
  REQUIRE(window.compareMaps()->map(0, PoolId(0))->isVisible());
  CHECK(window.belowState()->run() == rows.back().run);

  const auto expected = firstDivergence(*rows.front().run, *rows.back().run);
  REQUIRE(expected);
  window.state()->setStep(Step(40));
  QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
  REQUIRE(QTest::qWaitFor([&] { return window.messages()->text() == expected->text; },
                          test::kPatience));
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
  const auto c = planned(pair.model, "none");
  const auto d = planned(pair.model, "two-sided");
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
  CHECK(shown[0]->title().startsWith(QStringLiteral("A   L2   greedy-by-size on generic-npu")));
  CHECK(shown[2]->title().startsWith(QStringLiteral("C   L2   none on generic-npu")));
  CHECK(shown[2]->title().contains(QStringLiteral("over the live peak")));
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
  const auto c = planned(pair.model, "none");
  pair.window.showBelow(c);
  QTest::qWait(20);
  CHECK(pair.window.chart()->scene()->others.size() == 2);
  const auto expected = firstDivergence(*pair.a, *c, QStringLiteral("C"));
  REQUIRE(expected);
  auto* diverge = maps->map(1, PoolId(0))->findChild<QToolButton*>(QStringLiteral("diverge"));
  QTest::mouseClick(diverge, Qt::LeftButton);
  REQUIRE(QTest::qWaitFor([&] { return pair.window.messages()->text() == expected->text; },
                          test::kPatience));
  CHECK(pair.window.state()->step() == expected->step);

  auto* close = maps->map(0, PoolId(0))->findChild<QToolButton*>(QStringLiteral("close"));
  QTest::mouseClick(close, Qt::LeftButton);
  REQUIRE(QTest::qWaitFor([&] { return maps->runs().size() == 1; }, test::kPatience));
  CHECK(maps->runs().front() == c);  // What was C is B now.
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
  const auto model = sampleModel();
  const auto small = [&](const char* allocator) {
    RunRequest request;
    request.allocator = AllocatorChoice::parse(allocator).value();
    request.platform = platformCatalog().front();
    request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(256 << 10)};
    return execute(model, request, {}).value();
  };
  const auto a = small("greedy-by-size");
  const auto b = small("free-list");
  REQUIRE(a->metrics.pools[PoolId(1)].stays > 0);
  REQUIRE(b->metrics.pools[PoolId(1)].stays > 0);
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  RunRequest request;
  request.model = kSample.toStdString();
  request = a->request;
  window.show(request, {.run = a, .violations = {}});
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
