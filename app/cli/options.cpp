#include "app/cli/options.h"

#include <algorithm>
#include <thread>

#include "core/import/samples.h"
#include "core/run/model_options.h"

namespace hw::cli {

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

PluginOption::PluginOption(Arguments& arguments) {
  arguments.option("--plugins", text_,
                   {.help = "allow: plugin:FILE among the allocators may run its code; refuse "
                            "(default)",
                    .type = "WORD",
                    .choices = {"refuse", "allow"}});
}

Outcome<Model> readModel(const RunRequest& request, const std::stop_token& stop) {
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

}  // namespace hw::cli
