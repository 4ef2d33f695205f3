#include "core/order/least_peak.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/order/downset_search.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

/// States that all searches of a graph may look at together: a second or two.
constexpr std::int64_t kVisits = 20'000'000;
constexpr int kMostRounds = 4;
/// The factor by which the largest piece exceeds small ones.
constexpr std::int64_t kSmall = 1000;

Bytes sharedPeak(const Graph& graph, const Schedule& schedule, const StorageOptions& options) {
  return livePeak(shareStorage(graph, schedule, options), options.alignment);
}

/// The peaks of a schedule and of the given order.
OrderAccount accountOf(const Graph& graph, const Schedule& schedule,
                       const StorageOptions& options) {
  return {.given = sharedPeak(graph, givenOrder(graph), options),
          .peak = sharedPeak(graph, schedule, options)};
}

class LeastPeakSearch {
 public:
  LeastPeakSearch(const Graph& graph, const StorageOptions& options, const std::stop_token& stop)
      : graph_(graph), options_(options), stop_(stop), precedence_(precedenceOf(graph)) {
    leaveOutFolded();
    best_.schedule = givenOrder(graph);
    best_.account = accountOf(graph, best_.schedule, options);
  }

  FoundOrder search() && {
    OrderAccount& account = best_.account;
    account.bound = look(byteProblem(graph_, options_));
    if (options_.alias.concat || options_.alias.split) lookBySharing();
    account.states = effort_.states;
    return std::move(best_);
  }

 private:
  /// Ops that run ahead of time touch no memory and depend only on each other. They come first, so
  /// that the search can cut the other ops into independent parts.
  void leaveOutFolded() {
    for (const OpId op : graph_.ops.keys()) {
      if (graph_.ops[op].folded) folded_.push_back(op);
      std::erase_if(precedence_.before[op], [&](OpId first) { return graph_.ops[first].folded; });
    }
    for (const OpId op : folded_) precedence_.after[op].clear();
  }

  std::vector<OpId> withoutFolded(std::vector<OpId> order) const {
    std::erase_if(order, [&](OpId op) { return graph_.ops[op].folded; });
    return order;
  }

  /// Searches with slices that copy, with all of them sharing, and with those of the best order.
  void lookBySharing() {
    OrderAccount& account = best_.account;
    StorageOptions views = options_;
    views.alias.inPlace = false;  // Decided by OrderProblem::chances.
    StorageOptions copying = views;
    copying.alias.concat = copying.alias.split = false;
    const Schedule given = best_.schedule;
    if (!account.proven()) lookWith(shareStorage(graph_, given, copying));
    if (!account.proven()) lookWith(shareAllViews(graph_, given, views));
    for (int round = 0; round < kMostRounds && !account.proven(); ++round) {
      const Bytes before = account.peak;
      lookWith(shareStorage(graph_, best_.schedule, views));
      if (account.peak == before) break;
    }
  }

  void lookWith(const Storage& storage) { look(bufferProblem(graph_, storage, options_)); }

  /// Keeps what it finds if that is better; returns the bound of that problem.
  Bytes look(const OrderProblem& problem) {
    const JudgedOrder found = lookOnce(problem);
    if (found.bound == found.peak) return found.bound;
    return std::max(found.bound, lookOnce(withoutSmall(problem)).bound);
  }

  /// The same problem with small pieces counted as no bytes: shapes and indices, for whose sake the
  /// search would try many orders that hardly differ. An op that only makes such a piece then runs
  /// as soon as it can. What bounds this problem bounds the whole one: bytes left out only add.
  static OrderProblem withoutSmall(OrderProblem problem) {
    Bytes largest;
    for (const OrderProblem::Piece& piece : problem.pieces) largest = std::max(largest, piece.size);
    const auto drop = [&](Bytes& size) {
      if (size * kSmall < largest) size = Bytes();
    };
    for (OrderProblem::Piece& piece : problem.pieces) drop(piece.size);
    for (auto& chances : problem.chances) {
      for (OrderProblem::Chance& chance : chances) drop(chance.saved);
    }
    return problem;
  }

  JudgedOrder lookOnce(const OrderProblem& problem) {
    JudgedOrder found =
        searchOrder(problem, precedence_, withoutFolded(best_.schedule.order), effort_, stop_);
    std::vector<OpId> order = folded_;
    order.insert(order.end(), found.order.begin(), found.order.end());
    Schedule schedule = scheduleOf(std::move(order));
    const Bytes peak = sharedPeak(graph_, schedule, options_);
    if (peak < best_.account.peak) {
      best_.schedule = std::move(schedule);
      best_.account.peak = peak;
    }
    return found;
  }

  const Graph& graph_;
  const StorageOptions& options_;
  const std::stop_token& stop_;
  Precedence precedence_;
  std::vector<OpId> folded_;
  OrderEffort effort_{.visits = kVisits};
  FoundOrder best_;
};

}  // namespace

FoundOrder leastPeakOrder(const Graph& graph, const StorageOptions& options,
                          const std::stop_token& stop) {
  return LeastPeakSearch(graph, options, stop).search();
}

FoundOrder orderOf(const Graph& graph, OpOrder order, const StorageOptions& options,
                   const std::stop_token& stop) {
  if (order == OpOrder::leastPeak) return leastPeakOrder(graph, options, stop);
  Schedule schedule = order == OpOrder::depthFirst     ? depthFirstOrder(graph)
                      : order == OpOrder::breadthFirst ? breadthFirstOrder(graph)
                                                       : givenOrder(graph);
  const OrderAccount account = accountOf(graph, schedule, options);
  return {.schedule = std::move(schedule), .account = account};
}

std::string orderText(OpOrder order, const OrderAccount& account) {
  const auto bytes = [](Bytes count) { return groupDigits(count.count()); };
  std::string text = fmt::format("order {}: at most {} bytes are live at once", opOrderName(order),
                                 bytes(account.peak));
  text += account.peak == account.given
              ? ", as in the order that the model comes in"
              : fmt::format(", and {} in the order that the model comes in", bytes(account.given));
  if (!account.bound) return text;
  if (account.proven()) return text + "; no order has fewer";
  return text + fmt::format("; whether less is possible is open: at least {}, {:.1f} % less",
                            bytes(*account.bound), account.gap() * 100);
}

}  // namespace hw
