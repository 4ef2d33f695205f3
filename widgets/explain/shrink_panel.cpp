#include "widgets/explain/shrink_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <new>

#include "core/base/text.h"
#include "core/report/explain/advice_report.h"
#include "core/report/explain/front_report.h"
#include "core/run/options.h"
#include "core/shrink/runtime_shrink.h"
#include "widgets/base/bar_delegate.h"
#include "widgets/base/html_page.h"
#include "widgets/base/panel_parts.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

QString stepWords(const std::string& text) { return QString::fromStdString(text); }

class StepList {
 public:
  std::vector<ShrinkStep> of(const ShrinkFindings& findings) {
    if (findings.front) addFront(*findings.front);
    if (findings.advice) addAdvice(*findings.advice);
    std::ranges::stable_sort(steps_, [](const ShrinkStep& a, const ShrinkStep& b) {
      if (!a.run || !b.run) return a.run && !b.run;
      return a.leaves > b.leaves;
    });
    return std::move(steps_);
  }

 private:
  void addFront(const ShrinkFront& front) {
    for (const ShrinkTrial& trial : front.trials) {
      ShrinkStep step{.what = stepWords(shrinkStepText(trial)),
                      .why = stepWords(shrinkSaidText(trial)),
                      .run = trial.run,
                      .base = front.plain.run,
                      .bound = trial.bound,
                      .anyOrder = trial.anyOrder};
      if (trial.run) {
        step.options = stepWords(shrinkOptionsText(front, *trial.run));
        step.leaves = trial.peak.value_or(Bytes());
        step.saved = front.plain.peak - step.leaves;
      }
      const auto point = std::ranges::find(front.points, trial.run, &ShrinkPoint::run);
      if (point != front.points.end()) step.extraMacs = point->extraMacs;
      steps_.push_back(std::move(step));
    }
    for (const ShrinkPoint& point : front.points) {
      if (std::ranges::find(steps_, point.run, &ShrinkStep::run) != steps_.end()) continue;
      const Bytes to = point.run->request.tileTo;
      QString what = stepWords(shrinkStepText(point));
      if (to > Bytes()) what = tr("%1, for %2").arg(what, stepWords(formatBytes(to)));
      steps_.push_back({.what = what,
                        .options = stepWords(shrinkOptionsText(front, *point.run)),
                        .why = {},
                        .run = point.run,
                        .base = front.plain.run,
                        .leaves = point.peak,
                        .saved = front.plain.peak - point.peak,
                        .bound = point.bound,
                        .extraMacs = point.extraMacs});
    }
  }

  void addAdvice(const AdviceReport& report) {
    for (const Advice& advice : report.found) {
      QString options;
      for (const std::string& each : adviceOptions(*report.base, advice)) {
        if (!options.isEmpty()) options += QLatin1Char(' ');
        options += stepWords(each);
      }
      QString why = stepWords(adviceDetail(*report.base, advice));
      if (advice.makesFit) why = why.isEmpty() ? tr("it fits") : tr("it fits; %1").arg(why);
      steps_.push_back({.what = stepWords(adviceText(*report.base, advice)),
                        .options = options,
                        .why = why,
                        .run = advice.run,
                        .base = report.base,
                        .leaves = footprintOf(*advice.run),
                        .saved = advice.saved});
    }
  }

  std::vector<ShrinkStep> steps_;
};

}  // namespace

std::vector<ShrinkStep> shrinkSteps(const ShrinkFindings& findings) {
  return StepList().of(findings);
}

namespace {

/// Rewrites take longer than all that is tried after them.
constexpr double kRewritesShare = 0.8;

/// A part of the bytes that the run has without the step, at most 1.
double shareOf(const ShrinkStep& step, Bytes bytes) {
  const Bytes all = footprintOf(*step.base);
  return all == Bytes()
             ? 0
             : std::min(1.0, static_cast<double>(bytes.count()) / static_cast<double>(all.count()));
}

/// What is known of a step, as a page.
QString stepFacts(const ShrinkStep& step) {
  HtmlPage page(step.what.toHtmlEscaped(),
                step.run ? ShrinkPanel::tr("with %1").arg(limitsText(*step.run)) : QString());
  if (step.run) {
    const QString saved =
        step.saved == Bytes() ? QString() : ShrinkPanel::tr(", %1 saved").arg(sizeText(step.saved));
    page.add(ShrinkPanel::tr("Total peak"), fullSizeText(step.leaves) + saved);
  }
  if (step.bound) {
    page.add(ShrinkPanel::tr("Lower bound"),
             step.anyOrder ? ShrinkPanel::tr("%1, in any order").arg(sizeText(*step.bound))
                           : sizeText(*step.bound));
  }
  if (step.run && step.run != step.base) {
    const RunFigures before = figuresOf(*step.base);
    const RunFigures after = figuresOf(*step.run);
    const auto change = [&](const QString& key, const QString& from, const QString& to) {
      page.add(key, from == to ? to : QStringLiteral("%1 \u2192 %2").arg(from, to));
    };
    if (before.latency && after.latency) {
      change(ShrinkPanel::tr("Latency"), timeText(*before.latency), timeText(*after.latency));
      change(ShrinkPanel::tr("Traffic"), sizeText(farTraffic(*step.base).value_or(Bytes())),
             sizeText(farTraffic(*step.run).value_or(Bytes())));
      change(ShrinkPanel::tr("Moved to L3"), sizeText(before.spilled.value_or(Bytes())),
             sizeText(after.spilled.value_or(Bytes())));
    }
    page.add(ShrinkPanel::tr("MACs again"),
             step.extraMacs <= 0 ? ShrinkPanel::tr("none")
                                 : QStringLiteral("+%1 %").arg(step.extraMacs * 100, 0, 'f', 1));
  }
  if (!step.why.isEmpty()) page.add(ShrinkPanel::tr("What came of it"), step.why);
  if (!step.options.isEmpty()) {
    page.addHtml(ShrinkPanel::tr("It sets"),
                 QStringLiteral("<tt>%1</tt>").arg(step.options.toHtmlEscaped()));
  }
  return page.finish();
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
    : WorkPanel({.start = tr("Shrink"),
                 .progress = tr("Progress of the search"),
                 .stop = tr("Keeps what is found"),
                 .job = tr("Shrinking")},
                parent),
      state_(state),
      chart_(new DotChart(this)),
      table_(new QTableWidget(this)),
      facts_(new QLabel(this)),
      below_(new QPushButton(tr("Show below"), this)),
      open_(new QPushButton(tr("Apply to my plan"), this)),
      save_(new QPushButton(tr("Save a model that runs\u2026"), this)) {
  chart_->setObjectName(QStringLiteral("shrinkChart"));
  chart_->setAccessibleName(
      tr("Bytes against latency; Left and Right go from plan to plan, Enter opens it"));
  below_->setObjectName(QStringLiteral("shrinkBelow"));
  open_->setObjectName(QStringLiteral("shrinkOpen"));
  save_->setObjectName(QStringLiteral("shrinkSave"));
  save_->setToolTip(tr("For tflite-micro as it is, or as C: operators in parts, the same results"));
  buildTable();
  facts_->setObjectName(QStringLiteral("shrinkFacts"));
  facts_->setWordWrap(true);
  facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  facts_->setContentsMargins(12, 8, 12, 4);
  open_->setDefault(true);
  auto* room = new QScrollArea(this);  // In a low window rows of the table come first.
  room->setWidget(facts_);
  room->setWidgetResizable(true);
  room->setFrameShape(QFrame::NoFrame);
  room->viewport()->setBackgroundRole(QPalette::Base);
  table_->setMinimumHeight(5 * table_->verticalHeader()->defaultSectionSize());
  build({table_, room, buildButtons()});
  static_cast<QVBoxLayout*>(layout())->setStretchFactor(room, 1);
  connect(state, &ViewState::runChanged, this, &ShrinkPanel::showRun);
  connect(chart_, &DotChart::picked, this, &ShrinkPanel::openDot);
  connect(open_, &QPushButton::clicked, this, &ShrinkPanel::openChosen);
  connect(save_, &QPushButton::clicked, this, &ShrinkPanel::saveWanted);
  connect(below_, &QPushButton::clicked, this, [this] {
    if (const ShrinkStep* step = chosen()) Q_EMIT belowWanted(step->run);
  });
  refresh();
}

QWidget* ShrinkPanel::buildButtons() {
  auto* buttons = new QWidget(this);
  auto* row = new QHBoxLayout(buttons);
  row->setContentsMargins({});
  row->addWidget(open_);
  row->addWidget(below_);
  row->addStretch(1);
  auto* rows = new QWidget(this);
  auto* column = new QVBoxLayout(rows);
  column->setContentsMargins(12, 4, 12, 12);
  column->addWidget(buttons);
  column->addWidget(save_, 0, Qt::AlignLeft);
  return rows;
}

void ShrinkPanel::buildTable() {
  table_->setObjectName(QStringLiteral("shrinkTable"));
  table_->setAccessibleName(tr("Steps, the smallest memory last"));
  dressTable(table_, 6);
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->setItemDelegateForColumn(leaves, new BarDelegate(table_));
  connect(table_, &QTableWidget::itemSelectionChanged, this, &ShrinkPanel::refresh);
  connect(table_, &QTableWidget::activated, this, &ShrinkPanel::openChosen);
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

void ShrinkPanel::start() {
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
    chart_->setScene(shrinkScene(*findings_.front));
  } else {
    chart_->clear();
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
  std::vector<QStringList> rows;
  for (const ShrinkStep& step : steps_) {
    QStringList row{step.what, {}, {}, {}};
    if (step.run) {
      row[leaves] = sizeText(step.leaves);
      if (step.saved > Bytes()) row[saves] = percentText(-shareOf(step, step.saved));
      if (step.run != step.base) row[latency] = viewText(latencyChange(*step.base, *step.run));
    }
    rows.push_back(std::move(row));
  }
  const QSignalBlocker quiet(table_);
  table_->clearSpans();
  fillRows(table_, {tr("Step"), tr("Total peak"), tr("Saves"), tr("Latency")}, rows);
  for (int row = 0; row < table_->rowCount(); ++row) {
    const ShrinkStep& step = steps_[static_cast<std::size_t>(row)];
    QTableWidgetItem* item = table_->item(row, leaves);
    if (step.run) {
      item->setData(BarDelegate::kShareRole, shareOf(step, step.leaves));
      if (step.bound) item->setData(BarDelegate::kMarkRole, shareOf(step, *step.bound));
    } else {
      table_->setSpan(row, leaves, 1, kColumns - leaves);
      item->setText(step.why);
      item->setToolTip(step.why);
      item->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
  }
  shareWidth();
  table_->selectRow(rowOfAnswer());
}

/// Leaves a narrow column to names, peaks and latencies: no bars, and no savings, which the facts
/// of the chosen step have.
void ShrinkPanel::shareWidth() {
  constexpr int kNarrow = 400;
  const int figure = fontMetrics().horizontalAdvance(QStringLiteral("88.88 MiB")) + 10;
  if (table_->columnCount() <= saves) return;
  table_->setColumnWidth(leaves, width() < kNarrow ? figure : figure + 44);
  table_->setColumnHidden(saves, width() < kNarrow);
}

void ShrinkPanel::resizeEvent(QResizeEvent* event) {
  WorkPanel::resizeEvent(event);
  shareWidth();
}

/// The plan that the answer is about, or else the last that was tried, which is the smallest.
int ShrinkPanel::rowOfAnswer() const {
  const ShrinkPoint* best = findings_.front ? findings_.front->costless() : nullptr;
  auto found = steps_.rend();
  if (best != nullptr)
    found = std::find_if(steps_.rbegin(), steps_.rend(),
                         [&](const auto& step) { return step.run == best->run; });
  if (found == steps_.rend()) {
    found = std::find_if(steps_.rbegin(), steps_.rend(),
                         [](const ShrinkStep& step) { return step.run != nullptr; });
  }
  return static_cast<int>(steps_.rend() - found) - 1;
}

Figure ShrinkPanel::answer() const {
  if (!findings_.front) return {};
  const ShrinkFront& front = *findings_.front;
  Figure answer;
  for (const ShrinkPoint& point : front.points) {
    answer.curve.emplace_back(static_cast<double>(point.peak.count()),
                              static_cast<double>(point.latency.count()));
  }
  if (!front.shrinks()) {
    answer.value = tr("no way was found to need less");
    return answer;
  }
  const ShrinkPoint* free = front.costless();
  const ShrinkPoint& best = free != nullptr ? *free : front.points.front();
  answer.mark = static_cast<std::size_t>(&best - front.points.data());
  const auto change = [](auto before, auto after) {
    return stepWords(formatPercent(
        static_cast<double>(after.count()) / static_cast<double>(before.count()) - 1));
  };
  answer.value = tr("%1 memory").arg(change(front.plain.peak, best.peak));
  if (front.plain.latency == SimTime()) return answer;
  answer.value += free != nullptr
                      ? tr(", same latency")
                      : tr(", %1 latency").arg(change(front.plain.latency, best.latency));
  return answer;
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

void ShrinkPanel::openDot(int dot) {
  if (!findings_.front) return;
  const ShrinkFront& front = *findings_.front;
  const auto place = static_cast<std::size_t>(dot);
  const auto run = place < front.points.size() ? front.points[place].run : front.plain.run;
  const auto row = std::ranges::find(steps_, run, &ShrinkStep::run);
  if (row == steps_.end()) return;
  table_->selectRow(static_cast<int>(row - steps_.begin()));
  openChosen();
}

/// The one whose plan is on show.
int ShrinkPanel::markedDot() const {
  const auto run = state_->run();
  if (!run || !findings_.front) return DotChart::kNone;
  const auto& points = findings_.front->points;
  const auto own = std::ranges::find_if(
      points, [&](const ShrinkPoint& point) { return isSame(*run, *point.run); });
  // Behind the points there is the plan as it is.
  const bool any = own != points.end() || isSame(*run, *findings_.front->plain.run);
  return any ? static_cast<int>(own - points.begin()) : DotChart::kNone;
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
  showWork(run && !busy && !known,
           !run    ? tr("Open a model first")
           : busy  ? tr("It is being looked for")
           : known ? tr("All is found for these settings")
                   : tr("Plans and simulates what might make the memory smaller"));
  table_->setVisible(!steps_.empty());
  const ShrinkStep* step = chosen();
  const int row = table_->currentRow();
  const bool any = row >= 0 && static_cast<std::size_t>(row) < steps_.size();
  facts_->setText(any ? pageStyle() + stepFacts(steps_[static_cast<std::size_t>(row)]) : QString());
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
  save_->setVisible(run && isForRuntimes(run->model->format));
  chart_->setEmptyText(emptyReason());
  chart_->setMarked(markedDot());
  if (!busy) note_->setText(noteText());
  note_->setToolTip(note_->text());
}

}  // namespace hw
