#include "core/report/model/allocator_reference.h"

#include <fmt/format.h>

#include "core/allocators/abilities.h"
#include "core/base/text.h"

namespace hw {
namespace {

/// Bound of a ParamSpec that means none.
constexpr double kNoBound = 1e18;

std::string rangeText(const ParamSpec& spec, const char* what) {
  const auto number = [](double value) {
    const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
    return whole ? groupDigits(static_cast<std::int64_t>(value)) : fmt::format("{}", value);
  };
  if (spec.most >= kNoBound) return fmt::format("{}, {} or more", what, number(spec.least));
  return fmt::format("{}, {} to {}", what, number(spec.least), number(spec.most));
}

/// Values that a parameter takes, in words.
std::string valuesText(const ParamSpec& spec) {
  switch (spec.type) {
    case ParamType::size:
      return "a size, such as 4096 or 4KiB";
    case ParamType::integer:
      return rangeText(spec, "a whole number");
    case ParamType::number:
      return rangeText(spec, "a number");
    case ParamType::choice:
      return fmt::format("{}", fmt::join(spec.choices, ", "));
    case ParamType::flag:
      return "true or false";
    case ParamType::text:
      return "a text";
  }
  return {};
}

std::string_view typeName(ParamType type) {
  switch (type) {
    case ParamType::size:
      return "size";
    case ParamType::integer:
      return "integer";
    case ParamType::number:
      return "number";
    case ParamType::choice:
      return "choice";
    case ParamType::flag:
      return "flag";
    case ParamType::text:
      return "text";
  }
  return {};
}

std::string_view abilityName(Ability ability) {
  switch (ability) {
    case Ability::used:
      return "used";
    case Ability::ignored:
      return "ignored";
    case Ability::refused:
      return "refused";
  }
  return {};
}

std::string timeText(const AllocatorInfo& info) {
  const std::string cost(info.complexity);
  if (!info.isSearch) return cost + "; no search";
  return cost + "; a search: it ends with its budgets, or when nothing can be better";
}

bool choosesPools(const AllocatorInfo& info) {
  return AllocatorChoice{&info}.placer().info->choosesPools;
}

std::string poolsText(const AllocatorInfo& info) {
  if (info.way == Way::perDevice) return "spreads a graph over all devices of the platform";
  if (choosesPools(info)) return "chooses L2 or L3 by itself, as it goes";
  return "plans each pool by itself; who lives in L2 is decided before";
}

std::string handlesText(const AllocatorInfo& info, const AllocatorAbilities& abilities) {
  std::string text;
  for (const Ability ability : {Ability::used, Ability::ignored, Ability::refused}) {
    std::string names;
    for (const AbilityRow& row : kAbilityRows) {
      if (abilities.*row.ability == ability)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    }
    if (names.empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", abilityName(ability), names);
  }
  if (!info.plansInputs) text += "; graph inputs are left to the caller";
  return text;
}

/// Text in lines of at most `width`, those after the first indented like it.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  for (const std::string_view word : splitText(text, ' ')) {
    if (column > 0 && indent + column + 1 + displayWidth(word) > width) {
      lines += "\n" + std::string(indent, ' ');
      column = 0;
    }
    lines += (column == 0 ? "" : " ") + std::string(word);
    column += (column == 0 ? 0 : 1) + displayWidth(word);
  }
  return lines;
}

std::string entryText(const AllocatorInfo& info, const Paint& paint) {
  constexpr std::size_t kIndent = 13;
  constexpr std::size_t kWidth = 100;
  const AllocatorAbilities abilities = abilitiesOf(info);
  std::string text = fmt::format("{}\n", paint.bold(info.name));
  const auto line = [&](std::string_view title, const std::string& what) {
    text += fmt::format("  {:<9}  {}\n", title, wrapped(what, kIndent, kWidth));
  };
  line("does", std::string(info.summary));
  line("source", std::string(info.source));
  line("time", timeText(info));
  line("pools", poolsText(info));
  line("handles", handlesText(info, abilities));
  for (const ParamSpec& spec : info.params) {
    line("option", fmt::format("{} = {} (default {}): {}", spec.name, valuesText(spec),
                               spec.fallback, spec.summary));
  }
  return text;
}

Json paramJson(const ParamSpec& spec) {
  Json json = {{"name", spec.name},
               {"type", typeName(spec.type)},
               {"summary", spec.summary},
               {"default", spec.fallback}};
  if (spec.type == ParamType::choice) json["choices"] = spec.choices;
  if (spec.type == ParamType::integer || spec.type == ParamType::number) {
    json["least"] = spec.least;
    json["most"] = spec.most >= kNoBound ? Json(nullptr) : Json(spec.most);
  }
  return json;
}

}  // namespace

std::string allocatorReferenceText(const Paint& paint) {
  std::string text =
      "Ways to plan, as --allocator NAME[:OPTION=VALUE,...] takes them; n is the number of "
      "buffers.\n";
  for (const AllocatorInfo& info : allocatorCatalog()) text += "\n" + entryText(info, paint);
  return text + "\n" + paint.bold("plugin:FILE") +
         "\n  does       asks a shared library, in a process of its own "
         "(docs/guides/add_an_allocator.md)\n";
}

Json allocatorReferenceJson() {
  Json list = Json::array();
  for (const AllocatorInfo& info : allocatorCatalog()) {
    const AllocatorAbilities abilities = abilitiesOf(info);
    Json params = jsonList(info.params, paramJson);
    Json entry = {{"name", info.name},
                  {"summary", info.summary},
                  {"source", info.source},
                  {"complexity", info.complexity},
                  {"params", params},
                  {"search", info.isSearch},
                  {"chooses_pools", choosesPools(info)},
                  {"several_devices", info.way == Way::perDevice},
                  {"plans_inputs", info.plansInputs}};
    for (const AbilityRow& row : kAbilityRows) {
      entry[row.name] = abilityName(abilities.*row.ability);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace hw
