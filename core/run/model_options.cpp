#include "core/run/model_options.h"

#include <algorithm>

namespace hw {
namespace {

bool isSaid(const OptionTexts& said, std::string_view option) {
  const auto texts = said.find(option);
  return texts != said.end() && !std::ranges::all_of(texts->second, &std::string::empty);
}

}  // namespace

Result<RunRequest> asDrawn(const Model& model, OptionTexts said, RunRequest standard,
                           std::string_view prefix) {
  const bool machine = isSaid(said, "platform");
  for (const auto& [name, texts] : model.options) {
    if (isSaid(said, name) || (machine && (name == "l2" || name == "l3"))) continue;
    said.insert_or_assign(name, texts);
  }
  return readRequest(said, std::move(standard), prefix);
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
