#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSlider>
#include <list>

#include "core/study/capacity_sweep.h"
#include "widgets/charts/capacity_chart.h"
#include "widgets/jobs/job.h"
#include "widgets/state/view_state.h"

namespace hw {

/// What more or less L2 would cost: the plan on show, planned again at many capacities in the
/// background, as a curve of traffic, latency, spills or peak; and a slider that picks a capacity
/// to plan with. What was swept is kept, so that going back to a method or platform shows it at
/// once.
class CapacityPanel : public QWidget {
  Q_OBJECT

 public:
  explicit CapacityPanel(ViewState* state, QWidget* parent = nullptr);

  CapacityChart* chart() const { return chart_; }
  QSlider* slider() const { return slider_; }
  QComboBox* figureBox() const { return figure_; }
  QPushButton* sweepButton() const { return sweep_; }
  QPushButton* stopButton() const { return stop_; }
  QPushButton* planButton() const { return plan_; }
  Job* job() { return &job_; }
  /// What the slider stands at.
  Bytes capacity() const;
  void setCapacity(Bytes capacity);
  QString note() const { return note_->text(); }

 public Q_SLOTS:
  /// Sweeps under the settings of the plan on show, unless that is known already.
  void sweep();

 Q_SIGNALS:
  /// The plan on show should be made again with this much L2.
  void capacityWanted(hw::Bytes capacity);

 private:
  /// A sweep that was made or is under way.
  struct Entry {
    std::shared_ptr<const Model> model{};
    RunRequest request{};
    std::vector<CapacityPoint> points{};
    bool whole = false;  ///< Ran to its end.
  };
  static constexpr std::size_t kMostEntries = 12;

  QWidget* buildHead();
  QWidget* buildFoot();
  Entry* entryOf(const Run& run);
  std::vector<CapacityPoint> pointsOf(const Entry& entry) const;
  void showRun();
  void addPoint(const CapacityPoint& point);
  JobEnd finish(const Result<std::vector<CapacityPoint>>& swept);
  void refresh();
  void showPosition();
  void alignSlider();
  bool eventFilter(QObject* watched, QEvent* event) override;

  ViewState* state_;
  CapacityChart* chart_;
  QSlider* slider_;
  QComboBox* figure_;
  QPushButton* sweep_;
  QPushButton* stop_;
  QPushButton* plan_;
  QProgressBar* progress_;
  QLabel* note_;
  QString failure_;
  Bytes exact_{};              ///< What the slider was last set to, not by hand,
  int exactAt_ = -1;           ///< and where that put it.
  std::list<Entry> entries_;   ///< Newest first.
  Entry* sweeping_ = nullptr;  ///< In `entries_`.
  /// Last, so that its threads end before the members that they report to.
  Job job_{tr("Sweeping the capacity"), Job::Stopping::reports};
};

}  // namespace hw
