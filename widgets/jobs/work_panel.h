#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>
#include <initializer_list>

#include "widgets/base/figure_card.h"
#include "widgets/jobs/job.h"

namespace hw {

/// A panel that works in the background when somebody asks it to: the buttons that start and stop
/// it, a bar of its progress and a note; and below them what came of the work.
class WorkPanel : public QWidget {
  Q_OBJECT

 public:
  Job* job() { return &job_; }
  /// The words in the head: who is best, what the work does now, or why it is out of date.
  QString note() const { return note_->text(); }
  /// Does the work for the run on show, unless that is done already.
  virtual void start() = 0;
  /// What came of it in a few words, with its curve; no words before there is an answer.
  virtual Figure answer() const { return {}; }

 Q_SIGNALS:
  /// The answer may be another one.
  void answered();

 protected:
  struct Words {
    QString start{};     ///< The text of the button.
    QString progress{};  ///< The name of the bar for screen readers.
    QString stop{};      ///< The tool tip: what is kept.
    QString job{};       ///< The name in lists of jobs.
  };

  WorkPanel(const Words& words, QWidget* parent);
  /// Lays out `controls` over the buttons with `behind` after them, the note, and `parts` one
  /// below the other, of which the first grows.
  void build(std::initializer_list<QWidget*> parts, std::initializer_list<QWidget*> controls = {},
             std::initializer_list<QWidget*> behind = {});
  /// Shows again what depends on the run and on the job.
  virtual void refresh() = 0;
  virtual void showDoing(const QString& doing) { note_->setText(doing); }
  /// Shows whether the job runs; `startable` and `why` are for the button that starts it.
  void showWork(bool startable, const QString& why);

  QPushButton* start_;
  QPushButton* stop_;
  QProgressBar* progress_;
  QLabel* note_;
  Job job_;
};

}  // namespace hw
