#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QToolButton>
#include <QWidget>

#include "core/plan/validate.h"
#include "widgets/jobs/job.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The bottom line: the step, what is live, the arena, the largest hole, whether the plan is valid,
/// what the pointer is over; and while a job runs its progress, with a button to cancel it.
class StatusLine : public QStatusBar {
  Q_OBJECT

 public:
  StatusLine(ViewState* state, Job* job, QWidget* parent = nullptr);

  /// The findings of the independent check of the plan on show.
  void setViolations(std::size_t count);
  void setPointer(const QString& text) { pointer_->setText(text); }

  QString text() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  QLabel* addField(const QString& toolTip);
  void addProgress(Job* job);
  void showMoment();
  void showRun();

  ViewState* state_;
  QLabel* step_;
  QLabel* live_;
  QLabel* arena_;
  QLabel* hole_;
  QLabel* valid_;
  QLabel* pointer_;
  QLabel* work_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QToolButton* cancel_ = nullptr;
};

/// Says that statistics are about some steps only, for as long as they are, and ends that.
class RangeChip : public QWidget {
  Q_OBJECT

 public:
  explicit RangeChip(ViewState* state, QWidget* parent = nullptr);

  QString text() const { return label_->text(); }
  QToolButton* closeButton() const { return close_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void showRange();

  ViewState* state_;
  QLabel* label_;
  QToolButton* close_;
};

}  // namespace hw
