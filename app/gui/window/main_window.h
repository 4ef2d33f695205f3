#pragma once

#include <QMainWindow>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "app/gui/output/picture.h"
#include "app/gui/request/arguments.h"
#include "app/gui/request/settings.h"
#include "app/gui/window/places.h"
#include "app/gui/window/top_bar.h"
#include "core/run/options.h"
#include "widgets/below/compare_maps.h"
#include "widgets/charts/peak_chart.h"
#include "widgets/form/setting_sheet.h"
#include "widgets/frame/figure_cards.h"
#include "widgets/frame/message_bar.h"
#include "widgets/frame/run_pills.h"
#include "widgets/frame/status_line.h"
#include "widgets/frame/welcome_page.h"
#include "widgets/jobs/job.h"
#include "widgets/lanes/lanes_view.h"
#include "widgets/map/map_legend.h"
#include "widgets/map/map_view.h"
#include "widgets/now/memory_now.h"
#include "widgets/transport/transport_bar.h"

namespace hw {

/// The menus of the menu bar, in its order. One without entries is not shown.
enum class MenuKind { file, edit, view, simulate, compare, report, help };

/// Opens the model of `request` and plans it; with `said`, what is not said there is as a figure
/// says that comes with the model.
Result<std::shared_ptr<const Run>> openAndPlan(const RunRequest& request,
                                               const std::optional<OptionTexts>& said,
                                               const RunContext& context);

/// Something outside the views that can be exported as a picture.
struct PictureSource {
  std::function<void(QPainter&, const QRect&)> paint{};
  std::function<QSize()> size{};  ///< As it is on the screen.
};

/// The frame of the studio: a bar above, views of one run in a column with panels around them, a
/// place at a time, and the player below. It opens and plans, and owns what is open; everything
/// on screen looks at its ViewState. What it is filled with comes from features, of which it knows
/// nothing: see app/gui/studio.h.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  /// `settings` outlives the window.
  explicit MainWindow(Settings* settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens and plans in the background; what is open stays until that has succeeded.
  void open(const RunRequest& request);
  /// The same of another model, with the settings of this one; a figure comes with settings of its
  /// own, and takes them along when it goes, as the model on show does with what `keepToModel` told
  /// of.
  void openModel(const QString& name);
  /// How that would plan it.
  RunRequest requestFor(const QString& name) const;
  /// The same as a command line asks for it: what was `said` stays, the rest is the figure's.
  void openAsTold(const RunRequest& request, OptionTexts said);
  /// Shows a plan of the model on show that is there already, once it is checked.
  void openPlanned(const RunRequest& request, const std::shared_ptr<const Run>& run);
  /// The changes from `before` to `after` are about the model on show: the next one is opened
  /// as before, but for what somebody has chosen in between.
  void keepToModel(const RunRequest& before, const RunRequest& after);
  /// The taker of files that are dropped while something is open; else they are opened.
  void onDropped(std::function<void(const QString&)> take) { takeDropped_ = std::move(take); }
  /// The taker of files that are no models; it returns true for those that it takes.
  void onOtherFile(std::function<bool(const QString&)> take) { takeOther_ = std::move(take); }
  /// Shows a run that was made elsewhere.
  void show(const RunRequest& request, const PlanOutcome& outcome);
  using QMainWindow::show;
  /// The request that is wanted: of the job under way, or else of the run on show.
  const RunRequest& request() const { return request_; }
  /// Plans what is open, or being opened, once more.
  void planAgain() { planWith(RunRequest(request_)); }
  /// Plans what is open, or being opened, with `request`, in the background.
  void planWith(const RunRequest& request);

  Settings* settings() const { return settings_; }
  ViewState* state() { return &state_; }
  Player* player() { return &player_; }
  /// Everything that is computed beside the window.
  JobBoard* jobs() { return &jobs_; }
  PlanJob* job() { return &job_; }
  SettingChoice* settingChoice() const { return settingChoice_; }
  SettingSheet* settingSheet() const { return settingSheet_; }
  MessageBar* messages() const { return message_; }
  StatusLine* statusLine() const { return status_; }
  TransportBar* transport() const { return transport_; }
  WelcomePage* welcome() const { return welcome_; }

  /// The column of views, all of which share the x axis of `state()`.
  QSplitter* views() const { return views_; }
  PeakChart* chart() const { return chart_; }
  /// By pool; `mapAdded` tells of more.
  const std::vector<MapView*>& maps() const { return maps_; }
  LanesView* lanes() const { return lanes_; }
  MapLegend* legend() const { return legend_; }
  MemoryNow* now() const { return now_; }
  /// The plans below the one on show, in lock-step with it.
  CompareMaps* compareMaps() const { return compareMaps_; }
  ViewState* belowState() const { return compareMaps_->state(0); }
  /// Shows one more run of the same model below the first; null shows none at all.
  void showBelow(const std::shared_ptr<const Run>& run);

  QMenu* menu(MenuKind kind) const { return menus_[static_cast<std::size_t>(kind)]; }
  /// Of the panels, with what shows and hides them.
  QMenu* panelMenu() const { return panels_; }
  /// An entry of `menu` and a command of the window; `name` is its id for tests, for the palette
  /// and for rebinding, so it must be unique and never change.
  QAction* addCommand(QMenu* menu, const char* name, const QString& text,
                      const QList<QKeySequence>& keys, const std::function<void()>& act);
  /// The same, disabled while nothing is open, with the reason as tool tip.
  QAction* addRunCommand(QMenu* menu, const char* name, const QString& text,
                         const QList<QKeySequence>& keys, const std::function<void()>& act);
  /// The command with that id: all are public. There must be one.
  QAction* command(const QString& name) const;
  /// A panel that `placeTable` names, with a command that shows it, and with a picture above the
  /// views where `above` is not null.
  void addPanel(const char* name, const QString& title, QWidget* content, QWidget* above = nullptr);
  Places* places() const { return places_; }
  /// Brings a panel to the front, in a place that has it.
  void showPanel(const QString& name);
  TopBar* topBar() const { return topBar_; }
  RunPills* pills() const { return pills_; }
  /// The row below the views: what plays, and the whole run in a strip.
  QWidget* playerRow() const { return playerRow_; }
  void addPicture(PictureKind kind, PictureSource source);

  /// The picture that `style` asks for as it looks now; `size` is for presets without one.
  Picture picture(const PictureStyle& style, const QSize& size);
  /// The same of every step on show, one after the other, as an animated WebP; the moment is as
  /// before in the end. `progress` is told the part that is done; false stops. Needs a run.
  Result<QByteArray> movingPicture(const PictureStyle& style, const QSize& size,
                                   const std::function<bool(double)>& progress);
  /// Writes the one or the other, by the ending of `file`.
  Result<void> writePicture(const PictureStyle& style, const QSize& size, const QString& file,
                            const std::function<bool(double)>& progress);
  /// The size of what `kind` shows on the screen.
  QSize shownSize(PictureKind kind) const;
  /// The folder in which dialogs for files begin: where the last one ended, else at the model's
  /// file, else among the user's documents.
  QString startFolder() const;
  /// Asks where to write something; empty when nowhere. A name without an ending gets that of the
  /// filter that was chosen; the one for `ending` is offered first. `taken` is told the filter.
  QString chooseTarget(const QString& title, const QString& name, const QString& filters,
                       const QString& ending = {}, QString* taken = nullptr);
  /// Says that `file` was written, or why not.
  void sayExported(const QString& file, const Result<void>& written);

  void applyTheme(ThemeChoice choice);
  /// Of memory now and of bars, which otherwise grow into place.
  void setReducedMotion(bool reduced);
  void resetLayout();
  /// To `size`, or as much of it as the screen has.
  void resizeOnScreen(const QSize& size);

 Q_SIGNALS:
  /// Somebody wants to see the model in `file` below the one on show.
  void belowWanted(const QString& file);
  /// A run has come on show, at the step where the one before it stood if the model is the same.
  void shown();
  /// The findings of the independent check in the plan that comes on show.
  void checked(const std::vector<hw::Violation>& violations);
  /// Of a pool that no plan on show used before; it stays, hidden when not needed.
  void mapAdded(MapView* map);

 protected:
  /// To be called when all commands and panels are there: menus without any are hidden.
  void complete();

  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void connectJob();
  void start(const RunRequest& request, std::shared_ptr<const Model> model, PlanJob::Work work);
  /// `said` goes before what a figure asks for; nothing: the request is complete.
  void openOrPlan(const RunRequest& request, const std::shared_ptr<const Model>& model,
                  const std::optional<OptionTexts>& said = {});
  void finish(const PlanOutcome& outcome);
  void reportFailure(const Error& error);
  void showWhatIsWanted();
  bool isKeyOfDisabled(const QKeyEvent& key) const;

  void buildViews();
  void buildCentre();
  void addMap();
  void showMaps();

  void buildMenuBar();
  void updateActions();
  void restoreLayout();
  void saveLayout();
  void addPlaceCommands();
  QAction* addPlaceCommand(QMenu* menu, const QByteArray& name, const QString& text,
                           const QList<QKeySequence>& keys, bool needsRun,
                           const std::function<void()>& act);
  QList<QAction*> placeCommands(QMenu* view);
  QWidget* buildMiddle();
  void goTo(const QString& place);
  void showFrame();
  void showTicks();
  void placeMessage();

  Picture contentOf(PictureKind kind);
  std::vector<MapScene> mapScenes() const;
  int leastViewsHeight() const;
  int lanesHeight() const;
  void paintLanes(QPainter& painter, const QRect& target);
  void paintViews(QPainter& painter, const QRect& target);

  Settings* settings_;
  ViewState state_;
  Player player_;
  /// The request that is wanted: of the job under way, or else of the run on show.
  RunRequest request_;
  /// Before a figure brought its own; nothing: none has.
  std::optional<RunRequest> beforeFigure_;
  std::vector<OptionChange> ofModel_;          ///< Changes for the model on show, and no other.
  std::shared_ptr<const Model> pendingModel_;  ///< Of the job under way; null: it opens one.

  QStackedWidget* stack_ = nullptr;
  QSplitter* views_ = nullptr;
  PeakChart* chart_ = nullptr;
  std::vector<MapView*> maps_;
  CompareMaps* compareMaps_ = nullptr;
  QScrollArea* column_ = nullptr;  ///< Around `views_`: there may be more maps than fit.
  LanesView* lanes_ = nullptr;
  MapLegend* legend_ = nullptr;
  MemoryNow* now_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  MessageBar* message_ = nullptr;
  TransportBar* transport_ = nullptr;
  SettingChoice* settingChoice_ = nullptr;
  SettingSheet* settingSheet_ = nullptr;
  StatusLine* status_ = nullptr;

  Places* places_ = nullptr;
  TopBar* topBar_ = nullptr;
  QWidget* playerRow_ = nullptr;
  QWidget* figures_ = nullptr;  ///< Around `pills_` and the cards.
  RunPills* pills_ = nullptr;
  std::map<QString, QAction*> commands_;
  std::array<QMenu*, 7> menus_{};
  QMenu* panels_ = nullptr;
  QList<QAction*> needRun_;
  std::map<PictureKind, PictureSource> pictures_;
  bool laidOut_ = false;
  std::function<void(const QString&)> takeDropped_;
  std::function<bool(const QString&)> takeOther_;
  JobBoard jobs_;
  PlanJob job_;  ///< Last, so that its threads end before the members that they report to.
};

}  // namespace hw
