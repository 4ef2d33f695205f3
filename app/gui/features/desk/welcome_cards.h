#pragma once

#include <QObject>
#include <QTimer>

#include "widgets/jobs/job.h"

namespace hw {

class MainWindow;

/// Plans the samples in the background while the welcome page is looked at, for the pictures and
/// figures on their cards. Stops as soon as a model is opened.
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
