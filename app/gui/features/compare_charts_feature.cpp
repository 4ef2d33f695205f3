#include "app/gui/features/compare_charts_feature.h"

#include <QDockWidget>
#include <QMenu>

#include "app/gui/dock_room.h"
#include "app/gui/main_window.h"
#include "core/plan/autopsy.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/compare/compare_charts.h"
#include "widgets/compare/fragmentation_panel.h"

namespace hw {

CompareChartsFeature::CompareChartsFeature(MainWindow* window) : QObject(window), window_(window) {
  keepColumns();
  addBars();
  addFragmentation();
  addCapacity();
  connectAutopsy();
  connect(window->compareMaps(), &CompareMaps::changed, this,
          [window] { window->chart()->setCompared(window->compareMaps()->runs()); });
}

/// Which columns of the table were chosen is a matter of taste, and stays.
void CompareChartsFeature::keepColumns() {
  const QString key = QStringLiteral("compare/columns");
  CompareTable* table = window_->comparison()->table();
  table->setWantedColumns(window_->settings()->remembered(key));
  connect(table, &CompareTable::wantedColumnsChanged, this,
          [this, key, table] { window_->settings()->remember(key, table->wantedColumns()); });
}

void CompareChartsFeature::showDock(const QString& name) {
  raiseWithRoom(window_, window_->findChild<QDockWidget*>(name));
}

void CompareChartsFeature::addBars() {
  ComparePanel* panel = window_->comparison();
  auto* charts = new CompareCharts(panel->model(), window_);
  window_->addDock(QStringLiteral("compareBars"), tr("Compared"), charts, Qt::BottomDockWidgetArea,
                   QStringLiteral("compare"));
  connect(charts, &CompareCharts::rowChosen, panel->table(), &CompareTable::goTo);
  connect(panel, &ComparePanel::currentRowChanged, charts, &CompareCharts::setCurrentRow);
  window_->addCommand(window_->menu(MenuKind::compare), QStringLiteral("compareBars"),
                      tr("Compared figures as &bars"), {},
                      [this] { showDock(QStringLiteral("compareBars")); });
}

void CompareChartsFeature::addFragmentation() {
  auto* panel = new FragmentationPanel(window_->state(), window_->comparison()->model(), window_);
  window_->addDock(QStringLiteral("fragmentation"), tr("Fragmentation"), panel,
                   Qt::BottomDockWidgetArea, QStringLiteral("compare"));
  connect(window_->compareMaps(), &CompareMaps::changed, panel,
          [this, panel] { panel->setBelow(window_->compareMaps()->runs()); });
  window_->needsRun(window_->addCommand(window_->menu(MenuKind::compare),
                                        QStringLiteral("fragmentation"),
                                        tr("&Fragmentation over the steps"), {},
                                        [this] { showDock(QStringLiteral("fragmentation")); }));
}

void CompareChartsFeature::addCapacity() {
  auto* panel = new CapacityPanel(window_->state(), window_);
  window_->addDock(QStringLiteral("capacity"), tr("L2 capacity"), panel, Qt::BottomDockWidgetArea,
                   QStringLiteral("compare"));
  connect(panel, &CapacityPanel::capacityWanted, this, [this](Bytes capacity) {
    RunConfig config = window_->request().config;
    config.l2 = {.kind = PoolSize::Kind::bytes, .bytes = capacity};
    window_->planWith(config);
  });
  window_->needsRun(window_->addCommand(window_->menu(MenuKind::compare),
                                        QStringLiteral("sweepCapacity"),
                                        tr("Sweep the capacity of &L2"), {}, [this, panel] {
                                          showDock(QStringLiteral("capacity"));
                                          panel->sweep();
                                          panel->slider()->setFocus();
                                        }));
}

void CompareChartsFeature::connectAutopsy() {
  connect(window_->comparison(), &ComparePanel::autopsyWanted, this,
          [this](std::shared_ptr<const Run> run) {
            failed_ = std::move(run);
            goToFailure();
          });
  connect(window_->state(), &ViewState::runChanged, this, &CompareChartsFeature::goToFailure);
}

/// To the step at which there was no room, with the tensor that found none selected and the reasons
/// in front.
void CompareChartsFeature::goToFailure() {
  if (!failed_ || window_->state()->run() != failed_) return;
  const auto run = std::exchange(failed_, nullptr);
  showDock(QStringLiteral("problems"));
  const auto found = autopsy(run->problem, run->plan);
  if (!found) return;
  // The window goes on with what it was doing to show the run.
  QMetaObject::invokeMethod(
      window_,
      [window = window_, step = found->step, stay = found->stay] {
        window->state()->setStep(step);
        window->state()->select(stay);
      },
      Qt::QueuedConnection);
}

}  // namespace hw
