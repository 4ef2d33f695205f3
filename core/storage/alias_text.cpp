#include "core/storage/alias_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {

std::span<const AliasRule> aliasRules() {
  static constexpr AliasRule kRules[] = {
      {"reshape", &AliasRules::reshape, "Reshape, flatten and the like keep their input's bytes"},
      {"concat", &AliasRules::concat, "Inputs of a concat are slices of its output"},
      {"split", &AliasRules::split, "Outputs of a split are slices of its input"},
      {"in-place", &AliasRules::inPlace,
       "An output takes over the bytes of an input that dies in its op; depthwise convolutions "
       "hold a "
       "plane aside for that"},
      {"always", &AliasRules::always, "Slices are shared even where that raises the lower bound"}};
  return kRules;
}

std::string aliasText(const AliasRules& asked) {
  AliasRules rules = asked;
  rules.always &= rules.concat || rules.split;  // It is about slices only.
  if (rules == AliasRules::none()) return "none";
  if (rules == AliasRules()) return "views";
  if (rules == AliasRules::all()) return "all";
  if (rules == AliasRules{.always = true}) return "always";
  std::string text;
  for (const AliasRule& rule : aliasRules()) {
    if (rules.*(rule.flag)) text += (text.empty() ? "" : ",") + std::string(rule.name);
  }
  return text;
}

Result<AliasRules> parseAlias(std::string_view text) {
  if (text == "views") return AliasRules();
  if (text == "all") return AliasRules::all();
  AliasRules rules = AliasRules::none();
  if (text == "none") return rules;
  if (text == "always") return AliasRules{.always = true};
  for (const std::string_view word : splitText(text, ',')) {
    const auto rule = std::ranges::find(aliasRules(), word, &AliasRule::name);
    if (rule != aliasRules().end()) {
      rules.*(rule->flag) = true;
      continue;
    }
    std::vector<std::string> known = {"none", "views", "all"};
    for (const AliasRule& each : aliasRules()) known.emplace_back(each.name);
    const auto closest = closestWord(word, known);
    return fail(ErrorCode::invalidArgument,
                fmt::format("'{}' is not a rule; expected none, views, all, always, or a "
                            "list of reshape, concat, split, in-place, always{}",
                            printable(word, 80),
                            closest ? fmt::format("; did you mean '{}'?", *closest) : ""));
  }
  return rules;
}

}  // namespace hw
