#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "core/allocators/plugin.h"
#include "core/report/compare/measured_report.h"
#include "core/run/options.h"
#include "core/run/run.h"

namespace hw::cli {

/// Options of commands that plan, and of those that compare plans of several.
inline constexpr auto kPlanOptions = {
    OptionGroup::model,   OptionGroup::import, OptionGroup::allocator, OptionGroup::machine,
    OptionGroup::storage, OptionGroup::order,  OptionGroup::search,    OptionGroup::effort};
inline constexpr auto kComparedOptions = {OptionGroup::import,  OptionGroup::machine,
                                          OptionGroup::storage, OptionGroup::order,
                                          OptionGroup::search,  OptionGroup::effort};

/// A model that is open, and what is asked of it.
struct Asked {
  std::shared_ptr<const Model> model{};
  RunRequest request{};
};

/// The run options that a command takes, as typed. Their table is in core.
class RunArguments {
 public:
  /// Those of `groups`; what nobody says is as in `standard`.
  RunArguments(Arguments& arguments, std::initializer_list<OptionGroup> groups,
               RunRequest standard = planningRequest());

  bool given(std::string_view option) const;
  /// The request of the options, or what is wrong with one of them.
  Outcome<RunRequest> request() const;
  /// The same, with what the author of `model` asks for where nothing is said.
  Outcome<RunRequest> request(const Model& model) const;
  /// The model that they name, opened, and what they ask of it.
  Outcome<Asked> open() const;
  /// The same for a command with two jobs, the other of which has another standard.
  Outcome<Asked> open(const RunRequest& standard) const;

 private:
  RunRequest standard_;
  OptionTexts texts_;
};

/// --plugins: whether texts that come in files and messages may name plug-ins.
class PluginOption {
 public:
  explicit PluginOption(Arguments& arguments);
  Plugins value() const { return text_ == "allow" ? Plugins::allow : Plugins::refuse; }

 private:
  std::string text_;
};

/// Opens the model that the request names; errors are about that name.
Outcome<Model> readModel(const RunRequest& request, const std::stop_token& stop = {});
Outcome<std::shared_ptr<const Model>> openModel(const RunRequest& request,
                                                const std::stop_token& stop = {});

/// `parseAllocators`; errors are about `option`.
Outcome<std::vector<AllocatorChoice>> allocatorsOf(const std::string& option,
                                                   const std::string& list);

/// `work` in a context that `stop` ends, and whose progress a line tells until it is done.
template <class Work>
auto told(ProgressMode mode, std::stop_token stop, const Work& work) {
  ProgressLine line(mode);
  return work(RunContext{.stop = std::move(stop), .progress = line.callback()});
}

/// Runs with a progress line; errors are about the model. Of one plan there is nothing to keep
/// before it is done, so Ctrl-C ends the program at once. `record`: with all that the
/// method's lists go through.
Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunRequest& request, ProgressMode progress,
                                                   bool record = false);

/// The same for those who want the plan alone and have no more use for the model: see
/// RunContext::simulate and `executeOnce`.
Outcome<std::shared_ptr<const Run>> planWatched(Model model, const RunRequest& request,
                                                ProgressMode progress, bool record = false);

/// Leaves `run` to the end of the process, which is near: to take a million operators apart takes
/// half a second.
void keepToTheEnd(std::shared_ptr<const Run> run);

/// True if `file` is one that holds what somebody's runtime measured, operator by operator.
bool isMeasurement(const std::string& file);

/// Opens a model with the operators that were measured, where `options` say nothing.
void beAsMeasured(const OperatorProfile& profile, const RunArguments& options, RunRequest& request);

/// The model `name` beside the measurement in `file`: run in the order that was measured, and where
/// `options` say nothing as runtimes do. `allocator`: who plans; nothing: as the options say.
Outcome<MeasuredReport> runBeside(const std::string& name, const std::string& file,
                                  const RunArguments& options,
                                  const std::optional<AllocatorChoice>& allocator,
                                  ProgressMode progress);

/// Says on standard error why there is no plan that fits, if that is so.
ExitCode verdict(const Run& run);

}  // namespace hw::cli
