#include "app/gui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QTabBar>

#include "app/gui/features/features.h"
#include "core/base/text.h"
#include "core/run/samples.h"
#include "widgets/theme.h"

namespace hw {

namespace {

/// Samples and standard input as they are, files by their whole path.
QString rememberedName(const QString& name) {
  const bool special = name.startsWith(QLatin1String("samples:")) || name == QLatin1String("-");
  return special ? name : QFileInfo(name).absoluteFilePath();
}

bool isWindowPaletteDark() {
  static const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
  return dark;
}

}  // namespace

MainWindow::MainWindow(Settings* settings, QWidget* parent)
    : QMainWindow(parent), settings_(settings), player_(&state_) {
  isWindowPaletteDark();  // Ask before our own palette replaces the desktop's.
  applyTheme(settings->theme());
  setObjectName(QStringLiteral("studio"));
  setWindowTitle(tr("Highwater"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  status_ = new StatusLine(&state_, &job_, this);
  setStatusBar(status_);
  buildMenuBar();
  buildViews();
  transport_ = new TransportBar(&state_, &player_, this);
  addToolBar(Qt::TopToolBarArea, transport_);
  buildDocks();
  buildMenus();
  request_.config = defaultConfig();
  runForm_->setConfig(request_.config);
  addFeatures(this);
  for (QMenu* menu : menus_) menu->menuAction()->setVisible(!menu->isEmpty());
  connectJob();
  connect(&state_, &ViewState::runChanged, this, &MainWindow::updateActions);
  connect(runForm_, &RunForm::changed, this, &MainWindow::planAgain);
  connect(runForm_, &RunForm::platformFileWanted, this, &MainWindow::choosePlatformFile);
  updateActions();
  qApp->installEventFilter(this);
}

MainWindow::~MainWindow() = default;

void MainWindow::connectJob() {
  connect(&job_, &PlanJob::finished, this, &MainWindow::finish);
  connect(&job_, &PlanJob::cancelled, this, [this] {
    // The form shows what is on screen, not what was given up.
    if (state_.run()) runForm_->setConfig(request_.config);
    message_->showNote(tr("Cancelled. %1")
                           .arg(state_.run() ? tr("The plan on show is the last "
                                                  "one that was finished.")
                                             : QString()));
  });
}

void MainWindow::openModel(const QString& name) {
  RunRequest request;
  request.model = name.toStdString();
  const auto config = runForm_->config();
  request.config = config ? *config : request_.config;
  request.config.moves.clear();  // They speak of the operators of another model.
  open(request);
}

void MainWindow::open(const RunRequest& request) { start(request, nullptr); }

void MainWindow::start(const RunRequest& request, std::shared_ptr<const Model> model) {
  pending_ = request;
  pendingModel_ = model;
  message_->hide();
  job_.start([request, model](const RunContext& context) -> Result<std::shared_ptr<const Run>> {
    std::shared_ptr<const Model> opened = model;
    if (!opened) {
      context.progress(0, "Opening " + printable(request.model, 60));
      auto fresh = hw::openModel(request.model, request.import);
      if (!fresh) return tl::unexpected(fresh.error());
      opened = std::make_shared<const Model>(*std::move(fresh));
    }
    return execute(opened, request.config, context);
  });
}

void MainWindow::planAgain() {
  const auto config = runForm_->config();
  if (!config) return;
  if (!job_.isRunning() && !state_.run()) {
    request_.config = *config;
    return;
  }
  // What is being opened goes on being opened, with the new settings.
  RunRequest request = job_.isRunning() ? pending_ : request_;
  const auto model = job_.isRunning() ? pendingModel_ : state_.run()->model;
  request.config = *config;
  start(request, model);
}

void MainWindow::planWith(const RunConfig& config) {
  runForm_->setConfig(config);
  planAgain();
}

void MainWindow::finish(const PlanOutcome& outcome) {
  if (!outcome.run) {
    reportFailure(outcome.run.error());
    return;
  }
  show(pending_, outcome);
}

void MainWindow::reportFailure(const Error& error) {
  if (error.code == ErrorCode::stopped) return;
  const QString reason = QString::fromStdString(error.text());
  const QString name = QString::fromStdString(printable(pending_.model));
  const bool replan = state_.run() && pending_.model == request_.model;
  const QString what = replan ? tr("Cannot plan %1 like this") : tr("Cannot open %1");
  const QString kept = state_.run() ? tr(" What was on show stays.") : QString();
  message_->showError(tr("%1: %2.").arg(what.arg(name), reason) + kept);
  if (state_.run()) runForm_->setConfig(request_.config);
}

void MainWindow::show(const RunRequest& request, const PlanOutcome& outcome) {
  const auto before = state_.run();
  const Step step = state_.step();
  const bool sameModel = before && before->model == (*outcome.run)->model;
  request_ = request;
  state_.setRun(*outcome.run);
  problems_->setViolations(outcome.violations);
  status_->setViolations(outcome.violations.size());
  if (sameModel) {
    state_.setStep(step);
  } else {
    runForm_->setConfig(request.config);
    settings_->addRecentModel(rememberedName(QString::fromStdString(request.model)));
    fillRecentMenu();
  }
  const auto& model = *state_.run()->model;
  setWindowTitle(tr("%1 \u2013 Highwater").arg(QString::fromStdString(printable(model.name, 80))));
  showMaps();
  stack_->setCurrentWidget(column_);
  Q_EMIT shown();
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
  openModel(urls.front().toLocalFile());
  if (urls.size() > 1) {
    message_->showNote(tr("One model at a time: opening the first of %1.").arg(urls.size()));
  }
}

/// The transport's keys are plain ones: buttons, boxes and lists keep those they need themselves.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show && watched->parent() == this) {
    // Tabs of panels: names that can be read, with arrows to the rest, instead of "P…".
    if (auto* tabs = qobject_cast<QTabBar*>(watched)) {
      tabs->setElideMode(Qt::ElideNone);
      tabs->setUsesScrollButtons(true);
    }
  }
  if (event->type() != QEvent::ShortcutOverride) return QMainWindow::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const auto* focus = QApplication::focusWidget();
  const bool button = qobject_cast<const QAbstractButton*>(focus) != nullptr;
  const bool choice = qobject_cast<const QComboBox*>(focus) != nullptr;
  if ((button || choice) && key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier) {
    event->accept();
    return true;
  }
  return QMainWindow::eventFilter(watched, event);
}

}  // namespace hw
