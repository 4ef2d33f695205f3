#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hw {

/// The number that a name inside an expression stands for; nothing when it is not known.
using NameLookup = std::function<std::optional<std::int64_t>(const std::string& name)>;

/// Works out an expression that exporters write in place of a size: `past + seq`, `2*n`, `(h -
/// 1)//2 + 1`, `floor(n/2)`, `Max(1, n)`. Division rounds down. Nothing when it is no such
/// expression, a name is not known, or the result is negative or leaves 64 bits.
std::optional<std::int64_t> evaluateDimension(std::string_view text, const NameLookup& lookup);

/// True when `name` has no operator in it: letters, digits, `_`, `.` and the like only.
bool isPlainName(std::string_view name);

}  // namespace hw
