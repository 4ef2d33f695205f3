#include "core/solver/sweep/pq_tree.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/dice.h"
#include "tests/support/rounds.h"

using namespace hw;
using sweep::Leaf;
using sweep::PqTree;

namespace {

using Order = std::vector<Leaf>;

/// Where the members of `set` begin in `order`, when they are neighbours; else -1.
int blockIn(const Order& order, const Order& set) {
  const auto isIn = [&](Leaf leaf) { return std::ranges::find(set, leaf) != set.end(); };
  const auto first = std::ranges::find_if(order, isIn);
  const auto left = order.end() - first;
  if (left < static_cast<std::ptrdiff_t>(set.size())) return -1;
  const auto count = static_cast<std::ptrdiff_t>(set.size());
  return std::all_of(first, first + count, isIn) ? static_cast<int>(first - order.begin()) : -1;
}

/// All orders of leaves, written out.
class Orders {
 public:
  explicit Orders(Order leaves) { addAll({}, leaves, {}); }

  bool canMeet(const Order& set) const {
    return std::ranges::any_of(all_, [&](const Order& order) { return blockIn(order, set) >= 0; });
  }
  void replace(const Order& out, const Order& in) {
    const std::set<Order> before = std::exchange(all_, {});
    for (const Order& order : before) {
      const int at = blockIn(order, out);
      if (at < 0) continue;
      addAll({order.begin(), order.begin() + at}, in,
             {order.begin() + at + static_cast<int>(out.size()), order.end()});
    }
  }
  bool contains(const Order& order) const { return all_.contains(order); }
  const std::set<Order>& all() const { return all_; }

 private:
  void addAll(const Order& before, Order middle, const Order& after) {
    std::ranges::sort(middle);
    do {
      Order order = before;
      order.insert(order.end(), middle.begin(), middle.end());
      order.insert(order.end(), after.begin(), after.end());
      all_.insert(order);
    } while (std::ranges::next_permutation(middle).found);
  }

  std::set<Order> all_;
};

Order someOf(Order leaves, std::size_t count, Dice& dice) {
  dice.shuffle(leaves);
  leaves.resize(std::min(count, leaves.size()));
  return leaves;
}

}  // namespace

TEST_CASE("a PQ-tree allows the orders that are left when sets meet and are replaced",
          "[solver][sweep]") {
  for (const std::uint64_t seed : test::Seeds(150)) {
    Dice dice(seed);
    Order leaves(static_cast<std::size_t>(dice.roll(1, 6)));
    std::iota(leaves.begin(), leaves.end(), Leaf{0});
    PqTree::Marks marks(64);
    PqTree tree(leaves);
    Orders orders(leaves);
    Leaf next = 10;
    for (int step = 0; step < 8; ++step) {
      for (int i = 0; i < 6; ++i) {
        const Order set = someOf(leaves, static_cast<std::size_t>(dice.roll(2, 4)), dice);
        REQUIRE(tree.canMeet(set, marks) == orders.canMeet(set));
      }
      const Order out = someOf(leaves, static_cast<std::size_t>(dice.roll(1, 3)), dice);
      Order in(static_cast<std::size_t>(dice.roll(1, leaves.size() > 5 ? 1 : 2)));
      std::iota(in.begin(), in.end(), next);
      next += static_cast<Leaf>(in.size());
      const bool met = orders.canMeet(out);
      REQUIRE(tree.replace(out, in, marks) == met);
      if (!met) continue;
      orders.replace(out, in);
      leaves = tree.leaves();
      std::vector<std::uint32_t> rank(64, 0);
      REQUIRE(orders.contains(tree.ordered(rank)));
      // Each order there is can be asked for.
      Order wanted = *orders.all().begin();
      for (std::uint32_t at = 0; at < wanted.size(); ++at) rank[wanted[at]] = at;
      REQUIRE(tree.ordered(rank) == wanted);
      wanted = *orders.all().rbegin();
      for (std::uint32_t at = 0; at < wanted.size(); ++at) rank[wanted[at]] = at;
      REQUIRE(tree.ordered(rank) == wanted);
    }
  }
}
