#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QPromise>
#include <QThreadPool>
#include <algorithm>

#include "app/gui/main_window.h"
#include "core/base/text.h"
#include "widgets/canvas/reference_lines.h"

namespace hw {

void MainWindow::connectCompare() {
  connect(compare_, &ComparePanel::runWanted, this, &MainWindow::openCompared);
  connect(compare_, &ComparePanel::exportWanted, this, &MainWindow::exportComparison);
  connect(compare_, &ComparePanel::belowWanted, this, &MainWindow::showBelow);
  connect(&lockStep_, &LockStep::changed, this, &MainWindow::arrangeBelow);
  connect(&divergence_, &QFutureWatcherBase::finished, this, &MainWindow::goToDivergence);
  // One scale: what one map shows of the addresses, the other does.
  MapView* above = maps_.front();
  connect(above, &MapView::visibleBytesChanged, belowMap_, &MapView::setVisibleBytes);
  connect(belowMap_, &MapView::visibleBytesChanged, above, [this, above](double low, double high) {
    if (belowState_.run()) above->setVisibleBytes(low, high);
  });
}

void MainWindow::buildCompareMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Compare"));
  menu->setToolTipsVisible(true);
  needsRun(addCommand(menu, QStringLiteral("compare"), tr("&Compare allocators"),
                      {QKeySequence(Qt::CTRL | Qt::Key_D)}, [this] { compareAllocators(); }));
  QAction* stop = addCommand(menu, QStringLiteral("stopComparing"), tr("&Stop comparing"), {},
                             [this] { compare_->job()->stop(); });
  stop->setIcon(glyphIcon(Glyph::cancel));
  menu->addSeparator();
  needsRun(addCommand(menu, QStringLiteral("showBelow"), tr("Show the chosen row's plan &below"),
                      {Qt::Key_B}, [this] { chooseBelow(); }));
  needBelow_ = {
      addCommand(menu, QStringLiteral("closeBelow"), tr("Close the &map below"),
                 {QKeySequence(Qt::SHIFT | Qt::Key_B)}, [this] { showBelow(nullptr); }),
      addCommand(menu, QStringLiteral("firstDivergence"), tr("Go to the first &divergence"),
                 {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)}, [this] { findDivergence(); })};
  arrangeBelow();
  menu->addSeparator();
  QAction* save = addCommand(menu, QStringLiteral("exportComparison"),
                             tr("&Export comparison\u2026"), {}, [this] { exportComparison(); });
  const auto enable = [this, stop, save] {
    const bool busy = compare_->job()->isRunning();
    stop->setEnabled(busy);
    stop->setToolTip(busy ? tr("Keeps the rows that are done") : tr("Nothing is running"));
    save->setEnabled(compare_->comparison() != nullptr);
    save->setToolTip(save->isEnabled() ? tr("As CSV or JSON") : tr("Compare allocators first"));
  };
  enable();
  connect(compare_->job(), &CompareJob::started, stop, enable);
  connect(compare_->job(), &CompareJob::finished, stop, enable);
  connect(compare_->job(), &CompareJob::abandoned, stop, enable);
  connect(compare_, &ComparePanel::comparisonChanged, stop, enable);
}

/// Shows the table, and fills it if it is empty.
void MainWindow::compareAllocators() {
  auto* dock = findChild<QDockWidget*>(QStringLiteral("compare"));
  dock->show();
  dock->raise();
  if (!compare_->comparison() && !compare_->job()->isRunning()) compare_->compare();
  compare_->table()->setFocus();
}

/// A plan that is there already: only the independent check is still to be made, which is as much
/// work as planning for large ones and so is left to the job too.
void MainWindow::openCompared(const std::shared_ptr<const Run>& run) {
  RunRequest request = request_;
  request.config = run->config;
  request.config.threads = request_.config.threads;
  runForm_->setConfig(request.config);
  pending_ = request;
  pendingModel_ = run->model;
  message_->hide();
  job_.start([run](const RunContext&) -> Result<std::shared_ptr<const Run>> { return run; });
}

void MainWindow::chooseBelow() {
  if (auto run = compare_->otherRun()) {
    showBelow(std::move(run));
  } else {
    message_->showNote(tr("There is no other plan yet: compare allocators first (Ctrl+D)."));
  }
}

void MainWindow::arrangeBelow() {
  const auto a = state_.run();
  const auto b = belowState_.run();
  belowMap_->setVisible(b != nullptr);
  const PoolId pool(0);
  const double top = a && b ? std::max(fullByteRange(*a, pool), fullByteRange(*b, pool)) : 1;
  maps_.front()->setLeastHeight(top);
  belowMap_->setLeastHeight(top);
  compare_->setBelow(b);
  for (QAction* action : std::as_const(needBelow_)) {
    action->setEnabled(b != nullptr);
    action->setToolTip(b ? QString() : tr("Show a second plan below the first one first"));
  }
}

/// All events of both are looked at, so not in this thread.
void MainWindow::findDivergence() {
  if (!belowState_.run() || divergence_.isRunning()) return;
  diverging_ = {state_.run(), belowState_.run()};
  auto promise = std::make_shared<QPromise<std::optional<Divergence>>>();
  divergence_.setFuture(promise->future());
  promise->start();
  QThreadPool::globalInstance()->start([promise, runs = diverging_] {
    promise->addResult(firstDivergence(*runs.first, *runs.second));
    promise->finish();
  });
}

void MainWindow::goToDivergence() {
  const auto [a, b] = std::exchange(diverging_, {});
  if (a != state_.run() || b != belowState_.run()) return;  // Asked about what is gone.
  const auto found = divergence_.result();
  if (!found) {
    message_->showNote(tr("A and B do the same all along."));
    return;
  }
  state_.setStep(found->step);
  state_.select(found->stay);
  const auto step = static_cast<double>(found->step.count());
  const double begin = state_.visibleBegin();
  const double length = state_.visibleEnd() - begin;
  if (step < begin || step + 1 > begin + length) {
    state_.setVisible(step - length / 2, step + length / 2);
  }
  message_->showNote(found->text);
}

void MainWindow::exportComparison() {
  if (!compare_->comparison()) return;
  const QString name = QString::fromStdString(printable(state_.run()->model->name, 60));
  QString file = QFileDialog::getSaveFileName(this, tr("Export the comparison"),
                                              settings_->lastFolder() + QLatin1Char('/') + name,
                                              tr("Table (*.csv);;JSON (*.json)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".csv");
  if (const auto written = compare_->writeTo(file, request_.model); !written) {
    message_->showError(
        tr("Nothing was exported: %1.").arg(QString::fromStdString(written.error().text())));
    return;
  }
  message_->showNote(tr("Exported to %1.").arg(file));
}

}  // namespace hw
