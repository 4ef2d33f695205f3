#include "core/run/model_options.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/import/plans/unknown_parts.h"
#include "core/run/embedded.h"

namespace hw {
namespace {

bool isSaid(const OptionTexts& said, std::string_view option) {
  const auto texts = said.find(option);
  return texts != said.end() && !std::ranges::all_of(texts->second, &std::string::empty);
}

/// What an author asks for is part of a file: what is wrong with it is told with its place.
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
