#include <QApplication>
#include <QElapsedTimer>
#include <QHashSeed>
#include <QIcon>
#include <QThread>
#include <QThreadPool>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "app/gui/connection.h"
#include "app/gui/features/panels/panels.h"
#include "app/gui/features/scenario/session.h"
#include "app/gui/features/study/study_feature.h"
#include "app/gui/output/picture.h"
#include "app/gui/output/report_file.h"
#include "app/gui/request/arguments.h"
#include "app/gui/studio.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/import/samples.h"
#include "core/report/explain/explain_report.h"
#include "core/report/plan/plan_text.h"
#include "core/report/study/study_engine.h"
#include "core/run/options.h"
#include "core/study/compare.h"
#include "widgets/below/lock_step.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/compare/front_panel.h"
#include "widgets/explain/inspector_text.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/form/tick_lists.h"
#include "widgets/graph/conflict_view.h"
#include "widgets/method/method_panel.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

/// The error of something asked for by `subject`, an option or a model.
tl::unexpected<Error> about(const std::string& subject, const Error& error) {
  return fail(error.code, printable(subject) + ": " + error.message, error.where);
}

int complain(const Error& error) {
  const std::string text = "highwater-studio: " + error.text() + "\n";
  std::fputs(text.c_str(), stderr);
  return exitCodeOf(error);
}

/// Without the planning time: equal input makes equal pictures.
Result<std::shared_ptr<const Run>> timelessRun(const std::shared_ptr<const Model>& model,
                                               const RunRequest& request) {
  HW_TRY(run, execute(model, request, {}));
  auto timeless = std::make_shared<Run>(*run);
  timeless->planSeconds = 0;
  return timeless;
}

Result<PlanOutcome> planned(const StudioArguments& arguments) {
  const RunRequest& request = arguments.request;
  HW_TRY(model, openModel(request.model, request.import));
  HW_TRY(drawn, asShown(model, saidBy(arguments, defaultRequest()), request, "--"));
  HW_TRY(run, timelessRun(std::make_shared<const Model>(std::move(model)), drawn));
  const auto& timeless = run;
  return PlanOutcome{.run = timeless, .violations = validate(timeless->problem, timeless->plan)};
}

/// Lets layouts and charts come to rest: they settle in a few rounds of events.
void settle() {
  for (int round = 0; round < 8; ++round) {
    QThreadPool::globalInstance()->waitForDone();  // The curves of large models are made there.
    QApplication::sendPostedEvents();
    QApplication::processEvents();
  }
}

/// The run beside those of the allocators that were asked for, or of those ticked at the start.
Comparison comparisonFor(const StudioArguments& arguments, const Run& run) {
  RunRequest request = run.request;
  request.threads = std::max(1, QThread::idealThreadCount());
  if (arguments.compared) return compareAllocators(run.model, request, *arguments.compared, {});
  AllocatorList usual;
  usual.offerFor(*run.model->graph);
  return compareAllocators(run.model, request, usual.choices(), {});
}

/// Fills the table. Planning times are left out, for the same reason as above.
void fillComparison(const StudioArguments& arguments, const Run& run, ComparePanel& panel) {
  Comparison comparison = comparisonFor(arguments, run);
  for (ComparisonRow& row : comparison.rows) row.figures.planSeconds = 0;
  panel.setComparison(std::make_shared<const Comparison>(std::move(comparison)));
}

/// The runs that are to be shown below `run`.
Result<std::vector<std::shared_ptr<const Run>>> runsBelow(const StudioArguments& arguments,
                                                          const Run& run) {
  std::vector<std::shared_ptr<const Run>> runs;
  for (const PlanBelow& below : arguments.below) {
    RunRequest request = run.request;
    std::shared_ptr<const Model> model = run.model;
    if (below.model.empty()) {
      request.allocator = below.allocator;
    } else {
      request.model = below.model;
      request.import = {};
      request.moves.clear();  // Moves name operators of the other model.
      auto opened = openModel(below.model, {});
      if (!opened) return tl::unexpected(about("--below", opened.error()).value());
      model = std::make_shared<const Model>(std::move(*opened));
    }
    const auto other = timelessRun(model, request);
    if (!other) return tl::unexpected(about("--below", other.error()).value());
    runs.push_back(*other);
  }
  return runs;
}

/// To the step that was asked for, or the peak; then to the range and the tensor.
Result<void> goToMoment(const StudioArguments& arguments, ViewState& state) {
  if (!arguments.step) state.goToPeak();
  return goToPlace(arguments, state);
}

/// Fills a panel that shows something only after it was asked to work it out.
void fillPanel(const StudioArguments& arguments, const Run& run, Studio& window) {
  const QString& name = arguments.panel;
  const QStringList compared{QStringLiteral("compare"), QStringLiteral("fragmentation")};
  if (compared.contains(name)) fillComparison(arguments, run, *window.comparison());
  const auto finish = [](const Job& job) {
    while (job.isRunning()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
  };
  if (name == QLatin1String("capacity")) {
    window.capacity()->start();
    finish(*window.capacity()->job());
  }
  if (auto* method = qobject_cast<MethodPanel*>(window.places()->panel(name))) {
    settle();
    if (method->recordButton()->isVisible()) method->recordButton()->click();
    finish(*method->recorder()->job());
  }
  if (name == QLatin1String("front")) {
    FrontOptions options = window.front()->options();
    if (arguments.compared) options.choices = *arguments.compared;
    window.front()->setOptions(std::move(options));
    window.front()->start();
    finish(*window.front()->job());
  }
  if (name == QLatin1String("shrink")) {
    window.shrink()->start();
    finish(*window.shrink()->job());
  }
}

Result<void> raisePanel(const StudioArguments& arguments, const Run& run, Studio& window) {
  const QString& name = arguments.panel;
  if (name.isEmpty()) return {};
  if (window.places()->panel(name) == nullptr) {
    QStringList names = window.places()->panels();
    names.sort();
    return fail(ErrorCode::invalidArgument, "there is no panel '" + name.toStdString() +
                                                "'; there are " +
                                                names.join(QStringLiteral(", ")).toStdString());
  }
  window.showPanel(name);
  fillPanel(arguments, run, window);
  return {};
}

/// Raises what the picture is to show.
Result<void> arrange(const StudioArguments& arguments, const Run& run, Studio& window) {
  QThreadPool::globalInstance()->waitForDone();  // The inspector may be at work.
  const bool compare = arguments.compare && arguments.panel != QLatin1String("compare");
  if (compare) fillComparison(arguments, run, *window.comparison());
  return raisePanel(arguments, run, window);
}

/// Puts a window with the run on a screen that nobody sees, and lets it come to rest.
Result<void> prepare(const StudioArguments& arguments, const PlanOutcome& outcome, Studio& window) {
  const Run& run = **outcome.run;
  window.applyTheme(arguments.theme.value_or(ThemeChoice::light));
  window.setReducedMotion(true);
  window.resize(arguments.size);
  window.show();
  window.show(run.request, outcome);
  HW_DO(goToMoment(arguments, *window.state()));
  HW_TRY(below, runsBelow(arguments, run));
  for (const auto& other : below) window.showBelow(other);
  if (auto shown = arrange(arguments, run, window); !shown) {
    return about("the picture", shown.error());
  }
  settle();
  QThreadPool::globalInstance()->waitForDone();  // The raised panel may be at work.
  settle();
  if (arguments.picture.kind == PictureKind::window && window.size() != arguments.size) {
    return fail(ErrorCode::invalidArgument, "--size: the window is at least " +
                                                std::to_string(window.width()) + "x" +
                                                std::to_string(window.height()));
  }
  return {};
}

/// A table and lanes are as large as what is in them: more would be empty.
QSize pictureSize(const StudioArguments& arguments, const Studio& window) {
  const PictureKind kind = arguments.picture.kind;
  if (arguments.sizeGiven) return arguments.size;
  if (kind == PictureKind::compare) return window.shownSize(kind);
  if (kind == PictureKind::lanes) {
    return {arguments.size.width(), window.shownSize(kind).height()};
  }
  return arguments.size;
}

/// The state of maps and chart of a run, and of one more below it in lock-step.
struct Below {
  Below(ViewState* a, std::shared_ptr<const Run> run) : lockStep(a, &state) {
    lockStep.setB(std::move(run));
  }
  ViewState state;
  LockStep lockStep;
};
using Belows = std::vector<std::unique_ptr<Below>>;

/// The axis of all of them ends with the longest run.
void shareLength(ViewState& a, const Belows& below) {
  double longest = a.scale()->length();
  for (const auto& other : below) {
    longest = std::max(longest, other->state.scale()->length());
  }
  for (const auto& other : below) other->state.setLeastLength(longest);
  a.setLeastLength(longest);
}

/// A map for every pool that something lives in, those of `below` after each of A's.
std::vector<MapScene> wholeMaps(const ViewState& a, const Belows& below) {
  std::vector<MapScene> scenes;
  for (const PoolId pool : a.run()->problem.pools.keys()) {
    const std::size_t first = scenes.size();
    const auto add = [&](const ViewState& own, std::size_t place) {
      const Run& run = *own.run();
      if (!run.problem.pools.contains(pool)) return;
      const std::vector<PoolId> used = usedPools(run);
      if (pool != PoolId(0) && std::ranges::find(used, pool) == used.end()) return;
      MapScene scene = sceneOf(own, a, pool);
      scene.blocks = std::make_shared<const BlockStore>(
          BlockStore::ofPool(run, pool, own.axis(), own.coloring()));
      scene.window.highByte = fullByteRange(run, pool);
      if (!below.empty()) {
        scene.title = comparedTitle(run, pool, *a.run()).toStdString();
        scene.place = place;
      }
      if (place > 0) {
        scene.prefix = placeLetter(place) + "-";
        scene.moved =
            std::make_shared<const MovedBlocks>(movedBlocks(run, pool, *scene.blocks, *a.run()));
      }
      scenes.push_back(std::move(scene));
    };
    add(a, 0);
    for (std::size_t i = 0; i < below.size(); ++i) add(below[i]->state, i + 1);
    double top = 0;
    for (std::size_t i = first; i < scenes.size(); ++i) {
      top = std::max(top, scenes[i].window.highByte);
    }
    for (std::size_t i = first; i < scenes.size(); ++i) scenes[i].window.highByte = top;
  }
  return scenes;
}

ChartScene wholeChart(const ViewState& a, const Belows& below) {
  ChartScene scene = ChartScene::whole(a.run(), PoolId(0), a.axis());
  scene.window.begin = a.visibleBegin();
  scene.window.end = a.visibleEnd();
  scene.now = nowOf(a);
  for (const auto& other : below) {
    const Run& run = *other->state.run();
    scene.window.highByte = std::max(scene.window.highByte, fullByteRange(run, PoolId(0)));
    scene.others.push_back(std::make_shared<const StairCurve>(
        StairCurve::highWater(run, PoolId(0), other->state.axis())));
  }
  return scene;
}

/// Maps, chart and conflicts need no window: they are drawn from what a run and a place in it say.
Result<Picture> scenePicture(const StudioArguments& arguments,
                             const std::shared_ptr<const Run>& run) {
  ViewState state;
  state.setRun(run);
  HW_DO(goToMoment(arguments, state));
  if (state.selected()) state.setGhosts(whyHere(*run, state.selected()).ghosts);
  HW_TRY(runs, runsBelow(arguments, *run));
  Belows below;
  for (const auto& other : runs) below.push_back(std::make_unique<Below>(&state, other));
  shareLength(state, below);
  const PictureKind kind = arguments.picture.kind;
  return styled(kind == PictureKind::chart       ? pictureOf(wholeChart(state, below))
                : kind == PictureKind::conflicts ? pictureOf(conflictsShown(state))
                                                 : pictureOf(wholeMaps(state, below)),
                arguments.picture, arguments.size, run.get());
}

/// The window with the results of a study.
Result<void> exportStudy(const StudioArguments& arguments) {
  if (arguments.report || arguments.picture.kind != PictureKind::window) {
    return fail(ErrorCode::invalidArgument, "of results there are pictures of the window only");
  }
  Settings none;
  Studio window(&none);
  window.applyTheme(arguments.theme.value_or(ThemeChoice::light));
  window.setReducedMotion(true);
  window.resize(arguments.size);
  window.show();
  StudyFeature& study = *window.study();
  study.openResults(QString::fromStdString(arguments.request.model));
  study.state()->wait();
  if (!study.state()->failure().isEmpty()) {
    return fail(ErrorCode::malformed, study.state()->failure().toStdString());
  }
  if (!study.views()->model()->front().empty()) {
    study.state()->choose(study.views()->model()->front().back());
  }
  settle();
  return window.writePicture(arguments.picture, arguments.size, arguments.exportFile,
                             [](double) { return true; });
}

Result<void> exportPicture(const StudioArguments& arguments, const PlanOutcome& outcome) {
  const PictureKind kind = arguments.picture.kind;
  const bool fromRun =
      kind == PictureKind::map || kind == PictureKind::chart || kind == PictureKind::conflicts;
  if (fromRun && !isMoving(arguments.exportFile)) {
    const bool dark = arguments.theme == ThemeChoice::dark;
    Theme::apply(dark ? Theme::darkTheme() : Theme::light());
    HW_TRY(picture, scenePicture(arguments, *outcome.run));
    return writePicture(picture, arguments.exportFile);
  }
  Settings none;
  Studio window(&none);
  HW_DO(prepare(arguments, outcome, window));
  const auto rest = [](double) {
    settle();
    return true;
  };
  return window.writePicture(arguments.picture, pictureSize(arguments, window),
                             arguments.exportFile, rest);
}

/// No window: a report is not a picture of one.
Result<void> exportReport(const StudioArguments& arguments, const Run& run) {
  std::optional<Comparison> comparison;
  if (arguments.compare) comparison = comparisonFor(arguments, run);
  return writeReport(run, comparison ? &*comparison : nullptr,
                     arguments.axis.value_or(AxisUnit::step), arguments.exportFile);
}

}  // namespace

/// Opens, plans and draws without a window on any screen; needs a QApplication. Complains to
/// standard error. Returns the program's exit code: 0 done, 1 the plan does not fit (the picture is
/// written all the same), 2 bad usage, 3 bad input or a file that cannot be written.
int exportFromCommandLine(const StudioArguments& arguments) {
  const auto checked = arguments.report ? checkReportFile(arguments.exportFile)
                                        : checkPictureFile(arguments.exportFile);
  if (!checked) return complain(about("--export", checked.error()).value());
  if (isResultsFile(QString::fromStdString(arguments.request.model))) {
    const auto written = exportStudy(arguments);
    return written ? 0 : complain(written.error());
  }
  const auto outcome = planned(arguments);
  if (!outcome) return complain(about(arguments.request.model, outcome.error()).value());
  const Run& run = **outcome->run;
  const auto written =
      arguments.report ? exportReport(arguments, run) : exportPicture(arguments, *outcome);
  if (!written) return complain(written.error());
  const auto failed = planFailure(run);
  if (!failed) return 0;
  std::fputs(
      ("highwater-studio: " + printable(arguments.request.model) + ": " + *failed + "\n").c_str(),
      stderr);
  return 1;
}

}  // namespace hw

namespace {

bool hasDisplay() {
  return !qEnvironmentVariableIsEmpty("DISPLAY") ||
         !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
         !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

/// The offscreen platform remarks on what it cannot do: nothing that a picture needs.
void dropRemarks(QtMsgType type, const QMessageLogContext&, const QString& message) {
  if (type != QtCriticalMsg && type != QtFatalMsg) return;
  std::fprintf(stderr, "highwater-studio: %s\n", qPrintable(message));
}

/// The words of the command line that Qt may read: nothing but the name. It would take `--platform`
/// and others of ours for options of its own.
struct QtWords {
  int count = 1;
  char name[sizeof "highwater-studio"] = "highwater-studio";
  char* words[2] = {name, nullptr};
};

int runWindow(const hw::StudioArguments& arguments) {
  QtWords words;
  QApplication app(words.count, words.words);
  QApplication::setOrganizationName(QStringLiteral("highwater"));
  QApplication::setApplicationName(QStringLiteral("highwater-studio"));
  QApplication::setApplicationVersion(QStringLiteral(HIGHWATER_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("highwater-studio"));
  QApplication::setWindowIcon(QIcon::fromTheme(QStringLiteral("highwater-studio")));
  hw::Settings settings(std::make_unique<QSettings>());
  hw::Studio window(&settings);
  if (arguments.theme) window.applyTheme(*arguments.theme);
  window.resizeOnScreen(arguments.size);
  window.show();
  if (arguments.request.model.empty()) {
    window.session()->restore();
  } else {
    hw::carryOut(arguments, window, [&window](const hw::Result<void>& done) {
      if (!done && window.state()->run()) {
        window.messages()->showNote(QString::fromStdString(done.error().text()));
      }
    });
  }
  const hw::Connection connection(&window);
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == hw::kStudyWorker) {
    return hw::workOnStudy(std::cin, std::cout) ? 0 : 2;
  }
  // Qt lists the fonts of a PDF in the order of a hash: equal files need an equal seed.
  QHashSeed::setDeterministicGlobalSeed();
  const hw::ArgumentsOutcome outcome = hw::parseArguments(argc, argv);
  if (!outcome.arguments) {
    const bool asked = outcome.exitCode == 0;
    std::FILE* const stream = asked ? stdout : stderr;
    const bool written = std::fputs(outcome.text.c_str(), stream) >= 0 && std::fflush(stream) == 0;
    return asked && !written ? 3 : outcome.exitCode;
  }
  const hw::StudioArguments& arguments = *outcome.arguments;
  if (arguments.connect) {
    qInstallMessageHandler(dropRemarks);
    return hw::sendToWindow(argc, argv);
  }
  if (!arguments.exportFile.isEmpty()) {
    // Never the user's screen: pictures are the same with and without one.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
    qInstallMessageHandler(dropRemarks);
    QtWords words;
    QApplication app(words.count, words.words);
    return hw::exportFromCommandLine(arguments);
  }
  if (!hasDisplay()) {
    std::fputs(
        "highwater-studio: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); "
        "--export FILE.png MODEL draws without one\n",
        stderr);
    return 2;
  }
  return runWindow(arguments);
}
