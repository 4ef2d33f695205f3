#include "widgets/form/setting.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/run/embedded.h"

namespace hw {

namespace {

/// Sizes of the near memory: powers of two from an eighth of what the plan takes to above it.
void offerSizes(const Run& run, std::vector<std::string>& values) {
  constexpr std::int64_t kLeast = 1024;
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  const std::int64_t whole = std::max(run.metrics.total().peak, run.metrics.lowerBound).count();
  std::int64_t size = kLeast;
  while (size < whole / 8 && size < kMost) size *= 2;
  for (; size < 2 * whole && size < kMost; size *= 2) values.push_back(sizeWord(Bytes(size)));
}

/// Those of the option's table; allocators that apply to the model, and platforms; for the near
/// memory sizes around what the plan takes.
std::vector<std::string> valuesOf(const RunOption& option, const Run& run) {
  std::vector<std::string> values;
  for (const std::string_view text : option.choices) values.emplace_back(text);
  for (const std::string_view text : option.examples) values.emplace_back(text);
  if (option.name == "allocator") {
    for (const AllocatorInfo& info : allocatorCatalog()) {
      if (appliesTo(info, run.graph())) values.emplace_back(info.name);
    }
  } else if (option.name == "platform") {
    for (const Platform& platform : platformCatalog()) values.push_back(platformText(platform));
  } else if (option.name == "l2") {
    offerSizes(run, values);
  }
  return values;
}

std::string firstOr(const std::vector<std::string>& texts, std::string_view other) {
  return texts.empty() ? std::string(other) : texts.front();
}

void addNow(Setting& setting) {
  const bool known = std::ranges::find(setting.values, setting.now) != setting.values.end();
  if (!known && !setting.values.empty()) setting.values.insert(setting.values.begin(), setting.now);
}

Setting settingOf(const RunOption& option, const std::shared_ptr<const Run>& run) {
  Setting setting{.name = std::string(option.name),
                  .label = std::string(option.label),
                  .help = std::string(option.help),
                  .type = std::string(option.type),
                  .group = option.group,
                  .values = valuesOf(option, *run),
                  .closed = !option.choices.empty(),
                  .now = firstOr(option.print(run->request), ""),
                  .standard = firstOr(option.print(defaultRequest()), "")};
  const bool ofOperators = (option.group == OptionGroup::storage && option.name != "align") ||
                           option.group == OptionGroup::order;
  if (ofOperators && run->model->problem) {
    setting.whyNot = "a planning problem says who lives when; this is about operators";
  }
  setting.with = [&option, run](const std::string& text) {
    return readRequest({{std::string(option.name), {text}}}, run->request, "");
  };
  // Its parameters are settings of their own.
  const AllocatorInfo* info = run->request.allocator.info;
  if (option.name == "allocator" && info != nullptr) setting.now = info->name;
  addNow(setting);
  return setting;
}

Setting settingOf(const ParamSpec& spec, const std::shared_ptr<const Run>& run) {
  Setting setting{.name = "allocator:" + std::string(spec.name),
                  .label = std::string(spec.label.empty() ? spec.name : spec.label),
                  .help = std::string(spec.summary),
                  .type = std::string(spec.unit.empty() ? spec.name : spec.unit),
                  .closed = spec.type == ParamType::choice || spec.type == ParamType::flag,
                  .now = paramText(run->request.allocator.params.value(spec)),
                  .standard = std::string(spec.fallback)};
  for (const std::string_view choice : spec.choices) setting.values.emplace_back(choice);
  if (spec.type == ParamType::flag) setting.values = {"true", "false"};
  setting.with = [&spec, run](const std::string& text) -> Result<RunRequest> {
    RunRequest request = run->request;
    HW_DO(request.allocator.params.set(spec, text));
    return request;
  };
  addNow(setting);
  return setting;
}

}  // namespace

std::vector<Setting> settingsOf(const std::shared_ptr<const Run>& run) {
  std::vector<Setting> settings;
  for (const RunOption& option : runOptions()) {
    const bool opens = option.group == OptionGroup::model || option.group == OptionGroup::import;
    if (opens || option.repeats) continue;
    settings.push_back(settingOf(option, run));
    if (option.name != "allocator" || run->request.allocator.info == nullptr) continue;
    for (const ParamSpec& spec : run->request.allocator.info->params) {
      settings.push_back(settingOf(spec, run));
    }
  }
  return settings;
}

}  // namespace hw
