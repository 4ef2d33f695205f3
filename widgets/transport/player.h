#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <optional>

#include "core/insight/stop_scan.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The amount of a run that is shown while it plays.
enum class PlayMode {
  animate,  ///< Every event, at a pace a person can follow.
  fast,     ///< Ten pictures a second, with as many events between them as it takes.
  express,  ///< Only the end.
};

/// Moves the moment of a ViewState: by event, by op, to marked places, and by itself while playing,
/// forwards or backwards. An event is an entry of the run's timeline, what people call one; over
/// steps they come by step, over time by time. What is shown is always an exact moment of the run;
/// backwards visits the same ones. While the axis is time the run plays by time: simulated time per
/// second, not events per second.
class Player : public QObject {
  Q_OBJECT

 public:
  /// Events a second at speed 1: slow enough to see each movement end.
  static constexpr double kEventsPerSecond = 4;
  /// "As fast as the screen": the whole run within a few seconds.
  static constexpr double kMaxSpeed = 0;

  explicit Player(ViewState* state, QObject* parent = nullptr);

  bool isPlaying() const { return timer_.isActive(); }
  bool isBackwards() const { return isPlaying() && !forwards_; }
  PlayMode mode() const { return mode_; }
  /// While playing too.
  void setMode(PlayMode mode);
  /// 0.25 to 64, or kMaxSpeed.
  double speed() const { return speed_; }
  void setSpeed(double speed);

  /// While the axis is time: how much of it a second of playing shows, at this speed and mode.
  SimTime timePerSecond() const;

  /// Number of events that have happened by now, in the order of the axis, and of all.
  std::size_t eventIndex() const;
  std::size_t eventCount() const;
  /// To the moment just after the first `count` events.
  void goToEvent(std::size_t count);

  /// Plays to the end, or backwards to the start; from the other end when already there.
  void play(bool forwards);
  /// Plays to `target` in whichever direction it lies, and stops there exactly.
  void playTo(const StopPoint& target);

 public Q_SLOTS:
  /// Plays on forwards, or pauses.
  void toggle();
  void pause();
  void goToStart();
  void goToEnd();
  void stepEvents(int count);
  void stepOps(int count);
  /// To the step at which most bytes of the first pool in use are live.
  void goToPeak();

 Q_SIGNALS:
  /// Also when the direction changes.
  void playingChanged(bool playing);
  void modeChanged();

 private:
  void start(bool forwards);
  void tick();
  void advanceTime(double seconds);
  void advance(std::size_t events);
  std::size_t targetIndex() const;
  void arrive();
  std::size_t eventsFrom(qint64 count) const;
  double eventsPerSecond() const;

  ViewState* state_;
  QTimer timer_{this};
  QElapsedTimer clock_;
  PlayMode mode_ = PlayMode::animate;
  bool forwards_ = true;
  std::optional<StopPoint> target_;  ///< Nothing: the end of the run, or its start.
  double due_ = 0;  ///< Events that time has brought but that did not make up a whole one yet.
  double speed_ = 1;
};

}  // namespace hw
