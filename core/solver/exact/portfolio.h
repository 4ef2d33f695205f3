#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/solver/exact/order_maker.h"
#include "core/solver/exact/search.h"

namespace hw::exact {

/// When a search has to end, whatever it has found.
struct Limits {
  std::stop_token stop{};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  int threads = 1;
  std::function<void()> pulse{};  ///< Called after every round. May be empty.

  bool over() const {
    return stop.stop_requested() || std::chrono::steady_clock::now() >= deadline;
  }
};

/// 1, 1, 2, 1, 1, 2, 4, 1, …, from number 1 on: how long tries are best made of which nobody knows
/// how long the good ones take (Luby, Sinclair and Zuckerman 1993).
std::uint64_t lubyLength(std::uint64_t number);

/// Several searches for the same thing, each with orders of its own, taking turns: some orders need
/// a thousandth of the nodes that others do, and nobody knows which before. *Learners* begin anew
/// each turn, with an order made from how all failed; *provers* go on where they were, so that one
/// of them ends even when there is nothing to find. What was learned is forgotten after a while,
/// since some lives lead nowhere; lives are of `lubyLength`.
///
/// Turns are counted in nodes. When several searches end in the same round, the first in the list
/// wins, so the answer depends neither on the clock nor on the number of threads.
class Portfolio {
 public:
  enum class Aim { plan, planOrProof };

  /// Keeps references to `boxes` and to `orders`, which learns from its searches. Without the aim
  /// of a proof there are no provers.
  Portfolio(const Boxes& boxes, Bytes capacity, OrderMaker& orders, Aim aim);

  /// Gives the searches about `nodes` more in total. `paused` when these are spent or the limits
  /// are reached, `abandoned` when no search can go on.
  SearchOutcome run(std::int64_t nodes, const Limits& limits);

  /// What the next round takes, one turn for each search.
  std::int64_t roundNodes() const;
  std::int64_t nodes() const { return nodes_; }
  /// By box, in units; after `found`.
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  /// The search that ended it.
  std::string_view winner() const;

 private:
  struct Lane {
    std::string_view name;
    OrderRecipe recipe;
    bool learns;
    std::unique_ptr<Search> search{};
    SearchOutcome outcome = SearchOutcome::paused;
    std::int64_t counted = 0;  ///< Nodes that are in `nodes_`.
  };
  /// Every search gets `nodes` more. Returns the index of the winner, or the number of lanes.
  std::size_t round(std::int64_t nodes, const Limits& limits);
  void turn(std::size_t index, std::int64_t nodes, const Limits& limits,
            const std::atomic<std::size_t>& ended);
  void prepare(Lane& lane) const;
  /// From the first `counting` lanes.
  void learn(std::size_t counting);
  void age();

  const Boxes& boxes_;
  Bytes capacity_;
  OrderMaker& orders_;
  std::vector<Lane> lanes_;
  std::uint64_t rounds_ = 0;
  std::uint64_t lives_ = 0;
  std::uint64_t age_ = 0;  ///< Rounds of this life.
  std::int64_t nodes_ = 0;
  std::vector<std::int64_t> offsets_;
  std::size_t winner_ = 0;
};

}  // namespace hw::exact
