#include "widgets/explain/shrink_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <new>

#include "core/base/text.h"
#include "core/report/explain/advice_report.h"
#include "core/report/explain/front_report.h"
#include "core/run/options.h"
#include "widgets/base/list_page.h"
#include "widgets/base/work_head.h"
#include "widgets/text/run_text.h"

namespace hw {
namespace {

constexpr int kWidestStep = 280;
/// Rewrites take longer than all that is tried after them.
constexpr double kRewritesShare = 0.8;

/// What the step costs besides memory, before and after.
QString stepPrice(const ShrinkStep& step) {
  const RunFigures before = figuresOf(*step.base);
  const RunFigures after = figuresOf(*step.run);
  if (!before.latency || !after.latency) return ShrinkPanel::tr("No operators are known to time");
  const auto far = [](const Run& run) { return sizeText(farTraffic(run).value_or(Bytes())); };
  return ShrinkPanel::tr(
             "With %1\nLatency %2, then %3\nMoved by memories beyond the first %4, then %5\n"
             "Spilled %6, then %7")
      .arg(limitsText(*step.run), timeText(*before.latency), timeText(*after.latency),
           far(*step.base), far(*step.run), sizeText(before.spilled.value_or(Bytes())),
           sizeText(after.spilled.value_or(Bytes())));
}

QString extraText(double extra) {
  return extra <= 0 ? QString() : ShrinkPanel::tr("+%1 %").arg(extra * 100, 0, 'f', 1);
}

/// Progress of a part of a job, `share` of it from `from` on.
RunContext partOfJob(const JobContext& context, double from, double share) {
  return {.stop = context.stop, .progress = [&context, from, share](double done, const auto& what) {
            if (context.progress) context.progress(from + done * share, what);
          }};
}

using Tell = std::function<void(std::shared_ptr<const ShrinkFront>)>;

/// On a very large model memory may run out: what was found by then is the answer.
void findFront(ShrinkFindings& found, const std::shared_ptr<const Run>& run, ShrinkOptions options,
               const JobContext& context, const Tell& tell) {
  options.report = [&](const ShrinkFront& so_far) {
    found.front = std::make_shared<const ShrinkFront>(so_far);
    tell(found.front);
  };
  try {
    auto front = shrink(run->model, run->request, options, partOfJob(context, 0, kRewritesShare));
    if (front) {
      found.front = std::make_shared<const ShrinkFront>(*std::move(front));
    } else if (front.error().code != ErrorCode::stopped) {
      found.whyNot = QString::fromStdString(front.error().text());
    }
  } catch (const std::bad_alloc&) {
    found.whyNot = ShrinkPanel::tr("there is not enough memory to go on");
  }
}

void findAdvice(ShrinkFindings& found, const std::shared_ptr<const Run>& run,
                const JobContext& context) {
  const double from = found.front ? kRewritesShare : 0;
  try {
    found.advice = std::make_shared<const AdviceReport>(
        advise(run, {.programs = found.front == nullptr}, partOfJob(context, from, 1 - from)));
  } catch (const std::bad_alloc&) {
    found.advice = std::make_shared<const AdviceReport>(AdviceReport{.base = run, .stopped = true});
  }
}

}  // namespace

ShrinkPanel::ShrinkPanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      split_(new QSplitter(Qt::Horizontal, this)),
      chart_(new DotChart(this)),
      table_(new QTableWidget(this)),
      start_(new QPushButton(tr("Shrink"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      below_(new QPushButton(tr("Show below"), this)),
      open_(new QPushButton(tr("Open"), this)),
      progress_(new QProgressBar(this)),
      note_(new QLabel(this)) {
  setMinimumSize(320, 110);
  chart_->setObjectName(QStringLiteral("shrinkChart"));
  chart_->setAccessibleName(
      tr("Bytes against latency; Left and Right go from plan to plan, Enter opens it"));
  buildTable();
  split_->addWidget(chart_);
  split_->addWidget(table_);
  split_->setChildrenCollapsible(false);
  split_->setSizes({400, 600});
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildHead());
  layout->addWidget(split_, 1);
  connect(state, &ViewState::runChanged, this, &ShrinkPanel::showRun);
  connect(chart_, &DotChart::picked, this, &ShrinkPanel::openDot);
  connect(&job_, &Job::started, this, &ShrinkPanel::refresh);
  connect(&job_, &Job::ended, this, &ShrinkPanel::refresh);
  connect(&job_, &Job::progressed, this, [this](double fraction, const QString& doing) {
    progress_->setValue(qRound(fraction * progress_->maximum()));
    note_->setText(doing);
  });
  refresh();
}

void ShrinkPanel::buildTable() {
  table_->setObjectName(QStringLiteral("shrinkTable"));
  table_->setAccessibleName(tr("Steps, the smallest memory last"));
  table_->setColumnCount(kColumns);
  dressTable(table_, 6);
  table_->setHorizontalHeaderLabels({tr("Step"), tr("Leaves"), tr("Saves"), tr("Lower bound"),
                                     tr("Latency"), tr("More MACs"), tr("What came of it")});
  table_->horizontalHeaderItem(bound)->setToolTip(tr("No plan with that needs less"));
  table_->horizontalHeaderItem(extra)->setToolTip(
      tr("Multiplications made again, of those of the model"));
  for (const int column : {what, why}) {
    table_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  }
  table_->setEditTriggers(QTableView::NoEditTriggers);
  table_->setTabKeyNavigation(false);
  table_->horizontalHeader()->setStretchLastSection(true);
  connect(table_, &QTableWidget::itemSelectionChanged, this, &ShrinkPanel::refresh);
  connect(table_, &QTableWidget::activated, this, &ShrinkPanel::openChosen);
}

QWidget* ShrinkPanel::buildHead() {
  start_->setObjectName(QStringLiteral("shrinkStart"));
  stop_->setObjectName(QStringLiteral("shrinkStop"));
  stop_->setToolTip(tr("Keeps what is found"));
  below_->setObjectName(QStringLiteral("shrinkBelow"));
  open_->setObjectName(QStringLiteral("shrinkOpen"));
  QWidget* head = workHead(this, {start_, stop_}, progress_, tr("Progress of the search"), note_,
                           {below_, open_});
  connect(start_, &QPushButton::clicked, this, &ShrinkPanel::look);
  connect(stop_, &QPushButton::clicked, &job_, &Job::stop);
  connect(open_, &QPushButton::clicked, this, &ShrinkPanel::openChosen);
  connect(below_, &QPushButton::clicked, this, [this] {
    if (const ShrinkStep* step = chosen()) Q_EMIT belowWanted(step->run);
  });
  return head;
}

/// The near memory does not matter to rewrites, nor do they to themselves: plans of the front are
/// looked at without searching anew.
bool ShrinkPanel::isCurrent(const Run& run) const {
  return before_ && run.model == before_->model &&
         sameBut(run.request, before_->request,
                 {"l2", "time-limit", "order", "move", "alias", "overlap", "tile", "tile-to",
                  "extra-work"});
}

bool ShrinkPanel::isSame(const Run& run, const Run& other) const {
  return run.model == other.model && sameBut(run.request, other.request, {"l2", "time-limit"});
}

void ShrinkPanel::look() {
  auto run = state_->run();
  if (!run || job_.isRunning() || (whole_ && isCurrent(*run))) return;
  if (isCurrent(*run)) run = before_;
  before_ = run;
  whole_ = false;
  setFindings({});
  progress_->setValue(0);
  job_.start(
      [this, run, options = options_](const JobContext& context) {
        ShrinkFindings found;
        findFront(found, run, options, context, [&](const auto& front) {
          context.tell(
              [this, front] { setFindings({.front = front, .whyNot = {}, .advice = {}}); });
        });
        if (!context.stop.stop_requested()) findAdvice(found, run, context);
        return found;
      },
      [this](const ShrinkFindings& found) { return finish(found); });
}

JobEnd ShrinkPanel::finish(const ShrinkFindings& found) {
  const bool stopped = job_.wasStopped() || (found.front && found.front->stopped) ||
                       (found.advice && found.advice->stopped);
  whole_ = !stopped;
  setFindings(found);
  const std::size_t helping = static_cast<std::size_t>(
      std::ranges::count_if(steps_, [](const ShrinkStep& step) { return step.saved > Bytes(); }));
  return {stopped ? JobState::stopped : JobState::done, tr("%1 steps help").arg(helping)};
}

void ShrinkPanel::setFindings(ShrinkFindings findings) {
  findings_ = std::move(findings);
  steps_ = shrinkSteps(findings_);
  if (findings_.front) {
    chart_->setDrawing([scene = shrinkScene(*findings_.front)](Canvas& canvas, const Box& where) {
      drawFront(canvas, scene, where);
    });
  } else {
    chart_->setDrawing(nullptr);
  }
  fillTable();
  refresh();
}

/// It goes on while other plans of its model are looked at.
void ShrinkPanel::showRun() {
  const auto run = state_->run();
  if (before_ && (!run || run->model != before_->model)) {
    job_.abandon();
    before_ = nullptr;
    whole_ = false;
    setFindings({});
  }
  refresh();
}

void ShrinkPanel::fillTable() {
  const QSignalBlocker quiet(table_);
  table_->setRowCount(static_cast<int>(steps_.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    fillRow(row, steps_[static_cast<std::size_t>(row)]);
  }
  table_->resizeColumnsToContents();
  table_->setColumnWidth(what, std::min(kWidestStep, table_->columnWidth(what) + 12));
  const auto smallest = std::ranges::find_if(
      steps_.rbegin(), steps_.rend(), [](const ShrinkStep& step) { return step.run != nullptr; });
  if (smallest != steps_.rend()) {
    table_->selectRow(static_cast<int>(steps_.rend() - smallest) - 1);
  }
}

void ShrinkPanel::fillRow(int row, const ShrinkStep& step) {
  const bool tried = step.run != nullptr;
  const bool smaller = step.saved > Bytes();
  QString bounded = step.bound ? sizeText(*step.bound) : QString();
  if (step.anyOrder) bounded = tr("%1, any order").arg(bounded);
  const std::pair<QString, QString> cells[] = {
      {step.what, step.options.isEmpty() ? step.what : step.options},
      {tried ? sizeText(step.leaves) : QString(),
       tried ? tr("%1 with %2").arg(exactText(step.leaves), limitsText(*step.run)) : QString()},
      {smaller ? sizeText(step.saved) : QString(), smaller ? exactText(step.saved) : QString()},
      {bounded, step.bound ? exactText(*step.bound) : QString()},
      {tried && step.run != step.base ? QString::fromStdString(latencyChange(*step.base, *step.run))
                                      : QString(),
       tried ? stepPrice(step) : QString()},
      {extraText(step.extraMacs), {}},
      {step.why, step.why}};
  for (int column = 0; column < kColumns; ++column) {
    auto* item = new QTableWidgetItem(cells[column].first);
    item->setToolTip(cells[column].second);
    if (column != what && column != why) {
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    table_->setItem(row, column, item);
  }
}

const ShrinkStep* ShrinkPanel::chosen() const {
  const auto rows = table_->selectionModel()->selectedRows();
  if (rows.isEmpty()) return nullptr;
  const ShrinkStep& step = steps_[static_cast<std::size_t>(rows.front().row())];
  return step.run ? &step : nullptr;
}

void ShrinkPanel::openChosen() {
  const ShrinkStep* step = chosen();
  if (step == nullptr) return;
  // Whoever is told may show another run, which changes the steps.
  const ShrinkStep kept = *step;
  Q_EMIT openWanted(kept.run, kept.what);
}

void ShrinkPanel::openDot(const QString& id) {
  if (!findings_.front) return;
  const ShrinkFront& front = *findings_.front;
  const qsizetype index = id.mid(id.indexOf(QLatin1Char('-')) + 1).toLongLong();
  const bool found = id.startsWith(QLatin1String("found-")) && index < std::ssize(front.points);
  const auto run = found ? front.points[static_cast<std::size_t>(index)].run : front.plain.run;
  const auto row = std::ranges::find(steps_, run, &ShrinkStep::run);
  if (row == steps_.end()) return;
  table_->selectRow(static_cast<int>(row - steps_.begin()));
  openChosen();
}

/// The one whose plan is on show.
std::string ShrinkPanel::markedDot() const {
  const auto run = state_->run();
  if (!run || !findings_.front) return {};
  const auto& points = findings_.front->points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (isSame(*run, *points[i].run)) return "found-" + std::to_string(i);
  }
  return isSame(*run, *findings_.front->plain.run) ? "other-0" : "";
}

QString ShrinkPanel::emptyReason() const {
  if (!state_->run()) return tr("Open a model: what would make its memory smaller is told here.");
  if (job_.isRunning()) return tr("Planning\u2026 What is found appears here as it goes.");
  if (!findings_.whyNot.isEmpty()) return tr("Nothing is rewritten: %1").arg(findings_.whyNot);
  return tr(
      "Press Shrink: other orders, work in place, overlaps and operators in parts are planned and "
      "simulated, alone and together; then other methods and alignments.");
}

QString ShrinkPanel::noteText() const {
  QStringList parts;
  const auto run = state_->run();
  if (before_ && run && !isCurrent(*run)) {
    parts.append(tr("Found for other settings than those of the plan on show: shrink again"));
  }
  if (findings_.front) {
    parts.append(tr("With %1: %2")
                     .arg(limitsText(*findings_.front->plain.run),
                          QString::fromStdString(shrinkSummary(*findings_.front))));
  }
  const bool more = findings_.advice && (!findings_.front || !findings_.advice->found.empty());
  if (more) parts.append(QString::fromStdString(adviceSummary(*findings_.advice)));
  if (before_ && !whole_ && !job_.isRunning()) {
    parts.append(tr("stopped: there would have been more"));
  }
  return parts.join(QStringLiteral("; "));
}

void ShrinkPanel::refresh() {
  const auto run = state_->run();
  const bool busy = job_.isRunning();
  const bool known = whole_ && run && isCurrent(*run);
  start_->setEnabled(run && !busy && !known);
  start_->setToolTip(!run    ? tr("Open a model first")
                     : busy  ? tr("It is being looked for")
                     : known ? tr("All is found for these settings")
                             : tr("Plans and simulates what might make the memory smaller"));
  stop_->setVisible(busy);
  progress_->setVisible(busy);
  table_->setVisible(!steps_.empty());
  const ShrinkStep* step = chosen();
  const bool shown = step != nullptr && run && isSame(*run, *step->run);
  open_->setEnabled(step != nullptr && !shown);
  below_->setEnabled(step != nullptr && !shown);
  const QString none = steps_.empty() ? tr("Nothing is found yet") : tr("Choose a step first");
  const QString here = tr("It is on show");
  open_->setToolTip(shown  ? here
                    : step ? tr("Shows its plan, with the one of before below it in lock-step; "
                                "Edit > Undo takes it back")
                           : none);
  below_->setToolTip(shown  ? here
                     : step ? tr("Shows its plan below the present one, in lock-step")
                            : none);
  chart_->setEmptyText(emptyReason());
  chart_->setMarked(markedDot());
  if (!busy) note_->setText(noteText());
  note_->setToolTip(note_->text());
}

}  // namespace hw
