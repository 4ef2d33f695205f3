#include "app/gui/window/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStandardPaths>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/check/stated_run.h"
#include "core/import/samples.h"
#include "core/run/options.h"
#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/plot/spoken_plot.h"

namespace hw {

namespace {

bool isWindowPaletteDark() {
  static const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
  return dark;
}

/// A setting that is still as it was made for the model on show becomes what it was before.
void leaveModel(const std::vector<OptionChange>& changes, RunRequest& request) {
  for (const OptionChange& change : changes) {
    const bool chosenSince = change.option->print(request) != change.after;
    if (chosenSince || change.option->repeats) continue;
    [[maybe_unused]] const auto read = change.option->read(change.before, request);
  }
}

}  // namespace

MainWindow::MainWindow(Settings* settings, QWidget* parent)
    : QMainWindow(parent), settings_(settings), player_(&state_) {
  isWindowPaletteDark();  // Ask before our own palette replaces the desktop's.
  applyTheme(settings->theme());
  speakPlots();
  setObjectName(QStringLiteral("studio"));
  setWindowTitle(tr("Highwater"));
  setAcceptDrops(true);
  status_ = new StatusLine(&state_, &job_, this);
  setStatusBar(status_);
  buildMenuBar();
  settingChoice_ = new SettingChoice(this);
  settingSheet_ = new SettingSheet(settingChoice_, this);
  buildViews();
  request_ = defaultRequest();
  connectJob();
  connect(&state_, &ViewState::runChanged, this, &MainWindow::updateActions);
  connect(settingChoice_, &SettingChoice::chosen, this, &MainWindow::planWith);
  qApp->installEventFilter(this);
}

MainWindow::~MainWindow() = default;

void MainWindow::connectJob() {
  jobs_.watch(&job_);
  connect(&job_, &PlanJob::finished, this, &MainWindow::finish);
  connect(&job_, &Job::ended, this, [this](const JobEnd& end) {
    if (end.state != JobState::stopped) return;
    showWhatIsWanted();
    message_->showNote(tr("Cancelled. %1")
                           .arg(state_.run() ? tr("The plan on show is the last "
                                                  "one that was finished.")
                                             : QString()));
  });
}

void MainWindow::openModel(const QString& name) {
  if (takeOther_ && takeOther_(name)) return;
  openOrPlan(requestFor(name), nullptr, OptionTexts());
}

RunRequest MainWindow::requestFor(const QString& name) const {
  RunRequest request = beforeFigure_ ? *beforeFigure_ : request_;
  leaveModel(ofModel_, request);
  request.model = name.toStdString();
  request.import = {};
  request.moves.clear();  // Moves name operators of the other model.
  return request;
}

void MainWindow::openAsTold(const RunRequest& request, OptionTexts said) {
  openOrPlan(request, nullptr, std::move(said));
}

void MainWindow::open(const RunRequest& request) { openOrPlan(request, nullptr); }

Result<std::shared_ptr<const Run>> openAndPlan(const RunRequest& request,
                                               const std::optional<OptionTexts>& said,
                                               const RunContext& context) {
  context.progress(0, "Opening " + printable(request.model, 60));
  HW_TRY(fresh, hw::openModel(request.model, request.import));
  const auto opened = std::make_shared<const Model>(std::move(fresh));
  if (!said) return execute(opened, request, context);
  HW_TRY(drawn, asShown(*opened, *said, request, "--"));
  return execute(opened, drawn, context);
}

void MainWindow::openOrPlan(const RunRequest& request, const std::shared_ptr<const Model>& model,
                            const std::optional<OptionTexts>& said) {
  start(request, model,
        [request, model, said](const RunContext& context) -> Result<std::shared_ptr<const Run>> {
          if (model) return execute(model, request, context);
          return openAndPlan(request, said, context);
        });
}

/// Only the independent check is still to be made, which is as much work as planning for large
/// models and so is left to the job too.
void MainWindow::openPlanned(const RunRequest& request, const std::shared_ptr<const Run>& run) {
  start(request, run->model,
        [run](const RunContext&) -> Result<std::shared_ptr<const Run>> { return run; });
}

void MainWindow::keepToModel(const RunRequest& before, const RunRequest& after) {
  for (OptionChange& change : changesBetween(before, after)) {
    const auto known = std::ranges::find(ofModel_, change.option, &OptionChange::option);
    if (known == ofModel_.end()) {
      ofModel_.push_back(std::move(change));
      continue;
    }
    // A choice since the last step is what there was before this one.
    if (known->after != change.before) known->before = std::move(change.before);
    known->after = std::move(change.after);
  }
}

void MainWindow::start(const RunRequest& request, std::shared_ptr<const Model> model,
                       PlanJob::Work work) {
  request_ = request;
  pendingModel_ = std::move(model);
  message_->hide();
  job_.start(std::move(work));
}

void MainWindow::planWith(const RunRequest& request) {
  if (!job_.isRunning() && !state_.run()) {
    request_ = request;
    return;
  }
  // A model that is being opened goes on being opened, with the new settings.
  openOrPlan(request, job_.isRunning() ? pendingModel_ : state_.run()->model);
}

void MainWindow::finish(const PlanOutcome& outcome) {
  if (!outcome.run) {
    reportFailure(outcome.run.error());
    return;
  }
  const std::shared_ptr<const Run> run = *outcome.run;
  const bool fresh = !state_.run() || state_.run()->model != run->model;
  if (fresh) {
    beforeFigure_.reset();
    ofModel_.clear();
  }
  // Of a figure the request is what its author made of it.
  const bool ownRequest = !run->model->options.empty() || isPlan(*run->model);
  if (fresh && ownRequest) beforeFigure_ = std::exchange(request_, run->request);
  show(RunRequest(request_), outcome);
}

void MainWindow::reportFailure(const Error& error) {
  if (error.code == ErrorCode::stopped) return;
  const QString reason = QString::fromStdString(error.text());
  const QString name = QString::fromStdString(printable(request_.model));
  const bool replan = state_.run() && request_.model == state_.run()->request.model;
  const QString what = replan ? tr("Cannot plan %1 like this") : tr("Cannot open %1");
  const QString kept = state_.run() ? tr(" What was on show stays.") : QString();
  message_->showError(tr("%1: %2.").arg(what.arg(name), reason) + kept);
  showWhatIsWanted();
}

/// After a failure the wanted request is that of the run on screen.
void MainWindow::showWhatIsWanted() {
  if (state_.run()) request_ = requestBehind(*state_.run());
}

void MainWindow::show(const RunRequest& request, const PlanOutcome& outcome) {
  const auto before = state_.run();
  const StepPlace place = state_.place();
  const bool sameModel = before && before->model == (*outcome.run)->model;
  request_ = request;
  state_.setRun(*outcome.run);
  Q_EMIT checked(outcome.violations);
  status_->setViolations(outcome.violations.size());
  if (sameModel) {
    state_.goTo(placeIn(*before, place, *state_.run()));
  } else {
    state_.goToPeak();
  }
  const auto& model = *state_.run()->model;
  setWindowTitle(tr("%1 \u2013 Highwater").arg(QString::fromStdString(printable(model.name, 80))));
  showMaps();
  stack_->setCurrentWidget(places_);
  topBar_->showRun(*state_.run());
  pills_->setRun(state_.run());
  settingSheet_->setRun(state_.run());
  showFrame();
  Q_EMIT shown();
}

QString MainWindow::startFolder() const {
  QString last = settings_->lastFolder();
  if (!last.isEmpty() && QFileInfo(last).isDir()) return last;
  const QFileInfo model(QString::fromStdString(request_.model));
  if (state_.run() && model.isFile()) return model.absolutePath();
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

QString MainWindow::chooseTarget(const QString& title, const QString& name, const QString& filters,
                                 const QString& ending, QString* taken) {
  const QStringList all = filters.split(QStringLiteral(";;"));
  QString chosen = all.front();
  for (const QString& filter : all) {
    if (filter.contains(QStringLiteral("*.%1)").arg(ending))) chosen = filter;
  }
  const QString suggested = ending.isEmpty() ? name : name + QLatin1Char('.') + ending;
  QString file = QFileDialog::getSaveFileName(this, title, QDir(startFolder()).filePath(suggested),
                                              filters, &chosen);
  if (taken != nullptr) *taken = chosen;
  if (file.isEmpty() || !QFileInfo(file).suffix().isEmpty()) return file;
  return file + chosen.mid(chosen.lastIndexOf(QLatin1Char('*')) + 1).chopped(1);
}

void MainWindow::sayExported(const QString& file, const Result<void>& written) {
  if (!written) {
    const QString why = QString::fromStdString(written.error().text());
    return message_->showError(tr("Nothing was exported: %1.").arg(why));
  }
  settings_->setLastFolder(QFileInfo(file).absolutePath());
  message_->showNote(tr("Exported to %1.").arg(file));
}

void MainWindow::applyTheme(ThemeChoice choice) {
  const bool dark =
      choice == ThemeChoice::dark || (choice == ThemeChoice::system && isWindowPaletteDark());
  Theme::apply(dark ? Theme::darkTheme() : Theme::light());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  saveLayout();
  QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (urls.isEmpty() || !urls.front().isLocalFile()) return;
  event->acceptProposedAction();
  const QString file = urls.front().toLocalFile();
  if (takeDropped_ && state_.run()) {
    takeDropped_(file);
  } else {
    openModel(file);
  }
  if (urls.size() > 1) {
    message_->showNote(tr("One model at a time: opening the first of %1.").arg(urls.size()));
  }
}

/// True if the key belongs to a disabled command: a list would take it for a row's first letter.
bool MainWindow::isKeyOfDisabled(const QKeyEvent& key) const {
  const auto all = actions();
  return std::ranges::any_of(all, [&](const QAction* action) {
    return !action->isEnabled() && action->shortcuts().contains(QKeySequence(key.keyCombination()));
  });
}

/// The transport's keys are plain ones: buttons, boxes and lists keep those they need themselves.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  const bool turned =
      event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent;
  if (turned && watched == lanes_) showTicks();
  const bool moves = event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest;
  if (moves && (watched == stack_ || watched == message_)) placeMessage();
  const bool pressed = event->type() == QEvent::KeyPress;
  if (!pressed && event->type() != QEvent::ShortcutOverride) {
    return QMainWindow::eventFilter(watched, event);
  }
  const auto* key = static_cast<QKeyEvent*>(event);
  if (pressed) {
    const auto* list = qobject_cast<QAbstractItemView*>(watched);
    return (list != nullptr && list->window() == this && isKeyOfDisabled(*key)) ||
           QMainWindow::eventFilter(watched, event);
  }
  const auto* focus = QApplication::focusWidget();
  const bool button = qobject_cast<const QAbstractButton*>(focus) != nullptr;
  const bool choice = qobject_cast<const QComboBox*>(focus) != nullptr;
  if ((button || choice) && key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier) {
    event->accept();
    return true;
  }
  return QMainWindow::eventFilter(watched, event);
}

namespace {

/// Lower windows do without memory now.
constexpr int kRoomForNow = 640;

/// The frame that a desktop may put around a window; nobody knows before it is shown.
constexpr QSize kFrame(8, 36);

}  // namespace

QAction* MainWindow::addCommand(QMenu* menu, const char* name, const QString& text,
                                const QList<QKeySequence>& keys, const std::function<void()>& act) {
  QAction* action = menu->addAction(text);
  action->setObjectName(QString::fromLatin1(name));
  action->setShortcuts(keys);
  if (act) connect(action, &QAction::triggered, this, act);
  addAction(action);
  commands_[action->objectName()] = action;
  return action;
}

QAction* MainWindow::command(const QString& name) const {
  const auto found = commands_.find(name);
  check(found != commands_.end(), "a command is asked for that nobody added");
  return found->second;
}

QAction* MainWindow::addRunCommand(QMenu* menu, const char* name, const QString& text,
                                   const QList<QKeySequence>& keys,
                                   const std::function<void()>& act) {
  needRun_.append(addCommand(menu, name, text, keys, act));
  return needRun_.back();
}

void MainWindow::updateActions() {
  const bool any = state_.run() != nullptr;
  for (QAction* action : std::as_const(needRun_)) {
    action->setEnabled(any);
    action->setToolTip(any ? QString() : tr("Open a model first"));
  }
}

void MainWindow::buildMenuBar() {
  const QString titles[] = {tr("&File"),    tr("&Edit"),   tr("&View"), tr("&Simulate"),
                            tr("&Compare"), tr("&Report"), tr("&Help")};
  for (std::size_t i = 0; i < menus_.size(); ++i) {
    menus_[i] = menuBar()->addMenu(titles[i]);
    menus_[i]->setToolTipsVisible(true);
  }
  panels_ = new QMenu(tr("&Panels"), this);
  menuBar()->hide();  // The bar above has them all.
}

void MainWindow::complete() {
  addPlaceCommands();
  QMenu* file = menu(MenuKind::file);
  file->addSeparator();
  addCommand(file, "quit", tr("&Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });
  for (QMenu* menu : menus_) menu->menuAction()->setVisible(!menu->isEmpty());
  topBar_->fill(*this);
  updateActions();
  places_->reset();
  showFrame();
}

void MainWindow::addPanel(const char* name, const QString& title, QWidget* content,
                          QWidget* above) {
  const QString id = QString::fromLatin1(name);
  places_->add(id, title, content, above);
  const QByteArray command = QByteArrayLiteral("panel:") + name;
  const bool needsRun = std::ranges::none_of(
      placeTable(), [&](const PlaceInfo& place) { return !place.needsRun && place.has(id); });
  addPlaceCommand(panels_, command, title, {}, needsRun, [this, id] { showPanel(id); });
}

void MainWindow::showPanel(const QString& name) {
  places_->show(name);
  if (state_.run() || !places_->place().needsRun) stack_->setCurrentWidget(places_);
  showFrame();
}

void MainWindow::goTo(const QString& place) {
  stack_->setCurrentWidget(places_);
  places_->go(place);
  showFrame();
}

/// Of a panel or a place that may need a run.
QAction* MainWindow::addPlaceCommand(QMenu* menu, const QByteArray& name, const QString& text,
                                     const QList<QKeySequence>& keys, bool needsRun,
                                     const std::function<void()>& act) {
  return needsRun ? addRunCommand(menu, name.constData(), text, keys, act)
                  : addCommand(menu, name.constData(), text, keys, act);
}

/// Keys 1 to 5 go to the places.
QList<QAction*> MainWindow::placeCommands(QMenu* view) {
  QList<QAction*> added;
  int key = Qt::Key_1;
  for (const PlaceInfo& place : placeTable()) {
    const auto number = static_cast<Qt::Key>(key++);
    const QByteArray name = QByteArrayLiteral("place:") + place.id.toLatin1();
    QAction* action =
        addPlaceCommand(view, name, place.title, {number, QKeySequence(Qt::CTRL | number)},
                        place.needsRun, [this, id = place.id] { goTo(id); });
    action->setCheckable(true);
    action->setStatusTip(place.toolTip);
    added.append(action);
  }
  return added;
}

/// They come first in their menu. O and I have the columns at the sides or not.
void MainWindow::addPlaceCommands() {
  QMenu* view = menu(MenuKind::view);
  QAction* const before = view->actions().value(0);
  QList<QAction*> added = placeCommands(view);
  const auto goHome = [this] {
    stack_->setCurrentWidget(welcome_);
    showFrame();
  };
  added.append(
      addCommand(view, "home", tr("Home"), {QKeySequence(Qt::ALT | Qt::Key_Home)}, goHome));
  added.append(addRunCommand(view, "leftColumn", tr("List at the left"), {Qt::Key_O},
                             [this] { places_->toggle(PlaceColumn::left); }));
  added.append(addRunCommand(view, "rightColumn", tr("Inspector at the right"), {Qt::Key_I},
                             [this] { places_->toggle(PlaceColumn::right); }));
  added.append(view->addSeparator());
  view->insertActions(before, added);
  connect(places_, &Places::placeChanged, this, &MainWindow::showFrame);
}

/// The player is there with the views, and the bar says which place is on show.
void MainWindow::showFrame() {
  const bool home = stack_->currentWidget() == welcome_;
  const PlaceInfo& shown = places_->place();
  playerRow_->setVisible(!home && shown.hasViews);
  figures_->setVisible(shown.hasFigures);
  chart_->setVisible(shown.hasChart);
  now_->setVisible(shown.hasNow && height() >= kRoomForNow);
  showTicks();
  for (const PlaceInfo& place : placeTable()) {
    const auto command = commands_.find(QStringLiteral("place:") + place.id);
    if (command == commands_.end()) continue;  // The window is not complete yet.
    command->second->setChecked(!home && place.id == places_->place().id);
  }
  const bool other = !home && !shown.needsRun;
  topBar_->setHome(home, state_.run() != nullptr || other, other);
}

/// The axis is told once, below the last view of it: programs of as many steps share one.
void MainWindow::showTicks() {
  const std::vector<MapView*> maps = compareMaps_->shownMaps();
  const auto sharesAxis = [this](const auto& run) {
    return state_.axis() == AxisUnit::time || stepsOf(*run) == state_.steps();
  };
  const bool one = std::ranges::all_of(compareMaps_->runs(), sharesAxis);
  const bool below = one && !lanes_->isHidden();
  for (MapView* map : maps) map->setTicksShown(!one || (map == maps.back() && !below));
  chart_->setTicksShown(!one || maps.empty());
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (places_ != nullptr && event->oldSize().height() != event->size().height()) showFrame();
}

void MainWindow::resetLayout() {
  settings_->forgetLayout();
  if (state_.run()) stack_->setCurrentWidget(places_);
  places_->reset();
  showFrame();
  compareMaps_->resetHeights();
  // Parts of a panel that stand side by side share it as at first.
  for (const QString& name : places_->panels()) {
    for (QSplitter* split : places_->panel(name)->findChildren<QSplitter*>()) {
      QList<int> sizes;
      for (int part = 0; part < split->count(); ++part) {
        sizes.append(1000 * std::max(1, split->widget(part)->sizePolicy().horizontalStretch()));
      }
      split->setSizes(sizes);
    }
  }
}

void MainWindow::restoreLayout() {
  places_->reset();
  const QByteArray kept = settings_->layout(QStringLiteral("places"));
  if (kept.isEmpty()) return;
  restoreGeometry(settings_->layout(QStringLiteral("geometry")));
  places_->restore(kept);
  views_->restoreState(settings_->layout(QStringLiteral("views")));
}

void MainWindow::saveLayout() {
  settings_->setLayout(QStringLiteral("geometry"), saveGeometry());
  settings_->setLayout(QStringLiteral("places"), places_->save());
  settings_->setLayout(QStringLiteral("views"), views_->saveState());
}

void MainWindow::resizeOnScreen(const QSize& size) {
  resize(size.boundedTo(screen()->availableSize() - kFrame));
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (laidOut_) return;
  laidOut_ = true;
  restoreLayout();
  setReducedMotion(now_->reducedMotion());  // Features have brought their charts.
}

namespace {

/// Of the first device's L2 and L3; other pools get a map when something lives in them.
constexpr std::size_t kFirstMaps = 2;
/// Of the first memory's map; those of others are low until somebody makes them higher.
constexpr int kMapStretch = 5;

/// One more than the last pool that something lives in.
std::size_t poolsInUse(const Run* run) {
  if (!run) return 0;
  const std::vector<PoolId> used = usedPools(*run);
  return used.empty() ? 0 : used.back().index() + 1;
}

}  // namespace

void MainWindow::buildViews() {
  views_ = new QSplitter(Qt::Vertical, this);
  views_->setObjectName(QStringLiteral("views"));
  views_->setChildrenCollapsible(false);
  views_->setHandleWidth(8);
  chart_ = new PeakChart(&state_, PoolId(0), views_);
  views_->addWidget(chart_);
  legend_ = new MapLegend(&state_, this);
  lanes_ = new LanesView(&state_, views_);
  connect(lanes_, &LanesView::pointedAt, status_, &StatusLine::setPointer);
  lanes_->hide();
  views_->addWidget(lanes_);
  now_ = new MemoryNow(&state_, views_);
  now_->setReducedMotion(settings_->reducedMotion());
  views_->addWidget(now_);
  compareMaps_ = new CompareMaps(&state_, views_, this);
  connect(compareMaps_, &CompareMaps::pointedAt, status_, &StatusLine::setPointer);
  connect(compareMaps_, &CompareMaps::changed, this, &MainWindow::showMaps);
  compareMaps_->followLanes(lanes_);
  while (maps_.size() < kFirstMaps) addMap();
  maps_.front()->setCorner(legend_);
  buildCentre();
}

/// The views with what stands above them.
QWidget* MainWindow::buildMiddle() {
  column_ = new QScrollArea(this);
  column_->setWidget(views_);
  column_->setWidgetResizable(true);
  column_->setFrameShape(QFrame::NoFrame);
  column_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  figures_ = new QWidget(this);
  pills_ = new RunPills(settingChoice_, figures_);
  const auto showAll = [this] {
    showPanel(QStringLiteral("run"));
    settingSheet_->setFocus();
  };
  connect(pills_, &RunPills::allSettingsWanted, this, showAll);
  connect(settingChoice_, &SettingChoice::allSettingsWanted, this, showAll);
  auto* above = new QVBoxLayout(figures_);
  above->setContentsMargins(0, 0, 0, 0);
  above->setSpacing(0);
  above->addWidget(pills_);
  above->addWidget(new FigureCards(&state_, figures_));
  auto* around = new QVBoxLayout;
  around->setContentsMargins(12, 8, 8, 8);
  around->addWidget(column_);
  auto* middle = new QWidget(this);
  auto* stacked = new QVBoxLayout(middle);
  stacked->setContentsMargins(0, 0, 0, 0);
  stacked->setSpacing(0);
  stacked->addWidget(figures_);
  stacked->addLayout(around, 1);
  return middle;
}

void MainWindow::buildCentre() {
  places_ = new Places(buildMiddle(), this);
  welcome_ = new WelcomePage(this);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(welcome_);
  stack_->addWidget(places_);
  topBar_ = new TopBar(this);
  transport_ = new TransportBar(&state_, &player_, this);
  playerRow_ = new QWidget(this);
  playerRow_->setObjectName(QStringLiteral("playerRow"));
  auto* row = new QHBoxLayout(playerRow_);
  row->setContentsMargins(8, 2, 8, 2);
  row->addWidget(transport_);
  row->addWidget(new MomentBox(&state_, &player_, playerRow_));
  playerRow_->setAutoFillBackground(true);
  playerRow_->setBackgroundRole(QPalette::Base);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(topBar_);
  layout->addWidget(stack_, 1);
  layout->addWidget(playerRow_);
  setCentralWidget(centre);
  message_ = new MessageBar(stack_);
}

/// Above the lower right corner: a message moves nothing.
void MainWindow::placeMessage() {
  constexpr int kMargin = 12;
  constexpr int kWidest = 640;
  const int width = std::min(kWidest, stack_->width() - 2 * kMargin);
  const int height = message_->hasHeightForWidth() ? message_->heightForWidth(width)
                                                   : message_->sizeHint().height();
  message_->setGeometry(stack_->width() - kMargin - width, stack_->height() - kMargin - height,
                        width, height);
  message_->raise();
}

void MainWindow::setReducedMotion(bool reduced) {
  now_->setReducedMotion(reduced);
  setChartMotion(*this, !reduced);
}

/// Of the pool after those that have one, below theirs.
void MainWindow::addMap() {
  const std::size_t pool = maps_.size();
  auto* map = new MapView(&state_, PoolId(pool), views_);
  map->setObjectName(QStringLiteral("map%1").arg(pool));
  connect(map, &MapView::pointedAt, status_, &StatusLine::setPointer);
  const int place = views_->indexOf(lanes_);
  views_->insertWidget(place, map);
  maps_.push_back(map);
  compareMaps_->addMap(map);
  for (int index = place; index < views_->indexOf(lanes_); ++index) {
    views_->setStretchFactor(index, pool == 0 ? kMapStretch : 1);
  }
  Q_EMIT mapAdded(map);
}

/// A map for every pool that something lives in, here or below; the first pool's always.
void MainWindow::showMaps() {
  const auto run = state_.run();
  std::size_t wanted = poolsInUse(run.get());
  for (const auto& below : compareMaps_->runs()) {
    wanted = std::max(wanted, poolsInUse(below.get()));
  }
  while (maps_.size() < wanted) addMap();
  for (std::size_t pool = 1; pool < maps_.size(); ++pool) {
    const bool known = run && run->metrics.pools.contains(PoolId(pool));
    maps_[pool]->setVisible(known && run->metrics.pools[PoolId(pool)].stays > 0);
  }
  showTicks();
}

void MainWindow::showBelow(const std::shared_ptr<const Run>& run) {
  if (run) {
    compareMaps_->add(run);
  } else {
    compareMaps_->clear();
  }
}

}  // namespace hw
