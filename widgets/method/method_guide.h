#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QWidget>

#include "core/report/method/lesson.h"
#include "widgets/jobs/background.h"
#include "widgets/method/stage_player.h"

namespace hw {

/// A method explained on a network that is small enough to follow by hand: the stage on which its
/// worked example plays, and beside it a few sentences for where the playhead stands.
class LessonView : public QWidget {
  Q_OBJECT

 public:
  explicit LessonView(QWidget* parent = nullptr);

  /// Begins with its first stop. Its example is planned beside the screen.
  void setLesson(const Lesson* lesson);
  const Lesson* lesson() const { return lesson_; }
  /// True until the example is there.
  bool isLoading() const { return planning_.isRunning(); }
  StagePlayer* player() const { return player_; }
  /// The stop that the playhead has passed last, from 0.
  std::size_t stop() const;
  std::size_t stopCount() const { return ticks_.size(); }
  /// The text about it.
  QString text() const { return text_->text(); }
  QPushButton* nextButton() const { return next_; }
  QPushButton* backButton() const { return back_; }
  QPushButton* tryButton() const { return try_; }
  /// Why the present model cannot be tried; empty: it can.
  void setWhyNotTry(const QString& why);

 public Q_SLOTS:
  void goToStop(std::size_t stop);

 Q_SIGNALS:
  /// The present model is to be planned by this method.
  void tryWanted(const QString& allocator);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QWidget* buildWords();
  void accept(const Result<std::shared_ptr<const Run>>& made);
  void showRecord(int record);
  void showStop();

  const Lesson* lesson_ = nullptr;
  std::shared_ptr<const Run> run_;
  std::vector<std::size_t> ticks_;  ///< Of each stop.
  QLabel* title_;
  QLabel* intro_;
  QComboBox* records_;
  StagePlayer* player_;
  QLabel* heading_;
  QLabel* text_;
  QLabel* number_;
  QPushButton* back_;
  QPushButton* next_;
  QPushButton* try_;
  Background<Result<std::shared_ptr<const Run>>> planning_;
};

/// A guide to the methods: one page for each that is taught, with its example on a stage. Stays
/// open beside the window.
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
