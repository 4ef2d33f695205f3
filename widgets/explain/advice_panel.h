#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>

#include "core/insight/advice.h"
#include "widgets/jobs/job.h"
#include "widgets/state/view_state.h"

namespace hw {

/// What would make the memory of the run on show smaller, each change proved. Looks only when asked
/// to, in the background; a chosen row can be applied, or shown below the present plan.
class AdvicePanel : public QWidget {
  Q_OBJECT

 public:
  enum Column { saves, leaves, latency, traffic, change, why, kColumns };

  explicit AdvicePanel(ViewState* state, QWidget* parent = nullptr);

  Job* job() { return &job_; }
  QTableWidget* table() const { return table_; }
  QPushButton* startButton() const { return start_; }
  QPushButton* applyButton() const { return apply_; }
  QPushButton* belowButton() const { return below_; }
  /// What is said where the table would be; empty while there is one.
  QString emptyText() const;
  QString note() const { return note_->text(); }

  /// Shows advice about the run on show.
  void setReport(std::shared_ptr<const AdviceReport> report);

 public Q_SLOTS:
  void look();

 Q_SIGNALS:
  /// `text` says what it does.
  void applyWanted(const hw::RunRequest& request, const QString& text);
  void belowWanted(std::shared_ptr<const hw::Run> run);

 private:
  QWidget* buildHead();
  void buildTable();
  void showRun();
  void fillTable();
  void refresh();
  const Advice* chosen() const;
  void apply();

  ViewState* state_;
  std::shared_ptr<const AdviceReport> report_;
  QStackedWidget* stack_;
  QLabel* empty_;
  QTableWidget* table_;
  QPushButton* start_;
  QPushButton* stop_;
  QPushButton* below_;
  QPushButton* apply_;
  QProgressBar* progress_;
  QLabel* note_;
  /// Last: its threads end before what they report to.
  Job job_{tr("Looking for advice"), Job::Stopping::reports};
};

}  // namespace hw
