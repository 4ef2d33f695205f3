#pragma once

#include <QFormLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QTableWidget>

#include "widgets/frame/welcome_page.h"
#include "widgets/study/study_view_state.h"

namespace hw {

/// The right of the place Study: the run that is chosen and what the next values of an axis would
/// do, the study that runs, and why runs have no plan.
class StudyRunPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit StudyRunPanel(StudyViewState* state, QWidget* parent = nullptr);

  QPushButton* belowButton() const { return below_; }
  QPushButton* startButton() const { return start_; }
  QPushButton* pauseButton() const { return pause_; }
  QPushButton* clusterButton() const { return cluster_; }
  QPushButton* collectButton() const { return collect_; }
  QString title() const { return title_->text(); }
  /// "4 MiB: latency 3.6 % lower".
  QString neighbours() const { return neighbours_->text(); }

  /// The map of the run that is chosen; nothing: it is not planned yet, or cannot be.
  void setMap(const std::optional<SampleCard>& map);

  /// The study runs, `done` of `of` runs being there; nothing: it does not.
  struct Running {
    std::string results{};  ///< The path of its file.
    std::size_t done = 0;
    std::size_t of = 0;
    double perSecond = 0;
  };
  void setRunning(const std::optional<Running>& running);
  /// Shows again what depends on files beside the results.
  void refresh() { showState(); }

  QSize minimumSizeHint() const override { return {200, 120}; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 Q_SIGNALS:
  void openWanted(std::uint32_t row);
  /// It is to be planned, and shown below the plan that is on show.
  void belowWanted(std::uint32_t row);

 private:
  void dress();
  void build();
  void showFile();
  void showChosen();
  void showState();
  void drawMap();
  QString neighbourText(std::uint32_t row) const;

  StudyViewState* state_;
  QLabel* title_;
  QLabel* where_;
  QLabel* picture_;
  std::optional<SampleCard> map_;
  QLabel* facts_;
  QPushButton* open_;
  QPushButton* below_;
  QLabel* neighbours_;
  QLabel* runHeading_;
  QLabel* runText_;
  QProgressBar* progress_;
  QPushButton* start_;
  QPushButton* pause_;
  QPushButton* cluster_;
  QPushButton* collect_;
  QLabel* reasonHeading_;
  QTableWidget* reasons_;
  std::optional<Running> running_;
};

}  // namespace hw
