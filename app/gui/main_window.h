#pragma once

#include <QActionGroup>
#include <QFutureWatcher>
#include <QMainWindow>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <array>
#include <functional>
#include <vector>

#include "app/gui/arguments.h"
#include "app/gui/picture.h"
#include "app/gui/settings.h"
#include "widgets/canvas/lanes_view.h"
#include "widgets/canvas/map_view.h"
#include "widgets/canvas/memory_now.h"
#include "widgets/charts/peak_chart.h"
#include "widgets/compare/compare_maps.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/compare/divergence.h"
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

/// The menus of the menu bar, in its order. One without entries is not shown.
enum class MenuKind { file, edit, view, simulate, compare, report, help };

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
  /// The plans below the one on show, in lock-step with it.
  CompareMaps* compareMaps() const { return compareMaps_; }
  /// The first of their maps, that of B; hidden without a second run.
  MapView* mapBelow() { return compareMaps_->map(0, PoolId(0)); }
  ViewState* belowState() { return compareMaps_->state(0); }
  /// Shows one more run of the same model below the first; null shows none at all.
  void showBelow(const std::shared_ptr<const Run>& run);
  /// By pool; `mapAdded` tells of more.
  const std::vector<MapView*>& maps() const { return maps_; }

  // What features (app/gui/features) build on.
  Settings* settings() const { return settings_; }
  PeakChart* chart() const { return chart_; }
  MemoryNow* now() const { return now_; }
  LanesView* lanes() const { return lanes_; }
  /// The column of views, all of which share the x axis of `state()`.
  QSplitter* views() const { return views_; }
  Inspector* inspector() const { return inspector_; }
  TransportBar* transport() const { return transport_; }
  StatusLine* statusLine() const { return status_; }
  MetricsPanel* metrics() const { return metrics_; }
  WelcomePage* welcome() const { return welcome_; }
  /// What was asked for to get the run on show.
  const RunRequest& request() const { return request_; }
  /// Plans what is open with `config`, in the background, and shows it in the form too.
  void planWith(const RunConfig& config);

  QMenu* menu(MenuKind kind) const { return menus_[static_cast<std::size_t>(kind)]; }
  /// An entry of `menu` and a command of the window; `name` is its id for tests, for the palette
  /// and for rebinding, so it must be unique and never change.
  QAction* addCommand(QMenu* menu, const QString& name, const QString& text,
                      const QList<QKeySequence>& keys, const std::function<void()>& act);
  /// Disabled, with the reason as tool tip, while nothing is open.
  QAction* needsRun(QAction* action);
  /// A panel that can be docked, with an entry in View > Panels. In the default layout it is a tab
  /// of the dock named `tabOf`, or stands alone in `area` when that is empty.
  QDockWidget* addDock(const QString& name, const QString& title, QWidget* content,
                       Qt::DockWidgetArea area, const QString& tabOf = {});

  /// What `style` asks for as it looks now; `size` is for presets without one.
  Picture picture(const PictureStyle& style, const QSize& size);
  /// How large what `kind` shows is on the screen.
  QSize shownSize(PictureKind kind) const;

  void applyTheme(ThemeChoice choice);
  void setReducedMotion(bool reduced) { now_->setReducedMotion(reduced); }
  void resetLayout();

 Q_SIGNALS:
  /// A run has come on show, at the step where the one before it stood if the model is the same.
  void shown();
  /// Of a pool that no plan on show used before; it stays, hidden when not needed.
  void mapAdded(MapView* map);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  // main_window_menus.cpp
  void buildMenuBar();
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
  void addMap();
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
  Picture mapPicture() const;
  Picture contentOf(PictureKind kind);
  void paintChart(QPainter& painter, const QRect& target);
  void paintViews(QPainter& painter, const QRect& target);

  // main_window_compare.cpp
  void connectCompare();
  void compareAllocators();
  void openCompared(const std::shared_ptr<const Run>& run);
  void exportComparison();
  void chooseBelow();
  void arrangeBelow();
  void findDivergence(std::optional<std::size_t> place);
  void goToDivergence();

  // main_window_commands.cpp
  void chooseFile();
  void choosePlatformFile();
  void chooseDimensions();
  void focusThenFit();
  void clearSelection();
  void showShortcuts();
  void showAbout();

  Settings* settings_;
  ViewState state_;
  Player player_;
  RunRequest request_;                         ///< Of the run on show.
  RunRequest pending_;                         ///< Of the job under way.
  std::shared_ptr<const Model> pendingModel_;  ///< Of the job under way; null: it opens one.

  QStackedWidget* stack_ = nullptr;
  QSplitter* views_ = nullptr;
  PeakChart* chart_ = nullptr;
  std::vector<MapView*> maps_;
  CompareMaps* compareMaps_ = nullptr;
  QScrollArea* column_ = nullptr;  ///< Around `views_`: there may be more maps than fit.
  LanesView* lanes_ = nullptr;
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

  /// Docks that features added, and the dock each is a tab of.
  std::vector<std::pair<QDockWidget*, QString>> featureDocks_;
  std::array<QMenu*, 7> menus_{};
  QMenu* recent_ = nullptr;
  QMenu* panels_ = nullptr;
  QActionGroup* themes_ = nullptr;
  QList<QAction*> needRun_;
  QList<QAction*> needBelow_;
  QFutureWatcher<std::vector<std::optional<Divergence>>> divergence_;
  std::vector<std::shared_ptr<const Run>> diverging_;  ///< A, and those it is held against.
  bool laidOut_ = false;
  PlanJob job_;  ///< Last: its threads end before what they report to.
};

}  // namespace hw
