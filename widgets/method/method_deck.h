#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "core/plan/method_record.h"
#include "core/run/run.h"

namespace hw {

/// The playhead of planning time: plays what a method recorded, one tick for each decision,
/// forwards and backwards. Of its own: where it stands says nothing about the moment of the run.
class MethodDeck : public QObject {
  Q_OBJECT

 public:
  /// Ticks a second at speed 1: slow enough to read what each decides.
  static constexpr double kTicksPerSecond = 1.5;
  /// "As fast as the screen": the whole record within some ten seconds.
  static constexpr double kMaxSpeed = 0;

  explicit MethodDeck(QObject* parent = nullptr);

  /// Shows a record of `run`, which is kept, when all is decided; null: nothing.
  void setRecord(std::shared_ptr<const Run> run, std::size_t record);
  std::shared_ptr<const Run> run() const { return run_; }
  /// Null where there is none.
  const MethodRecord* record() const;
  /// Its place among the records of its run.
  std::size_t recordIndex() const { return index_; }
  /// All lists as they are, at the playhead; null without a record.
  const MethodPlayer* player() const { return player_ ? &*player_ : nullptr; }

  /// The number of ticks that have happened, and of how many.
  std::size_t at() const { return player_ ? player_->at() : 0; }
  std::size_t count() const { return record() ? record()->ticks.size() : 0; }
  /// The decision that was made last; null at the start.
  const MethodTick* tick() const;

  bool isPlaying() const { return timer_.isActive(); }
  bool isBackwards() const { return isPlaying() && !forwards_; }
  /// 0.5 to 64, or kMaxSpeed.
  void setSpeed(double speed) { speed_ = speed; }
  double speed() const { return speed_; }
  /// Plays to the end, or backwards to the start; from the other end when already there.
  void play(bool forwards);

  /// To the first decision about `stay`, or about another stay of its buffer, unless the one on
  /// show is. False where there is none.
  bool goToStay(StayId stay);
  /// The numbers of ticks that have happened after each one about `stay`; ascending.
  std::vector<std::size_t> ticksOf(StayId stay) const;

 public Q_SLOTS:
  void pause();
  /// To when so many ticks have happened, or all.
  void goTo(std::size_t ticks);
  void goToStart();
  void goToEnd();
  void stepTicks(int count);
  /// Over all decisions about one step of the program.
  void stepOps(int count);
  void playForwards();  ///< Or pauses.
  void playBackwards();

 Q_SIGNALS:
  void recordChanged();
  void moved();
  /// Also when the direction changes.
  void playingChanged(bool playing);

 private:
  void advance();
  bool isAbout(const MethodTick& tick, StayId stay) const;

  std::shared_ptr<const Run> run_;
  std::size_t index_ = 0;
  std::optional<MethodPlayer> player_;
  QTimer timer_;
  QElapsedTimer clock_;
  bool forwards_ = true;
  double due_ = 0;  ///< Ticks that time has brought but that did not make up a whole one yet.
  double speed_ = 1;
};

}  // namespace hw
