#pragma once

#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/outcome.h"
#include "core/allocators/plugin.h"
#include "core/run/options.h"

namespace hw::cli {

/// What commands take that plan, and that compare plans of several.
inline constexpr auto kPlanOptions = {
    OptionGroup::model,   OptionGroup::import, OptionGroup::allocator, OptionGroup::machine,
    OptionGroup::storage, OptionGroup::order,  OptionGroup::search,    OptionGroup::effort};
inline constexpr auto kComparedOptions = {OptionGroup::import,  OptionGroup::machine,
                                          OptionGroup::storage, OptionGroup::order,
                                          OptionGroup::search,  OptionGroup::effort};

/// The run options that a command takes, as typed. Their table is in core.
class RunArguments {
 public:
  /// Those of `groups`; what nobody says is as in `standard`.
  RunArguments(Arguments& arguments, std::initializer_list<OptionGroup> groups,
               RunRequest standard = planningRequest());

  bool given(std::string_view option) const;
  /// What the options say, or what is wrong with one of them.
  Outcome<RunRequest> request() const;
  /// The same, with what the author of `model` asks for where nothing is said.
  Outcome<RunRequest> request(const Model& model) const;

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

}  // namespace hw::cli
