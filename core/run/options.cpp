#include "core/run/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/import/plans/unknown_parts.h"
#include "core/machine/platforms.h"
#include "core/run/embedded.h"

namespace hw {
namespace {

using Texts = std::vector<std::string>;

bool isEmpty(const Texts& texts) { return std::ranges::all_of(texts, &std::string::empty); }

bool isSaid(const OptionTexts& said, std::string_view option) {
  const auto texts = said.find(option);
  return texts != said.end() && !std::ranges::all_of(texts->second, &std::string::empty);
}

/// Checks an option that the author of a file asks for: errors are told with their place in the
/// file.
Result<void> checkOwn(const Model& model, const std::string& name,
                      const std::vector<std::string>& texts, const RunRequest& standard) {
  const auto read = readRequest({{name, texts}}, standard, "");
  if (read) return {};
  const auto place = model.optionPlaces.find(name);
  return fail(ErrorCode::malformed,
              (model.path.empty() ? "" : printable(model.path) + ": ") + read.error().message,
              place == model.optionPlaces.end() ? "" : place->second);
}

}  // namespace

std::string RunOption::flags() const {
  return letter == 0 ? fmt::format("--{}", name) : fmt::format("-{},--{}", letter, name);
}

std::string RunOption::helpText() const {
  return standard.empty() ? std::string(help) : fmt::format("{} (default {})", help, standard);
}

Result<void> RunOption::read(const std::vector<std::string>& texts, RunRequest& request) const {
  if (texts.size() > 1 && !repeats) return fail(ErrorCode::invalidArgument, "it takes one value");
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    HW_DO(parse(text, request));
  }
  return {};
}

const RunOption* findOption(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  for (const RunOption& option : runOptions()) {
    if (option.name == dashed || (!name.empty() && option.formerly == name)) return &option;
  }
  return nullptr;
}

std::vector<Error> readOptions(const OptionTexts& texts, RunRequest& request,
                               std::string_view prefix) {
  std::vector<Error> errors;
  const auto platform = texts.find("platform");
  if (platform != texts.end() && !isEmpty(platform->second)) request.l2 = request.l3 = {};
  for (const RunOption& option : runOptions()) {
    auto given = texts.find(option.name);
    if (given == texts.end()) given = texts.find(option.formerly);
    if (given == texts.end()) continue;
    auto done = option.read(given->second, request);
    if (done) continue;
    errors.push_back(std::move(done.error()));
    // Errors about a file name the file already.
    if (errors.back().code == ErrorCode::invalidArgument) {
      errors.back().message = fmt::format("{}{}: {}", prefix, option.name, errors.back().message);
    }
  }
  return errors;
}

Result<RunRequest> readRequest(const OptionTexts& texts, RunRequest standard,
                               std::string_view prefix) {
  const auto errors = readOptions(texts, standard, prefix);
  if (!errors.empty()) return tl::unexpected(errors.front());
  return standard;
}

OptionTexts textsOf(const RunRequest& request) {
  OptionTexts texts;
  for (const RunOption& option : runOptions()) {
    if (option.group != OptionGroup::effort) texts.emplace(option.name, option.print(request));
  }
  return texts;
}

std::vector<OptionChange> changesBetween(const RunRequest& before, const RunRequest& after) {
  std::vector<OptionChange> changes;
  for (const RunOption& option : runOptions()) {
    OptionChange change{&option, option.print(before), option.print(after)};
    if (option.group != OptionGroup::effort && change.before != change.after) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

bool sameBut(const RunRequest& a, const RunRequest& b,
             std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(changesBetween(a, b), [&](const OptionChange& change) {
    return std::ranges::find(names, change.option->name) != names.end();
  });
}

std::vector<std::string> optionWords(const RunRequest& before, const RunRequest& after) {
  Texts words;
  for (auto& [option, was, is] : changesBetween(before, after)) {
    if (option->group == OptionGroup::model) continue;
    const bool grown =
        option->repeats && is.size() > was.size() && std::equal(was.begin(), was.end(), is.begin());
    if (grown) is.erase(is.begin(), is.begin() + static_cast<std::ptrdiff_t>(was.size()));
    for (const std::string& text : is)
      words.insert(words.end(), {fmt::format("--{}", option->name), text});
  }
  return words;
}

RunRequest defaultRequest() {
  RunRequest request;
  request.allocator.info = findAllocator(kDefaultAllocator).value();
  request.platform = defaultPlatform();
  return request;
}

RunRequest planningRequest() {
  RunRequest request = defaultRequest();
  request.l2 = {.kind = PoolSize::Kind::unbounded};
  request.l3 = {.kind = PoolSize::Kind::unbounded, .assumed = true};
  return request;
}

Result<RunRequest> asDrawn(const Model& model, OptionTexts said, RunRequest standard,
                           std::string_view prefix) {
  const bool machine = isSaid(said, "platform");
  for (const auto& [name, texts] : model.options) {
    if (isSaid(said, name) || (machine && (name == "l2" || name == "l3"))) continue;
    HW_DO(checkOwn(model, name, texts, standard));
    said.insert_or_assign(name, texts);
  }
  return readRequest(said, std::move(standard), prefix);
}

bool isPlan(const Model& model) {
  const Graph& graph = *model.graph;
  if (!hasOwnPlan(graph)) return false;
  if (!model.problem) return !unknownNote(graph).empty();
  return std::ranges::all_of(graph.tensors, [](const Tensor& tensor) {
    return tensor.plannedOffset || tensor.bytes == Bytes();
  });
}

Result<RunRequest> asShown(const Model& model, OptionTexts said, RunRequest standard,
                           std::string_view prefix) {
  const auto say = [&](const char* option, std::string text) {
    if (isSaid(said, option) || model.options.contains(option)) return;
    said.insert_or_assign(option, std::vector{std::move(text)});
  };
  if (isPlan(model)) {
    say("allocator", "embedded");
    say("l2", "unlimited");
    if (!model.problem) say("align", std::to_string(ownAlignment(*model.graph).count()));
  }
  return asDrawn(model, std::move(said), std::move(standard), prefix);
}

OptionTexts saidIn(const RunRequest& request, const RunRequest& standard) {
  OptionTexts said;
  for (const OptionChange& change : changesBetween(standard, request)) {
    if (change.option->group == OptionGroup::model) continue;
    said.emplace(change.option->name, change.after);
  }
  return said;
}

}  // namespace hw
