// Constraints of a planning problem in the studio: told alike by the legend, the inspector, memory
// now, the status line and the picture of conflicts.

#include <QTest>
#include <QToolButton>
#include <catch2/catch.hpp>

#include "tests/support/constrained_run.h"
#include "tests/widgets/support.h"
#include "widgets/base/theme.h"
#include "widgets/explain/inspector.h"
#include "widgets/frame/status_line.h"
#include "widgets/graph/graph_panel.h"
#include "widgets/map/map_legend.h"
#include "widgets/now/memory_now.h"
#include "widgets/plot/painter_canvas.h"

using namespace hw;

namespace {

/// Texts of the chips of a legend that are on show.
QStringList chipsOf(const MapLegend& legend) {
  QStringList texts;
  for (const QToolButton* chip : legend.findChildren<QToolButton*>()) {
    if (!chip->isHidden() && !chip->menu()) texts.append(chip->text());
  }
  return texts;
}

}  // namespace

TEST_CASE("the legend tells the constraints that a run has, and no others", "[map][legend]") {
  ViewState state;
  MapLegend legend(&state);
  const QStringList kinds = {QStringLiteral("reserved"),
                             QStringLiteral("together"),
                             QStringLiteral("apart"),
                             QStringLiteral("penalty paid"),
                             QStringLiteral("penalty not paid"),
                             QStringLiteral("exclusive")};
  state.setRun(test::constrainedRun());
  for (const QString& kind : kinds) CHECK(chipsOf(legend).contains(kind));
  state.setRun(test::smallRun());
  for (const QString& kind : kinds) CHECK_FALSE(chipsOf(legend).contains(kind));
}

TEST_CASE("the inspector lists partners, and a click on one selects it", "[explain]") {
  ViewState state;
  Inspector inspector(&state);
  state.setRun(test::constrainedRun());
  state.select(StayId(4));
  const QString text = inspector.toPlainText();
  CAPTURE(text.toStdString());
  CHECK(text.contains(QStringLiteral("Constraints")));
  CHECK(text.contains(QStringLiteral("c 2 (paid)")));
  CHECK(text.contains(QStringLiteral("b 1")));
  CHECK_FALSE(text.contains(QStringLiteral("Apart from")));
  CHECK(stayConstraints(*state.run(), StayId(4)).contains(QStringLiteral("href='stay:2'")));
  Q_EMIT inspector.anchorClicked(QUrl(QStringLiteral("stay:2")));
  CHECK(state.selected() == StayId(2));
  CHECK(inspector.toPlainText().contains(QStringLiteral("Apart from")));
  auto restricted = std::make_shared<Run>(*test::constrainedRun());
  restricted->problem.constraints = {};
  CHECK(stayConstraints(*restricted, StayId(2)).isEmpty());
  restricted->problem.constraints.allowed.resize(9);
  restricted->problem.constraints.allowed[StayId(2)] = {PoolId(0)};
  CHECK(stayConstraints(*restricted, StayId(2)).contains(QStringLiteral("Allowed in")));
}

TEST_CASE("memory now frames the partners of what is selected", "[now]") {
  ViewState state;
  MemoryNow memory(&state);
  state.setRun(test::constrainedRun());
  memory.resize(700, 160);
  memory.show();
  state.setStep(Step(9));
  const auto framed = [&] {
    const QRect bar = memory.barOf(PoolId(0));
    const QImage shown = memory.grab(bar).toImage();
    const QRgb accent = Theme::current().accent.rgb();
    int count = 0;
    for (int x = 0; x < shown.width(); ++x) count += shown.pixel(x, shown.height() / 2) == accent;
    return count;
  };
  CHECK(framed() == 0);
  state.select(StayId(2));  // c, whose bytes e has now, at a price.
  CHECK(framed() >= 2);
}

TEST_CASE("the status line says what a plan pays", "[frame]") {
  ViewState state;
  PlanJob job;
  StatusLine line(&state, &job);
  state.setRun(test::constrainedRun());
  line.setViolations(0);
  CHECK(line.text().contains(QStringLiteral("reuse penalty 5")));
  state.setRun(test::smallRun());
  line.setViolations(0);
  CHECK_FALSE(line.text().contains(QStringLiteral("penalty")));
}

TEST_CASE("a problem with constraints has its conflicts where others have a network", "[graph]") {
  ViewState state;
  GraphPanel panel(&state);
  panel.resize(500, 500);
  state.setRun(test::constrainedRun());
  panel.show();
  ConflictView& view = *panel.conflicts();
  CHECK(panel.emptyText().isEmpty());
  REQUIRE(view.hasContent());
  CHECK_FALSE(view.grab().toImage().isNull());
  const PlotRows rows = view.spokenRows();
  REQUIRE(rows.cells.size() == 9);
  QTest::mouseClick(&view, Qt::LeftButton, {}, rows.boxes[2].center());
  CHECK(state.selected() == view.stayAt(rows.boxes[2].center()));
  CHECK(state.selected());
  QTest::keyClick(&view, Qt::Key_Right);
  CHECK(state.selected() == view.stayAt(rows.boxes[3].center()));
  QTest::keyClick(&view, Qt::Key_Escape);
  CHECK_FALSE(state.selected());
  state.setRun(test::fileRun("id,lower,upper,size\na,0,2,16\n", defaultRequest()));
  CHECK_FALSE(view.hasContent());
  CHECK(panel.emptyText().contains(QStringLiteral("no ops to draw")));
}
