#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QObject>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <memory>

#include "widgets/jobs/job.h"
#include "widgets/method/stage_player.h"
#include "widgets/panels/method_table_view.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The run on show with all that its method's lists went through. Runs are planned without it; who
/// wants to look has the plan made once more, beside the screen, and it is kept until another run
/// comes.
class RunRecorder : public QObject {
  Q_OBJECT

 public:
  enum class State { none, working, stopped, failed, done };

  explicit RunRecorder(QObject* parent = nullptr);

  /// The run whose method is looked at, or null. Work for another one is dropped.
  void setRun(const std::shared_ptr<const Run>& run);
  /// Makes the record, unless it is there, under way, or cannot be had.
  void record();

  State state() const { return state_; }
  /// With records, as far as the method makes any; null until it is done.
  std::shared_ptr<const Run> recorded() const { return recorded_; }
  /// False: the method came to other addresses than those on show, as one with a time limit may.
  bool isSamePlan() const { return samePlan_; }
  /// Why it failed, in a sentence.
  QString problem() const { return problem_; }
  Job* job() { return &job_; }

 Q_SIGNALS:
  void changed();

 private:
  JobEnd accept(const Result<std::shared_ptr<const Run>>& result);

  std::shared_ptr<const Run> run_;
  std::shared_ptr<const Run> recorded_;
  State state_ = State::none;
  bool samePlan_ = true;
  QString problem_;
  Job job_;
};

/// The way of the run's method to its plan: the stage, on which it plays decision by decision
/// with a playhead of its own, and the tables that it wrote down while it worked. One thing at a
/// time, to choose from. What plays is recorded when somebody looks, beside the screen.
///
/// Both playheads are linked by what they are about: a decision selects its tensor and moves the
/// moment to its step; choosing a tensor anywhere goes to the first decision about it.
class MethodPanel : public QWidget {
  Q_OBJECT

 public:
  explicit MethodPanel(ViewState* state, QWidget* parent = nullptr);
  ~MethodPanel() override;

  /// Records to play, then tables.
  QComboBox* chooser() const { return chooser_; }
  MethodTableView* view() const { return view_; }
  StagePlayer* player() const { return player_; }
  MethodDeck* deck() const { return player_->deck(); }
  RunRecorder* recorder() { return &recorder_; }
  /// The recorder that plays the method on demand, and stops that.
  QPushButton* recordButton() const { return record_; }
  QPushButton* stopButton() const { return stop_; }
  /// Draws pale elsewhere what the method has not come to yet.
  QCheckBox* paleBox() const { return pale_; }
  /// The words instead of a stage or a table; empty while there is one.
  QString emptyText() const;

 public Q_SLOTS:
  /// Shows the stage rather than a table, and gives it the keys.
  void showStage();
  /// Nobody looks any more: nothing plays on, and nothing elsewhere is pale because of it.
  void leave();

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  enum Page { kEmpty, kStage, kTable };

  QWidget* buildEmpty();
  void connectParts();
  void showRun();
  void fillChooser();
  void showChosen();
  void showRecord(std::size_t record);
  void showTable(std::size_t table);
  void showProgress();
  bool isLinked() const;
  void recordIfSeen();
  QString whyNoStage() const;
  void followTick();
  void followSelection();
  void showPlaced();
  void dropFilter();

  QPointer<ViewState> state_;  ///< Gone before the panel where a window ends while it is seen.
  RunRecorder recorder_;
  QComboBox* chooser_;
  QLabel* note_;
  QStackedWidget* stack_;
  QLabel* empty_;
  QPushButton* record_;
  QPushButton* stop_;
  QProgressBar* progress_;
  StagePlayer* player_;
  QCheckBox* pale_;
  MethodTableView* view_;
  /// By stay: the number of ticks after which it was decided first; of the record on show.
  std::vector<std::size_t> decidedAt_;
  std::shared_ptr<const StayFilter> ours_;  ///< The filter in force, if it is this panel's.
  bool following_ = false;  ///< True while one playhead moves because the other, or a choice, did.
};

}  // namespace hw
