#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace hw {

/// Whether a device's or unit's list of op types covers `type`; "*" covers all.
inline bool coversOp(const std::vector<std::string>& ops, const std::string& type) {
  return std::ranges::any_of(ops, [&](const std::string& op) { return op == "*" || op == type; });
}

}  // namespace hw
