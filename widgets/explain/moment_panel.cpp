#include "widgets/explain/moment_panel.h"

#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/insight/moment.h"
#include "core/plan/measure_range.h"
#include "widgets/base/panel_parts.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

MethodCell lastCell(const std::optional<Step>& used) {
  return used ? MethodCell(used->count()) : MethodCell(std::string());
}

/// Steps between the last use and the release; empty when it is released at once.
MethodCell lateCell(const std::optional<Step>& used, Step end) {
  const std::int64_t late = used ? end.count() - 1 - used->count() : 0;
  return late > 0 ? MethodCell(late) : MethodCell(std::string());
}

/// Bytes that are held though nothing needs them any more.
Bytes heldBytes(const IdMap<StayId, std::optional<Step>>& last, const Moment& moment) {
  Bytes sum;
  for (const Moment::Tenant& tenant : moment.tenants) {
    if (last[tenant.stay] && *last[tenant.stay] < moment.step) sum += tenant.bytes.length();
  }
  return sum;
}

}  // namespace

MomentPanel::MomentPanel(ViewState* state, QWidget* parent)
    : PoolTablePanel(state, new QComboBox, parent),
      when_(qobject_cast<QComboBox*>(head_->itemAt(1)->widget())) {
  when_->setAccessibleName(tr("When"));
  when_->addItems({tr("At its highest address"), tr("At its live peak"), tr("At this step")});
  when_->setToolTip(
      tr("The step that makes the pool as large as it is, the one with most bytes "
         "live, or the step under way"));
  view()->setObjectName(QStringLiteral("momentTable"));
  view()->setAccessibleName(tr("Live tensors and holes"));
  connect(state, &ViewState::runChanged, this, &MomentPanel::showRun);
  connect(state, &ViewState::statisticsRangeChanged, this, [this] {
    if (shownRange_ != state_->statisticsRange()) showMoment();
  });
  connect(state, &ViewState::momentChanged, this, [this] {
    if (when_->currentIndex() == atThisStep && shown_ != state_->step()) showMoment();
  });
  const auto again = [this] { showMoment(); };
  connect(pool_, &QComboBox::currentIndexChanged, this, again);
  connect(when_, &QComboBox::currentIndexChanged, this, again);
  new SeenWatch(this, [this] {
    if (!shown_) showMoment();
  });
  showRun();
}

void MomentPanel::addPeaks(QMenu* menu) {
  auto* button = new QToolButton(this);
  button->setObjectName(QStringLiteral("peaks"));
  button->setText(tr("Peaks"));
  button->setToolTip(tr("The local peaks of the run, highest first"));
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(menu);
  head_->insertWidget(2, button);
}

void MomentPanel::showRun() {
  offerPools();
  when_->setEnabled(pool_->count() > 0);
  showMoment();
}

/// Of the whole run, or of the range that statistics are restricted to.
std::optional<Step> MomentPanel::stepIn(const Run& run, PoolId pool) const {
  if (when_->currentIndex() == atThisStep) return state_->step();
  const auto range = state_->statisticsRange();
  const PoolMetrics metrics =
      range ? measureRange(run.problem, run.plan, *range).pools[pool] : run.metrics.pools[pool];
  if (metrics.stays == 0) return {};
  return when_->currentIndex() == atLivePeak ? metrics.peakStep : metrics.atTop.step;
}

void MomentPanel::showMoment() {
  shown_.reset();
  const auto run = state_->run();
  shownRange_ = state_->statisticsRange();
  if (run && !isSeen(this)) return;  // Looked up when somebody looks.
  if (!run || !pool()) {
    return sayOnly(tr("Open a model to see what makes its memory as large as it is."));
  }
  const auto step = stepIn(*run, pool());
  shown_ = step.value_or(Step());
  if (!step) return sayOnly(tr("Nothing lives here."));
  const Moment moment = momentAt(run->problem, run->plan, pool(), *step);
  const LastUses lastUsed = lastUses(run->problem);
  say(sumText(moment, lastUsed));
  view()->setTable(run, tableOf(moment, lastUsed));
}

QString MomentPanel::sumText(const Moment& moment, const LastUses& lastUsed) const {
  const QString kept = moment.keptBytes == Bytes()
                           ? QString()
                           : tr(" + %1 kept in blocks").arg(sizeText(moment.keptBytes));
  const QString sum =
      tr("Step %1: %2 live%3 + %4 in holes + %5 above = %6")
          .arg(grouped(moment.step.count()), sizeText(moment.live), kept,
               sizeText(moment.holeBytes), sizeText(moment.above), sizeText(moment.footprint));
  const Bytes held = heldBytes(lastUsed, moment);
  return held == Bytes() ? sum : sum + tr("; %1 held after the last use").arg(sizeText(held));
}

/// Largest first, tensors, rests of blocks and holes alike.
MethodTable MomentPanel::tableOf(const Moment& moment, const LastUses& lastUsed) const {
  const auto title = [](const QString& text) { return text.toStdString(); };
  MethodTable table{.columns = {title(tr("what")), title(tr("tensor")), title(tr("bytes")),
                                title(tr("% of pool")), title(tr("offset")),
                                title(tr("first step")), title(tr("last step")), title(tr("below")),
                                title(tr("above")), title(tr("last used")),
                                title(tr("held after"))}};
  const auto share = [&](Bytes bytes) {
    const double part = static_cast<double>(bytes.count()) /
                        static_cast<double>(std::max(moment.footprint, Bytes(1)).count());
    return std::int64_t{std::lround(part * 100)};
  };
  for (const Moment::Tenant& tenant : moment.tenants) {
    const Bytes size = tenant.bytes.length();
    addRow(table,
           {title(tr("tensor")), tenant.stay, size, share(size), tenant.bytes.begin,
            tenant.steps.begin.count(), tenant.steps.end.count() - 1, std::string(), std::string(),
            lastCell(lastUsed[tenant.stay]), lateCell(lastUsed[tenant.stay], tenant.steps.end)});
  }
  for (const Moment::Kept& kept : moment.kept) {
    const Bytes size = kept.bytes.length();
    addRow(table, {title(tr("kept")),
                   kept.block.empty() ? MethodCell(kept.tenant) : MethodCell(kept.block), size,
                   share(size), kept.bytes.begin, std::string(), kept.until.count() - 1,
                   std::string(), std::string(), std::string(), std::string()});
  }
  for (const Moment::Hole& hole : moment.holes) {
    const Bytes size = hole.bytes.length();
    addRow(table, {title(tr("hole")), std::string(), size, share(size), hole.bytes.begin,
                   std::string(), hole.until.count() - 1,
                   hole.below ? MethodCell(hole.below) : MethodCell(title(tr("the bottom"))),
                   hole.above, std::string(), std::string()});
  }
  std::ranges::stable_sort(table.rows, std::greater{},
                           [](const auto& row) { return std::get<Bytes>(row[2]); });
  return table;
}

}  // namespace hw
