#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>

#include "widgets/compare/allocator_list.h"
#include "widgets/compare/compare_model.h"
#include "widgets/jobs/compare_job.h"
#include "widgets/view_state.h"

namespace hw {

/// Plans the model on show by several allocators, in the background, and holds the results against
/// each other. A click on a row asks for its plan; one in the column "Map" for it below the first.
class ComparePanel : public QWidget {
  Q_OBJECT

 public:
  explicit ComparePanel(ViewState* state, QWidget* parent = nullptr);

  AllocatorList* allocators() const { return allocators_; }
  QTableView* table() const { return table_; }
  CompareModel* model() const { return model_; }
  CompareJob* job() { return &job_; }
  QPushButton* compareButton() const { return compare_; }
  QPushButton* stopButton() const { return stop_; }
  /// What is said about the table: who is best, or why it is not up to date.
  QString note() const { return note_->text(); }
  /// What is said instead of a table; empty while there is one.
  QString emptyText() const;

  /// Null when there is none.
  std::shared_ptr<const Comparison> comparison() const { return comparison_; }
  /// Shows one made elsewhere, of the model on show.
  void setComparison(std::shared_ptr<const Comparison> comparison);
  /// Marks the run whose map is below the first; null: none.
  void setBelow(std::shared_ptr<const Run> run);
  /// The run of the current row; when that is the one on show, of the first other row that has a
  /// plan. Null when there is none.
  std::shared_ptr<const Run> otherRun() const;

  /// The table as a file: JSON when the name ends in .json, otherwise CSV. `model` is how the user
  /// named the model. Needs a comparison.
  Result<void> writeTo(const QString& file, const std::string& model) const;

 public Q_SLOTS:
  /// Starts a comparison of what is ticked under the settings of the run on show.
  void compare();

 Q_SIGNALS:
  void runWanted(std::shared_ptr<const hw::Run> run);
  /// Null: nothing below.
  void belowWanted(std::shared_ptr<const hw::Run> run);
  void exportWanted();
  void comparisonChanged();

 private:
  void buildTable();
  QWidget* buildHead();
  void showRun();
  void refresh();
  void goToShown();
  void finish(std::shared_ptr<const Comparison> comparison);
  void clicked(const QModelIndex& index);
  const ComparisonRow* rowAt(const QModelIndex& index) const;
  bool isOnShow(const QModelIndex& index) const;
  QString noteText() const;

  ViewState* state_;
  AllocatorList* allocators_;
  QStackedWidget* stack_;
  QLabel* empty_;
  QTableView* table_;
  CompareModel* model_;
  CompareOrder* order_;
  QPushButton* compare_;
  QPushButton* stop_;
  QPushButton* export_;
  QProgressBar* progress_;
  QLabel* note_;
  std::shared_ptr<const Comparison> comparison_;
  std::shared_ptr<const Model> compared_;  ///< Of the comparison, or of the job under way.
  std::shared_ptr<const Run> below_;
  CompareJob job_;  ///< Last: its threads end before what they report to.
};

}  // namespace hw
