#include <QMenu>
#include <QObject>

#include "app/gui/features/compare/compare.h"
#include "app/gui/window/main_window.h"
#include "core/insight/moment.h"
#include "core/run/run.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/compare/fragmentation_panel.h"
#include "widgets/compare/front_panel.h"

namespace hw {

/// The companions of the comparison panel: its figures as bars, fragmentation over the steps, the
/// sweep of L2's capacity, its front of capacity against latency, and the autopsy of a row that
/// failed.
class CompareChartsFeature : public QObject {
 public:
  CompareChartsFeature(MainWindow* window, ComparePanel* comparison)
      : QObject(window),
        window_(window),
        comparison_(comparison),
        capacity_(new CapacityPanel(window->state(), window)),
        front_(new FrontPanel(window->state(), window)) {
    keepColumns();
    addBars();
    addFragmentation();
    addCapacity();
    addFront();
    connectAutopsy();
    connect(window->compareMaps(), &CompareMaps::changed, this,
            [window] { window->chart()->setCompared(window->compareMaps()->runs()); });
  }

  CapacityPanel* capacity() const { return capacity_; }
  FrontPanel* front() const { return front_; }

 private:
  /// Which columns of the table were chosen is a matter of taste, and stays.
  void keepColumns() {
    const QString key = QStringLiteral("compare/columns");
    CompareTable* table = comparison_->table();
    table->setWantedColumns(window_->settings()->remembered(key));
    connect(table, &CompareTable::wantedColumnsChanged, this,
            [this, key, table] { window_->settings()->remember(key, table->wantedColumns()); });
  }

  void addBars() {
    window_->addCommand(window_->menu(MenuKind::compare), "compareBars",
                        tr("Compared figures as ba&rs"), {}, [this] {
                          window_->showPanel(QStringLiteral("compare"));
                          comparison_->showCharts();
                        });
  }

  void addFragmentation() {
    auto* panel = new FragmentationPanel(window_->state(), comparison_->model(), window_);
    window_->addPanel("fragmentation", tr("Fragmentation"), panel);
    connect(window_->compareMaps(), &CompareMaps::changed, panel,
            [this, panel] { panel->setBelow(window_->compareMaps()->runs()); });
    window_->addRunCommand(window_->menu(MenuKind::compare), "fragmentation",
                           tr("&Fragmentation over the steps"), {},
                           [this] { window_->showPanel(QStringLiteral("fragmentation")); });
  }

  void addCapacity() {
    window_->jobs()->watch(capacity_->job());
    window_->addPanel("capacity", tr("L2 capacity"), capacity_, capacity_->chart());
    connect(capacity_, &CapacityPanel::capacityWanted, this, [this](Bytes capacity) {
      RunRequest request = window_->request();
      request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = capacity};
      window_->planWith(request);
    });
    window_->addRunCommand(window_->menu(MenuKind::compare), "sweepCapacity",
                           tr("Sweep the capacity of &L2"), {}, [this] {
                             window_->showPanel(QStringLiteral("capacity"));
                             capacity_->start();
                             capacity_->slider()->setFocus();
                           });
  }

  void addFront() {
    window_->jobs()->watch(front_->job());
    window_->addPanel("front", tr("Front"), front_, front_->chart());
    connect(front_, &FrontPanel::runWanted, this, [this](const std::shared_ptr<const Run>& run) {
      RunRequest request = run->request;
      request.threads = window_->request().threads;
      window_->openPlanned(request, run);
    });
    window_->addRunCommand(window_->menu(MenuKind::compare), "front",
                           tr("Capacity &against latency"), {}, [this] {
                             window_->showPanel(QStringLiteral("front"));
                             front_->start();
                             front_->chart()->setFocus();
                           });
  }

  void connectAutopsy() {
    connect(comparison_, &ComparePanel::autopsyWanted, this,
            [this](std::shared_ptr<const Run> run) {
              failed_ = std::move(run);
              goToFailure();
            });
    connect(window_->state(), &ViewState::runChanged, this, &CompareChartsFeature::goToFailure);
  }

  /// To the step at which there was no room, with the tensor that found none selected and the
  /// reasons in front.
  void goToFailure() {
    if (!failed_ || window_->state()->run() != failed_) return;
    const auto run = std::exchange(failed_, nullptr);
    window_->showPanel(QStringLiteral("problems"));
    const auto found = autopsy(*run);
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

  MainWindow* window_;
  ComparePanel* comparison_;
  CapacityPanel* capacity_;
  FrontPanel* front_;
  /// The run whose failure is to be shown as soon as it is on show; or null.
  std::shared_ptr<const Run> failed_;
};

CurvePanels addCurves(MainWindow* window, ComparePanel* comparison) {
  const auto* charts = new CompareChartsFeature(window, comparison);
  return {charts->capacity(), charts->front()};
}

}  // namespace hw
