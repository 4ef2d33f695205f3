#include "app/gui/export.h"

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QThread>
#include <QThreadPool>
#include <algorithm>
#include <cstdio>
#include <string>

#include "app/gui/main_window.h"
#include "app/gui/picture.h"
#include "core/base/text.h"
#include "core/report/explain_report.h"
#include "core/run/compare.h"
#include "core/run/samples.h"

namespace hw {

namespace {

int complain(const std::string& subject, const Error& error) {
  const std::string text = "highwater-studio: " + printable(subject) + ": " + error.text() + "\n";
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
  if (!arguments.below) return {};
  RunConfig config = run.config;
  config.allocator = *arguments.below;
  const auto other = timelessRun(run.model, config);
  if (!other) return tl::unexpected(other.error());
  window.showBelow(*other);
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
  if (arguments.panel == QLatin1String("compare")) fillComparison(run, *window.comparison());
  if (!arguments.panel.isEmpty()) window.findChild<QDockWidget*>(arguments.panel)->raise();
  return {};
}

bool fits(const Run& run) {
  return run.plan.status == PlanStatus::optimal || run.plan.status == PlanStatus::complete;
}

}  // namespace

int exportFromCommandLine(const StudioArguments& arguments) {
  const std::string file = arguments.exportFile.toStdString();
  if (auto checked = checkPictureFile(arguments.exportFile); !checked) {
    std::fputs(("highwater-studio: --export: " + checked.error().text() + "\n").c_str(), stderr);
    return exitCodeOf(checked.error());
  }
  const auto outcome = planned(arguments.request);
  if (!outcome) return complain(arguments.request.model, outcome.error());

  Settings none;
  MainWindow window(&none);
  window.applyTheme(arguments.theme.value_or(ThemeChoice::light));
  window.setReducedMotion(true);
  window.resize(arguments.size);
  window.show();
  window.show(arguments.request, *outcome);
  const Step steps = window.state()->steps();
  if (arguments.step && *arguments.step >= steps) {
    return complain("--step", {ErrorCode::invalidArgument,
                               "the model has steps 0 to " + std::to_string(steps.count() - 1),
                               {}});
  }
  if (arguments.step) {
    window.state()->setStep(*arguments.step);
  } else {
    window.player()->goToPeak();
  }
  if (auto shown = showBelow(arguments, **outcome->run, window); !shown) {
    return complain("--below", shown.error());
  }
  if (auto shown = arrange(arguments, **outcome->run, window); !shown) {
    return complain("--select", shown.error());
  }
  settle();
  if (arguments.picture == PictureKind::window && window.size() != arguments.size) {
    return complain("--size", {ErrorCode::invalidArgument,
                               "the window is at least " + std::to_string(window.width()) + "x" +
                                   std::to_string(window.height()),
                               {}});
  }
  const auto written =
      writePicture(window.picture(arguments.picture, arguments.size), arguments.exportFile);
  if (!written) return complain("--export", written.error());
  if (fits(**outcome->run)) return 0;
  std::fputs(("highwater-studio: " + printable(arguments.request.model) +
              ": the plan does not fit; the picture shows how far it got\n")
                 .c_str(),
             stderr);
  return 1;
}

}  // namespace hw
