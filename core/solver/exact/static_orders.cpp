#include "core/solver/exact/static_orders.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace hw::exact {
namespace {

/// What orders compare, all of it descending.
struct Keys {
  double length = 0;  ///< In sections.
  double height = 0;
  double area = 0;
  double load = 0;  ///< The largest sum of heights in one of its sections.
};

std::vector<double> loads(const Boxes& boxes) {
  std::vector<double> load(boxes.sections + 1, 0);
  for (const Box& box : boxes.boxes) {
    for (const Piece& piece : boxes.piecesOf(box)) {
      load[piece.first] += static_cast<double>(box.height);
      load[piece.last] -= static_cast<double>(box.height);
    }
  }
  std::partial_sum(load.begin(), load.end(), load.begin());
  return load;
}

std::vector<Keys> keysOf(const Boxes& boxes) {
  const std::vector<double> load = loads(boxes);
  std::vector<Keys> keys;
  keys.reserve(boxes.boxes.size());
  for (const Box& box : boxes.boxes) {
    Keys each{.height = static_cast<double>(box.height)};
    for (const Piece& piece : boxes.piecesOf(box)) {
      each.length += static_cast<double>(piece.last - piece.first);
      const auto first = load.begin() + piece.first;
      each.load = std::max(each.load, *std::max_element(first, load.begin() + piece.last));
    }
    each.area = each.length * each.height;
    keys.push_back(each);
  }
  return keys;
}

using Compare = std::array<double, 3> (*)(const Keys&);

struct Named {
  std::string_view name;
  Compare keys;
};

constexpr Named kOrders[] = {
    {"load, length, area",
     [](const Keys& k) {
       return std::array{k.load, k.length, k.area};
     }},
    {"area",
     [](const Keys& k) {
       return std::array{k.area, k.load, k.length};
     }},
    {"length, area",
     [](const Keys& k) {
       return std::array{k.length, k.area, k.load};
     }},
    {"load, area",
     [](const Keys& k) {
       return std::array{k.load, k.area, k.length};
     }},
    {"load, height",
     [](const Keys& k) {
       return std::array{k.load, k.height, k.length};
     }},
    {"height",
     [](const Keys& k) {
       return std::array{k.height, k.length, k.load};
     }},
};

}  // namespace

std::vector<StaticOrder> staticOrders(const Boxes& boxes) {
  const std::vector<Keys> keys = keysOf(boxes);
  std::vector<StaticOrder> orders;
  for (const Named& named : kOrders) {
    StaticOrder order{.name = named.name};
    order.boxes.resize(keys.size());
    std::iota(order.boxes.begin(), order.boxes.end(), 0U);
    std::ranges::stable_sort(order.boxes, std::greater<>(),
                             [&](std::uint32_t box) { return named.keys(keys[box]); });
    orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace hw::exact
