#include "core/study/study.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/machine/platforms.h"

namespace hw {
namespace {

std::string textOf(const toml::node& node, std::string_view key) {
  if (const auto text = node.value<std::string>()) return *text;
  if (node.is_integer()) return std::to_string(**node.as_integer());
  if (node.is_floating_point()) return fmt::format("{}", **node.as_floating_point());
  refuse(fmt::format("{}: expected a text or a number, or a list of them", key), node.source());
}

std::vector<std::string> textsOf(const toml::node& node, std::string_view key) {
  const toml::array* array = node.as_array();
  if (array == nullptr) return {textOf(node, key)};
  if (array->empty()) {
    refuse(fmt::format("{}: the list is empty{}", key,
                       key == "models" ? "" : "; leave the key out for its default"),
           node.source());
  }
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(textOf(element, key));
  return texts;
}

/// An option that a study may name: models and allocators have lists of their own, and how many
/// threads there are is no part of a study.
const RunOption* optionOf(std::string_view key) {
  const RunOption* option = findOption(key);
  const bool own =
      option && (option->group == OptionGroup::model || option->group == OptionGroup::allocator ||
                 option->group == OptionGroup::effort);
  return own ? nullptr : option;
}

[[noreturn]] void refuseKey(std::string_view key, const toml::source_region& source) {
  std::vector<std::string> known = {"models", "allocators"};
  for (const RunOption& option : runOptions()) {
    if (optionOf(option.name)) known.emplace_back(option.name);
  }
  const auto closest = closestWord(key, known);
  refuse(fmt::format("unknown key '{}'{}", printable(key),
                     closest ? fmt::format("; did you mean '{}'?", *closest) : ""),
         source);
}

void readAllocators(const toml::node& node, Plugins plugins, Study& study) {
  const std::vector<std::string> texts = textsOf(node, "allocators");
  for (const std::string& text : texts) {
    if (auto allowed = checkPlugins(text, plugins); !allowed) {
      refuse("allocators: " + allowed.error().text(), node.source());
    }
    auto choices = parseAllocators(text);
    if (!choices) refuse("allocators: " + choices.error().text(), node.source());
    if (choices->empty() && texts.size() > 1) {
      refuse("allocators: \"all\" stands alone", node.source());
    }
    study.allocators.insert(study.allocators.end(), choices->begin(), choices->end());
  }
}

Study read(const toml::table& table, Plugins plugins) {
  Study study;
  for (const auto& [key, node] : table) {
    if (key.str() == "models") {
      study.models = textsOf(node, "models");
    } else if (key.str() == "allocators") {
      readAllocators(node, plugins, study);
    } else if (const RunOption* option = optionOf(key.str())) {
      study.options[std::string(option->name)] = textsOf(node, key.str());
    } else {
      refuseKey(key.str(), node.source());
    }
  }
  if (study.models.empty()) {
    refuse("a study names what to run: models = [\"FILE\", ...]", "");
  }
  return study;
}

/// All combinations of the axes as texts, those that are not mentioned empty.
std::vector<OptionTexts> combinations(const Study& study) {
  std::vector<OptionTexts> all = {study.options};
  for (const RunOption& option : runOptions()) {
    if (!option.axis) continue;
    const std::string name(option.name);
    const auto given = study.options.find(name);
    const auto values = given == study.options.end() ? std::vector<std::string>{""} : given->second;
    std::vector<OptionTexts> product;
    for (const OptionTexts& each : all) {
      for (const std::string& value : values) {
        product.push_back(each);
        product.back()[name] = {value};
      }
    }
    all = std::move(product);
  }
  return all;
}

}  // namespace

Result<Study> parseStudy(std::string_view text, Plugins plugins) {
  return readToml(text, [&](const toml::table& table) { return read(table, plugins); });
}

Result<std::vector<StudySetting>> settingsOf(const Study& study,
                                             const std::filesystem::path& folder) {
  std::vector<StudySetting> settings;
  for (OptionTexts& texts : combinations(study)) {
    StudySetting setting;
    for (const RunOption& option : runOptions()) {
      if (!option.axis) continue;
      setting.axes.emplace_back(option.name, texts.at(std::string(option.name)).front());
    }
    std::string& platform = texts.at("platform").front();
    if (isPlatformFile(platform)) platform = (folder / platform).string();
    HW_TRY(request, readRequest(texts, planningRequest(), ""));
    setting.request = std::move(request);
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace hw
