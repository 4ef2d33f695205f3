#pragma once

#include <QObject>
#include <QTimer>

#include "app/gui/request/arguments.h"
#include "widgets/jobs/job.h"

namespace hw {

class MainWindow;
class MarkerSet;

/// Takes up work where it was left: the model and its settings, the moment, the visible steps, the
/// selection, the markers and the plan below. A model during whose reopening the studio ended
/// without having shown it is not opened again by itself.
class Session : public QObject {
  Q_OBJECT

 public:
  Session(MainWindow* window, MarkerSet* markers);

  /// Reopens what was open, unless the settings or the last attempt say otherwise.
  void restore();
  /// Keeps what is on show. Happens by itself a moment after every change, and on closing.
  void save();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void reopened();
  void goTo();
  void planBelow(const QString& allocator);

  MainWindow* window_;
  MarkerSet* markers_;
  QTimer delay_;
  bool restoring_ = false;
  QStringList lost_;  ///< Settings of the last session that could not be read.
  Job below_{tr("Planning the one below"), Job::Stopping::abandons};
};

/// True if to restore at all: on unless switched off.
bool restoresSession(const class Settings& settings);
void setRestoresSession(class Settings& settings, bool on);

}  // namespace hw
