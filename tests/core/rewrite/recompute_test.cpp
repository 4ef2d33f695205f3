// Operators that run again instead of keeping what they made, and what becomes of them when they
// are not what they say.
#include "core/rewrite/recompute.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "core/check/parts/part_flow.h"
#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/ops/work.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "core/run/planner.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// x is made large, and small again; what is large waits while something else is.
Graph waiting() {
  return test::drawnGraph({
      .tensors = {{"x", 4}, {"large", 100}, {"s", 4}, {"wide", 120}, {"t", 4}, {"y", 8}},
      .inputs = {"x"},
      .ops = {"up: Expand x -> large", "down: ReduceMax large -> s", "widen: Expand s -> wide",
              "narrow: ReduceMax wide -> t", "join: Einsum large, t -> y"},
      .outputs = {"y"},
  });
}

/// Images that are resized, pooled and joined, also with what was made long ago.
Graph randomSkips(std::uint64_t seed, std::size_t ops) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t count) { return random() % std::max<std::size_t>(count, 1); };
  test::ImageGraph images(seed % 2 == 0);
  const std::int64_t side = 4 + 4 * std::int64_t(below(3));
  std::vector<test::ImageGraph::Handle> made{images.input(side, side, 1 + std::int64_t(below(3)))};
  for (std::size_t i = 0; i < ops; ++i) {
    const auto from = below(3) == 0 ? made[below(made.size())] : made.back();
    const std::int64_t rows = images.rows(from);
    const auto alike = [&](test::ImageGraph::Handle other) {
      return other != from && images.shape(other) == images.shape(from);
    };
    const auto twin = std::ranges::find_if(made, alike);
    const std::size_t kind = below(7);
    if (kind < 2 && rows < 33) {
      made.push_back(images.resized(from, 2, kind == 1));
    } else if (kind == 2 && rows > 3) {
      made.push_back(images.pool(from, {.kernel = 2, .stride = 2, .before = 0, .after = 0}));
    } else if (kind == 3) {
      made.push_back(images.convolve(from, 1 + std::int64_t(below(6)), {}));
    } else if (kind < 6 && twin != made.end()) {
      made.push_back(images.added(from, *twin));
    } else {
      made.push_back(images.mapped(from));
    }
  }
  images.output(made.back());
  if (seed % 3 == 0) images.output(made[made.size() / 2]);
  return std::move(images).build();
}

std::int64_t effortOf(const Graph& graph, OpId op) {
  const Work work = workOf(graph, op);
  return work.macs > 0 ? work.macs : work.touched;
}

std::int64_t effortOf(const Graph& graph) {
  std::int64_t sum = 0;
  for (const OpId op : graph.ops.keys()) sum += effortOf(graph, op);
  return sum;
}

StorageOptions unshared() { return {.alias = AliasRules::none(), .alignment = 1_B}; }

RecomputedProgram again(const Graph& graph, double extra, const StorageOptions& options) {
  auto shared = std::make_shared<const Graph>(graph);
  return recomputed(shared, givenOrder(*shared), options, extra).value();
}

Bytes peakOf(const Graph& graph, const StorageOptions& options = unshared()) {
  return livePeak(shareStorage(graph, givenOrder(graph), options), options.alignment);
}

std::string fileOf(const Graph& graph) {
  std::ostringstream out;
  writeGraphJson(graph, out);
  return out.str();
}

/// The judge's first finding on a plan that went into a file and came back.
std::string auditOf(const Run& run) {
  std::ostringstream file;
  writePlanJson(run, file);
  const auto plan = test::must(readPlan(file.str()));
  const Audit audit = auditPlan(run.model, plan, {});
  return audit.findings.empty() ? "" : audit.findings.front().message;
}

}  // namespace

TEST_CASE("what waits over the peak is made again behind it", "[recompute]") {
  const auto whole = test::runGraph(waiting());
  CHECK(whole->metrics.lowerBound == 224_B);
  const auto run = test::runGraph(waiting(), {.extraWork = 1, .recompute = true});
  std::vector<std::string> names;
  for (const OpId id : run->graph().ops.keys()) names.push_back(displayName(run->graph(), id));
  CHECK(names == std::vector<std::string>{"up", "down", "widen", "narrow", "up again", "join"});
  // x is kept instead, for the whole run.
  CHECK(run->metrics.lowerBound == 128_B);
  const IdMap<OpId, OpId> repeated = repeatedOps(run->graph());
  CHECK(repeated[OpId(4)] == OpId(0));
  CHECK_FALSE(repeated[OpId(0)]);
  CHECK(displayName(run->graph(), run->graph().ops[OpId(4)].outputs[0]) == "large again");
  CHECK(repeatText(run->graph(), test::tensorOf(run->graph(), "large again")) ==
        "made 2 times: by 'up' at step 0, by 'up again' at step 4");
  CHECK(repeatText(run->graph(), test::tensorOf(run->graph(), "s")).empty());
  CHECK(run->notes.front().starts_with(
      "1 operator runs again: at most 128 bytes are live at once, not 224; "));
  CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
  CHECK(auditOf(*run) == "");
}

TEST_CASE("without work to spare nothing runs again, and it says so", "[recompute]") {
  const auto run = test::runGraph(waiting(), {.extraWork = 0, .recompute = true});
  CHECK_FALSE(run->rewritten);
  CHECK(run->notes.front() == "nothing runs again: no work may be done more than once");
  const auto little = test::runGraph(waiting(), {.extraWork = 0.001, .recompute = true});
  CHECK(little->notes.front() ==
        "nothing runs again: while 'widen' runs, which has the most bytes live, nothing waits that "
        "0.1 % more work could make again and leave fewer");
  const auto problem = test::runProblem(run->problem, {.recompute = true});
  CHECK(problem->notes.front().starts_with("no operator runs again: only those of a graph"));
}

TEST_CASE("what draws at random, or keeps a state, never runs again", "[recompute]") {
  Graph graph = waiting();
  CHECK(isRepeatable(graph, OpId(0)));
  for (const char* type : {"RandomNormalLike", "NobodyKnowsThis"}) {
    graph.ops[OpId(0)].type = type;
    graph.ops[OpId(0)].row = nullptr;
    CHECK_FALSE(isRepeatable(graph, OpId(0)));
  }
  graph = waiting();
  graph.tensors[test::tensorOf(graph, "x")].persistent = true;
  CHECK_FALSE(isRepeatable(graph, OpId(0)));
  CHECK(peakOf(*again(graph, 10, unshared()).graph) == peakOf(graph));
}

TEST_CASE("programs with repeats hold what they held", "[recompute][property]") {
  std::size_t lower = 0;
  std::size_t chains = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    const Graph graph = randomSkips(seed, 6 + seed % 18);
    StorageOptions options = unshared();
    if (seed % 3 == 1) options.alias = AliasRules();
    if (seed % 3 == 2) options.alias = AliasRules::all();
    const double most = 0.05 * static_cast<double>(seed % 8);
    CAPTURE(most, options.alias.inPlace);
    const RecomputedProgram found = again(graph, most, options);
    const RecomputeAccount& account = found.account;
    const Bytes whole = peakOf(graph, options);
    CHECK(account.whole == whole);
    CHECK(account.peak == peakOf(*found.graph, options));
    CHECK(account.work == effortOf(graph));
    CHECK(account.extra == effortOf(*found.graph) - effortOf(graph));
    CHECK(static_cast<double>(account.extra) <= most * static_cast<double>(account.work));
    CHECK(account.repeats == found.graph->ops.size() - graph.ops.size());
    CHECK((account.repeats == 0) == (account.peak == whole));
    CHECK(account.peak <= whole);
    CHECK(auditParts(*found.graph, 1'000'000) == std::vector<std::string>());
    // No repeat is there for nothing.
    for (const OpId op : found.graph->ops.keys()) {
      if (!repeatedOps(*found.graph)[op]) continue;
      std::vector<OpId> ops;
      for (const OpId other : found.graph->ops.keys()) {
        if (other != op) ops.push_back(found.graph->tiling->opOf[other]);
      }
      const auto shared = std::make_shared<const Graph>(graph);
      CHECK(peakOf(repeatedGraph(shared, ops).value(), options) > account.peak);
    }
    lower += account.repeats > 0 ? 1 : 0;
    chains += account.repeats > 1 ? 1 : 0;
    CHECK(fileOf(*again(graph, most, options).graph) == fileOf(*found.graph));
  }
  CHECK(lower > test::rounds(40));
  CHECK(chains > test::rounds(10));
}

TEST_CASE("no single repeat of a small graph is better", "[recompute][property]") {
  std::size_t helped = 0;
  for (const std::uint64_t seed : test::Seeds(120)) {
    const auto graph = std::make_shared<const Graph>(randomSkips(seed, 5 + seed % 5));
    const Bytes whole = peakOf(*graph);
    Bytes least = whole;
    const std::size_t count = graph->ops.size();
    for (const OpId op : graph->ops.keys()) {
      if (!isRepeatable(*graph, op)) continue;
      const auto& readers = graph->tensors[graph->ops[op].outputs[0]].consumers;
      for (std::size_t before = op.index() + 1; before < count; ++before) {
        // What is read later only should run later: that is another order, and no repeat.
        if (readers.empty() || readers.front().index() >= before) continue;
        std::vector<OpId> ops = givenOrder(*graph).order;
        ops.insert(ops.begin() + std::ptrdiff_t(before), op);
        least = std::min(least, peakOf(repeatedGraph(graph, ops).value()));
      }
    }
    CHECK(again(*graph, 1000, unshared()).account.peak <= least);
    helped += least < whole ? 1 : 0;
  }
  CHECK(helped > test::rounds(10));
}

TEST_CASE("plans with repeats hold, with all else that rewrites", "[recompute][property]") {
  std::size_t repeated = 0;
  std::size_t both = 0;
  for (const std::uint64_t seed : test::Seeds(120)) {
    test::RunOptions options{.allocator = seed % 2 == 0 ? "greedy-by-size" : "best",
                             .alignment = seed % 4 == 0 ? 16 : 1,
                             .tile = seed % 3 == 1 ? TileRule::any : TileRule::off,
                             .extraWork = 0.4,
                             .recompute = true};
    if (seed % 5 < 3) options.alias = seed % 5 == 1 ? AliasRules() : AliasRules::all();
    CAPTURE(options.alias.reshape, options.alias.inPlace);
    const auto run = test::runGraph(randomSkips(seed, 6 + seed % 10), options);
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
    CHECK(auditOf(*run) == "");
    if (!run->rewritten) continue;
    const Graph* graph = &run->graph();
    const bool parts = runsInParts(*graph);
    if (parts) graph = graph->tiling->original.get();
    repeated += graph->tiling ? 1 : 0;
    both += parts && graph->tiling ? 1 : 0;
    // As a file it is the same, and plans as before.
    const std::string file = fileOf(run->graph());
    auto model = test::must(importModel(file, "again.graph.json", {}));
    CHECK(fileOf(*model.graph) == file);
    options.recompute = false;
    options.tile = TileRule::off;
    const auto reread = test::runGraph(*model.graph, options);
    CHECK(reread->metrics.lowerBound == run->metrics.lowerBound);
    CHECK(test::firstOf(replayBytes(*reread, 1_MiB)) == "");
  }
  CHECK(repeated > test::rounds(15));
  // Parts and repeats in one graph are rare.
  if (test::rounds(120) == 120) CHECK(both > 0);
}

TEST_CASE("a repeat that is not what it says is found out", "[recompute][property]") {
  std::size_t mutants = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    const auto found = again(randomSkips(seed, 8 + seed % 14), 0.5, unshared());
    const Graph& graph = *found.graph;
    if (!graph.tiling) continue;
    const IdMap<OpId, OpId> repeated = repeatedOps(graph);
    for (const OpId op : graph.ops.keys()) {
      if (!repeated[op]) continue;
      CAPTURE(graph.ops[op].name);
      const auto caught = [&](const Graph& mutant) { return !auditParts(mutant).empty(); };
      // It reads what somebody else made.
      for (const TensorId other : graph.tensors.keys()) {
        const TensorId in = graph.ops[op].inputs[0];
        if (graph.tiling->wholeOf[other] == graph.tiling->wholeOf[in]) continue;
        Graph mutant = graph;
        mutant.ops[op].inputs[0] = other;
        CHECK(caught(mutant));
      }
      // It works otherwise than the first time.
      Graph other = graph;
      other.ops[op].attributes["strides"] = std::vector<std::int64_t>{3, 3};
      CHECK(caught(other));
      // It draws, so that the second time is another.
      auto tiling = std::make_shared<Tiling>(*graph.tiling);
      Graph random = *graph.tiling->original;
      random.ops[tiling->opOf[op]].type = "RandomNormalLike";
      tiling->original = std::make_shared<const Graph>(std::move(random));
      Graph drawn = graph;
      drawn.tiling = tiling;
      CHECK(caught(drawn));
      // Who reads the second gets something else.
      const TensorId made = graph.ops[op].outputs[0];
      for (const TensorId instead : graph.tensors.keys()) {
        const bool same = graph.tiling->wholeOf[instead] == graph.tiling->wholeOf[made];
        if (same || graph.tensors[made].consumers.empty()) continue;
        Graph wrong = graph;
        std::ranges::replace(wrong.ops[graph.tensors[made].consumers.front()].inputs, made,
                             instead);
        CHECK(caught(wrong));
        break;
      }
      ++mutants;
    }
  }
  CHECK(mutants > test::rounds(40));
}
