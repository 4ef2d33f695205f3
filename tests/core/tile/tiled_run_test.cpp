// Runs whose operators go in parts, and what becomes of them when a row is missing.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/task_queue.h"
#include "core/check/parts/part_flow.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/ops/work.h"
#include "core/plan/validate.h"
#include "core/run/planner.h"
#include "core/run/stages.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/machine_judge.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

std::shared_ptr<const Run> lines(Graph graph, test::RunOptions options = {}) {
  options.tile = TileRule::lines;
  return test::runGraph(std::move(graph), options);
}

/// In any way that random small graphs can take: halos are large there.
std::shared_ptr<const Run> inParts(Graph graph, TileRule rule, test::RunOptions options = {}) {
  options.tile = rule;
  options.extraWork = 2;
  return test::runGraph(std::move(graph), options);
}

/// Lines, stripes, patches, channels and any of them by turns.
TileRule ruleOf(std::uint64_t seed) { return static_cast<TileRule>(1 + seed / 3 % 5); }

/// The same run with another graph, planned anew.
Run replanned(const Run& run, Graph graph) {
  Run again = run;
  again.rewritten = std::make_shared<const Graph>(std::move(graph));
  again.schedule = givenOrder(again.graph());
  again.storage = shareStorage(again.graph(), again.schedule, again.sharing);
  Bytes top;
  again.problem.stays = {};
  again.problem.uses.clear();
  again.plan.addresses = {};
  for (const BufferId id : again.storage.buffers.keys()) {
    const Buffer& buffer = again.storage.buffers[id];
    again.problem.stays.add({.buffer = id, .steps = buffer.steps, .size = buffer.size});
    again.plan.addresses.add(Address{PoolId(0), RegionId(0), top});
    top += buffer.size;
  }
  again.plan.regions[PoolId(0)][RegionId(0)] = top;
  return again;
}

/// Of random images.
std::size_t rowAxis(const Graph& graph) {
  const bool last =
      std::ranges::any_of(graph.ops, [](const Op& op) { return op.domain == "tflite"; });
  return last ? 1 : 2;
}

std::vector<std::string> opNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const OpId id : graph.ops.keys()) names.push_back(displayName(graph, id));
  return names;
}

}  // namespace

TEST_CASE("what lies between two convolutions is a ring of three rows", "[tile]") {
  const auto whole = test::runGraph(test::bulge());
  CHECK(whole->metrics.lowerBound == 72_B * (8 + 1));
  const auto run = lines(test::bulge());
  REQUIRE(run->graph().tiling);
  const auto names = opNames(run->graph());
  REQUIRE(names.size() == 1 + 24 + 1);
  CHECK(std::vector(names.begin(), names.begin() + 6) ==
        std::vector<std::string>{"parts of t0", "o0[r0]", "o0[r1]", "o1[r0]", "o0[r2]", "o1[r1]"});
  CHECK(names.back() == "all of t4");
  // x, y, and three rows of six places and eight channels.
  CHECK(run->metrics.lowerBound == 72_B + 72_B + Bytes(3 * 6 * 8));
  CHECK(run->notes.front() ==
        "2 operators run in 24 parts, line by line in one run: at most 288 bytes are live at once, "
        "not 648; their weights are read 12.0 times");
  CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
}

TEST_CASE("an input that comes in row by row takes a ring as well", "[tile]") {
  const auto run = lines(test::bulge(), {.inputs = InputPlace::rows});
  // y, and three rows of x and of what is between.
  CHECK(run->metrics.lowerBound == 72_B + Bytes(3 * 6) + Bytes(3 * 6 * 8));
  CHECK(run->graph().inputs.empty());
  CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
}

TEST_CASE("stripes make what lies between them twice", "[tile]") {
  const auto run = inParts(test::bulge(), TileRule::stripes);
  const auto names = opNames(run->graph());
  REQUIRE(names.size() > 6);
  CHECK(std::vector(names.begin(), names.begin() + 6) ==
        std::vector<std::string>{"parts of t0", "o0[r0 c0-1]", "o0[r1 c0-1]", "o1[r0 c0]",
                                 "o0[r2 c0-1]", "o1[r1 c0]"});
  // x, y, and three rows of the three places and eight channels that a column needs.
  CHECK(run->metrics.lowerBound == 72_B + 72_B + Bytes(3 * 3 * 8));
  // Columns 0, 1, 2, 3, and 4 with 5: of 6 columns, 2 + 3 + 3 + 3 + 3 are made. What o1 does, which
  // is as much, it does once.
  const double extra = (14.0 / 6 - 1) / 2;
  CHECK(run->notes.front() ==
        "2 operators run in 120 parts, box by box in one run: at most 216 bytes are live at once, "
        "not 648; their weights are read 60.0 times; " +
            fmt::format("{:.1f} % more work is done", 100 * extra));
  CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
}

TEST_CASE("operators that run in parts do the work they did", "[tile][property]") {
  std::size_t parts = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const Graph graph = test::randomImages(seed, 8);
    const auto run = lines(graph);
    IdMap<OpId, Work> sums(graph.ops.size());
    IdMap<OpId, std::int64_t> rows(graph.ops.size());
    for (const OpId id : run->graph().ops.keys()) {
      const Tiling::Part* part = partOf(run->graph(), id);
      if (part == nullptr) continue;
      ++parts;
      const Work work = workOf(run->graph(), id);
      REQUIRE(work.unknown.empty());
      sums[part->of].macs += work.macs;
      sums[part->of].written += work.written;
      sums[part->of].touched += work.touched;
      rows[part->of] += part->rows.length();
      if (rows[part->of] != part->size) continue;
      CHECK(sums[part->of].macs == workOf(graph, part->of).macs);
      CHECK(sums[part->of].written == workOf(graph, part->of).written);
      CHECK(sums[part->of].touched == workOf(graph, part->of).touched);
    }
  }
  CHECK(parts > test::rounds(1000));
}

TEST_CASE("every part finds the rows it needs, wherever they lie", "[tile][property]") {
  std::size_t tiled = 0;
  std::size_t several = 0;
  std::size_t over = 0;
  std::size_t cut = 0;
  for (const std::uint64_t seed : test::Seeds(500)) {
    const Graph graph = test::randomImages(seed, 3 + seed % 14);
    test::RunOptions options{.alignment = seed % 3 == 0 ? 16 : 1};
    if (seed % 4 == 0) options.inputs = InputPlace::rows;
    if (seed % 2 == 0) options.alias = AliasRules();
    if (seed % 5 == 0) options.alias = AliasRules::all();
    CAPTURE(options.alignment, seed % 4 == 0, options.alias.reshape, options.alias.inPlace);
    const auto whole = test::runGraph(graph, options);
    const auto run = inParts(graph, ruleOf(seed), options);
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
    CHECK(run->metrics.lowerBound <= whole->metrics.lowerBound);
    if (!run->graph().tiling) continue;
    CHECK(auditParts(run->graph(), 1'000'000) == std::vector<std::string>());
    std::size_t count = 0;
    std::size_t cells = 0;
    for (const OpId id : run->graph().ops.keys()) {
      const Tiling::Part* part = partOf(run->graph(), id);
      if (part == nullptr) continue;
      ++count;
      cells = std::max(cells, part->cell);
    }
    tiled += count > 0 ? 1 : 0;
    cut += cells > 0 ? 1 : 0;
    over += run->storage.inPlace.empty() ? 0 : 1;
    std::size_t seams = 0;
    for (const Op& op : run->graph().ops) seams += op.type == kWholeType ? 1 : 0;
    several += seams > 1 ? 1 : 0;
  }
  CHECK(tiled > test::rounds(150));
  CHECK(several > test::rounds(20));
  CHECK(cut > test::rounds(50));
  CHECK(over > test::rounds(20));
}

TEST_CASE("a ring with one row less loses bytes", "[tile][property]") {
  std::size_t mutants = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    const auto run = inParts(test::randomImages(seed, 9), ruleOf(seed));
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    REQUIRE(test::firstOf(replayBytes(replanned(*run, graph), 1_MiB)) == "");
    for (const TensorId ring : graph.tensors.keys()) {
      if (!isRing(graph, ring)) continue;
      // Of the axis that pieces go along, the ring has more than each of them.
      std::size_t axis = 0;
      auto tiling = std::make_shared<Tiling>(*graph.tiling);
      for (const TensorId id : graph.tensors.keys()) {
        const Tiling::Piece* piece = pieceOf(graph, id);
        if (piece == nullptr || piece->host != ring) continue;
        for (std::size_t i = 0; i < piece->at.size(); ++i) {
          if ((*graph.tensors[id].shape)[i] != (*graph.tensors[ring].shape)[i]) axis = i;
        }
      }
      const std::int64_t rows = (*graph.tensors[ring].shape)[axis];
      if (rows < 2) continue;
      Graph mutant = graph;
      Tensor& host = mutant.tensors[ring];
      host.bytes = Bytes(host.bytes->count() / rows * (rows - 1));
      (*host.shape)[axis] = rows - 1;
      for (const TensorId id : graph.tensors.keys()) {
        auto& piece = tiling->pieces[id];
        if (!piece || piece->host != ring) continue;
        piece->at[axis] = piece->begin[rowAxis(graph)] % (rows - 1);
      }
      mutant.tiling = tiling;
      CAPTURE(host.name, rows);
      CHECK(test::firstOf(replayBytes(replanned(*run, std::move(mutant)), 1_MiB)) != "");
      ++mutants;
    }
  }
  CHECK(mutants > test::rounds(100));
}

TEST_CASE("rows that are apart lose bytes in one place", "[tile][property]") {
  std::size_t mutants = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const auto run = inParts(test::randomImages(seed, 9), TileRule::any);
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    for (const OpId id : graph.ops.keys()) {
      // Two rows that a part reads together, and that are in different places.
      const Tiling::Piece* first = nullptr;
      for (const TensorId in : graph.ops[id].inputs) {
        const Tiling::Piece* piece = pieceOf(graph, in);
        if (piece == nullptr || isSeam(graph.ops[id]) || !isRing(graph, piece->host)) continue;
        if (first == nullptr || first->of != piece->of) first = piece;
        if (first->host == piece->host) continue;
        CHECK(graph.tensors[first->host].bytes == graph.tensors[piece->host].bytes);
        auto tiling = std::make_shared<Tiling>(*graph.tiling);
        tiling->pieces[in]->host = first->host;
        Graph mutant = graph;
        mutant.tiling = tiling;
        CAPTURE(graph.tensors[in].name);
        CHECK(test::firstOf(replayBytes(replanned(*run, std::move(mutant)), 1_MiB)) != "");
        ++mutants;
        break;
      }
      if (mutants > 40 * (seed + 1)) break;
    }
  }
  CHECK(mutants > test::rounds(50));
}

TEST_CASE("a part that reads one row less is found out", "[tile][property]") {
  std::size_t mutants = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto run = lines(test::randomImages(seed, 8));
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    for (const OpId id : graph.ops.keys()) {
      const Op& op = graph.ops[id];
      const Tiling::Part* part = partOf(graph, id);
      if (part == nullptr) continue;
      // Between rows, and between taps, some may be skipped; what is padded may be read for
      // nothing, and resizing reads what it may round to.
      const auto dilations = op.intsAttribute("dilations");
      const bool skips = part->rows.length() > 1 || (!dilations.empty() && dilations[0] > 1);
      const bool loose = skips || op.type.starts_with("Resize") || op.type.starts_with("RESIZE") ||
                         op.type == "Pad" || op.type == "PAD";
      for (std::size_t input = 0; input < op.inputs.size(); ++input) {
        if (pieceOf(graph, op.inputs[input]) == nullptr) continue;
        Graph mutant = graph;
        mutant.ops[id].inputs.erase(mutant.ops[id].inputs.begin() +
                                    static_cast<std::ptrdiff_t>(input));
        const bool twice = std::ranges::count(op.inputs, op.inputs[input]) > 1;
        if (loose || twice) continue;
        CAPTURE(op.name, op.type, input);
        const bool found = !auditParts(mutant, 1'000'000).empty();
        CHECK(found);
        ++mutants;
      }
    }
  }
  CHECK(mutants > test::rounds(150));
}

TEST_CASE("rings and pieces move by every rule", "[tile][residency]") {
  std::size_t moved = 0;
  for (std::uint32_t seed = 1; seed <= test::rounds(120); ++seed) {
    const auto whole = lines(test::randomImages(seed, 8));
    if (!whole->graph().tiling) continue;
    const ResidencyRule rule = residencyCatalog()[seed % residencyCatalog().size()].rule;
    const std::int64_t room = whole->metrics.lowerBound.count() * (3 + seed % 7) / 10;
    const auto run = lines(test::randomImages(seed, 8), {.l2 = room, .residency = rule});
    CAPTURE(seed, infoOf(rule).name, room);
    CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
    CHECK(test::judgeFault(run->timing) == "");
    if (!run->problem.moves.empty()) ++moved;
  }
  CHECK(moved > test::rounds(25));
}

TEST_CASE("a part that reads one column less is found out", "[tile][property]") {
  std::size_t mutants = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto run = inParts(test::randomImages(seed, 8), TileRule::stripes);
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    const std::size_t across = rowAxis(graph) + 1;
    for (const TensorId id : graph.tensors.keys()) {
      const Tiling::Piece* piece = pieceOf(graph, id);
      const Tensor& tensor = graph.tensors[id];
      if (piece == nullptr || tensor.consumers.empty() || (*tensor.shape)[across] < 2) continue;
      // Where all columns are there, the last ones may be read by nobody.
      const Tensor& whole = graph.tiling->original->tensors[piece->of];
      if ((*tensor.shape)[across] == (*whole.shape)[across]) continue;
      const bool loose = std::ranges::any_of(tensor.consumers, [&](OpId reader) {
        const Op& op = graph.ops[reader];
        const auto dilations = op.intsAttribute("dilations");
        return isSeam(op) || op.type.starts_with("Resize") || op.type.starts_with("RESIZE") ||
               op.type == "Pad" || op.type == "PAD" || (!dilations.empty() && dilations[0] > 1);
      });
      if (loose) continue;
      Graph mutant = graph;
      --(*mutant.tensors[id].shape)[across];
      CAPTURE(tensor.name);
      const bool found = !auditParts(mutant, 1'000'000).empty();
      CHECK(found);
      ++mutants;
    }
  }
  CHECK(mutants > test::rounds(100));
}

TEST_CASE("the work that is done twice is what was foreseen", "[tile][property]") {
  std::size_t twice = 0;
  for (const std::uint64_t seed : test::Seeds(100)) {
    const auto graph = std::make_shared<const Graph>(test::randomImages(seed, 8));
    const double most = 0.3 * static_cast<double>(seed % 9);
    const auto program =
        tiled(graph, givenOrder(*graph), {.alias = AliasRules::none(), .alignment = 1_B},
              {.rule = ruleOf(seed), .extraWork = most})
            .value();
    if (program.account.parts == 0) continue;
    const auto effort = [](const Graph& of, OpId id) {
      const Work work = workOf(of, id);
      return work.macs > 0 ? work.macs : work.touched;
    };
    IdMap<OpId, std::int64_t> sums(graph->ops.size());
    for (const OpId id : program.graph->ops.keys()) {
      if (partOf(*program.graph, id) == nullptr) continue;
      sums[partOf(*program.graph, id)->of] += effort(*program.graph, id);
    }
    std::int64_t extra = 0;
    for (const OpId id : graph->ops.keys()) {
      extra += std::max<std::int64_t>(sums[id] - effort(*graph, id), 0);
    }
    // Parts have whole numbers of multiplications.
    const auto parts = static_cast<std::int64_t>(program.account.parts);
    CHECK(std::abs(extra - program.account.extra) <= 2 * parts);
    CHECK(static_cast<double>(program.account.extra) <=
          most * static_cast<double>(program.account.work));
    twice += extra > 0 ? 1 : 0;
  }
  CHECK(twice > test::rounds(5));
}

TEST_CASE("other questions to a search for parts do not change an answer", "[tile][property]") {
  std::size_t cut = 0;
  std::size_t cutInPlace = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto graph = std::make_shared<const Graph>(test::randomImages(seed, 8));
    const auto search = [&] {
      return TileSearch(graph, givenOrder(*graph), {.alignment = 1_B},
                        {.rule = ruleOf(seed), .extraWork = 0.2});
    };
    const TileSearch asked = search();
    const TileAccount lowest = search().ways({}).value().front().account;
    // With work in place first, then second, and so on.
    std::vector<RunAim> aims;
    for (const std::int64_t part : {3, 1, 2, 0}) {
      const Bytes enough = lowest.peak + Bytes((lowest.whole - lowest.peak).count() * part / 4);
      const bool first = part > 1;
      for (const bool inPlace : {first, !first}) aims.push_back({enough, inPlace});
    }
    std::vector<std::vector<TiledProgram>> answers(aims.size());
    Workers workers(3);
    workers.run(aims.size(),
                [&](std::size_t i) { answers[i] = asked.ways(aims[i], {}, &workers).value(); });
    for (std::size_t aim = 0; aim < aims.size(); ++aim) {
      CAPTURE(aim);
      const auto& ways = answers[aim];
      const auto fresh = search().ways(aims[aim]).value();
      REQUIRE(ways.size() == fresh.size());
      for (std::size_t i = 0; i < ways.size(); ++i) {
        CHECK(opNames(*ways[i].graph) == opNames(*fresh[i].graph));
        CHECK(ways[i].account.peak == fresh[i].account.peak);
        if (ways[i].storage) CHECK(livePeak(*ways[i].storage, 1_B) == ways[i].account.peak);
      }
      StorageOptions sharing{.alignment = 1_B};
      sharing.alias.inPlace = aims[aim].inPlace;
      const Storage whole = shareStorage(*graph, givenOrder(*graph), sharing);
      CHECK(ways.front().account.whole == livePeak(whole, 1_B));
      if (!sharing.alias.inPlace) {
        CHECK(ways.front().account.peak <= std::max(aims[aim].enough, lowest.peak));
      }
      if (ways.front().account.parts > 0) ++(sharing.alias.inPlace ? cutInPlace : cut);
    }
  }
  CHECK(cut > test::rounds(60));
  CHECK(cutInPlace > test::rounds(60));
}

TEST_CASE("the lowest of several ways is the same with any number of threads",
          "[tile][run][property]") {
  int others = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto model = test::modelOf(test::randomImages(seed, 9));
    RunRequest request = test::workedRequest("none");
    request.alignment = 1_B;
    request.tile = TileRule::any;
    request.extraWork = 2;
    const auto runOn = [&](int threads) {
      return test::must(execute(model, request, {.common = std::make_shared<CommonWork>(threads)}));
    };
    const auto one = runOn(1);
    const auto several = runOn(3);
    CHECK(opNames(several->graph()) == opNames(one->graph()));
    CHECK(several->plan.addresses == one->plan.addresses);
    const Program first = test::must(rewrittenProgram(*model, request));
    others += opNames(*first.graph) != opNames(one->graph()) ? 1 : 0;
  }
  CHECK(others >= test::atLeast(12));
}

TEST_CASE("a search for parts that is stopped gives the whole, and can be asked again", "[tile]") {
  const TileRule rule = GENERATE(TileRule::lines, TileRule::channels, TileRule::any);
  const auto graph = std::make_shared<const Graph>(test::randomImages(3, 8));
  const auto search = [&] {
    return TileSearch(graph, givenOrder(*graph), {.alignment = 1_B}, {.rule = rule});
  };
  std::stop_source stop;
  stop.request_stop();
  const TileSearch stopped = search();
  const auto none = test::must(stopped.ways({}, stop.get_token()));
  CHECK(none.front().account.parts == 0);
  CHECK(stopped.ways({}).value().front().account.peak ==
        search().ways({}).value().front().account.peak);
}

TEST_CASE("a model that cannot run in parts says why", "[tile]") {
  const auto run = lines(test::chainGraph());
  CHECK_FALSE(run->graph().tiling);
  CHECK(run->notes.front() ==
        "nothing runs in parts: 'g1', which has the most bytes live, is of type Op, which needs "
        "all of its inputs for any part of its outputs");
  const auto problem =
      test::runProblem(test::runGraph(test::chainGraph())->problem, {.tile = TileRule::lines});
  CHECK(problem->notes.front().starts_with("operators run whole: only those of a graph"));
}
