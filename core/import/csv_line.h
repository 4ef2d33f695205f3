#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hw {

/// The fields of one line of CSV (RFC 4180): quotes around a field and doubled quotes inside it
/// are taken away, a carriage return at the end too. A quoted field cannot span lines.
Result<std::vector<std::string>> splitCsvLine(std::string_view line);

}  // namespace hw
