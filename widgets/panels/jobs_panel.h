#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTimer>
#include <QWidget>

#include "widgets/jobs/job.h"

namespace hw {

/// The jobs at work and those of before, newest first: how far each is, how long it takes, what
/// came of it, and a button that stops it.
class JobsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit JobsPanel(JobBoard* board, QWidget* parent = nullptr);

  QTableWidget* table() const { return table_; }
  QPushButton* stopButton() const { return stop_; }
  QPushButton* clearButton() const { return clear_; }
  /// Empty when there are jobs.
  QString emptyText() const;

 private:
  void build();
  void showJobs();
  void showProgress();
  void updateButtons();
  quint64 chosen() const;

  JobBoard* board_;
  QStackedWidget* stack_;
  QLabel* empty_;
  QTableWidget* table_;
  QPushButton* stop_;
  QPushButton* clear_;
  QTimer clock_;  ///< While something runs.
};

}  // namespace hw
