#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>

#include "core/study/front.h"
#include "widgets/charts/dot_chart.h"
#include "widgets/jobs/background.h"
#include "widgets/jobs/work_panel.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Speed within a capacity: capacity of the near memory against latency, worked out in the
/// background and drawn while it grows; a click on a dot asks for its plan. Of the model and the
/// settings on show, whatever plans there.
class FrontPanel : public WorkPanel {
  Q_OBJECT

 public:
  explicit FrontPanel(ViewState* state, QWidget* parent = nullptr);

  /// The chart of the answer, which the window shows beside this list.
  DotChart* chart() const { return chart_; }
  /// A row for each dot, in the order of their ids.
  QTableWidget* table() const { return table_; }
  /// Null when there is none.
  std::shared_ptr<const Front> front() const { return front_; }
  /// The least latency, and how much memory it takes.
  Figure answer() const override;
  /// Of the next one; every allocator is beside it by default.
  void setOptions(FrontOptions options) { options_ = std::move(options); }
  const FrontOptions& options() const { return options_; }

 public Q_SLOTS:
  /// Works it out under the settings of the plan on show, unless that is done.
  void start() override;

 Q_SIGNALS:
  void runWanted(std::shared_ptr<const hw::Run> run);

 private:
  void showRun();
  void fillTable(const FrontScene& scene);
  void setFront(std::shared_ptr<const Front> front);
  JobEnd finish(const Result<Front>& made);
  bool isCurrent(const Run& run) const;
  void open(int dot);
  void refresh() override;
  QString emptyReason() const;
  QString noteText() const;
  int markedDot() const;

  ViewState* state_;
  DotChart* chart_;
  QTableWidget* table_;
  FrontOptions options_;
  std::shared_ptr<const Front> front_;  ///< As far as it is.
  std::shared_ptr<const Model> model_;  ///< Of it, or of the job under way.
  RunRequest request_;                  ///< The request on show then.
  bool whole_ = false;                  ///< It went to its end.
  QString failure_;
  /// A point of the front: among those found, or among the allocators.
  using PointId = std::pair<bool, std::size_t>;
  std::map<PointId, std::shared_ptr<const Run>> opened_;
  Background<std::shared_ptr<const Run>> opening_;
};

}  // namespace hw
