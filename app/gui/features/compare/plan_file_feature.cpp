#include "app/gui/features/compare/plan_file_feature.h"

#include <QFileInfo>
#include <QMenu>
#include <algorithm>

#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/check/stated_run.h"
#include "core/exchange/tflm/held_log.h"
#include "core/files/mapped_file.h"
#include "core/run/embedded.h"
#include "core/study/compare.h"
#include "widgets/compare/compare_panel.h"

namespace hw {

namespace {

/// The content of a file that was dropped on a model.
struct Dropped {
  bool isPlan = true;  ///< Else it is to be opened.
  Result<std::shared_ptr<const Run>> run{};
};

Dropped readDropped(const std::string& file, const Run& shown, const RunRequest& asked) {
  const auto mapped = MappedFile::open(file);
  if (!mapped || !holdsPlan(mapped->bytes())) return {.isPlan = false};
  const auto document = heldPlanFor(*shown.model, shown.request.import, mapped->bytes(), file);
  if (!document) return {.run = tl::unexpected(document.error())};
  const std::string name = QFileInfo(QString::fromStdString(file)).fileName().toStdString();
  return {.run = statedRun(shown.model, *document, name, asked)};
}

}  // namespace

PlanFileFeature::PlanFileFeature(MainWindow* window, ComparePanel* comparison)
    : QObject(window), window_(window), comparison_(comparison) {
  setObjectName(QStringLiteral("planFiles"));
  window->jobs()->watch(&reading_);
  window->jobs()->watch(&planning_);
  addOurs();
  window->onDropped([this](const QString& file) { take(file); });
  connect(window, &MainWindow::shown, this, &PlanFileFeature::showRun);
  connect(comparison, &ComparePanel::comparisonChanged, this, &PlanFileFeature::keepRows);
}

void PlanFileFeature::addOurs() {
  QAction* ours = window_->addRunCommand(window_->menu(MenuKind::compare), "oursBelow",
                                         tr("&Ours below theirs"), {}, [this] { showOurs(); });
  ours->setStatusTip(
      tr("Plans the same buffers with the default allocator, and shows that plan below this one"));
}

void PlanFileFeature::showRun() {
  const auto run = window_->state()->run();
  if (!held_.empty() && held_.front()->model != run->model) held_.clear();
  const auto wanted = std::exchange(wanted_, {}).lock();
  if (wanted && run->model == wanted) planOurs(run);
  if (!planFileOf(*run) || run->notes.empty()) return;
  window_->messages()->showNote(
      QString::fromStdString(run->notes.front()),
      {{{}, tr("Ours below theirs"), [this](const QPoint&) { showOurs(); }}});
}

void PlanFileFeature::take(const QString& file) {
  const auto shown = window_->state()->run();
  reading_.start([file = file.toStdString(), shown, asked = window_->request()](
                     const JobContext&) { return readDropped(file, *shown, asked); },
                 [this, file, shown](const Dropped& dropped) -> JobEnd {
                   const auto now = window_->state()->run();
                   if (!dropped.isPlan || !now || now->model != shown->model) {
                     window_->openModel(file);
                     return {};
                   }
                   accept(file, dropped.run);
                   if (dropped.run) return {};
                   return {JobState::failed, QString::fromStdString(dropped.run.error().text())};
                 });
}

/// A plan of something else is not lost: it opens alone.
void PlanFileFeature::accept(const QString& file, const Result<std::shared_ptr<const Run>>& run) {
  const auto shown = window_->state()->run();
  if (!run) {
    const QString model = QString::fromStdString(printable(shown->model->name, 60));
    window_->messages()->showNote(
        tr("%1 is no valid plan of %2: %3.")
            .arg(QFileInfo(file).fileName(), model, QString::fromStdString(run.error().text())),
        {{{}, tr("Open it alone"), [this, file](const QPoint&) { window_->openModel(file); }}});
    return;
  }
  std::erase_if(held_, [&](const auto& other) { return planFileOf(*other) == planFileOf(**run); });
  held_.push_back(*run);
  const auto comparison = comparison_->comparison();
  // Beside what was on show, where nothing was compared so far.
  if (!comparison) {
    const bool planned = !planFileOf(*shown);
    Comparison two = withRow(Comparison{}, planned ? shown : *run);
    comparison_->setComparison(std::make_shared<const Comparison>(std::move(two)));
  }
  keepRows();
  RunRequest request = requestBehind(**run);
  request.threads = window_->request().threads;
  window_->openPlanned(request, *run);
}

/// Rows of files stay when everything else is compared anew.
void PlanFileFeature::keepRows() {
  const auto comparison = comparison_->comparison();
  if (keeping_ || !comparison || held_.empty() || comparison->model != held_.front()->model) return;
  Comparison whole = *comparison;
  std::erase_if(whole.rows,
                [](const ComparisonRow& row) { return row.run && planFileOf(*row.run); });
  for (const auto& run : held_) whole = withRow(std::move(whole), run);
  if (whole.rows.size() == comparison->rows.size() &&
      std::ranges::all_of(held_, [&](const auto& run) {
        return std::ranges::find(comparison->rows, run, &ComparisonRow::run) !=
               comparison->rows.end();
      })) {
    return;
  }
  keeping_ = true;
  comparison_->setComparison(std::make_shared<const Comparison>(std::move(whole)));
  keeping_ = false;
}

/// Of a model that brings a plan along, that plan comes on show first.
void PlanFileFeature::showOurs() {
  const auto run = window_->state()->run();
  const bool bringsOne = run->model->options.empty() && hasOwnPlan(*run->model->graph);
  if (!bringsOne || run->request.allocator.info->way == Way::embedded) return planOurs(run);
  RunRequest request = window_->request();
  request.allocator = AllocatorChoice::parse("embedded").value();
  if (!run->model->problem) request.alignment = ownAlignment(*run->model->graph);
  wanted_ = run->model;
  window_->planWith(request);
}

/// The same problem: aligned as theirs is, and sharing what theirs shares.
void PlanFileFeature::planOurs(const std::shared_ptr<const Run>& theirs) {
  RunRequest request = theirs->request;
  request.allocator = AllocatorChoice::parse(kDefaultAllocator).value();
  request.alignment = theirs->sharing.alignment;
  request.alias = theirs->sharing.alias;
  request.threads = window_->request().threads;
  planning_.start([model = theirs->model,
                   request](const JobContext& context) { return execute(model, request, context); },
                  [this, theirs](const auto& ours) -> JobEnd {
                    if (!ours) {
                      const QString why = QString::fromStdString(ours.error().text());
                      window_->messages()->showError(tr("Nothing to show below: %1.").arg(why));
                      return {JobState::failed, why};
                    }
                    if (window_->state()->run() == theirs) window_->showBelow(*ours);
                    return {};
                  });
}

}  // namespace hw
