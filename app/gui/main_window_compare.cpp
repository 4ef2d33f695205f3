#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QPromise>
#include <QThreadPool>
#include <algorithm>
#include <ranges>

#include "app/gui/dock_room.h"
#include "app/gui/main_window.h"
#include "core/base/text.h"
#include "widgets/compare/run_label.h"

namespace hw {

void MainWindow::connectCompare() {
  connect(compare_, &ComparePanel::runWanted, this, &MainWindow::openCompared);
  connect(compare_, &ComparePanel::exportWanted, this, &MainWindow::exportComparison);
  connect(compare_, &ComparePanel::belowWanted, this, &MainWindow::showBelow);
  connect(compare_, &ComparePanel::closeWanted, compareMaps_, &CompareMaps::close);
  connect(compare_, &ComparePanel::divergenceWanted, this, [this](const auto& run) {
    showBelow(run);
    const auto runs = compareMaps_->runs();
    const auto found = std::ranges::find(runs, run);
    if (found != runs.end()) findDivergence(static_cast<std::size_t>(found - runs.begin()));
  });
  connect(compareMaps_, &CompareMaps::changed, this, &MainWindow::arrangeBelow);
  connect(compareMaps_, &CompareMaps::divergenceWanted, this,
          [this](std::size_t place) { findDivergence(place); });
  connect(&divergence_, &QFutureWatcherBase::finished, this, &MainWindow::goToDivergence);
}

void MainWindow::buildCompareMenu() {
  QMenu* menu = this->menu(MenuKind::compare);
  needsRun(addCommand(menu, QStringLiteral("compare"), tr("&Compare"),
                      {QKeySequence(Qt::CTRL | Qt::Key_D)}, [this] { compareAllocators(); }));
  QAction* stop = addCommand(menu, QStringLiteral("stopComparing"), tr("&Stop comparing"), {},
                             [this] { compare_->job()->stop(); });
  stop->setIcon(glyphIcon(Glyph::cancel));
  menu->addSeparator();
  needsRun(addCommand(menu, QStringLiteral("showBelow"), tr("Show the chosen row's plan &below"),
                      {Qt::Key_B}, [this] { chooseBelow(); }));
  needBelow_ = {
      addCommand(menu, QStringLiteral("closeBelow"), tr("Close the &maps below"),
                 {QKeySequence(Qt::SHIFT | Qt::Key_B)}, [this] { showBelow(nullptr); }),
      addCommand(menu, QStringLiteral("firstDivergence"), tr("Go to the first &divergence"),
                 {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)}, [this] { findDivergence({}); })};
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
  raiseWithRoom(this, findChild<QDockWidget*>(QStringLiteral("compare")));
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

void MainWindow::showBelow(const std::shared_ptr<const Run>& run) {
  if (run) {
    compareMaps_->add(run);
  } else {
    compareMaps_->clear();
  }
}

void MainWindow::arrangeBelow() {
  showMaps();
  const auto runs = compareMaps_->runs();
  compare_->setBelow(runs);
  for (QAction* action : std::as_const(needBelow_)) {
    action->setEnabled(!runs.empty());
    action->setToolTip(runs.empty() ? tr("Show a second plan below the first one first")
                                    : QString());
  }
}

/// All events of all are looked at, so not in this thread. Without a place, of everything below A.
void MainWindow::findDivergence(std::optional<std::size_t> place) {
  const auto runs = compareMaps_->runs();
  if (runs.empty() || divergence_.isRunning() || (place && *place >= runs.size())) return;
  diverging_ = {state_.run()};
  const std::size_t first = place.value_or(0);
  const std::size_t last = place ? first + 1 : runs.size();
  diverging_.insert(diverging_.end(), runs.begin() + static_cast<std::ptrdiff_t>(first),
                    runs.begin() + static_cast<std::ptrdiff_t>(last));
  auto promise = std::make_shared<QPromise<std::vector<std::optional<Divergence>>>>();
  divergence_.setFuture(promise->future());
  promise->start();
  QThreadPool::globalInstance()->start([promise, all = diverging_, first] {
    std::vector<std::optional<Divergence>> found;
    for (std::size_t i = 1; i < all.size(); ++i) {
      found.push_back(firstDivergence(*all[0], *all[i], runLetter(first + i)));
    }
    promise->addResult(std::move(found));
    promise->finish();
  });
}

/// To the earliest of them.
void MainWindow::goToDivergence() {
  const auto asked = std::exchange(diverging_, {});
  const auto runs = compareMaps_->runs();
  const bool all = std::ranges::all_of(asked | std::views::drop(1), [&](const auto& run) {
    return std::ranges::find(runs, run) != runs.end();
  });
  if (asked.front() != state_.run() || !all) return;  // Asked about what is gone.
  std::optional<Divergence> found;
  for (const auto& one : divergence_.result()) {
    if (one && (!found || one->step < found->step)) found = one;
  }
  if (!found) {
    message_->showNote(tr("They do the same all along."));
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
