#include "app/cli/options.h"

#ifdef HW_MIMALLOC
#include <mimalloc.h>
#endif

#include <algorithm>
#include <filesystem>
#include <thread>

#include "core/files/mapped_file.h"
#include "core/import/samples.h"
#include "core/insight/measured_diff.h"
#include "core/report/plan/plan_text.h"
#include "core/run/options.h"

namespace hw::cli {
namespace {

/// Models of large files take gigabytes, of which pages of 4 KiB take a third of the time to come
/// by. Small ones do without, since a large page has to be cleared as a whole.
void useLargePages([[maybe_unused]] const std::string& file) {
#ifdef HW_MIMALLOC
  constexpr std::uintmax_t kLargeFile = std::uintmax_t{16} << 20U;
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file, none);
  if (!none && size >= kLargeFile) mi_option_enable(mi_option_large_os_pages);
#endif
}

}  // namespace

RunArguments::RunArguments(Arguments& arguments, std::initializer_list<OptionGroup> groups,
                           RunRequest standard)
    : standard_(std::move(standard)) {
  standard_.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const RunOption& option : runOptions()) {
    if (std::ranges::count(groups, option.group) == 0) continue;
    auto& texts = texts_[std::string(option.name)];
    const OptionText text{.help = option.helpText(), .type = std::string(option.type)};
    if (option.repeats) {
      arguments.option(option.flags(), texts, text);
      continue;
    }
    texts.resize(1);
    if (option.group == OptionGroup::model) {
      arguments.positional("MODEL", texts.front(), {.help = text.help});
    } else {
      arguments.option(option.flags(), texts.front(), text);
    }
  }
}

bool RunArguments::given(std::string_view option) const {
  const auto texts = texts_.find(option);
  return texts != texts_.end() && !texts->second.empty() && !texts->second.front().empty();
}

Outcome<RunRequest> RunArguments::request() const {
  auto request = readRequest(texts_, standard_, "--");
  if (!request) return failure(request.error(), "");
  return *std::move(request);
}

Outcome<RunRequest> RunArguments::request(const Model& model) const {
  auto request = asDrawn(model, texts_, standard_, "--");
  if (!request) return failure(request.error(), "");
  return *std::move(request);
}

Outcome<Asked> RunArguments::open() const {
  HW_TRY(typed, request());
  HW_TRY(model, openModel(typed));
  HW_TRY(asked, request(*model));
  return Asked{std::move(model), std::move(asked)};
}

Outcome<Asked> RunArguments::open(const RunRequest& standard) const {
  RunArguments other = *this;
  other.standard_ = standard;
  other.standard_.threads = standard_.threads;
  return other.open();
}

PluginOption::PluginOption(Arguments& arguments) {
  arguments.option("--plugins", text_,
                   {.help = "allow: plugin:FILE among the allocators may run its code; refuse "
                            "(default)",
                    .type = "WORD",
                    .choices = {"refuse", "allow"}});
}

Outcome<Model> readModel(const RunRequest& request, const std::stop_token& stop) {
  useLargePages(request.model);
  auto model = hw::openModel(request.model, request.import, stop);
  if (!model) return failure(model.error(), request.model);
  return *std::move(model);
}

Outcome<std::shared_ptr<const Model>> openModel(const RunRequest& request,
                                                const std::stop_token& stop) {
  HW_TRY(model, readModel(request, stop));
  return std::make_shared<const Model>(std::move(model));
}

Outcome<std::vector<AllocatorChoice>> allocatorsOf(const std::string& option,
                                                   const std::string& list) {
  auto choices = parseAllocators(list);
  if (!choices) return failure(ExitCode::badUsage, option, choices.error().text());
  return *std::move(choices);
}

Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunRequest& request, ProgressMode progress,
                                                   bool record) {
  auto done = told(progress, {}, [&](RunContext context) {
    context.record = record;
    return execute(model, request, context);
  });
  if (!done) return failure(done.error(), request.model);
  return std::move(*done);
}

Outcome<std::shared_ptr<const Run>> planWatched(Model model, const RunRequest& request,
                                                ProgressMode progress, bool record) {
  auto done = told(progress, {}, [&](RunContext context) {
    context.simulate = false;
    context.record = record;
    return executeOnce(std::move(model), request, context);
  });
  if (!done) return failure(done.error(), request.model);
  return std::move(*done);
}

void keepToTheEnd(std::shared_ptr<const Run> run) {
  static std::shared_ptr<const Run>* kept = nullptr;
  if (kept == nullptr) kept = new std::shared_ptr<const Run>();
  *kept = std::move(run);
}

bool isMeasurement(const std::string& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return false;
  const auto opened = MappedFile::open(file);
  return opened && looksLikeOperatorProfile(opened->bytes());
}

/// The runtime ran DequantizeLinear by itself: it fused nothing.
bool ranQuantizers(const OperatorProfile& profile) {
  return std::ranges::any_of(profile.ops, [](const MeasuredOperator& op) {
    return op.type == "DequantizeLinear" && op.activations.value_or(Bytes()) > Bytes();
  });
}

void beAsMeasured(const OperatorProfile& profile, const RunArguments& options,
                  RunRequest& request) {
  // A body is measured as part of the operator around it.
  if (!options.given("bodies")) request.import.closedBodies = true;
  if (!options.given("fuse") && ranQuantizers(profile)) request.import.fuse = {};
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
    beAsMeasured(*profile, options, request);
    if (!options.given("inputs")) request.inputs = InputPlace::external;
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
