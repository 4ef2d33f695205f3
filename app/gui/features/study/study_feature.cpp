#include "app/gui/features/study/study_feature.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStandardPaths>
#include <QThread>
#include <QVBoxLayout>

#include "app/gui/window/main_window.h"
#include "core/base/document_limits.h"
#include "core/files/file.h"
#include "core/files/process.h"
#include "core/import/samples.h"
#include "core/report/study/study_shards.h"
#include "widgets/study/study_filters.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kWidestWords = 560;

struct Progress {
  std::size_t done = 0;  ///< Of the runs that were missing.
  std::size_t of = 0;
  std::size_t all = 0;  ///< Of the study.
};

/// Runs what is missing, in `worker` processes.
Result<StudyTally> runMissing(const std::string& text, const std::string& folder,
                              const std::string& results, std::vector<std::string> worker,
                              std::stop_token stop,
                              const std::function<void(const Progress&)>& tell) {
  HW_TRY(study, parseStudy(text));
  HW_TRY(runs, StudyRuns::of(study, folder));
  HW_TRY(file, StudyResults::write(results, runs, text, true));
  HW_TRY(numbers, file.missing());
  StudyWork work{.text = {text, folder},
                 .worker = std::move(worker),
                 .workers = std::max(1, QThread::idealThreadCount()),
                 .stop = std::move(stop)};
  work.progress = [&](std::size_t done, std::size_t of) { tell({done, of, runs.size()}); };
  tell({0, numbers.size(), runs.size()});
  return hw::runStudy(runs, numbers, file, work);
}

}  // namespace

bool isResultsFile(const QString& name) {
  return name.endsWith(QLatin1String(".db"), Qt::CaseInsensitive);
}

StudyFeature::StudyFeature(MainWindow* window)
    : QObject(window),
      window_(window),
      worker_{programFolder() + "highwater-studio", std::string(kStudyWorker)} {
  window->jobs()->watch(&running_);
  window->jobs()->watch(&planning_);
  window->jobs()->watch(&cluster_);
  auto* filters = new StudyFilters(&state_, window);
  addCommands();
  views_ = new StudyViews(&state_, emptyPage(), window);
  panel_ = new StudyRunPanel(&state_, window);
  window->addPanel("studyFilters", tr("Axes"), filters);
  window->addPanel("study", tr("Study"), views_);
  window->addPanel("studyRun", tr("Run"), panel_);
  window->onOtherFile([this](const QString& name) {
    if (!isResultsFile(name)) return false;
    openResults(name);
    return true;
  });
  connectPanel();
}

/// The page while there are no results: the ways to some.
QWidget* StudyFeature::emptyPage() {
  auto* page = new QWidget(window_);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kStudyAir, kStudyAir, kStudyAir, kStudyAir);
  column->setSpacing(kStudyAir);
  auto* words = new QLabel(
      tr("A study runs every combination of models, allocators, memories and other options that a "
         "TOML file lists, and keeps the results in a file, which is shown here, also while it "
         "fills."),
      page);
  words->setWordWrap(true);
  words->setMaximumWidth(kWidestWords);
  column->addStretch(1);
  column->addWidget(words, 0, Qt::AlignHCenter);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  for (const char* name : {"openStudy", "runStudy"}) {
    QAction* action = window_->command(QString::fromLatin1(name));
    auto* button = new QPushButton(action->text().remove(QLatin1Char('&')), page);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    row->addWidget(button);
  }
  row->addStretch(1);
  column->addLayout(row);
  const auto commands = QStringLiteral(
      "highwater sweep study.toml -o results.db\nhighwater study results.db --pareto peak,latency");
  auto* line = new QLabel(tr("Without the window:") + QLatin1Char('\n') + commands, page);
  line->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  line->setForegroundRole(QPalette::PlaceholderText);
  column->addWidget(line, 0, Qt::AlignHCenter);
  column->addStretch(2);
  return page;
}

void StudyFeature::addCommands() {
  QMenu* file = window_->menu(MenuKind::file);
  window_->addCommand(file, "openStudy", tr("Open t&he results of a study\u2026"), {},
                      [this] { chooseResults(); });
  window_->addCommand(file, "runStudy", tr("Run a stud&y\u2026"), {}, [this] { chooseStudy(); })
      ->setStatusTip(tr("Runs all that a file of TOML lists, in the background"));
}

void StudyFeature::connectPanel() {
  connect(views_, &StudyViews::openWanted, this, &StudyFeature::openRun);
  connect(panel_, &StudyRunPanel::openWanted, this, &StudyFeature::openRun);
  connect(panel_, &StudyRunPanel::belowWanted, this, &StudyFeature::showBelow);
  connect(panel_->startButton(), &QPushButton::clicked, this, &StudyFeature::runMissing);
  connect(panel_->pauseButton(), &QPushButton::clicked, &running_, &Job::stop);
  connect(panel_->clusterButton(), &QPushButton::clicked, this, &StudyFeature::askForCluster);
  connect(panel_->collectButton(), &QPushButton::clicked, this, &StudyFeature::collectShards);
  connect(&state_, &StudyViewState::chosenChanged, this, &StudyFeature::drawChosen);
  connect(&state_, &StudyViewState::failed, this, [this](const QString& why) {
    window_->messages()->showError(tr("Cannot open the results: %1.").arg(why));
  });
  connect(&state_, &StudyViewState::fileChanged, this, [this] {
    const auto file = state_.file();
    const QString path = QString::fromStdString(file->path);
    const std::size_t models =
        state_.isEmpty() ? 0 : file->table.axes[file->table.axis("model")].values.size();
    window_->topBar()->showOther(
        QFileInfo(path).completeBaseName(), path,
        tr("%1 runs \u00b7 %2 models").arg(grouped(file->rows()), grouped(models)));
  });
  const auto follow = [this] {
    const bool any = window_->state()->run() != nullptr;
    panel_->belowButton()->setEnabled(any);
    panel_->belowButton()->setToolTip(any ? tr("Plans it, and shows it below the plan on show")
                                          : tr("Open a model, or a run, first: that is A"));
  };
  follow();
  connect(window_->state(), &ViewState::runChanged, this, follow);
  connect(window_->job(), &Job::ended, this, [this](const JobEnd& end) {
    if (end.state != JobState::done) opensRun_ = false;
  });
  connect(window_, &MainWindow::shown, this, [this] {
    if (!std::exchange(opensRun_, false)) return;
    window_->command(QStringLiteral("place:explore"))->trigger();
  });
}

void StudyFeature::openResults(const QString& path) {
  state_.open(path);
  window_->settings()->addRecentModel(QFileInfo(path).absoluteFilePath());
  window_->showPanel(QStringLiteral("study"));
}

void StudyFeature::chooseResults() {
  const QString file =
      QFileDialog::getOpenFileName(window_, tr("Open the results of a study"),
                                   window_->startFolder(), tr("Results (*.db);;All files (*)"));
  if (file.isEmpty()) return;
  window_->settings()->setLastFolder(QFileInfo(file).absolutePath());
  openResults(file);
}

void StudyFeature::chooseStudy() {
  const QString study = QFileDialog::getOpenFileName(
      window_, tr("Run a study"), window_->startFolder(), tr("Studies (*.toml);;All files (*)"));
  if (study.isEmpty()) return;
  const QFileInfo info(study);
  window_->settings()->setLastFolder(info.absolutePath());
  const QString results = window_->chooseTarget(tr("Keep the results in"), info.completeBaseName(),
                                                tr("Results (*.db)"), QStringLiteral("db"));
  if (!results.isEmpty()) runStudy(study, results);
}

void StudyFeature::runStudy(const QString& study, const QString& results) {
  const auto text = readFile(study.toStdString(), kTomlLimits.bytes);
  if (!text) {
    const QString why = QString::fromStdString(text.error().text());
    return window_->messages()->showError(tr("Cannot run %1: %2.").arg(study, why));
  }
  start({*text, QFileInfo(study).absolutePath().toStdString(), results.toStdString()});
}

void StudyFeature::runMissing() {
  const auto file = state_.file();
  if (file) start({file->study, file->folder, file->path});
}

void StudyFeature::start(const Wanted& wanted) {
  if (isBusy()) return;
  since_.start();
  panel_->setRunning(StudyRunPanel::Running{.results = wanted.results});
  running_.start(
      [this, wanted, worker = worker_](const JobContext& context) {
        bool shown = false;
        return hw::runMissing(
            wanted.text, wanted.folder, wanted.results, worker, context.stop,
            [&](const Progress& at) {
              context.progress(
                  at.of > 0 ? static_cast<double>(at.done) / static_cast<double>(at.of) : 1, "");
              context.tell([this, at, first = !std::exchange(shown, true), wanted] {
                if (first) openResults(QString::fromStdString(wanted.results));
                const double seconds = static_cast<double>(since_.elapsed()) / 1000;
                panel_->setRunning(StudyRunPanel::Running{
                    wanted.results, at.all - at.of + at.done, at.all,
                    seconds > 0 ? static_cast<double>(at.done) / seconds : 0});
              });
            });
      },
      [this, wanted](const Result<StudyTally>& tally) { return finish(wanted, tally); });
}

JobEnd StudyFeature::finish(const Wanted& wanted, const Result<StudyTally>& tally) {
  panel_->setRunning({});
  state_.refresh();
  if (!tally) {
    const QString why = QString::fromStdString(tally.error().text());
    window_->messages()->showError(tr("The study does not run: %1.").arg(why));
    return {JobState::failed, why};
  }
  const QString done = tr("%1 runs").arg(grouped(tally->done));
  if (running_.wasStopped()) return {JobState::stopped, done};
  const QString name = QFileInfo(QString::fromStdString(wanted.results)).fileName();
  window_->messages()->showNote(
      tr("%1: %2 done, %3 without a plan, %4 crashed.")
          .arg(name, done, grouped(tally->failed), grouped(tally->crashed)));
  return {JobState::done, done};
}

/// The file that the study on show was read from: the one in its folder with the same text. Empty:
/// it is not there any more.
QString StudyFeature::studyFile() const {
  const auto file = state_.file();
  if (!file) return {};
  const QDir folder(QString::fromStdString(file->folder));
  for (const QFileInfo& info : folder.entryInfoList({QStringLiteral("*.toml")}, QDir::Files)) {
    const auto text = readFile(info.filePath().toStdString(), kTomlLimits.bytes);
    if (text && *text == file->study) return info.absoluteFilePath();
  }
  return {};
}

/// True, and a message: something works on a study already, and two must not on one file.
bool StudyFeature::isBusy() {
  const bool busy = running_.isRunning() || cluster_.isRunning();
  if (busy)
    window_->messages()->showNote(tr("A study is at work: pause it, or wait until it is done."));
  return busy;
}

void StudyFeature::askForCluster() {
  if (isBusy()) return;
  const QString study = studyFile();
  if (study.isEmpty()) {
    return window_->messages()->showError(
        tr("The study in %1 is not there any more, or was changed: its tasks read that file.")
            .arg(QString::fromStdString(state_.file()->folder)));
  }
  const QString key = QStringLiteral("study/sbatch");
  bool agreed = false;
  const QString sbatch = QInputDialog::getText(
      window_, tr("Use the cluster"),
      tr("One job of Slurm, whose tasks take about a minute each.\nOptions of sbatch, such as "
         "--partition=short --time=10:"),
      QLineEdit::Normal, window_->settings()->remembered(key), &agreed);
  if (!agreed) return;
  window_->settings()->remember(key, sbatch);
  giveToCluster(study, sbatch);
}

void StudyFeature::giveToCluster(const QString& study, const QString& sbatch) {
  const auto file = state_.file();
  const QString beside = QString::fromStdString(programFolder() + "highwater");
  const QString program = QFileInfo(beside).isExecutable()
                              ? beside
                              : QStandardPaths::findExecutable(QStringLiteral("highwater"));
  if (program.isEmpty()) {
    return window_->messages()->showError(
        tr("There is no highwater beside this program or in PATH, which tasks would run."));
  }
  const SlurmRequest request{.study = study.toStdString(),
                             .results = file->path,
                             .program = program.toStdString(),
                             .sbatch = sbatch.toStdString(),
                             .resume = true};
  cluster_.start(
      [file, request](const JobContext&) { return giveToSlurm(*file->runs, file->study, request); },
      [this](const Result<SlurmJob>& job) -> JobEnd {
        panel_->refresh();
        if (!job) {
          const QString why = QString::fromStdString(job.error().text());
          window_->messages()->showError(tr("The cluster was not given the study: %1.").arg(why));
          return {JobState::failed, why};
        }
        const QString what = job->id.empty() ? tr("All tasks are done, wait or run.")
                                             : tr("Job %1 of Slurm has %2 tasks.")
                                                   .arg(QString::fromStdString(job->id))
                                                   .arg(job->tasks);
        window_->messages()->showNote(what);
        return {JobState::done, what};
      });
}

/// Takes over the runs that tasks have done so far.
void StudyFeature::collectShards() {
  if (isBusy()) return;
  const auto file = state_.file();
  cluster_.start(
      [file](const JobContext&) -> Result<Collected> {
        HW_TRY(results, StudyResults::write(file->path, *file->runs, file->study, true));
        return collect({ShardFolder(file->path).path()}, results);
      },
      [this](const Result<Collected>& collected) -> JobEnd {
        state_.refresh();
        if (!collected) {
          const QString why = QString::fromStdString(collected.error().text());
          window_->messages()->showError(tr("Nothing was collected: %1.").arg(why));
          return {JobState::failed, why};
        }
        const QString what = tr("%1 runs of %2 tasks are there.")
                                 .arg(grouped(collected->rows))
                                 .arg(collected->files);
        window_->messages()->showNote(what);
        return {JobState::done, what};
      });
}

/// Nothing: the study has no such run any more.
std::optional<RunRequest> StudyFeature::requestOf(std::uint32_t row) const {
  const auto file = state_.file();
  const auto run = file ? file->runOf(row) : std::nullopt;
  if (!run) return std::nullopt;
  RunRequest request = run->setting.request;
  request.allocator = run->allocator;
  request.model = file->runs->pathOf(run->model);
  request.threads = window_->request().threads;
  return request;
}

void StudyFeature::sayUnknown() {
  window_->messages()->showError(
      tr("This run cannot be opened: the study in the file has no such run any more."));
}

/// Plans the run that is chosen for its map, and drops what was planned for the one before.
void StudyFeature::drawChosen() {
  const auto chosen = state_.chosen();
  const auto drawn = chosen && !state_.isEmpty()
                         ? std::pair(state_.file()->path, state_.table().ids[*chosen])
                         : std::pair(std::string(), std::int64_t{-1});
  if (drawn == drawn_) return;  // The file was read again.
  drawn_ = drawn;
  panel_->setMap({});
  const auto request = chosen && !state_.isEmpty() ? requestOf(*chosen) : std::nullopt;
  if (!request) return drawing_.drop();
  drawing_.start(
      false,
      [request = *request](const std::stop_token& stop) -> std::optional<SampleCard> {
        auto model = openModel(request.model, request.import);
        if (!model || stop.stop_requested()) return std::nullopt;
        const auto run =
            execute(std::make_shared<const Model>(*std::move(model)), request, {.stop = stop});
        return run ? std::optional(sampleCard(**run)) : std::nullopt;
      },
      [this](const std::optional<SampleCard>& card) { panel_->setMap(card); });
}

void StudyFeature::openRun(std::uint32_t row) {
  const auto request = requestOf(row);
  if (!request) return sayUnknown();
  opensRun_ = true;
  window_->open(*request);
}

void StudyFeature::showBelow(std::uint32_t row) {
  const auto request = requestOf(row);
  if (!request) return sayUnknown();
  planning_.start(
      [request = *request](const JobContext& context) {
        return openAndPlan(request, std::nullopt, context);
      },
      [this](const auto& run) -> JobEnd {
        if (!run) {
          const QString why = QString::fromStdString(run.error().text());
          window_->messages()->showError(tr("Nothing to show below: %1.").arg(why));
          return {JobState::failed, why};
        }
        window_->showBelow(*run);
        window_->command(QStringLiteral("place:explore"))->trigger();
        return {};
      });
}

}  // namespace hw
