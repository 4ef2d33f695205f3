#pragma once

#include <string_view>

#include "core/base/json.h"

namespace hw {

/// Parses a whole YAML document within `limits`, as JSON: maps have keys that are texts, each once;
/// whole numbers (decimal, or hexadecimal of 64 bits), true, false and null are what they are, all
/// other scalars texts. Anchors, aliases and second documents are refused. Errors say the line.
Result<ParsedJson> parseYaml(std::string_view text, const DocumentLimits& limits = kYamlLimits);

}  // namespace hw
