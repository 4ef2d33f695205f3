#include "widgets/transport/player.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hw {

namespace {

constexpr int kFrameMilliseconds = 16;
constexpr int kFastMilliseconds = 100;
/// How long the whole run takes at full speed, unless it is so short that 64x is quicker.
constexpr double kSecondsAtMost = 3;
/// How many times faster than when animated.
constexpr double kFastFactor = 16;
constexpr double kSecondsInTime = 20;  ///< A run in time, at speed 1.
constexpr double kFastInTime = 4;

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

void Player::setMode(PlayMode mode) {
  if (mode_ == mode) return;
  mode_ = mode;
  timer_.setInterval(mode == PlayMode::fast ? kFastMilliseconds : kFrameMilliseconds);
  Q_EMIT modeChanged();
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

/// Where `count` events from here lead; in the middle of one, back means to its beginning.
std::size_t Player::eventsFrom(qint64 count) const {
  const auto index = static_cast<qint64>(eventIndex());
  const auto& timeline = state_->run()->timeline;
  const bool between = index < static_cast<qint64>(timeline.size()) &&
                       timeline[static_cast<std::size_t>(index)].firstEvent < state_->moment();
  return static_cast<std::size_t>(
      std::max<qint64>(0, index + count + (between && count < 0 ? 1 : 0)));
}

void Player::toggle() { isPlaying() ? pause() : play(true); }

void Player::play(bool forwards) {
  if (eventCount() == 0) return;
  target_.reset();
  if (forwards && eventIndex() == eventCount()) goToEvent(0);
  if (!forwards && state_->moment() == 0) goToEvent(eventCount());
  start(forwards);
}

void Player::playTo(const StopPoint& target) {
  if (eventCount() == 0) return;
  const StopPoint here{state_->moment(), state_->step()};
  target_ = target;
  start(std::tuple(target.step, target.moment) >= std::tuple(here.step, here.moment));
}

void Player::start(bool forwards) {
  forwards_ = forwards;
  if (mode_ == PlayMode::express) {
    arrive();
    return;
  }
  due_ = 0;
  clock_.start();
  timer_.start();
  Q_EMIT playingChanged(true);
}

void Player::pause() {
  if (!isPlaying()) return;
  timer_.stop();
  target_.reset();
  Q_EMIT playingChanged(false);
}

double Player::eventsPerSecond() const {
  const double most = static_cast<double>(eventCount()) / kSecondsAtMost;
  const double speed = speed_ == kMaxSpeed ? 64 : speed_;
  if (mode_ == PlayMode::fast) return speed * std::max(kFastFactor * kEventsPerSecond, most / 4);
  return speed_ == kMaxSpeed ? std::max(speed * kEventsPerSecond, most) : speed * kEventsPerSecond;
}

void Player::tick() {
  if (mode_ == PlayMode::express) return arrive();
  const double seconds = static_cast<double>(clock_.restart()) / 1000;
  if (state_->axis() == AxisUnit::time) return advanceTime(seconds);
  due_ += seconds * eventsPerSecond();
  const double whole = std::floor(due_);
  if (whole < 1) return;
  due_ -= whole;
  advance(static_cast<std::size_t>(whole));
}

/// At speed 1, a round figure by which the run plays in some twenty seconds.
SimTime Player::timePerSecond() const {
  if (!state_->run()) return SimTime();
  const double wanted =
      static_cast<double>(state_->run()->timing.makespan.count()) / kSecondsInTime;
  const double power = std::pow(10.0, std::floor(std::log10(std::max(1.0, wanted))));
  const double digit = wanted / power;
  const double round = power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
  const double speed = speed_ == kMaxSpeed ? kSecondsInTime / kSecondsAtMost : speed_;
  const double factor = mode_ == PlayMode::fast ? kFastInTime : 1;
  return SimTime(std::llround(std::max(1.0, round * speed * factor)));
}

void Player::advanceTime(double seconds) {
  const double way = seconds * static_cast<double>(timePerSecond().count()) * (forwards_ ? 1 : -1);
  const SimTime next = state_->time() + SimTime(std::llround(way));
  const SimTime first =
      target_ ? timeOfMoment(*state_->run(), target_->moment, target_->step) : SimTime();
  const SimTime last = target_ ? first : state_->run()->timing.makespan;
  if (forwards_ ? next >= last : next <= first) {
    arrive();
  } else {
    state_->setTime(next);
  }
}

/// Whether the way from here to `moment` leads to the end of playing, or past it.
bool Player::reaches(std::size_t moment) const {
  const std::size_t end =
      !target_ ? (forwards_ ? state_->run()->trace.size() : 0) : target_->moment;
  return forwards_ ? moment >= end : moment <= end;
}

void Player::advance(std::size_t events) {
  const auto count = static_cast<qint64>(std::min(events, eventCount()));
  const std::size_t index = std::min(eventsFrom(forwards_ ? count : -count), eventCount());
  const std::size_t moment = index == 0 ? 0 : state_->run()->timeline[index - 1].lastEvent;
  const bool atEnd = index == (forwards_ ? eventCount() : 0);
  if (atEnd || reaches(moment)) {
    arrive();
  } else {
    state_->setMoment(moment);
  }
}

/// Ends playing exactly at the target, or without one at the end of the run that it was played to.
void Player::arrive() {
  const auto target = target_;
  const bool forwards = forwards_;
  pause();
  target_.reset();
  if (target) {
    state_->setMomentOf(target->moment, target->step);
  } else {
    goToEvent(forwards ? eventCount() : 0);
  }
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
  goToEvent(eventsFrom(count));
}

void Player::stepOps(int count) {
  pause();
  state_->setStep(state_->step() + Step(count));
}

void Player::goToPeak() {
  if (!state_->run()) return;
  pause();
  state_->goToPeak();
}

}  // namespace hw
