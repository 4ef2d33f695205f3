#include "app/gui/export.h"

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QThread>
#include <QThreadPool>
#include <algorithm>
#include <cstdio>
#include <string>

#include "app/gui/dock_room.h"
#include "app/gui/main_window.h"
#include "app/gui/picture.h"
#include "app/gui/place.h"
#include "app/gui/report_file.h"
#include "core/base/text.h"
#include "core/report/explain_report.h"
#include "core/run/compare.h"
#include "core/run/samples.h"
#include "widgets/compare/allocator_list.h"
#include "widgets/compare/capacity_panel.h"

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

/// Equal input, equal bytes: a picture cannot tell how long planning took.
Result<std::shared_ptr<const Run>> timelessRun(const std::shared_ptr<const Model>& model,
                                               const RunConfig& config) {
  const auto run = execute(model, config, {});
  if (!run) return tl::unexpected(run.error());
  auto timeless = std::make_shared<Run>(**run);
  timeless->planSeconds = 0;
  return timeless;
}

Result<PlanOutcome> planned(const RunRequest& request) {
  auto model = openModel(request.model, request.import);
  if (!model) return tl::unexpected(model.error());
  const auto run = timelessRun(std::make_shared<const Model>(*std::move(model)), request.config);
  if (!run) return tl::unexpected(run.error());
  const auto& timeless = *run;
  return PlanOutcome{.run = timeless, .violations = validate(timeless->problem, timeless->plan)};
}

/// Lets layouts and charts come to rest: they settle in a few rounds of events.
void settle() {
  for (int round = 0; round < 8; ++round) {
    QThreadPool::globalInstance()->waitForDone();  // What large models need is made there.
    QApplication::sendPostedEvents();
    QApplication::processEvents();
  }
}

/// Fills the table, with what is ticked at the start. Planning times are left out, for the same
/// reason as above.
void fillComparison(const Run& run, ComparePanel& panel) {
  RunConfig config = run.config;
  config.threads = std::max(1, QThread::idealThreadCount());
  Comparison comparison =
      compareAllocators(run.model, config, panel.allocators()->choices(), RunContext{});
  for (ComparisonRow& row : comparison.rows) row.figures.planSeconds = 0;
  panel.setComparison(std::make_shared<const Comparison>(std::move(comparison)));
}

Result<void> showBelow(const StudioArguments& arguments, const Run& run, MainWindow& window) {
  for (const AllocatorChoice& allocator : arguments.below) {
    RunConfig config = run.config;
    config.allocator = allocator;
    const auto other = timelessRun(run.model, config);
    if (!other) return tl::unexpected(other.error());
    window.showBelow(*other);
  }
  return {};
}

/// What a panel shows only after it was asked to work it out.
void fillPanel(const QString& name, const Run& run, MainWindow& window) {
  const QStringList compared{QStringLiteral("compare"), QStringLiteral("compareBars"),
                             QStringLiteral("fragmentation")};
  if (compared.contains(name)) fillComparison(run, *window.comparison());
  if (name != QLatin1String("capacity")) return;
  auto* panel = window.findChild<CapacityPanel*>();
  panel->sweep();
  while (panel->job()->isRunning()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

Result<void> raisePanel(const QString& name, const Run& run, MainWindow& window) {
  if (name.isEmpty()) return {};
  auto* dock = window.findChild<QDockWidget*>(name);
  if (!dock) {
    QStringList names;
    for (const auto* other : window.findChildren<QDockWidget*>()) names.append(other->objectName());
    names.sort();
    return fail(ErrorCode::invalidArgument, "there is no panel '" + name.toStdString() +
                                                "'; there are " +
                                                names.join(QStringLiteral(", ")).toStdString());
  }
  raiseWithRoom(&window, dock);
  fillPanel(name, run, window);
  return {};
}

/// Selects and raises what the picture is to show.
Result<void> arrange(const StudioArguments& arguments, const Run& run, MainWindow& window) {
  if (!arguments.select.empty()) {
    const auto tensor = plannedTensor(run, arguments.select);
    if (!tensor) return tl::unexpected(tensor.error());
    const auto stays = staysOf(run, *tensor);
    if (!stays.empty()) window.state()->select(stays.front());
  }
  QThreadPool::globalInstance()->waitForDone();  // The inspector may be at work.
  const bool compare = arguments.compare && arguments.panel != QLatin1String("compare");
  if (compare) fillComparison(run, *window.comparison());
  return raisePanel(arguments.panel, run, window);
}

bool fits(const Run& run) {
  return run.plan.status == PlanStatus::optimal || run.plan.status == PlanStatus::complete;
}

/// Puts a window with the run on a screen that nobody sees, and lets it come to rest.
Result<void> prepare(const StudioArguments& arguments, const PlanOutcome& outcome,
                     MainWindow& window) {
  const Run& run = **outcome.run;
  window.applyTheme(arguments.theme.value_or(ThemeChoice::light));
  window.setReducedMotion(true);
  window.resize(arguments.size);
  window.show();
  window.show(arguments.request, outcome);
  const Step steps = window.state()->steps();
  if (arguments.step && *arguments.step >= steps) {
    return fail(ErrorCode::invalidArgument,
                "--step: the model has steps 0 to " + std::to_string(steps.count() - 1));
  }
  if (arguments.step) {
    window.state()->setStep(*arguments.step);
  } else {
    window.player()->goToPeak();
  }
  if (auto shown = goToPlace({.range = arguments.range}, window); !shown) return shown;
  if (auto shown = showBelow(arguments, run, window); !shown) {
    return about("--below", shown.error());
  }
  if (auto shown = arrange(arguments, run, window); !shown) {
    return about("the picture", shown.error());
  }
  settle();
  QThreadPool::globalInstance()->waitForDone();  // What was raised may be at work.
  settle();
  if (arguments.picture.kind == PictureKind::window && window.size() != arguments.size) {
    return fail(ErrorCode::invalidArgument, "--size: the window is at least " +
                                                std::to_string(window.width()) + "x" +
                                                std::to_string(window.height()));
  }
  return {};
}

/// A table and lanes are as large as what is in them: more would be empty.
QSize pictureSize(const StudioArguments& arguments, const MainWindow& window) {
  const PictureKind kind = arguments.picture.kind;
  if (arguments.sizeGiven) return arguments.size;
  if (kind == PictureKind::compare) return window.shownSize(kind);
  if (kind == PictureKind::lanes) {
    return {arguments.size.width(), window.shownSize(kind).height()};
  }
  return arguments.size;
}

Result<void> exportPicture(const StudioArguments& arguments, const PlanOutcome& outcome) {
  Settings none;
  MainWindow window(&none);
  if (auto ready = prepare(arguments, outcome, window); !ready) return ready;
  return writePicture(window.picture(arguments.picture, pictureSize(arguments, window)),
                      arguments.exportFile);
}

/// No window: a report is not a picture of one.
Result<void> exportReport(const StudioArguments& arguments, const Run& run) {
  std::optional<Comparison> comparison;
  if (arguments.compare) {
    RunConfig config = run.config;
    config.threads = std::max(1, QThread::idealThreadCount());
    comparison = compareAllocators(run.model, config, AllocatorList().choices(), RunContext{});
  }
  const Comparison* compared = comparison ? &*comparison : nullptr;
  const std::string command = reportCommand(arguments.request, compared, arguments.exportFile);
  return writeReport(run, compared, command, arguments.exportFile);
}

}  // namespace

int exportFromCommandLine(const StudioArguments& arguments) {
  const auto checked = arguments.report ? checkReportFile(arguments.exportFile)
                                        : checkPictureFile(arguments.exportFile);
  if (!checked) return complain(about("--export", checked.error()).value());
  const auto outcome = planned(arguments.request);
  if (!outcome) return complain(about(arguments.request.model, outcome.error()).value());
  const Run& run = **outcome->run;
  const auto written =
      arguments.report ? exportReport(arguments, run) : exportPicture(arguments, *outcome);
  if (!written) return complain(written.error());
  if (fits(run)) return 0;
  std::fputs(
      ("highwater-studio: " + printable(arguments.request.model) + ": the plan does not fit; " +
       (arguments.report ? "the report says why\n" : "the picture shows how far it got\n"))
          .c_str(),
      stderr);
  return 1;
}

}  // namespace hw
