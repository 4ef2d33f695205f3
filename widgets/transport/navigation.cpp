#include "widgets/transport/navigation.h"

#include <QScopedValueRollback>
#include <algorithm>

#include "core/base/text.h"
#include "core/picture/chart_scene.h"
#include "widgets/text/run_text.h"

namespace hw {

std::optional<PoolId> Landmarks::pool() const {
  const auto run = state_->run();
  if (!run) return {};
  for (const PoolMetrics& pool : run->metrics.pools) {
    if (pool.stays > 0) return pool.pool;
  }
  return {};
}

std::vector<LocalPeak> Landmarks::peaks() const {
  const auto found = pool();
  if (!found) return {};
  return localPeaks(liveCurve(*state_->run(), *found), state_->steps());
}

QString Landmarks::peakText(const LocalPeak& peak, std::size_t rank) {
  return Player::tr("%1. %2 at step %3")
      .arg(QString::number(rank + 1), sizeText(peak.bytes),
           QString::fromStdString(groupDigits(peak.steps.begin.count())));
}

void Landmarks::goToPeak(const LocalPeak& peak) {
  player_->pause();
  state_->setStep(peak.steps.begin);
}

void Landmarks::goToNextPeak() {
  const std::vector<LocalPeak> all = peaks();
  if (all.empty()) return;
  const Step now = state_->step();
  const auto here = std::ranges::find_if(
      all, [&](const LocalPeak& peak) { return peak.steps.begin <= now && now < peak.steps.end; });
  const bool last = here == all.end() || std::next(here) == all.end();
  goToPeak(last ? all.front() : *std::next(here));
}

/// The moments at which the selection is allocated or released, in ascending order.
std::vector<std::size_t> Landmarks::momentsOf(bool releases) const {
  std::vector<std::size_t> moments;
  const auto run = state_->run();
  const StayId stay = state_->selected();
  if (!run || !stay) return moments;
  for (const TimelineEntry& entry : run->timeline) {
    const bool released = entry.happening == Happening::release;
    if (entry.stay != stay || entry.happening == Happening::merge || released != releases) continue;
    moments.push_back(entry.lastEvent);
  }
  return moments;
}

bool Landmarks::goToAllocation() {
  const auto run = state_->run();
  const OpId op = state_->selectedOp();
  const bool ofOp = run && !state_->selected() && op && run->schedule.stepOf.contains(op);
  const std::vector<std::size_t> moments = momentsOf(false);
  if (!ofOp && moments.empty()) return false;
  player_->pause();
  if (ofOp) {
    state_->setStep(run->schedule.stepOf[op]);
    return true;
  }
  const auto after = std::ranges::lower_bound(moments, state_->moment());
  state_->setMoment(after == moments.begin() ? moments.front() : *std::prev(after));
  return true;
}

bool Landmarks::goToRelease() {
  const std::vector<std::size_t> moments = momentsOf(true);
  if (moments.empty()) return false;
  player_->pause();
  const auto after = std::ranges::upper_bound(moments, state_->moment());
  state_->setMoment(after == moments.end() ? moments.back() : *after);
  return true;
}

namespace {

constexpr std::size_t kMostEntries = 200;

}  // namespace

SelectionHistory::SelectionHistory(ViewState* state, QObject* parent)
    : QObject(parent), state_(state) {
  connect(state, &ViewState::runChanged, this, &SelectionHistory::checkRun);
  connect(state, &ViewState::selectionChanged, this, &SelectionHistory::note);
}

/// When nothing is selected, going back leads to what was selected last, not to the one before.
bool SelectionHistory::canGoBack() const {
  return !entries_.empty() && (at_ > 0 || now() != entries_[at_]);
}

void SelectionHistory::checkRun() {
  // Another plan of the same model may number its stays in another way.
  entries_.clear();
  at_ = 0;
  note();
  Q_EMIT changed();
}

void SelectionHistory::note() {
  if (showing_) return;
  const Entry entry = now();
  const bool nothing = !entry.stay && !entry.op;
  if (!nothing && (entries_.empty() || entry != entries_[at_])) {
    if (!entries_.empty()) entries_.resize(at_ + 1);
    entries_.push_back(entry);
    if (entries_.size() > kMostEntries) entries_.erase(entries_.begin());
    at_ = entries_.size() - 1;
  }
  Q_EMIT changed();
}

void SelectionHistory::show(std::size_t index) {
  at_ = index;
  {
    const QScopedValueRollback quiet(showing_, true);
    const Entry entry = entries_[index];
    state_->select(entry.stay);
    state_->selectOp(entry.op);
    if (entry.activity) state_->selectActivity(entry.activity);
  }
  Q_EMIT changed();
}

void SelectionHistory::goBack() {
  if (!canGoBack()) return;
  show(now() == entries_[at_] ? at_ - 1 : at_);
}

void SelectionHistory::goForward() {
  if (canGoForward()) show(at_ + 1);
}

}  // namespace hw
