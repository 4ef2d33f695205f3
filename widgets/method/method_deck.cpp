#include "widgets/method/method_deck.h"

#include <algorithm>
#include <cmath>

namespace hw {

namespace {

constexpr int kDeckMilliseconds = 16;
constexpr double kSecondsForAll = 10;

}  // namespace

MethodDeck::MethodDeck(QObject* parent) : QObject(parent) {
  timer_.setInterval(kDeckMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &MethodDeck::advance);
}

void MethodDeck::setRecord(std::shared_ptr<const Run> run, std::size_t record) {
  if (run && record >= run->plan.records.size()) run = nullptr;
  if (run == run_ && record == index_) return;
  pause();
  player_.reset();
  run_ = std::move(run);
  index_ = run_ ? record : 0;
  if (run_) {
    player_.emplace(run_->plan.records[index_]);
    player_->seek(count());
  }
  Q_EMIT recordChanged();
  Q_EMIT moved();
}

const MethodRecord* MethodDeck::record() const {
  return run_ ? &run_->plan.records[index_] : nullptr;
}

const MethodTick* MethodDeck::tick() const {
  return at() == 0 ? nullptr : &record()->ticks[at() - 1];
}

void MethodDeck::goTo(std::size_t ticks) {
  ticks = std::min(ticks, count());
  if (!player_ || ticks == at()) return;
  player_->seek(ticks);
  Q_EMIT moved();
}

void MethodDeck::goToStart() {
  pause();
  goTo(0);
}

void MethodDeck::goToEnd() {
  pause();
  goTo(count());
}

void MethodDeck::stepTicks(int steps) {
  pause();
  const auto to = static_cast<std::ptrdiff_t>(at()) + steps;
  goTo(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, to)));
}

void MethodDeck::stepOps(int steps) {
  pause();
  if (!record()) return;
  const auto& ticks = record()->ticks;
  std::size_t to = at();
  for (; steps > 0 && to < ticks.size(); --steps) {
    const Step step = ticks[to].step;
    while (to < ticks.size() && ticks[to].step == step) ++to;
  }
  for (; steps < 0 && to > 0; ++steps) {
    const Step step = ticks[to - 1].step;
    while (to > 0 && ticks[to - 1].step == step) --to;
  }
  goTo(to);
}

void MethodDeck::playForwards() { isPlaying() && forwards_ ? pause() : play(true); }

void MethodDeck::playBackwards() { isBackwards() ? pause() : play(false); }

void MethodDeck::play(bool forwards) {
  if (count() == 0) return;
  if (forwards && at() == count()) goTo(0);
  if (!forwards && at() == 0) goTo(count());
  forwards_ = forwards;
  due_ = 0;
  clock_.start();
  timer_.start();
  Q_EMIT playingChanged(true);
}

void MethodDeck::pause() {
  if (!isPlaying()) return;
  timer_.stop();
  Q_EMIT playingChanged(false);
}

void MethodDeck::advance() {
  const double seconds = static_cast<double>(clock_.restart()) / 1000;
  const double fastest =
      std::max(64 * kTicksPerSecond, static_cast<double>(count()) / kSecondsForAll);
  due_ += seconds * (speed_ == kMaxSpeed ? fastest : speed_ * kTicksPerSecond);
  const auto whole = static_cast<std::size_t>(std::floor(due_));
  if (whole == 0) return;
  due_ -= static_cast<double>(whole);
  goTo(forwards_ ? at() + whole : at() - std::min(at(), whole));
  if (at() == (forwards_ ? count() : 0)) pause();
}

bool MethodDeck::isAbout(const MethodTick& tick, StayId stay) const {
  const auto& stays = run_->problem.stays;
  if (!tick.stay || !stay || !stays.contains(stay) || !stays.contains(tick.stay)) return false;
  const BufferId buffer = stays[stay].buffer;
  return tick.stay == stay || (buffer && stays[tick.stay].buffer == buffer);
}

bool MethodDeck::goToStay(StayId stay) {
  if (!record() || (tick() && isAbout(*tick(), stay))) return record() != nullptr;
  const auto& ticks = record()->ticks;
  const auto found =
      std::ranges::find_if(ticks, [&](const MethodTick& tick) { return isAbout(tick, stay); });
  if (found == ticks.end()) return false;
  pause();
  goTo(static_cast<std::size_t>(found - ticks.begin()) + 1);
  return true;
}

std::vector<std::size_t> MethodDeck::ticksOf(StayId stay) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < count(); ++i) {
    if (isAbout(record()->ticks[i], stay)) found.push_back(i + 1);
  }
  return found;
}

}  // namespace hw
