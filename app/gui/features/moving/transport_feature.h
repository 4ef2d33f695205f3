#pragma once

#include <QDialog>
#include <QObject>

#include "widgets/transport/run_until.h"

namespace hw {

class MainWindow;
class UntilForm;

/// Playing in three modes and both directions, and running until something happens.
class TransportFeature : public QObject {
  Q_OBJECT

 public:
  explicit TransportFeature(MainWindow* window);

  RunUntil* until() { return &until_; }
  UntilForm* form() const { return form_; }

 private:
  void addPlayCommands();
  void addUntilCommands();
  void play(PlayMode mode, bool forwards);
  void stop();
  void openUntil();

  MainWindow* window_;
  RunUntil until_;
  quint64 searching_ = 0;  ///< On the board of jobs.
  QDialog* dialog_ = nullptr;
  UntilForm* form_ = nullptr;
};

}  // namespace hw
