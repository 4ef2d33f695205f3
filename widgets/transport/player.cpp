#include "widgets/transport/player.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hw {

namespace {

constexpr int kFrameMilliseconds = 16;
constexpr int kFastMilliseconds = 100;
/// The time of the whole run at full speed, unless it is so short that 64x is quicker.
constexpr double kSecondsAtMost = 3;
/// Times faster than when animated.
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

std::size_t Player::eventCount() const { return state_->events()->size(); }

std::size_t Player::eventIndex() const {
  return state_->events()->happened(state_->moment(), state_->step());
}

void Player::goToEvent(std::size_t count) {
  if (!state_->run()) return;
  const EventOrder& order = *state_->events();
  count = std::min(count, order.size());
  if (count == 0) return state_->setMoment(0);
  const TimelineEntry& last = order.entry(count - 1);
  state_->setMomentOf(last.lastEvent, last.step);
}

/// The moment `count` events from here; in the middle of one, back means to its beginning.
std::size_t Player::eventsFrom(qint64 count) const {
  const EventOrder& order = *state_->events();
  const std::size_t index = eventIndex();
  const std::size_t moment = state_->moment();
  const bool between = index < order.size() && order.entry(index).firstEvent < moment &&
                       moment < order.entry(index).lastEvent;
  return static_cast<std::size_t>(
      std::max<qint64>(0, static_cast<qint64>(index) + count + (between && count < 0 ? 1 : 0)));
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
  const auto place = [&](std::size_t moment, Step step) {
    return std::tuple(state_->events()->happened(moment, step), step, moment);
  };
  target_ = target;
  start(place(target.moment, target.step) >= place(state_->moment(), state_->step()));
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

/// The end of playing: the number of events that have happened there.
std::size_t Player::targetIndex() const {
  if (target_) return state_->events()->happened(target_->moment, target_->step);
  return forwards_ ? eventCount() : 0;
}

void Player::advance(std::size_t events) {
  const auto count = static_cast<qint64>(std::min(events, eventCount()));
  const std::size_t index = std::min(eventsFrom(forwards_ ? count : -count), eventCount());
  const std::size_t end = targetIndex();
  if (forwards_ ? index >= end : index <= end) {
    arrive();
  } else {
    goToEvent(index);
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
