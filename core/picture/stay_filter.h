#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/base/id.h"

namespace hw {

/// The stays that a search, a histogram or a table picked out; views draw the others pale.
/// Immutable and of one run, so that threads which draw may read it.
struct StayFilter {
  std::string title{};       ///< What was asked for, for people: "4.00 KiB to 64.0 KiB".
  std::vector<bool> kept{};  ///< By stay.
  std::size_t count = 0;     ///< How many are kept.

  bool keeps(StayId stay) const { return stay.index() < kept.size() && kept[stay.index()]; }
};

inline std::shared_ptr<const StayFilter> makeFilter(std::string title, std::vector<bool> kept) {
  const auto count = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true));
  return std::make_shared<const StayFilter>(StayFilter{std::move(title), std::move(kept), count});
}

}  // namespace hw
