#pragma once

#include <QDialog>
#include <QListWidget>

#include "widgets/method/lesson_view.h"

namespace hw {

/// How the methods work: one page for each that is taught, with its example on a stage. Stays open
/// beside the window.
class MethodGuide : public QDialog {
  Q_OBJECT

 public:
  explicit MethodGuide(QWidget* parent = nullptr);

  QListWidget* list() const { return list_; }
  LessonView* page() const { return page_; }
  /// Goes to the page of that allocator, if there is one.
  void showLesson(const QString& allocator);

 private:
  QListWidget* list_;
  LessonView* page_;
};

}  // namespace hw
