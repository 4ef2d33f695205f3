#pragma once

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QCategoryAxis>
#include <QChartView>
#include <QComboBox>
#include <QHorizontalBarSeries>
#include <QLabel>
#include <QPushButton>

#include "core/insight/plan_diff.h"
#include "core/run/figures.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// What two runs come to, and how their plans differ.
struct RunDifference {
  RunFigures a{};
  RunFigures b{};
  PlanDiff plans{};
};

/// How the first plan below differs from the one on show: their figures side by side, how many
/// buffers lie in the same place, and what each memory holds by size or by lifetime. Buffers are
/// matched by name, so that the two may be of different models.
class DifferencePanel : public QWidget {
  Q_OBJECT

 public:
  explicit DifferencePanel(ViewState* state, QWidget* parent = nullptr);

  /// The plan below; null: there is none. To be told again when the one on show is another.
  void setBelow(std::shared_ptr<const Run> run);
  bool isBusy() const { return comparing_.isRunning(); }
  /// Null until it is there.
  std::shared_ptr<const RunDifference> difference() const { return difference_; }
  QString text() const { return text_->text(); }

 Q_SIGNALS:
  void divergenceWanted(std::shared_ptr<const hw::Run> run);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void compare();
  void showText();
  void showPools();
  void showBars();
  std::vector<const DiffClass*> shownClasses() const;

  ViewState* state_;
  std::shared_ptr<const Run> below_;
  std::shared_ptr<const RunDifference> difference_;
  bool stale_ = true;  ///< Something else is on show than when it was made.
  Background<std::shared_ptr<const RunDifference>> comparing_;
  QLabel* text_;
  QPushButton* divergence_;
  QComboBox* by_;    ///< Size, lifetime.
  QComboBox* what_;  ///< Bytes, number.
  QComboBox* pool_;
  QChartView* view_;
  QHorizontalBarSeries* bars_;
  std::array<QBarSet*, 2> sets_{};  ///< Of A and of B; in `bars_`.
  std::array<QList<qreal>, 2> lengths_{};
  QBarCategoryAxis* classes_;
  QCategoryAxis* values_;
};

}  // namespace hw
