#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <memory>
#include <string>
#include <vector>

#include "core/report/study/study_engine.h"
#include "widgets/jobs/background.h"
#include "widgets/jobs/job.h"
#include "widgets/study/study_run_panel.h"
#include "widgets/study/study_view_state.h"
#include "widgets/study/study_views.h"

namespace hw {

class MainWindow;

/// True for names of files of results: what opens as a study, not as a model.
bool isResultsFile(const QString& name);

/// The place Study: files of results and their pictures, studies that run in processes of their own
/// or on a cluster, and the runs of a study opened with everything the window has.
class StudyFeature : public QObject {
 public:
  explicit StudyFeature(MainWindow* window);

  StudyViewState* state() { return &state_; }
  StudyViews* views() const { return views_; }
  StudyRunPanel* panel() const { return panel_; }
  Job* job() { return &running_; }

  /// Shows the results in a file, in the place Study.
  void openResults(const QString& path);
  /// Runs what is missing of the study in a file of TOML, into a file of results.
  void runStudy(const QString& study, const QString& results);
  /// The command line of a worker; that of this program at first.
  void setWorker(std::vector<std::string> worker) { worker_ = std::move(worker); }

 private:
  /// A study that is to be run.
  struct Wanted {
    std::string text{};
    std::string folder{};
    std::string results{};
  };

  QWidget* emptyPage();
  void addCommands();
  void connectPanel();
  void chooseResults();
  void chooseStudy();
  void start(const Wanted& wanted);
  void runMissing();
  QString studyFile() const;
  bool isBusy();
  void askForCluster();
  void giveToCluster(const QString& study, const QString& sbatch);
  void collectShards();
  JobEnd finish(const Wanted& wanted, const Result<StudyTally>& tally);
  std::optional<RunRequest> requestOf(std::uint32_t row) const;
  void sayUnknown();
  void drawChosen();
  void openRun(std::uint32_t row);
  void showBelow(std::uint32_t row);

  MainWindow* window_;
  StudyViewState state_;
  StudyViews* views_ = nullptr;
  StudyRunPanel* panel_ = nullptr;
  std::vector<std::string> worker_;
  std::pair<std::string, std::int64_t> drawn_{"", -1};  ///< File and row of the map on show.
  bool opensRun_ = false;                          ///< The next run on show is one of the study.
  QElapsedTimer since_;                            ///< The start of the study that runs.
  Background<std::optional<SampleCard>> drawing_;  ///< The map of the run that is chosen.
  Job planning_{tr("Planning a run of the study"), Job::Stopping::abandons};
  Job running_{tr("Running a study"), Job::Stopping::reports};
  Job cluster_{tr("Talking to the cluster"), Job::Stopping::impossible};
};

}  // namespace hw
