#pragma once

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTableWidget>
#include <QVBoxLayout>

#include "widgets/study/study_view_state.h"

namespace hw {

/// The axes of a study with their values as buttons: those that are down filter all views; and what
/// the figure on show depends on.
class StudyFilters : public QScrollArea {
  Q_OBJECT

 public:
  explicit StudyFilters(StudyViewState* state, QWidget* parent = nullptr);

  /// The button of a value; null where there is none, or the axis has too many for buttons.
  QAbstractButton* button(const QString& axis, const QString& value) const;

  /// As wide as the column, never wider.
  QSize minimumSizeHint() const override { return {200, 120}; }

 private:
  void rebuild();
  void refresh();
  void addAxis(std::size_t axis);
  QWidget* valueButtons(std::size_t axis);
  QWidget* valueMenu(std::size_t axis);
  QString countText() const;

  StudyViewState* state_;
  QWidget* axes_ = nullptr;
  QVBoxLayout* column_;
  QLabel* count_;
  QPushButton* clear_;
  QLabel* heading_;
  QTableWidget* shares_;
  std::shared_ptr<const StudyFile> shown_;
  /// Sets what is down again, button by button.
  std::vector<std::function<void()>> follow_;
};

}  // namespace hw
