#pragma once

#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "widgets/state/view_state.h"

namespace hw {

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
