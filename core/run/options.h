#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run_request.h"

namespace hw {

/// The subject of an option: commands take the options that concern them.
enum class OptionGroup : std::uint8_t {
  model,      ///< Which model.
  import,     ///< How to open it.
  allocator,  ///< Who plans.
  machine,    ///< What may be planned.
  storage,    ///< Who shares memory, and where it begins.
  order,      ///< When the operators run.
  search,     ///< What searches may use.
  effort,     ///< How the work is done: no part of what comes of it, so it is kept nowhere.
};

/// One thing that a run can be told. Command line, studio, sessions, history, studies, JSON and
/// reports all read the table of them: a new option is one row in option_table.cpp.
struct RunOption {
  std::string_view name;        ///< "align": --align, and the key in files.
  std::string_view formerly{};  ///< Another key under which files have it.
  std::string_view label;       ///< What people call it.
  char letter = 0;              ///< Of the short form on the command line; 0: there is none.
  OptionGroup group = OptionGroup::model;
  bool repeats = false;         ///< May be given several times; each adds to the request.
  bool axis = false;            ///< A study runs all its values, and has a column for it.
  std::string_view type{};      ///< What it takes, for --help.
  std::string_view help{};      ///< Without the default.
  std::string_view standard{};  ///< The default, in the option's own words where it has some.
  std::span<const std::string_view> choices{};  ///< Nothing else is accepted; empty: anything is.
  /// Of texts without end those to offer in a list; the first one is the default.
  std::span<const std::string_view> examples{};
  /// Sets, or adds, what `text` says. Errors do not name the option.
  Result<void> (*parse)(const std::string& text, RunRequest& request);
  /// The texts that `parse` turns into the same again: one, or of options that repeat any number.
  std::vector<std::string> (*print)(const RunRequest& request);

  /// "-a,--allocator".
  std::string flags() const;
  /// "what may share memory (default views)".
  std::string helpText() const;
  /// Carries out all `texts`; empty ones are the default. More than one must be allowed.
  Result<void> read(const std::vector<std::string>& texts, RunRequest& request) const;
};

std::span<const RunOption> runOptions();
/// The option of that name, or of that key in files, where "_" and "-" are the same; null if none.
const RunOption* findOption(std::string_view name);

/// The texts given for options, by their names; an absent or empty one is the default.
using OptionTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Does to `request` what `texts` say, and tells what of it could not be done: that stays as it
/// was. A platform that is named bounds what may be planned, unless sizes say otherwise. Errors
/// name the option after `prefix`, "--", or the file that could not be read.
std::vector<Error> readOptions(const OptionTexts& texts, RunRequest& request,
                               std::string_view prefix);
/// The request that `texts` make of `standard`, or the first error.
Result<RunRequest> readRequest(const OptionTexts& texts, RunRequest standard,
                               std::string_view prefix);

/// Everything that makes the request what it is.
OptionTexts textsOf(const RunRequest& request);

/// An option that two requests differ in, with its texts there.
struct OptionChange {
  const RunOption* option;
  std::vector<std::string> before{};
  std::vector<std::string> after{};
};
/// In the order of the table; empty when both come to the same.
std::vector<OptionChange> changesBetween(const RunRequest& before, const RunRequest& after);

/// True if they come to the same, apart from the options that are named.
bool sameBut(const RunRequest& a, const RunRequest& b,
             std::initializer_list<std::string_view> names);

/// The words to add to the command line of `before` to get `after`: "--align", "16". The model,
/// which is not an option there, is left out.
std::vector<std::string> optionWords(const RunRequest& before, const RunRequest& after);

/// The request for a model whose author asks for something (`Model::options`), so that a figure
/// opens as it was drawn: `standard`, with what the author asks for, with what `said` says, which
/// goes before. Sizes belong to the platform: whoever names one leaves the author's. Errors name
/// the option after `prefix`, as those of `readRequest` do; those of what the author asks for name
/// the file and the place, and are `malformed`.
Result<RunRequest> asDrawn(const Model& model, OptionTexts said, RunRequest standard,
                           std::string_view prefix);

/// True where the file is a plan and nothing else: one that another tool wrote down, or a planning
/// problem all of whose buffers have their place. A model that brings one along is a model.
bool isPlan(const Model& model);

/// `asDrawn` for whoever looks at the file: a plan is shown as it is, unless it is said who plans,
/// whatever the platform has room for, and held against others at its own alignment.
Result<RunRequest> asShown(const Model& model, OptionTexts said, RunRequest standard,
                           std::string_view prefix);

/// The options of `request` that differ from `standard`, but for the model.
OptionTexts saidIn(const RunRequest& request, const RunRequest& standard);

}  // namespace hw
