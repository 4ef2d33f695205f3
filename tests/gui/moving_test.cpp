// The views go where the playhead goes.

#include <QMenu>
#include <QTest>
#include <catch2/catch.hpp>
#include <functional>

#include "app/gui/studio.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/explain/genealogy_panel.h"
#include "widgets/markers/markers.h"
#include "widgets/text/run_text.h"
#include "widgets/transport/navigation.h"
#include "widgets/transport/until_form.h"

using namespace hw::test;
using namespace hw;

namespace {

struct Desktop {
  Desktop() : window(&settings) {
    window.resize(1280, 800);
    window.show();
    window.openModel(QStringLiteral("samples:mobilenet_v2"));
    REQUIRE(test::comes([&] { return !window.job()->isRunning(); }));
    REQUIRE(window.state()->run());
    window.activateWindow();
    window.maps().front()->setFocus();
  }

  const Run& run() { return *window.state()->run(); }
  ViewState& state() { return *window.state(); }
  void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(window.maps().front(), static_cast<Qt::Key>(key), modifiers);
  }
  QAction* action(const char* name) {
    return window.findChild<QAction*>(QString::fromLatin1(name));
  }

  Settings settings;
  Studio window;
};

}  // namespace

TEST_CASE("the transport's keys are those of the sheet", "[shell]") {
  Desktop studio;
  studio.key(Qt::Key_Home);
  studio.key(Qt::Key_F4);
  CHECK(studio.window.player()->eventIndex() == 1);
  studio.key(Qt::Key_Period);
  CHECK(studio.window.player()->eventIndex() == 2);
  studio.key(Qt::Key_F4, Qt::ShiftModifier);
  CHECK(studio.window.player()->eventIndex() == 1);
  studio.key(Qt::Key_F7);
  CHECK(studio.window.player()->eventIndex() == studio.window.player()->eventCount());
  studio.key(Qt::Key_F7, Qt::ShiftModifier);
  CHECK(studio.state().moment() == 0);
  studio.key(Qt::Key_F5);
  CHECK(studio.window.player()->isPlaying());
  CHECK(studio.window.player()->mode() == PlayMode::animate);
  studio.key(Qt::Key_F9);
  CHECK(studio.window.player()->mode() == PlayMode::fast);
  studio.key(Qt::Key_F8);
  CHECK_FALSE(studio.window.player()->isPlaying());
  studio.key(Qt::Key_Space, Qt::ShiftModifier);
  CHECK(studio.window.player()->isBackwards());
  studio.key(Qt::Key_F8);
  const auto before = studio.window.state()->run();
  studio.key(Qt::Key_R, Qt::ControlModifier);
  CHECK(test::comes([&] { return studio.window.state()->run() != before; }));
}

TEST_CASE("run until opens, runs and tells", "[shell]") {
  Desktop studio;
  studio.key(Qt::Key_Home);
  studio.key(Qt::Key_F5, Qt::ControlModifier);
  auto* form = studio.window.findChild<UntilForm*>();
  REQUIRE(form);
  CHECK(form->isVisible());
  CHECK_FALSE(studio.action("updateNow")->isEnabled());
  studio.window.player()->setMode(PlayMode::express);
  form->kindBox()->setCurrentIndex(static_cast<int>(UntilForm::Kind::op));
  form->nameBox()->setText(QStringLiteral("5"));
  form->forwardsButton()->click();
  CHECK(test::comes([&] { return studio.state().step() == Step(5); }));
  form->nameBox()->setText(QStringLiteral("2"));
  form->forwardsButton()->click();
  CHECK(test::comes([&] { return studio.window.messages()->isVisible(); }));
  CHECK(studio.window.messages()->text().contains(QStringLiteral("Not met")));
}

TEST_CASE("peaks are visited from the highest down", "[shell]") {
  Desktop studio;
  studio.key(Qt::Key_P);
  const Step highest = studio.state().step();
  Landmarks landmarks(&studio.state(), studio.window.player());
  const auto peaks = landmarks.peaks();
  REQUIRE(peaks.size() >= 2);
  CHECK(peaks.front().steps.begin == highest);
  studio.key(Qt::Key_P, Qt::ShiftModifier);
  CHECK(studio.state().step() == peaks[1].steps.begin);
  for (std::size_t i = 2; i <= peaks.size(); ++i) studio.key(Qt::Key_P, Qt::ShiftModifier);
  CHECK(studio.state().step() == highest);
  auto* menu = test::part<QMenu>(studio.window, "peaksMenu");
  Q_EMIT menu->aboutToShow();
  REQUIRE(menu->actions().size() >= 2);
  menu->actions()[1]->trigger();
  CHECK(studio.state().step() == peaks[1].steps.begin);
}

TEST_CASE("brackets go to where the selection gets and gives back its bytes", "[shell]") {
  Desktop studio;
  studio.key(Qt::Key_BracketLeft);
  CHECK(studio.window.messages()->text().contains(QStringLiteral("Select")));
  const auto released = std::ranges::find_if(studio.run().timeline, [](const auto& entry) {
    return entry.happening == Happening::release;
  });
  REQUIRE(released != studio.run().timeline.end());
  studio.state().select(released->stay);
  studio.key(Qt::Key_BracketRight);
  CHECK(studio.state().moment() == released->lastEvent);
  studio.key(Qt::Key_BracketLeft);
  const MemoryEvent& event = studio.run().trace.event(studio.state().moment() - 1);
  CHECK(event.kind == EventKind::alloc);
  CHECK(event.stay == released->stay);
}

TEST_CASE("selections can be walked back and forth", "[shell]") {
  Desktop studio;
  CHECK_FALSE(studio.action("selectionBack")->isEnabled());
  for (const std::size_t stay : {0, 3, 5}) studio.state().select(StayId(stay));
  studio.key(Qt::Key_Left, Qt::AltModifier);
  CHECK(studio.state().selected() == StayId(3));
  studio.key(Qt::Key_Left, Qt::AltModifier);
  CHECK(studio.state().selected() == StayId(0));
  CHECK_FALSE(studio.action("selectionBack")->isEnabled());
  studio.key(Qt::Key_Right, Qt::AltModifier);
  CHECK(studio.state().selected() == StayId(3));
  studio.state().select({});
  studio.key(Qt::Key_Left, Qt::AltModifier);
  CHECK(studio.state().selected() == StayId(3));
  studio.state().select(StayId(1));
  CHECK_FALSE(studio.action("selectionForward")->isEnabled());
}

TEST_CASE("W A S D move about the map", "[shell]") {
  Desktop studio;
  ViewState& state = studio.state();
  const double whole = state.visibleEnd() - state.visibleBegin();
  studio.key(Qt::Key_W);
  studio.key(Qt::Key_W);
  const double length = state.visibleEnd() - state.visibleBegin();
  CHECK(length == Approx(whole / 1.96));
  const double begin = state.visibleBegin();
  studio.key(Qt::Key_D);
  CHECK(state.visibleBegin() > begin);
  CHECK(state.visibleEnd() - state.visibleBegin() == Approx(length));
  studio.key(Qt::Key_A);
  CHECK(state.visibleBegin() == Approx(begin));
  studio.key(Qt::Key_S);
  studio.key(Qt::Key_S);
  CHECK(state.visibleEnd() - state.visibleBegin() == Approx(whole));
}

TEST_CASE("letters typed into a field stay letters", "[shell]") {
  Desktop studio;
  auto* panel = studio.window.findChild<GenealogyPanel*>();
  studio.key(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
  const double end = studio.state().visibleEnd();
  QTest::keyClicks(panel->addressBox(), QStringLiteral("swad"));
  CHECK(panel->addressBox()->text() == QStringLiteral("swad"));
  CHECK(studio.state().visibleEnd() == end);
}

TEST_CASE("markers are set, measured, moved, renamed and removed", "[shell]") {
  Desktop studio;
  auto* ruler = studio.window.findChild<MarkerRuler*>();
  auto* panel = studio.window.findChild<MarkerPanel*>();
  MarkerSet& markers = *studio.window.findChild<MarkerSet*>();
  CHECK_FALSE(ruler->isVisible());
  CHECK(panel->emptyText().contains(QStringLiteral("Shift+M")));
  studio.state().setStep(Step(3));
  studio.key(Qt::Key_M);
  studio.state().setStep(Step(9));
  studio.key(Qt::Key_M, Qt::ShiftModifier);
  REQUIRE(markers.all().size() == 2);
  CHECK(ruler->isVisible());
  CHECK(studio.state().marks().size() == 2);
  const Marker first = markers.all()[0];
  const Marker second = markers.all()[1];
  CHECK(second.since == first.id);
  const auto delta = markers.deltaOf(second);
  REQUIRE(delta);
  CHECK(*delta == momentDelta(studio.run().trace, first.point.moment, second.point.moment));
  CHECK(panel->table()->rowCount() == 2);
  CHECK(panel->table()->item(1, 4)->text() == QStringLiteral("6"));

  QTest::qWait(20);
  const QPoint flag = ruler->flagOf(second.id).center();
  REQUIRE(ruler->markerAt(flag) == second.id);
  QTest::mousePress(ruler, Qt::LeftButton, {}, flag);
  const QPoint far = flag + QPoint(120, 0);
  QMouseEvent drag(QEvent::MouseMove, far, ruler->mapToGlobal(far), Qt::NoButton, Qt::LeftButton,
                   Qt::NoModifier);
  QApplication::sendEvent(ruler, &drag);
  QTest::mouseRelease(ruler, Qt::LeftButton, {}, far);
  CHECK(markers.all()[1].point.step > Step(9));

  panel->table()->item(0, 0)->setText(QStringLiteral("before the branch"));
  CHECK(markers.all()[0].name == QStringLiteral("before the branch"));
  panel->table()->item(0, 0)->setText(QStringLiteral("  "));
  CHECK(markers.all()[0].name == QStringLiteral("before the branch"));
  QTest::mouseClick(ruler, Qt::LeftButton, {}, ruler->flagOf(first.id).center());
  CHECK(studio.state().step() == Step(3));
  panel->table()->setCurrentCell(0, 0);
  panel->removeButton()->click();
  REQUIRE(markers.all().size() == 1);
  CHECK(markers.all()[0].since == 0);
  studio.action("clearMarkers")->trigger();
  CHECK(markers.all().empty());
  CHECK_FALSE(ruler->isVisible());
}

TEST_CASE("markers survive another plan and a session, not another model", "[shell]") {
  Desktop studio;
  MarkerSet& markers = *studio.window.findChild<MarkerSet*>();
  studio.state().setStep(Step(4));
  studio.key(Qt::Key_M);
  studio.state().setStep(Step(6));
  studio.key(Qt::Key_M, Qt::ShiftModifier);
  const QVariantList saved = markers.save();
  test::replan(studio.window, "none");
  REQUIRE(markers.all().size() == 2);
  CHECK(markers.all()[0].point == pointOfStep(studio.run(), Step(4)));
  markers.clear();
  markers.restore(saved);
  REQUIRE(markers.all().size() == 2);
  CHECK(markers.all()[1].since == markers.all()[0].id);
  CHECK(markers.all()[1].point.step == Step(6));
  markers.restore({QVariantMap{{QStringLiteral("step"), qlonglong{1'000'000}}},
                   QVariantMap{{QStringLiteral("step"), qlonglong{-3}}}, QVariant(7)});
  CHECK(markers.all().size() <= 1);
  studio.window.openModel(QStringLiteral("samples:residual"));
  REQUIRE(test::comes([&] { return !studio.window.job()->isRunning(); }));
  CHECK(markers.all().empty());
}

TEST_CASE("the tenants of an address are asked for on the map and by number", "[shell]") {
  Desktop studio;
  auto* panel = studio.window.findChild<GenealogyPanel*>();
  MapView* map = studio.window.maps().front();
  QContextMenuEvent ask(QContextMenuEvent::Mouse, map->plotArea().center(),
                        map->mapToGlobal(map->plotArea().center()));
  QApplication::sendEvent(map, &ask);
  auto* menu = test::part<QMenu>(*map, "mapMenu");
  menu->actions().front()->trigger();
  menu->close();
  REQUIRE(test::comes([&] { return !panel->isLooking() && !panel->eras().empty(); }));
  CHECK(panel->view()->model()->rowCount() == static_cast<int>(panel->eras().size()));
  CHECK(panel->summary().contains(QStringLiteral("tenants")));

  panel->addressBox()->setText(QStringLiteral("0"));
  QTest::keyClick(panel->addressBox(), Qt::Key_Return);
  REQUIRE(test::comes([&] { return !panel->isLooking() && !panel->eras().empty(); }));
  const auto tenant =
      std::ranges::find_if(panel->eras(), [](const ByteEra& era) { return bool(era.chunk.owner); });
  REQUIRE(tenant != panel->eras().end());
  const int row = static_cast<int>(tenant - panel->eras().begin());
  const QModelIndex cell = panel->view()->model()->index(row, 0);
  studio.window.showPanel(QStringLiteral("tenants"));
  QTest::qWait(20);
  panel->view()->scrollTo(cell);
  QTest::mouseClick(panel->view()->viewport(), Qt::LeftButton, {},
                    panel->view()->visualRect(cell).center());
  CHECK(studio.state().selected() == tenant->chunk.owner);
  CHECK(studio.state().moment() == tenant->firstMoment);

  const std::pair<const char*, const char*> bad[] = {{"0xzz", "not an address"},
                                                     {"0x7fff_ffff_ffff", "beyond"}};
  for (const auto& [text, why] : bad) {
    panel->addressBox()->setText(QString::fromLatin1(text));
    QTest::keyClick(panel->addressBox(), Qt::Key_Return);
    CHECK(panel->summary().contains(QString::fromLatin1(why)));
    CHECK(panel->view()->model()->rowCount() == 0);
  }
}

TEST_CASE("addresses are understood as people write them", "[shell]") {
  CHECK(parseAddress(QStringLiteral("0x1_F00")) == Bytes(0x1f00));
  CHECK(parseAddress(QStringLiteral(" 7,936 ")) == Bytes(7936));
  CHECK(parseAddress(QStringLiteral("7.75 KiB")) == Bytes(7936));
  CHECK(parseAddress(QStringLiteral("2MiB")) == Bytes(2 << 20));
  for (const char* bad : {"", "x", "0x", "7.3 B", "-1", "1 TB", "0xffffffffffffffffff", "1e3"}) {
    CAPTURE(bad);
    CHECK_FALSE(parseAddress(QString::fromLatin1(bad)));
  }
  const auto address = Bytes(123'456);
  CHECK(parseAddress(addressText(address)) == address);
}

TEST_CASE("a moment that is not on screen brings the views along, unless told not to", "[shell]") {
  const bool follow = GENERATE(true, false);
  test::Opened window(QStringLiteral("samples:mobilenet_v2"), {1280, 800});
  ViewState& state = *window.state();
  CHECK(action(window, "followPlayhead")->isChecked());
  action(window, "followPlayhead")->setChecked(follow);
  window.player()->setMode(PlayMode::express);
  const auto isSeen = [&] {
    const double at = playheadOf(state);
    return at >= state.visibleBegin() && at < state.visibleEnd();
  };
  const auto middle = [&] {
    for (const StayId stay : state.run()->problem.stays.keys()) {
      const auto steps = state.run()->problem.stays[stay].steps;
      if (steps.begin > Step(20) && steps.end < state.steps() - Step(5)) return stay;
    }
    return StayId();
  }();
  REQUIRE(middle);
  state.select(middle);
  const auto trigger = [&](const char* name) {
    return [&, name] { action(window, name)->trigger(); };
  };
  const Step last = state.steps() - Step(1);
  const bool late = state.run()->metrics.pools[PoolId(0)].peakStep > Step(last.count() / 2);
  struct Way {
    const char* name;
    std::function<void()> go;
    bool fromEnd = false;
  };
  const Way ways[] = {
      {"peak", trigger("peak"), !late},
      {"play", trigger("runExpress")},
      {"run until", [&] { window.player()->playTo(pointOfStep(*state.run(), Step(30))); }},
      {"[", trigger("toAllocation")},
      {"]", trigger("toRelease")}};
  for (const auto& [name, go, fromEnd] : ways) {
    CAPTURE(name, follow);
    state.setStep(fromEnd ? last : Step(0));
    const auto begin = fromEnd ? static_cast<double>(last.count()) - 2 : 0;
    state.setVisible(begin, begin + 3);
    go();
    CHECK(state.visibleEnd() - state.visibleBegin() == Approx(3));
    CHECK(isSeen() == follow);
  }
}
