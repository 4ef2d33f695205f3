#include "core/solver/exact/order_maker.h"

#include <algorithm>
#include <numeric>

#include "core/solver/exact/dead_states.h"

namespace hw::exact {
namespace {

/// How much all failures of one round add to the pressure, spread over the sections that failed.
constexpr double kLesson = 0.2;

/// In [0.8, 1.2), by number.
double shaken(std::uint64_t number) {
  constexpr double kSteps = 1 << 20;
  return 0.8 + 0.4 * static_cast<double>(scramble(number) >> 44) / kSteps;
}

struct Rank {
  double pressure = 0;
  double key = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

}  // namespace

OrderMaker::OrderMaker(const Boxes& boxes) : boxes_(boxes), pressure_(boxes.sections + 1, 0) {
  const auto most = static_cast<double>(std::max<std::int64_t>(1, boxes.load().count()));
  for (const Box& box : boxes.boxes) {
    for (const Piece& piece : boxes.piecesOf(box)) {
      pressure_[piece.first] += static_cast<double>(box.size.count());
      pressure_[piece.last] -= static_cast<double>(box.size.count());
    }
  }
  std::partial_sum(pressure_.begin(), pressure_.end(), pressure_.begin());
  for (double& pressure : pressure_) pressure /= most;
  first_ = pressure_;
}

double OrderMaker::keyOf(const Box& box, OrderKey key) const {
  double sections = 0;
  for (const Piece& piece : boxes_.piecesOf(box)) sections += piece.last - piece.first;
  const auto height = static_cast<double>(box.height);
  const auto steps = static_cast<double>(box.steps.count());
  switch (key) {
    case OrderKey::sections:
      return sections;
    case OrderKey::area:
      return sections * height;
    case OrderKey::steps:
      return steps;
    case OrderKey::mass:
      break;
  }
  return steps * height;
}

std::vector<std::uint32_t> OrderMaker::make(const OrderRecipe& recipe) const {
  std::vector<Rank> ranks;
  ranks.reserve(boxes_.boxes.size());
  for (const Box& box : boxes_.boxes) {
    Rank rank{.key = keyOf(box, recipe.key)};
    // Another order for each seed, the same on every machine.
    if (recipe.seed != 0) rank.key *= shaken(recipe.seed * 0x10001 + ranks.size());
    for (const Piece& piece : boxes_.piecesOf(box)) {
      const auto first = pressure_.begin() + piece.first;
      const auto last = pressure_.begin() + piece.last;
      if (recipe.pressed) rank.pressure = std::max(rank.pressure, *std::max_element(first, last));
    }
    ranks.push_back(rank);
  }
  std::vector<std::uint32_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t box) { return ranks[box]; });
  return order;
}

void OrderMaker::learn(const std::vector<std::uint64_t>& failures) {
  const auto sum = std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
  if (sum == 0) return;
  for (std::size_t s = 0; s < failures.size(); ++s) {
    pressure_[s] += kLesson * static_cast<double>(failures[s]) / static_cast<double>(sum);
  }
}

}  // namespace hw::exact
