#include "widgets/transport/player.h"

#include <algorithm>
#include <cmath>

namespace hw {

namespace {

constexpr int kFrameMilliseconds = 16;
/// How long the whole run takes at full speed, unless it is so short that 64x is quicker.
constexpr double kSecondsAtMost = 3;

}  // namespace

Player::Player(ViewState* state, QObject* parent) : QObject(parent), state_(state) {
  timer_.setInterval(kFrameMilliseconds);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, &Player::tick);
  connect(state, &ViewState::runChanged, this, &Player::pause);
}

void Player::setSpeed(double speed) {
  speed_ = speed == kMaxSpeed ? kMaxSpeed : std::clamp(speed, 0.25, 64.0);
}

std::size_t Player::eventCount() const {
  return state_->run() ? state_->run()->timeline.size() : 0;
}

std::size_t Player::eventIndex() const {
  if (!state_->run()) return 0;
  const auto& timeline = state_->run()->timeline;
  const auto next =
      std::ranges::upper_bound(timeline, state_->moment(), {}, &TimelineEntry::lastEvent);
  return static_cast<std::size_t>(next - timeline.begin());
}

void Player::goToEvent(std::size_t count) {
  if (!state_->run()) return;
  const auto& timeline = state_->run()->timeline;
  count = std::min(count, timeline.size());
  state_->setMoment(count == 0 ? 0 : timeline[count - 1].lastEvent);
}

void Player::toggle() { isPlaying() ? pause() : play(); }

void Player::play() {
  if (eventCount() == 0) return;
  if (eventIndex() == eventCount()) goToEvent(0);
  due_ = 0;
  clock_.start();
  timer_.start();
  Q_EMIT playingChanged(true);
}

void Player::pause() {
  if (!isPlaying()) return;
  timer_.stop();
  Q_EMIT playingChanged(false);
}

double Player::eventsPerSecond() const {
  const double fastest = 64 * kEventsPerSecond;
  if (speed_ != kMaxSpeed) return speed_ * kEventsPerSecond;
  return std::max(fastest, static_cast<double>(eventCount()) / kSecondsAtMost);
}

void Player::tick() {
  due_ += static_cast<double>(clock_.restart()) / 1000 * eventsPerSecond();
  const double whole = std::floor(due_);
  if (whole < 1) return;
  due_ -= whole;
  goToEvent(eventIndex() + static_cast<std::size_t>(whole));
  if (eventIndex() == eventCount()) pause();
}

void Player::goToStart() {
  pause();
  state_->setMoment(0);
}

void Player::goToEnd() {
  pause();
  goToEvent(eventCount());
}

void Player::stepEvents(int count) {
  if (!state_->run()) return;
  pause();
  const auto index = static_cast<qint64>(eventIndex());
  const auto& timeline = state_->run()->timeline;
  // In the middle of an entry, back means to its beginning.
  const bool between = index < static_cast<qint64>(timeline.size()) &&
                       timeline[static_cast<std::size_t>(index)].firstEvent < state_->moment();
  const qint64 target = index + count + (between && count < 0 ? 1 : 0);
  goToEvent(static_cast<std::size_t>(std::max<qint64>(0, target)));
}

void Player::stepOps(int count) {
  pause();
  state_->setStep(state_->step() + Step(count));
}

void Player::goToPeak() {
  if (!state_->run()) return;
  pause();
  for (const PoolMetrics& pool : state_->run()->metrics.pools) {
    if (pool.stays == 0) continue;
    state_->setStep(pool.peakStep);
    return;
  }
}

}  // namespace hw
