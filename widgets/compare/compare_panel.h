#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>

#include "core/study/compare.h"
#include "widgets/base/panel_parts.h"
#include "widgets/compare/compare_charts.h"
#include "widgets/compare/compare_table.h"
#include "widgets/form/tick_lists.h"
#include "widgets/jobs/work_panel.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Plans the model on show in several ways, in the background, and holds the results against each
/// other: by several allocators, on several platforms, or both. A click on a row asks for its plan;
/// one in the column "Below" for it below the first; one on the verdict of a row that failed for
/// what was in its way. Beside the table stands one figure of all rows as bars.
class ComparePanel : public WorkPanel {
  Q_OBJECT

 public:
  /// The difference between the rows.
  enum class Choice { allocators, platforms, both };

  explicit ComparePanel(ViewState* state, QWidget* parent = nullptr);

  AllocatorList* allocators() const { return allocators_; }
  PlatformList* platforms() const { return platforms_; }
  Choice choice() const { return static_cast<Choice>(choice_->currentIndex()); }
  CompareTable* table() const { return table_; }
  CompareModel* model() const { return model_; }
  CompareCharts* charts() const { return charts_; }
  /// Brings the bars back, however narrow they were made.
  void showCharts();
  /// The words instead of a table; empty while there is one.
  QString emptyText() const;

  /// Null when there is none.
  std::shared_ptr<const Comparison> comparison() const { return comparison_; }
  /// The same, as far as reports are to have it; null when they are not.
  std::shared_ptr<const Comparison> reported() const { return reported_ ? comparison_ : nullptr; }
  void setReported(bool reported) { reported_ = reported; }
  /// Shows one made elsewhere, of the model on show.
  void setComparison(std::shared_ptr<const Comparison> comparison);
  /// Marks the runs whose maps are below the first.
  void setBelow(std::vector<std::shared_ptr<const Run>> runs);
  /// The run of the current row; when that is on show already, of the first row that is not and has
  /// a plan. Null when there is none.
  std::shared_ptr<const Run> otherRun() const;
  /// The requests that a comparison would plan now. Needs a run.
  std::vector<RunRequest> requests() const;

  /// The settings of the rows: "resnet50, made with --alias all". Empty without any.
  QString stamp() const;
  /// The table as a file: JSON when the name ends in .json, otherwise CSV. `model` is how the user
  /// named the model. Needs a comparison.
  Result<void> writeTo(const QString& file, const std::string& model) const;

 public Q_SLOTS:
  /// Starts a comparison of what is ticked under the settings of the run on show.
  void start() override;

 Q_SIGNALS:
  void runWanted(std::shared_ptr<const hw::Run> run);
  void belowWanted(std::shared_ptr<const hw::Run> run);
  /// One of those below should go.
  void closeWanted(std::shared_ptr<const hw::Run> run);
  /// The first difference of this run from the one on show.
  void divergenceWanted(std::shared_ptr<const hw::Run> run);
  /// Why this run's plan does not fit; its run was wanted just before unless it is on show.
  void autopsyWanted(std::shared_ptr<const hw::Run> run);
  void exportWanted();
  void comparisonChanged();

 private:
  void resizeEvent(QResizeEvent* event) override;
  void buildHead();
  void buildChoices();
  void connectTable();
  void showRun();
  void refresh() override;
  void showChoices();
  bool anythingTicked() const;
  QString emptyReason() const;
  QString compareToolTip() const;
  void clicked(const QModelIndex& index);
  QString noteText() const;

  // Commands of a row of the model.
  bool hasFailed(int row) const;
  void openRow(int row);
  void toggleBelow(int row);
  void autopsyRow(int row);
  void fillRowMenu(QMenu* menu, int row);
  void showRowMenu(int row, const QPoint& at);

  ViewState* state_;
  AllocatorList* allocators_;
  PlatformList* platforms_;
  DropDown* chooseAllocators_;
  DropDown* choosePlatforms_;
  QComboBox* choice_;
  QStackedWidget* stack_;
  QLabel* empty_;
  CompareModel* model_;
  CompareTable* table_;
  CompareCharts* charts_;
  QSplitter* split_;
  QPushButton* export_;
  QToolButton* rowActions_;
  std::shared_ptr<const Comparison> comparison_;
  bool reported_ = true;
  std::shared_ptr<const Model> compared_;  ///< Of the comparison, or of the job under way.
  std::vector<std::shared_ptr<const Run>> below_;
};

}  // namespace hw
