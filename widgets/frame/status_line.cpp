#include "widgets/frame/status_line.h"

#include <QHBoxLayout>
#include <QPainter>
#include <algorithm>
#include <ranges>

#include "core/base/text.h"
#include "core/picture/plot.h"
#include "core/plan/constraint_use.h"
#include "core/plan/overlap_use.h"
#include "core/report/plan/plan_text.h"
#include "widgets/base/icons.h"
#include "widgets/base/theme.h"
#include "widgets/map/map_colors.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Words that do not fit are cut: they must not make the window wider than the screen.
constexpr int kLeastField = 24;

Bytes largestFree(const ChunkMap& chunks) {
  Bytes largest;
  for (std::size_t region = 0; region < chunks.regionCount(); ++region) {
    for (const Chunk& chunk : chunks.chunks(RegionId(region))) {
      if (chunk.isFree()) largest = std::max(largest, chunk.size);
    }
  }
  return largest;
}

/// A figure of every memory that something lives in: "live L2 812 KiB, L3 1.20 MiB".
QString ofEveryPool(const Run& run, const MemoryState& memory, const QString& what,
                    Bytes (*figure)(const ChunkMap&)) {
  QStringList parts;
  for (const PoolId pool : usedPools(run)) {
    parts.append(QStringLiteral("%1 %2").arg(poolText(run, pool), sizeText(figure(memory[pool]))));
  }
  return parts.isEmpty() ? QString() : what + QLatin1Char(' ') + parts.join(QStringLiteral(", "));
}

/// The memories that the plan needs more of than there is: "L2 needs 3.00 MiB of 1.00 MiB".
QString overText(const Run& run) {
  QStringList parts;
  for (const PoolId pool : run.problem.pools.keys()) {
    const auto& capacity = run.problem.pools[pool].capacity;
    const Bytes peak = run.plan.footprint(pool);
    if (!capacity || peak <= *capacity) continue;
    parts.append(StatusLine::tr("%1 needs %2 of %3")
                     .arg(poolText(run, pool), sizeText(peak), sizeText(*capacity)));
  }
  return parts.join(QStringLiteral(", "));
}

/// The number of outputs that overlap the inputs they are made of, as they may.
int outputsOverInputs(const Run& run) {
  return static_cast<int>(std::ranges::count_if(run.problem.overlaps, [&](const Overlap& each) {
    return !sharedBytes(run.problem, run.plan, each).empty();
  }));
}

}  // namespace

StatusLine::StatusLine(ViewState* state, Job* job, QWidget* parent)
    : QStatusBar(parent), state_(state) {
  setObjectName(QStringLiteral("statusLine"));
  step_ = addField(tr("The step under way, and in time its moment"));
  live_ = addField(tr("Bytes that have an owner now, in each memory"));
  arena_ = addField(tr("Bytes used so far of each memory"));
  hole_ = addField(tr("The largest free block below the frontier of each memory, now"));
  valid_ = addField({});
  pointer_ = new QLabel(this);
  pointer_->setTextFormat(Qt::PlainText);
  pointer_->setMinimumWidth(1);
  addWidget(pointer_, 1);
  addProgress(job);
  connect(state, &ViewState::runChanged, this, &StatusLine::showRun);
  connect(state, &ViewState::momentChanged, this, &StatusLine::showMoment);
  connect(state, &ViewState::axisChanged, this, &StatusLine::showMoment);
  showRun();
}

QLabel* StatusLine::addField(const QString& toolTip) {
  auto* field = new QLabel(this);
  field->setTextFormat(Qt::PlainText);
  field->setToolTip(toolTip);
  field->setContentsMargins(6, 0, 10, 0);
  field->setMinimumWidth(kLeastField);
  addWidget(field);
  return field;
}

void StatusLine::addProgress(Job* job) {
  work_ = new QLabel(this);
  work_->setMinimumWidth(kLeastField);
  progress_ = new QProgressBar(this);
  progress_->setObjectName(QStringLiteral("progress"));
  progress_->setAccessibleName(tr("Progress of planning"));
  progress_->setFixedWidth(160);
  progress_->setTextVisible(false);
  cancel_ = new QToolButton(this);
  cancel_->setObjectName(QStringLiteral("cancel"));
  cancel_->setIcon(glyphIcon(Glyph::cancel));
  cancel_->setAutoRaise(true);
  cancel_->setToolTip(tr("Cancel"));
  cancel_->setAccessibleName(tr("Cancel planning"));
  for (QWidget* widget : {static_cast<QWidget*>(work_), static_cast<QWidget*>(progress_),
                          static_cast<QWidget*>(cancel_)}) {
    addPermanentWidget(widget);
    widget->hide();
  }
  const auto show = [this](bool running) {
    work_->setVisible(running);
    progress_->setVisible(running);
    cancel_->setVisible(running);
  };
  connect(cancel_, &QToolButton::clicked, job, &Job::stop);
  connect(job, &Job::started, this, [this, show] {
    progress_->setRange(0, 0);
    work_->setText(tr("Planning"));
    show(true);
  });
  connect(job, &Job::progressed, this, [this](double fraction, const QString& what) {
    progress_->setRange(0, 1000);
    progress_->setValue(static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 1000));
    work_->setText(what);
  });
  connect(job, &Job::ended, this, [show] { show(false); });
}

void StatusLine::showRun() {
  valid_->clear();
  pointer_->clear();
  showMoment();
}

void StatusLine::showMoment() {
  const auto run = state_->run();
  for (QLabel* field : {step_, live_, arena_, hole_}) field->setVisible(run != nullptr);
  valid_->setVisible(run && !valid_->text().isEmpty());
  if (!run) return;
  const MemoryState memory = run->trace.stateAfter(state_->moment());
  const QString step = tr("Step %1").arg(grouped(state_->step().count()));
  step_->setText(state_->axis() == AxisUnit::time
                     ? QStringLiteral("%1, %2").arg(step, timeText(state_->time()))
                     : step);
  live_->setText(ofEveryPool(*run, memory, tr("live"), [](const auto& of) { return of.inUse(); }));
  arena_->setText(
      ofEveryPool(*run, memory, tr("arena"), [](const auto& of) { return of.footprint(); }));
  hole_->setText(ofEveryPool(*run, memory, tr("largest hole"), largestFree));
  fit();
}

void StatusLine::setViolations(std::size_t count) {
  const auto run = state_->run();
  if (!run) return;
  const auto unplaced = std::ranges::count_if(
      run->plan.addresses, [](const auto& address) { return !address.has_value(); });
  valid_->setToolTip(tr("What a check that shares no code with the planner says"));
  if (count > 0) {
    valid_->setText(tr("plan INVALID: %n finding(s)", nullptr, static_cast<int>(count)));
  } else if (unplaced > 0) {
    valid_->setText(tr("plan incomplete: %n not placed", nullptr, static_cast<int>(unplaced)));
  } else if (const QString over = overText(*run); !over.isEmpty()) {
    valid_->setText(tr("does NOT fit: %1").arg(over));
    valid_->setToolTip(QString::fromStdString(planFailure(*run).value_or("")));
  } else {
    const auto of = std::views::transform(run->problem.stays, &Stay::alignment);
    const auto [least, most] =
        of.empty() ? std::ranges::minmax({run->sharing.alignment}) : std::ranges::minmax(of);
    const QString to = most > least ? tr(" to %1").arg(grouped(most.count())) : QString();
    const QString aligned = tr("%1%2 B aligned").arg(grouped(least.count()), to);
    const int shared = outputsOverInputs(*run);
    const QString overlaps =
        shared > 0 ? tr("%n output(s) over inputs", nullptr, shared) : tr("no overlaps");
    QString text = tr("plan valid: %1, %2").arg(overlaps, aligned);
    if (!run->problem.constraints.penalties.empty()) {
      text += tr(", reuse penalty %1").arg(grouped(penaltyOf(run->problem, run->plan)));
    }
    valid_->setText(text);
  }
  showMoment();
}

/// Hides what has no room as a whole, the least wanted first: a figure that is cut is a wrong one.
void StatusLine::fit() {
  int room = width() - 24;
  for (QLabel* field : {step_, valid_, live_, arena_, hole_}) {
    if (field->text().isEmpty()) continue;
    room -= field->sizeHint().width();
    field->setVisible(room >= 0 || field == step_);
  }
}

void StatusLine::resizeEvent(QResizeEvent* event) {
  QStatusBar::resizeEvent(event);
  if (state_->run()) fit();
}

QString StatusLine::text() const {
  QStringList parts;
  for (const QLabel* field : {step_, live_, arena_, hole_, valid_, pointer_}) {
    parts.append(field->text());
  }
  return parts.join(QStringLiteral(" | "));
}

RangeChip::RangeChip(ViewState* state, QWidget* parent)
    : QWidget(parent), state_(state), label_(new QLabel(this)), close_(new QToolButton(this)) {
  setObjectName(QStringLiteral("rangeChip"));
  close_->setIcon(glyphIcon(Glyph::cancel));
  close_->setIconSize({12, 12});
  close_->setAutoRaise(true);
  close_->setToolTip(tr("Statistics of the whole run again"));
  close_->setAccessibleName(close_->toolTip());
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(8, 0, 2, 0);
  line->setSpacing(2);
  line->addWidget(label_);
  line->addWidget(close_);
  connect(close_, &QToolButton::clicked, this, [this] { state_->restrictStatistics({}); });
  connect(state, &ViewState::statisticsRangeChanged, this, &RangeChip::showRange);
  showRange();
}

void RangeChip::showRange() {
  const auto range = state_->statisticsRange();
  setVisible(range.has_value());
  if (!range) return;
  const auto text = [](Step step) { return QString::fromStdString(groupDigits(step.count())); };
  label_->setText(
      tr("Statistics: steps %1\u2013%2 only").arg(text(range->begin), text(range->end - Step(1))));
  setAccessibleName(label_->text());
}

void RangeChip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& theme = Theme::current();
  painter.setPen(theme.selection);
  painter.setBrush(mixColors(theme.selection, theme.window, 0.2));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

}  // namespace hw
