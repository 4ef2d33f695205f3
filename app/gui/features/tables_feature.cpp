#include "app/gui/features/tables_feature.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

#include "app/gui/main_window.h"
#include "widgets/tables/table_file.h"
#include "widgets/tables/table_panel.h"

namespace hw {

TablesFeature::TablesFeature(MainWindow* window)
    : QObject(window), window_(window), panel_(new TablePanel(window->state(), window)) {
  panel_->setObjectName(QStringLiteral("tablePanel"));
  QDockWidget* dock = window->addDock(QStringLiteral("tables"), tr("Tables"), panel_,
                                      Qt::BottomDockWidgetArea, QStringLiteral("method"));
  connect(panel_, &TablePanel::exportWanted, this, &TablesFeature::exportTable);
  QMenu* tables = window->menu(MenuKind::view)->addMenu(tr("&Tables"));
  const struct {
    const char* name;
    QString text;
    TableKind kind;
  } kinds[] = {{"tableTensors", tr("&Tensors"), TableKind::tensors},
               {"tableBlocks", tr("&Blocks"), TableKind::blocks},
               {"tableEvents", tr("&Events"), TableKind::events},
               {"tableFreeList", tr("&Free list now"), TableKind::freeList},
               {"tableOps", tr("&Ops"), TableKind::ops}};
  for (const auto& entry : kinds) {
    window->needsRun(window->addCommand(tables, QString::fromLatin1(entry.name), entry.text, {},
                                        [this, dock, kind = entry.kind] {
                                          dock->show();
                                          dock->raise();
                                          panel_->choose(kind);
                                          panel_->filterLine()->setFocus();
                                        }));
  }
  window->needsRun(window->addCommand(window->menu(MenuKind::file), QStringLiteral("exportTable"),
                                      tr("Export &table\u2026"), {}, [this] { exportTable(); }));
}

void TablesFeature::exportTable() {
  const auto source = panel_->model()->source();
  if (!source) {
    window_->messages()->showError(tr("Nothing was exported: show a table first (View > Tables)."));
    return;
  }
  const QString file = QFileDialog::getSaveFileName(
      window_, tr("Export the table"),
      window_->settings()->lastFolder() + QLatin1Char('/') +
          panel_->chooser()->currentText().toLower().replace(QLatin1Char(' '), QLatin1Char('-')),
      tr("CSV table (*.csv);;JSON (*.json)"));
  if (file.isEmpty()) return;
  const bool named = !QFileInfo(file).suffix().isEmpty();
  const auto written =
      writeTable(*source, panel_->rows(), named ? file : file + QStringLiteral(".csv"));
  if (!written) {
    window_->messages()->showError(
        tr("Nothing was exported: %1.").arg(QString::fromStdString(written.error().text())));
    return;
  }
  window_->messages()->showNote(tr("Exported to %1.").arg(file));
}

}  // namespace hw
