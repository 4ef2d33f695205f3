#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/solver/exact/boxes.h"
#include "core/solver/exact/search.h"

namespace hw::exact {

/// The measure by which boxes of equally pressed sections are ordered, largest first.
enum class OrderKey : std::uint8_t {
  sections,  ///< How many sections a box covers.
  area,      ///< Those times its height.
  steps,     ///< How many steps it lives.
  mass,      ///< Those times its height.
};

struct OrderRecipe {
  OrderKey key = OrderKey::sections;
  bool pressed = true;     ///< First by the most pressed section a box covers.
  std::uint64_t seed = 0;  ///< 0: exactly by the key; else the key is shaken by up to a fifth.
};

/// Makes orders for searches, and learns from how these fail: a section that had no room for what
/// was left presses more, and what covers it comes first next time. After the constraint weights
/// of Boussemart, Hemery, Lecoutre and Sais 2004 (dom/wdeg).
class OrderMaker {
 public:
  /// Keeps a reference to `boxes`. A section presses as much as it is full next to the fullest.
  explicit OrderMaker(const Boxes& boxes);

  std::vector<std::uint32_t> make(const OrderRecipe& recipe) const;

  /// Forgets what it has learned.
  void restart() { pressure_ = first_; }

  /// Takes note of failures by section, of searches that ended without an answer.
  void learn(const std::vector<std::uint64_t>& failures);

 private:
  double keyOf(const Box& box, OrderKey key) const;

  const Boxes& boxes_;
  std::vector<double> pressure_;  ///< By section.
  std::vector<double> first_;     ///< Pressure before anything was learned.
};

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

  /// The nodes of the next round, one turn for each search.
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
