#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/solver/exact/search.h"

namespace hw::exact {

/// When a search has to end, whatever it has found.
struct Limits {
  std::stop_token stop{};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  int threads = 1;

  bool over() const {
    return stop.stop_requested() || std::chrono::steady_clock::now() >= deadline;
  }
};

/// Several searches for the same thing, each with an order of its own, taking turns: some orders
/// need a thousandth of the nodes that others do, and nobody knows which before.
///
/// Turns are counted in nodes. When several searches end in the same round, the first in the list
/// wins, so the answer depends neither on the clock nor on the number of threads.
class Portfolio {
 public:
  /// Keeps a reference to `boxes`.
  Portfolio(const Boxes& boxes, Bytes capacity);

  /// Gives the searches about `nodes` more in total. `paused` when these are spent or the limits
  /// are reached, `abandoned` when every search has given up.
  SearchOutcome run(std::int64_t nodes, const Limits& limits);

  std::int64_t nodes() const { return nodes_; }
  /// After `found`.
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  /// The order that ended the search.
  std::string_view winner() const;

 private:
  struct Entry {
    std::string_view name;
    std::unique_ptr<Search> search;
    SearchOutcome outcome = SearchOutcome::paused;
  };
  /// Every search gets `nodes` more. Returns the index of the winner, or the number of entries.
  std::size_t round(std::int64_t nodes, const Limits& limits);
  void turn(std::size_t index, std::int64_t nodes, const Limits& limits,
            const std::atomic<std::size_t>& ended);

  const Boxes& boxes_;
  std::vector<Entry> entries_;
  std::int64_t turn_;
  std::int64_t nodes_ = 0;
  std::vector<std::int64_t> offsets_;
  std::size_t winner_ = 0;
};

}  // namespace hw::exact
