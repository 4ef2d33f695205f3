#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "widgets/view_state.h"

namespace hw {

/// Moves the moment of a ViewState: by event, by op, to marked places, and by itself while playing.
/// An event is an entry of the run's timeline, what people call one.
class Player : public QObject {
  Q_OBJECT

 public:
  /// Events a second at speed 1: slow enough to see each movement end.
  static constexpr double kEventsPerSecond = 4;
  /// "As fast as the screen": the whole run within a few seconds.
  static constexpr double kMaxSpeed = 0;

  explicit Player(ViewState* state, QObject* parent = nullptr);

  bool isPlaying() const { return timer_.isActive(); }
  /// 0.25 to 64, or kMaxSpeed.
  double speed() const { return speed_; }
  void setSpeed(double speed);

  /// Number of timeline entries that have happened by now, and of all.
  std::size_t eventIndex() const;
  std::size_t eventCount() const;
  /// To the moment just after the first `count` entries.
  void goToEvent(std::size_t count);

 public Q_SLOTS:
  /// Plays on, from the start when at the end; or pauses.
  void toggle();
  void pause();
  void goToStart();
  void goToEnd();
  void stepEvents(int count);
  void stepOps(int count);
  /// To the step at which most bytes of the first pool in use are live.
  void goToPeak();

 Q_SIGNALS:
  void playingChanged(bool playing);

 private:
  void play();
  void tick();
  double eventsPerSecond() const;

  ViewState* state_;
  QTimer timer_;
  QElapsedTimer clock_;
  double due_ = 0;  ///< Events that time has brought but that did not make up a whole one yet.
  double speed_ = 1;
};

}  // namespace hw
