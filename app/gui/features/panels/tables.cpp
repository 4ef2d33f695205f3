#include <QMenu>
#include <QObject>

#include "app/gui/features/panels/panels.h"
#include "app/gui/window/main_window.h"
#include "widgets/tables/table_panel.h"
#include "widgets/tables/table_source.h"

namespace hw {

/// The pictures as tables, in a panel of their own.
class TablesFeature : public QObject {
 public:
  explicit TablesFeature(MainWindow* window)
      : QObject(window), window_(window), panel_(new TablePanel(window->state(), window)) {
    panel_->setObjectName(QStringLiteral("tablePanel"));
    window->addPanel("tables", tr("Tables"), panel_);
    connect(panel_, &TablePanel::exportWanted, this, &TablesFeature::exportTable);
    QMenu* tables = window->menu(MenuKind::view)->addMenu(tr("Tables"));
    const struct {
      const char* name;
      QString text;
      TableKind kind;
    } kinds[] = {{"tableTensors", tr("&Tensors"), TableKind::tensors},
                 {"tableBlocks", tr("&Blocks"), TableKind::blocks},
                 {"tableEvents", tr("&Events"), TableKind::events},
                 {"tableFreeList", tr("&Free list now"), TableKind::freeList},
                 {"tableOps", tr("&Operators"), TableKind::ops},
                 {"tableLateFrees", tr("&Late frees"), TableKind::lateFrees}};
    for (const auto& entry : kinds) {
      window->addRunCommand(tables, entry.name, entry.text, {}, [this, kind = entry.kind] {
        window_->showPanel(QStringLiteral("tables"));
        panel_->choose(kind);
        panel_->filterLine()->setFocus();
      });
    }
    window->addRunCommand(window->menu(MenuKind::file), "exportTable", tr("Export &table\u2026"),
                          {}, [this] { exportTable(); });
  }

 private:
  void exportTable() {
    const auto source = panel_->model()->source();
    if (!source) {
      window_->messages()->showError(
          tr("Nothing was exported: show a table first (View > Tables)."));
      return;
    }
    const QString name = panel_->chooser()->currentText().toLower();
    const QString file = window_->chooseTarget(
        tr("Export the table"), QString(name).replace(QLatin1Char(' '), QLatin1Char('-')),
        tr("CSV table (*.csv);;JSON (*.json)"));
    if (!file.isEmpty()) window_->sayExported(file, writeTable(*source, panel_->rows(), file));
  }

  MainWindow* window_;
  TablePanel* panel_;
};

void addTables(MainWindow* window) { new TablesFeature(window); }

}  // namespace hw
