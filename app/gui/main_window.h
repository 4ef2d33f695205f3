#pragma once

#include <QActionGroup>
#include <QFutureWatcher>
#include <QMainWindow>
#include <QSplitter>
#include <QStackedWidget>
#include <vector>

#include "app/gui/arguments.h"
#include "app/gui/picture.h"
#include "app/gui/settings.h"
#include "widgets/canvas/map_view.h"
#include "widgets/canvas/memory_now.h"
#include "widgets/charts/peak_chart.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/compare/divergence.h"
#include "widgets/compare/lock_step.h"
#include "widgets/jobs/plan_job.h"
#include "widgets/panels/event_panel.h"
#include "widgets/panels/inspector.h"
#include "widgets/panels/message_bar.h"
#include "widgets/panels/method_panel.h"
#include "widgets/panels/metrics_panel.h"
#include "widgets/panels/moment_panel.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/run_form.h"
#include "widgets/panels/schedule_panel.h"
#include "widgets/panels/status_line.h"
#include "widgets/panels/welcome_page.h"
#include "widgets/transport/transport_bar.h"

namespace hw {

/// The studio's window: views of one run in a column, panels around them, a transport above. It
/// owns what is open; everything on screen looks at its ViewState.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  /// `settings` outlives the window.
  explicit MainWindow(Settings* settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens and plans in the background; what is open stays until that has succeeded.
  void open(const RunRequest& request);
  void openModel(const QString& name);
  /// Shows a run that was made elsewhere.
  void show(const RunRequest& request, const PlanOutcome& outcome);
  using QMainWindow::show;

  ViewState* state() { return &state_; }
  Player* player() { return &player_; }
  PlanJob* job() { return &job_; }
  RunForm* runForm() { return runForm_; }
  EventPanel* events() { return events_; }
  MessageBar* messages() { return message_; }
  SchedulePanel* schedule() { return schedule_; }
  ComparePanel* comparison() { return compare_; }
  /// The map below the first, in lock-step with it; hidden without a second run.
  MapView* mapBelow() { return belowMap_; }
  ViewState* belowState() { return &belowState_; }
  /// Shows another run of the same model below the first map; null shows none.
  void showBelow(std::shared_ptr<const Run> run) { lockStep_.setB(std::move(run)); }
  const std::vector<MapView*>& maps() const { return maps_; }

  /// What `kind` looks like now, to be drawn in another size.
  Picture picture(PictureKind kind, const QSize& size);

  void applyTheme(ThemeChoice choice);
  void setReducedMotion(bool reduced) { now_->setReducedMotion(reduced); }
  void resetLayout();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  // main_window_menus.cpp
  QAction* addCommand(QMenu* menu, const QString& name, const QString& text,
                      const QList<QKeySequence>& keys, const std::function<void()>& act);
  QAction* needsRun(QAction* action);
  void buildMenus();
  void buildFileMenu();
  void buildViewMenu();
  void buildThemeMenu(QMenu* view);
  void buildRunMenu();
  void buildCompareMenu();
  void buildHelpMenu();
  void fillRecentMenu();
  void updateActions();

  // main_window_layout.cpp
  void buildViews();
  QDockWidget* addDock(const QString& name, const QString& title, QWidget* content,
                       Qt::DockWidgetArea area);
  void buildDocks();
  void defaultLayout();
  void restoreLayout();
  void saveLayout();
  void showMaps();
  void raiseInspector();

  // main_window.cpp
  void connectJob();
  void start(const RunRequest& request, std::shared_ptr<const Model> model);
  void planAgain();
  void finish(const PlanOutcome& outcome);
  void reportFailure(const Error& error);

  // main_window_pictures.cpp
  std::vector<MapView*> shownMaps() const;
  Picture mapPicture(const QSize& size) const;

  // main_window_compare.cpp
  void connectCompare();
  void compareAllocators();
  void openCompared(const std::shared_ptr<const Run>& run);
  void exportComparison();
  void chooseBelow();
  void arrangeBelow();
  void findDivergence();
  void goToDivergence();

  // main_window_commands.cpp
  void chooseFile();
  void choosePlatformFile();
  void chooseDimensions();
  void exportPicture(PictureKind kind);
  void focusThenFit();
  void clearSelection();
  void showShortcuts();
  void showAbout();

  Settings* settings_;
  ViewState state_;
  ViewState belowState_;  ///< Of the run that is shown below, in lock-step.
  LockStep lockStep_;
  Player player_;
  RunRequest request_;                         ///< Of the run on show.
  RunRequest pending_;                         ///< Of the job under way.
  std::shared_ptr<const Model> pendingModel_;  ///< Of the job under way; null: it opens one.

  QStackedWidget* stack_ = nullptr;
  QSplitter* views_ = nullptr;
  PeakChart* chart_ = nullptr;
  std::vector<MapView*> maps_;
  MapView* belowMap_ = nullptr;
  MemoryNow* now_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  MessageBar* message_ = nullptr;
  TransportBar* transport_ = nullptr;
  SchedulePanel* schedule_ = nullptr;
  Inspector* inspector_ = nullptr;
  RunForm* runForm_ = nullptr;
  MetricsPanel* metrics_ = nullptr;
  EventPanel* events_ = nullptr;
  ProblemsPanel* problems_ = nullptr;
  MomentPanel* moment_ = nullptr;
  MethodPanel* method_ = nullptr;
  ComparePanel* compare_ = nullptr;
  StatusLine* status_ = nullptr;

  QMenu* recent_ = nullptr;
  QMenu* panels_ = nullptr;
  QActionGroup* themes_ = nullptr;
  QList<QAction*> needRun_;
  QList<QAction*> needBelow_;
  QFutureWatcher<std::optional<Divergence>> divergence_;
  std::pair<std::shared_ptr<const Run>, std::shared_ptr<const Run>> diverging_;  ///< A and B.
  bool laidOut_ = false;
  PlanJob job_;  ///< Last: its threads end before what they report to.
};

}  // namespace hw
