#include "app/gui/window/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QStandardPaths>
#include <QTabBar>

#include "core/base/text.h"
#include "core/check/stated_run.h"
#include "core/import/samples.h"
#include "core/run/model_options.h"
#include "widgets/base/theme.h"

namespace hw {

namespace {

bool isWindowPaletteDark() {
  static const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
  return dark;
}

/// What is still as it was made for the model on show becomes what it was before.
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
  panels_->addAction(transport_->toggleViewAction());
  runForm_ = new RunForm(this);
  request_ = defaultRequest();
  runForm_->setRequest(request_);
  connectJob();
  connect(&state_, &ViewState::runChanged, this, &MainWindow::updateActions);
  connect(runForm_, &RunForm::changed, this, &MainWindow::planAgain);
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
  RunRequest request = beforeFigure_ ? *beforeFigure_ : runForm_->request().value_or(request_);
  leaveModel(ofModel_, request);
  request.model = name.toStdString();
  request.import = {};
  request.moves.clear();  // Moves name operators of the other model.
  runForm_->setRequest(request);
  openOrPlan(request, nullptr, OptionTexts());
}

void MainWindow::openAsTold(const RunRequest& request, OptionTexts said) {
  runForm_->setRequest(request);
  openOrPlan(request, nullptr, std::move(said));
}

void MainWindow::open(const RunRequest& request) {
  runForm_->setRequest(request);
  openOrPlan(request, nullptr);
}

void MainWindow::openOrPlan(const RunRequest& request, const std::shared_ptr<const Model>& model,
                            const std::optional<OptionTexts>& said) {
  start(request, model,
        [request, model, said](const RunContext& context) -> Result<std::shared_ptr<const Run>> {
          if (model) return execute(model, request, context);
          context.progress(0, "Opening " + printable(request.model, 60));
          HW_TRY(fresh, hw::openModel(request.model, request.import));
          const auto opened = std::make_shared<const Model>(std::move(fresh));
          if (!said) return execute(opened, request, context);
          HW_TRY(drawn, asShown(*opened, *said, request, "--"));
          return execute(opened, drawn, context);
        });
}

/// Only the independent check is still to be made, which is as much work as planning for large
/// models and so is left to the job too.
void MainWindow::openPlanned(const RunRequest& request, const std::shared_ptr<const Run>& run) {
  runForm_->setRequest(request);
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
    // What was chosen since the last step is what there was before this one.
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

void MainWindow::planAgain() {
  const auto request = runForm_->request();
  if (!request) return;
  if (!job_.isRunning() && !state_.run()) {
    request_ = *request;
    return;
  }
  // What is being opened goes on being opened, with the new settings.
  openOrPlan(*request, job_.isRunning() ? pendingModel_ : state_.run()->model);
}

void MainWindow::planWith(const RunRequest& request) {
  runForm_->setRequest(request);
  planAgain();
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

/// After a failure: the form shows again what is on screen.
void MainWindow::showWhatIsWanted() {
  if (!state_.run()) return;
  request_ = requestBehind(*state_.run());
  runForm_->setRequest(request_);
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
    runForm_->setRequest(request);
  }
  const auto& model = *state_.run()->model;
  runForm_->setBare(model.problem.has_value());
  setWindowTitle(tr("%1 \u2013 Highwater").arg(QString::fromStdString(printable(model.name, 80))));
  showMaps();
  stack_->setCurrentWidget(column_);
  Q_EMIT shown();
}

QString MainWindow::startFolder() const {
  const QString last = settings_->lastFolder();
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

/// Whether the key belongs to a disabled command: a list would take it for a row's first letter.
bool MainWindow::isKeyOfDisabled(const QKeyEvent& key) const {
  const auto all = actions();
  return std::ranges::any_of(all, [&](const QAction* action) {
    return !action->isEnabled() && action->shortcuts().contains(QKeySequence(key.keyCombination()));
  });
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
  const bool pressed = event->type() == QEvent::KeyPress;
  if (!pressed && event->type() != QEvent::ShortcutOverride) {
    return QMainWindow::eventFilter(watched, event);
  }
  const auto* key = static_cast<QKeyEvent*>(event);
  if (pressed) {
    return (qobject_cast<QAbstractItemView*>(watched) && isKeyOfDisabled(*key)) ||
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

}  // namespace hw
