// What a model leaves open is said when it is opened, in the words of the window.
#include <QDockWidget>
#include <QPushButton>
#include <QTimer>

#include "app/gui/features/scenario/open_offers.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/support.h"
#include "widgets/explain/problems_panel.h"
#include "widgets/text/import_notes.h"

using namespace hw;
using namespace hw::test;

namespace {

/// The small run, as if its model had been opened with these notes.
std::shared_ptr<const Run> noted(std::vector<std::string> notes,
                                 std::vector<ModelPart> parts = {}) {
  auto run = std::make_shared<Run>(*smallRun());
  Model model = *run->model;
  Graph graph = *model.graph;
  graph.notes = std::move(notes);
  model.graph = std::make_shared<const Graph>(std::move(graph));
  model.parts = std::move(parts);
  run->model = std::make_shared<const Model>(std::move(model));
  return run;
}

const std::vector<std::string> kOpen = {
    "something was folded", "free dimension batch of input 'x' taken as 1; --dim batch=VALUE",
    "free dimension 1 of input 'y' taken as 1; --dim y[1]=VALUE"};

}  // namespace

TEST_CASE("a bar says what was taken as 1 and what else could be chosen", "[shell][offers]") {
  Settings none;
  Studio window(&none);
  window.show();
  MessageBar* bar = window.findChild<OpenOffers*>()->bar();
  const auto show = [&](const std::shared_ptr<const Run>& run) {
    window.show(run->request, {.run = run, .violations = {}});
  };
  show(noted({}));
  CHECK_FALSE(bar->isVisible());
  show(noted(kOpen, {{"a", "signature a"}, {"b", "signature b"}, {"0", "subgraph 0"}}));
  CHECK(bar->isVisible());
  CHECK(bar->text() == QStringLiteral("2 dimensions taken as 1 \u00b7 Set\u2026 \u00b7 "
                                      "2 signatures \u00b7 Choose\u2026"));
  const auto open = noted({kOpen[1],
                           "dimension 0 of 'z' depends on data: taken as the most it can "
                           "be, 9; --dim z[0]=VALUE"});
  show(open);
  CHECK(bar->text() == QStringLiteral("2 dimensions left open, 1 taken as 1 \u00b7 Set\u2026"));
  bar->hide();
  show(open);  // Planned again: it was read.
  CHECK_FALSE(bar->isVisible());
  show(noted({}));
  CHECK_FALSE(bar->isVisible());
}

TEST_CASE("the buttons of the bar lead where things are settled", "[shell][offers]") {
  Settings none;
  Studio window(&none);
  window.show();
  const auto run = noted(kOpen);
  window.show(run->request, {.run = run, .violations = {}});
  MessageBar* bar = window.findChild<OpenOffers*>()->bar();
  QString seen;
  QTimer::singleShot(50, &window, [&] {
    auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    seen = dialog->objectName();
    dialog->reject();
  });
  bar->findChild<QPushButton*>()->click();
  CHECK(seen == QStringLiteral("dimensions"));
}

TEST_CASE("a note on a dimension has its key and the size in use", "[shell][offers]") {
  const ImportNote one = importNote(kOpen[1]);
  CHECK(one.dimension == "batch");
  CHECK(one.size == 1);
  CHECK(one.takenAsOne);
  const ImportNote settled = importNote(
      "free dimension k of input 'x' taken as 128, the only size that MatMul 'y' takes; --dim "
      "k=128");
  CHECK(settled.dimension == "k");
  CHECK(settled.size == 128);
  CHECK_FALSE(settled.takenAsOne);
  const ImportNote most = importNote(
      "dimension 1 of 'y' depends on data: taken as the most it can be, 6; --dim y[1]=VALUE");
  CHECK(most.dimension == "y[1]");
  CHECK(most.size == 6);
}

TEST_CASE("problems: warnings first, counted, and without options of the command line",
          "[shell][offers]") {
  const auto run = noted({"a note", kOpen[1],
                          "this is signature a of the file; --subgraph chooses "
                          "among signatures a, b"});
  const auto findings = findingsOf(*run, {});
  REQUIRE(findings.size() >= 3);
  CHECK(findings.front().severity == Glyph::warning);
  CHECK(findings.front().subject == QStringLiteral("batch"));
  for (std::size_t i = 1; i < findings.size(); ++i) {
    CHECK((findings[i].severity == Glyph::information ||
           findings[i - 1].severity != Glyph::information));
    CHECK_FALSE(findings[i].message.contains(QStringLiteral("--")));
  }
  CHECK(importNote(run->graph().notes[2]).said ==
        QStringLiteral("this is signature a of the file; File > Part of the file chooses among "
                       "signatures a, b"));
  Settings none;
  Studio window(&none);
  window.show(run->request, {.run = run, .violations = {}});
  CHECK(window.findChild<QDockWidget*>(QStringLiteral("problems"))->windowTitle() ==
        QStringLiteral("Problems (1)"));
}
