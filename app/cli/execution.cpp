#include "app/cli/execution.h"

#include <filesystem>

#include "core/files/mapped_file.h"
#include "core/insight/measured_match.h"
#include "core/report/plan/plan_text.h"

namespace hw::cli {

namespace {

/// `run` gets the context to work in.
template <class Execute>
Outcome<std::shared_ptr<const Run>> watch(const Execute& run, const std::string& name,
                                          ProgressMode progress) {
  ProgressLine line(progress);
  auto done = run(RunContext{.progress = line.callback()});
  if (!done) return failure(done.error(), name);
  return std::move(*done);
}

}  // namespace

Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunRequest& request, ProgressMode progress,
                                                   bool record) {
  const auto run = [&](RunContext context) {
    context.record = record;
    return execute(model, request, context);
  };
  return watch(run, request.model, progress);
}

Outcome<std::shared_ptr<const Run>> planWatched(Model model, const RunRequest& request,
                                                ProgressMode progress, bool record) {
  const auto run = [&](RunContext context) {
    context.simulate = false;
    context.record = record;
    return executeOnce(std::move(model), request, context);
  };
  return watch(run, request.model, progress);
}

bool isMeasurement(const std::string& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return false;
  const auto opened = MappedFile::open(file);
  return opened && looksLikeOperatorProfile(opened->bytes());
}

Outcome<MeasuredReport> runBeside(const std::string& name, const std::string& file,
                                  const RunArguments& options,
                                  const std::optional<AllocatorChoice>& allocator,
                                  ProgressMode progress) {
  const auto opened = MappedFile::open(file);
  if (!opened) return failure(opened.error(), file);
  const auto profile = readOperatorProfile(opened->bytes());
  if (!profile) return failure(profile.error(), file);
  const auto complete = [&](RunRequest& request) {
    request.model = name;
    if (allocator) request.allocator = *allocator;
    // A body is measured as part of the operator around it.
    if (!options.given("bodies")) request.import.closedBodies = true;
    if (!options.given("inputs")) request.planInputs = false;
    if (!options.given("align")) request.alignment = Bytes(1);
  };
  HW_TRY(typed, options.request());
  complete(typed);
  HW_TRY(model, openModel(typed));
  HW_TRY(asked, options.request(*model));
  complete(asked);
  MeasuredBeside beside{.asRuntime = !options.given("alias")};
  if (beside.asRuntime) asked.alias = runtimeAlias();
  if (const auto bytes = MappedFile::open(name)) {
    beside.shapes = runtimeShapes(bytes->bytes(), *model->graph);
  }
  const auto request = measuredRequest(*model->graph, *profile, asked);
  if (!request) return failure(request.error(), file);
  HW_TRY(run, executeWatched(model, *request, progress));
  return MeasuredReport{.run = run, .profile = file, .diff = diffMeasured(*run, *profile, beside)};
}

ExitCode verdict(const Run& run) {
  const auto failed = planFailure(run);
  if (!failed) return ExitCode::done;
  printFailure({ExitCode::answerIsNo, run.request.model, *failed});
  return ExitCode::answerIsNo;
}

}  // namespace hw::cli
