#pragma once

#include <QObject>
#include <QTimer>

#include "widgets/jobs/job.h"

namespace hw {

class MainWindow;

/// Plans the samples in the background while the welcome page is looked at, for the pictures and
/// figures on their cards. Stops while a model is opened, and goes on if that
/// comes to nothing.
class WelcomeCards : public QObject {
  Q_OBJECT

 public:
  explicit WelcomeCards(MainWindow* window);

 private:
  void begin();

  MainWindow* window_;
  QTimer delay_;
  Job making_{tr("Planning the samples"), Job::Stopping::abandons};
};

}  // namespace hw
