#pragma once

#include <QComboBox>
#include <QLabel>
#include <QStackedWidget>
#include <map>

#include "core/allocators/search_report.h"
#include "widgets/charts/time_chart.h"
#include "widgets/jobs/plan_job.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Nodes a second between the samples of a search, over stretches of at least a sixtieth of it.
std::vector<QPointF> searchSpeed(const std::vector<ExactProgress>& samples);

/// How the search for a plan goes, or went: the best plan so far and the proved bound over time,
/// which order found what, and nodes a second. Live while a job plans; otherwise of the run on
/// show. Says why when there is nothing to show.
class SearchPanel : public QWidget {
  Q_OBJECT

 public:
  SearchPanel(ViewState* state, PlanJob* job, QWidget* parent = nullptr);

  QComboBox* poolChooser() const { return pool_; }
  TimeChart* peaks() const { return peaks_; }
  TimeChart* speed() const { return speed_; }
  QString summary() const { return facts_->text(); }
  /// What is said instead of charts; empty while there are some.
  QString emptyText() const;
  /// True while what is shown comes from a job under way.
  bool isLive() const { return live_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void forgetLive();
  void follow(const QString& pool, const ExactProgress& now);
  void showRun();
  void showPools();
  void showPool();
  QString whyEmpty() const;
  QString factsOf(const std::vector<ExactProgress>& samples) const;

  ViewState* state_;
  std::vector<SearchHistory> histories_;  ///< Of the job under way once it tells, else of the run.
  bool live_ = false;
  QStackedWidget* stack_;
  QLabel* empty_;
  QComboBox* pool_;
  QLabel* facts_;
  TimeChart* peaks_;
  TimeChart* speed_;
};

}  // namespace hw
