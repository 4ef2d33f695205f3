#include "widgets/frame/status_line.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/plan/overlap_use.h"
#include "widgets/base/icons.h"
#include "widgets/text/run_text.h"

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

/// How many outputs overlap the inputs they are made of, as they may.
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
  live_ = addField(tr("Bytes that have an owner now, in all pools"));
  arena_ = addField(tr("Bytes used so far of each pool"));
  hole_ = addField(tr("The largest free block below the frontier of the first pool, now"));
  valid_ = addField(tr("What a check that shares no code with the planner says"));
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
  Bytes live;
  QStringList arenas;
  for (const PoolId pool : memory.keys()) {
    live += memory[pool].inUse();
    if (run->metrics.pools[pool].stays == 0) continue;
    arenas.append(
        QStringLiteral("%1 %2").arg(poolText(*run, pool), sizeText(memory[pool].footprint())));
  }
  const QString step = tr("Step %1").arg(state_->step().count());
  step_->setText(state_->axis() == AxisUnit::time
                     ? QStringLiteral("%1, %2").arg(step, timeText(state_->time()))
                     : step);
  live_->setText(tr("live %1").arg(sizeText(live)));
  arena_->setText(arenas.isEmpty() ? QString()
                                   : tr("arena %1").arg(arenas.join(QStringLiteral(", "))));
  hole_->setText(tr("largest hole %1").arg(sizeText(largestFree(memory[PoolId(0)]))));
}

void StatusLine::setViolations(std::size_t count) {
  const auto run = state_->run();
  if (!run) return;
  const auto unplaced = std::ranges::count_if(
      run->plan.addresses, [](const auto& address) { return !address.has_value(); });
  if (count > 0) {
    valid_->setText(tr("plan INVALID: %n finding(s)", nullptr, static_cast<int>(count)));
  } else if (unplaced > 0) {
    valid_->setText(tr("plan incomplete: %n not placed", nullptr, static_cast<int>(unplaced)));
  } else {
    const QString aligned = tr("%1 B aligned").arg(run->sharing.alignment.count());
    const int over = outputsOverInputs(*run);
    valid_->setText(over > 0 ? tr("plan valid: %n output(s) over inputs, ", nullptr, over) + aligned
                             : tr("plan valid: no overlaps, ") + aligned);
  }
  showMoment();
}

QString StatusLine::text() const {
  QStringList parts;
  for (const QLabel* field : {step_, live_, arena_, hole_, valid_, pointer_}) {
    parts.append(field->text());
  }
  return parts.join(QStringLiteral(" | "));
}

}  // namespace hw
