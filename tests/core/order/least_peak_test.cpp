#include "core/order/least_peak.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "core/order/downset_search.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::drawnGraph;

namespace {

/// Every order of a graph's ops, by what their tensors say alone: nothing here is shared with the
/// search. Sets of ops are bits.
class EveryOrder {
 public:
  explicit EveryOrder(const Graph& graph) : graph_(graph), needs_(graph.ops.size()) {
    for (const Tensor& tensor : graph.tensors) {
      if (!tensor.producer) continue;
      for (const OpId reader : tensor.consumers) {
        needs_[reader.index()] |= std::uint32_t{1} << tensor.producer.index();
      }
    }
  }

  /// The least peak of all orders, nothing shared: over all sets of ops that may have run.
  Bytes leastPeak(Bytes alignment) const {
    const std::size_t count = graph_.ops.size();
    std::vector<std::optional<Bytes>> best(std::size_t{1} << count);
    best[0] = Bytes();
    for (std::uint32_t ran = 0; ran + 1 < best.size(); ++ran) {
      if (!best[ran]) continue;
      for (std::size_t op = 0; op < count; ++op) {
        const std::uint32_t bit = std::uint32_t{1} << op;
        if ((ran & bit) != 0 || (needs_[op] & ran) != needs_[op]) continue;
        const Bytes peak = std::max(*best[ran], liveDuring(ran, op, alignment));
        auto& next = best[ran | bit];
        if (!next || peak < *next) next = peak;
      }
    }
    return best.back().value();
  }

  /// Calls `visit` with every order, as long as it returns true. True when that was all.
  bool visitAll(const std::function<bool(const std::vector<OpId>&)>& visit) {
    order_.clear();
    return grow(0, visit);
  }

 private:
  Bytes liveDuring(std::uint32_t ran, std::size_t op, Bytes alignment) const {
    Bytes live;
    for (const Tensor& tensor : graph_.tensors) {
      if (tensor.constant || tensor.persistent || !tensor.bytes) continue;
      const bool begun = !tensor.producer || tensor.producer.index() == op ||
                         (ran >> tensor.producer.index() & 1) != 0;
      const bool read = std::ranges::any_of(
          tensor.consumers, [&](OpId reader) { return (ran >> reader.index() & 1) == 0; });
      // What nobody reads is there while it is written; of inputs, during the first step.
      const bool fresh =
          tensor.consumers.empty() && (tensor.producer ? tensor.producer.index() == op : ran == 0);
      if (begun && (read || fresh || tensor.graphOutput)) live += alignUp(*tensor.bytes, alignment);
    }
    return live;
  }

  bool grow(std::uint32_t ran, const std::function<bool(const std::vector<OpId>&)>& visit) {
    if (order_.size() == graph_.ops.size()) return visit(order_);
    for (std::size_t op = 0; op < graph_.ops.size(); ++op) {
      const std::uint32_t bit = std::uint32_t{1} << op;
      if ((ran & bit) != 0 || (needs_[op] & ran) != needs_[op]) continue;
      order_.emplace_back(op);
      const bool goOn = grow(ran | bit, visit);
      order_.pop_back();
      if (!goOn) return false;
    }
    return true;
  }

  const Graph& graph_;
  std::vector<std::uint32_t> needs_;
  std::vector<OpId> order_;
};

/// Each op once, and after those whose results it reads.
bool isOrder(const Graph& graph, const Schedule& schedule) {
  if (schedule.order.size() != graph.ops.size()) return false;
  for (const OpId op : graph.ops.keys()) {
    if (schedule.opAt(schedule.stepOf[op]) != op) return false;
    for (const TensorId tensor : graph.reads(op)) {
      const OpId producer = graph.tensors[tensor].producer;
      if (producer && schedule.stepOf[producer] >= schedule.stepOf[op]) return false;
    }
  }
  return true;
}

Bytes sharedPeak(const Graph& graph, const Schedule& schedule, const StorageOptions& options) {
  return livePeak(shareStorage(graph, schedule, options), options.alignment);
}

std::string orderOf(const Graph& graph, const Schedule& schedule) {
  std::string text;
  for (const OpId op : schedule.order) text += graph.tensors[graph.ops[op].outputs[0]].name;
  return text;
}

/// Two branches, each large in between, and the model runs both halves of them side by side.
Graph twoBranches() {
  return drawnGraph(
      {.tensors = {{"x", 1}, {"a", 100}, {"b", 100}, {"c", 1}, {"d", 1}, {"y", 1}},
       .inputs = {"x"},
       .ops = {"Conv x -> a", "Conv x -> b", "Conv a -> c", "Conv b -> d", "Conv c, d -> y"},
       .outputs = {"y"}});
}

}  // namespace

TEST_CASE("one large branch is done with before the next begins", "[order]") {
  const Graph graph = twoBranches();
  const FoundOrder found = leastPeakOrder(graph, {.alias = AliasRules::none(), .alignment = 1_B});
  CHECK(orderOf(graph, found.schedule) == "acbdy");
  CHECK(found.account.given == 201_B);  // x, a and b, then a, b and c
  CHECK(found.account.peak == 102_B);   // x, b and c, or x, a and c
  CHECK(found.account.bound == 102_B);
  CHECK(found.account.proven());
}

TEST_CASE("an order that cannot be bettered stays as it is", "[order]") {
  const Graph graph = test::chainGraph();
  const FoundOrder found = leastPeakOrder(graph, {.alias = AliasRules::none()});
  CHECK(found.schedule.order == givenOrder(graph).order);
  CHECK(found.account.proven());
  CHECK(found.account.states == 0);
}

TEST_CASE("no order of up to 16 ops has fewer live bytes than the least-peak order", "[order]") {
  std::size_t better = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    const Graph graph = test::randomGraph(seed, 4 + seed % 13);
    REQUIRE(graph.ops.size() <= 16);
    const Bytes alignment(seed % 3 == 0 ? 16 : 1);
    const StorageOptions options{.alias = AliasRules::none(), .alignment = alignment};
    const FoundOrder found = leastPeakOrder(graph, options);
    REQUIRE(isOrder(graph, found.schedule));
    const Bytes least = EveryOrder(graph).leastPeak(alignment);
    CHECK(found.account.proven());
    CHECK(found.account.peak == least);
    CHECK(sharedPeak(graph, found.schedule, options) == least);
    better += found.account.peak < found.account.given ? 1 : 0;
  }
  CHECK(better > test::rounds(300) / 10);
}

TEST_CASE("whatever shares, no order goes below the bound of the least-peak order", "[order]") {
  std::size_t tried = 0;
  std::size_t proven = 0;
  std::size_t least = 0;
  for (const std::uint64_t seed : test::Seeds(400)) {
    const Graph graph = test::randomGraph(seed, 3 + seed % 7);
    const AliasRules rules = seed % 4 == 0   ? AliasRules{false, false, false, true}
                             : seed % 4 == 1 ? AliasRules::all()
                                             : AliasRules();
    const Bytes alignment(seed % 5 == 0 ? 8 : 1);
    CAPTURE(rules.concat, rules.inPlace, alignment);
    const StorageOptions options{.alias = rules, .alignment = alignment};
    std::optional<Bytes> best;
    std::size_t orders = 0;
    const bool all = EveryOrder(graph).visitAll([&](const std::vector<OpId>& order) {
      const Bytes peak = sharedPeak(graph, scheduleOf(order), options);
      best = best ? std::min(*best, peak) : peak;
      return ++orders < 3000;
    });
    if (!all) continue;
    ++tried;
    const FoundOrder found = leastPeakOrder(graph, options);
    const OrderAccount& account = found.account;
    REQUIRE(isOrder(graph, found.schedule));
    CHECK(account.peak == sharedPeak(graph, found.schedule, options));
    CHECK(account.given == sharedPeak(graph, givenOrder(graph), options));
    CHECK(account.peak <= account.given);
    REQUIRE(account.bound);
    CHECK(*account.bound <= *best);
    CHECK(account.peak >= *best);
    proven += account.proven() ? 1 : 0;
    least += account.peak == *best ? 1 : 0;
  }
  CAPTURE(tried, proven, least);
  CHECK(tried > test::rounds(400) / 2);
  // The bound is one for all ways to share, so not every best order is proved to be it.
  CHECK(proven * 10 >= tried * 8);
  CHECK(least * 10 >= tried * 9);
}

TEST_CASE("a search that gives up says so, and no more than it knows", "[order]") {
  std::size_t unproven = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    const Graph graph = test::randomGraph(seed, 14);
    const OrderProblem problem =
        byteProblem(graph, {.alias = AliasRules::none(), .alignment = 1_B});
    OrderEffort effort{.visits = static_cast<std::int64_t>(20 + seed % 400)};
    const auto given = givenOrder(graph).order;
    const JudgedOrder found = searchOrder(problem, precedenceOf(graph), given, effort, {});
    REQUIRE(isOrder(graph, scheduleOf(found.order)));
    const Bytes least = EveryOrder(graph).leastPeak(1_B);
    CHECK(found.bound <= least);
    CHECK(found.peak >= least);
    CHECK(found.peak == peakOf(problem, found.order));
    CHECK(found.peak <= peakOf(problem, given));
    unproven += found.bound < found.peak ? 1 : 0;
  }
  CHECK(unproven > 0);
}

TEST_CASE("parts are cut behind ops that are comparable with all others", "[order]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    const Graph graph = test::randomGraph(seed, 2 + seed % 12);
    const Precedence precedence = precedenceOf(graph);
    // Which ops need which, directly or not.
    std::vector<std::uint32_t> needs(graph.ops.size());
    for (const OpId op : graph.ops.keys()) {
      for (const OpId before : precedence.before[op]) {
        needs[op.index()] |= needs[before.index()] | std::uint32_t{1} << before.index();
      }
    }
    std::vector<std::vector<OpId>> expected(1);
    for (const OpId op : graph.ops.keys()) {
      expected.back().push_back(op);
      bool comparable = true;
      for (const OpId other : graph.ops.keys()) {
        const bool before = (needs[op.index()] >> other.index() & 1) != 0;
        const bool after = (needs[other.index()] >> op.index() & 1) != 0;
        comparable = comparable && (other == op || before || after);
      }
      if (comparable && op.index() + 1 < graph.ops.size()) expected.emplace_back();
    }
    CHECK(independentParts(precedence, givenOrder(graph).order) == expected);
  }
}

TEST_CASE("bytes that a view hands on are counted once", "[order]") {
  // c joins a and b, which nobody copies then; r shows c under another name.
  const Graph graph =
      drawnGraph({.tensors = {{"x", 4}, {"a", 8}, {"b", 8}, {"c", 16}, {"r", 16}, {"y", 2}},
                  .inputs = {"x"},
                  .ops = {"Conv x -> a", "Conv x -> b", "Concat a, b -> c axis=1", "Reshape c -> r",
                          "Conv r -> y"},
                  .outputs = {"y"}});
  const auto peak = [&](const AliasRules& rules) {
    return peakOf(byteProblem(graph, {.alias = rules, .alignment = 1_B}), givenOrder(graph).order);
  };
  CHECK(peak(AliasRules::none()) == 32_B);  // a, b and c, or c and r
  CHECK(peak(AliasRules()) == 20_B);        // x, a and b
  CHECK(peak({true, false, false, false}) == 32_B);
  CHECK(peak({false, true, false, false}) == 32_B);
}

TEST_CASE("orders by lines of those that can run", "[order]") {
  // x feeds a and b; a feeds c, b feeds d; y joins.
  const Graph graph = twoBranches();
  CHECK(orderOf(graph, depthFirstOrder(graph)) == "acbdy");
  CHECK(orderOf(graph, breadthFirstOrder(graph)) == "abcdy");
  for (const std::uint64_t seed : test::Seeds(50)) {
    const Graph random = test::randomGraph(seed, 30);
    CHECK(isOrder(random, depthFirstOrder(random)));
    CHECK(isOrder(random, breadthFirstOrder(random)));
  }
}
