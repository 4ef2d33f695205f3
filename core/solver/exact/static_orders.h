#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/solver/exact/boxes.h"

namespace hw::exact {

/// An order of the boxes, by name.
struct StaticOrder {
  std::string_view name;
  std::vector<std::uint32_t> boxes{};
};

/// The orders a portfolio runs, the generally most successful first.
std::vector<StaticOrder> staticOrders(const Boxes& boxes);

}  // namespace hw::exact
