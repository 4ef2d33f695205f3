#pragma once

#include <string>
#include <vector>

namespace hw::test {

/// What the first finding of a judge says (`Violation`, `Corruption`); empty: there is none.
template <class Finding>
std::string firstOf(const std::vector<Finding>& found) {
  return found.empty() ? "" : found.front().message;
}

}  // namespace hw::test
