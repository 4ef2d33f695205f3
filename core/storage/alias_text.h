#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/storage/aliasing.h"

namespace hw {

/// A rule of sharing and its name, for options, forms and files.
struct AliasRule {
  std::string_view name;
  bool AliasRules::*flag;
  std::string_view meaning;
};
std::span<const AliasRule> aliasRules();

/// "none", "views", "all", "always" (views, even where they raise the bound), or the rules that are
/// on: "reshape,split".
std::string aliasText(const AliasRules& rules);
/// What `aliasText` writes, in any order.
Result<AliasRules> parseAlias(std::string_view text);

}  // namespace hw
