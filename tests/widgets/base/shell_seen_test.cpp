#include <QTest>

#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/base/panel_parts.h"
#include "widgets/explain/moment_panel.h"
#include "widgets/graph/graph_panel.h"
#include "widgets/tables/table_panel.h"

using namespace hw;

TEST_CASE("behind another tab nothing is laid out, added up or looked for", "[graph]") {
  test::Opened window(QStringLiteral("samples:inception"), {1400, 900});
  test::finishBackground();
  auto* graph = window.findChild<GraphPanel*>();
  auto* tables = window.findChild<TablePanel*>();
  auto* moment = window.findChild<MomentPanel*>();
  CHECK_FALSE(isSeen(graph));
  CHECK_FALSE(graph->isLayingOut());
  CHECK(graph->view()->graph().nodes.empty());
  CHECK_FALSE(tables->model()->source());
  CHECK(moment->view()->model()->rowCount() == 0);
  // A look finds it all.
  for (const char* name : {"graph", "tables", "moment"}) {
    window.showPanel(QString::fromLatin1(name));
    const QWidget* panel = window.places()->panel(QString::fromLatin1(name));
    CHECK(test::comes([&] { return isSeen(panel); }));
    const auto holdsAll = [&] {
      if (panel == tables) return tables->model()->source() != nullptr;
      return panel != moment || moment->view()->model()->rowCount() > 0;
    };
    CHECK(test::comes(holdsAll));
  }
  CHECK(test::comes([&] { return !graph->view()->graph().nodes.empty(); }));
}
