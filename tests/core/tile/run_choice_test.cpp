#include "core/tile/run_choice.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>

#include "core/tile/tile_rewrite.h"
#include "tests/support/image_graphs.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// All choices of disjoint runs in these grids, every one of them tried.
class EveryChoice {
 public:
  EveryChoice(const TileProgram& program, std::span<const TileGrid> grids, bool inPlace)
      : program_(program), grids_(grids), inPlace_(inPlace) {
    for (const TileGrid& grid : grids) pulls_.try_emplace(grid.groups, program.along(grid.groups));
  }

  /// The least peak behind cut `at` of those that do no more than `extra` work twice.
  Bytes leastFrom(std::size_t at, std::int64_t extra) {
    if (at == program_.size()) return {};
    Bytes least = std::max(program_.liveAt(at, inPlace_), leastFrom(at + 1, extra));
    for (std::size_t last = at + 1; last <= program_.size(); ++last) {
      for (const TileGrid& grid : grids_) {
        const TileRun run{at, last, grid.rows, grid.bands, grid.columns, grid.apart, grid.groups};
        LinePull& pull = pulls_.at(grid.groups);
        if (!pull.pull(run, kMaxBytes)) continue;
        const Bytes peak = pull.result().peak;
        // By channels nothing is made twice.
        const std::int64_t more =
            grid.groups > 0 ? 0 : workOfParts(pull, at, last) - workOfOps(at, last);
        if (more <= extra) least = std::min(least, std::max(peak, leastFrom(last, extra - more)));
      }
    }
    return least;
  }

 private:
  std::int64_t workOfOps(std::size_t first, std::size_t last) const {
    std::int64_t work = 0;
    for (std::size_t at = first; at < last; ++at) work += program_.op(at).work;
    return work;
  }

  /// As the parts of the pull say, part by part; what nobody asks for is not made.
  std::int64_t workOfParts(const LinePull& pull, std::size_t first, std::size_t last) const {
    std::vector<std::int64_t> made(last - first);
    std::vector<std::int64_t> all(last - first);
    for (const TilePart& part : pull.result().parts) {
      if (part.at == TilePart::kArrives) continue;
      const TileRows& rows = program_.rows(program_.op(part.at).outputs[0]);
      const auto columns = pull.boxes().columnsOf(program_.op(part.at).outputs[0], part.cell);
      made[part.at - first] += part.rows.length() * columns.length();
      all[part.at - first] = rows.count * rows.width;
    }
    std::int64_t work = 0;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const std::int64_t whole = program_.op(first + i).work;
      const std::int64_t twice = std::max<std::int64_t>(made[i] - all[i], 0);
      work += whole + (all[i] == 0 ? 0 : whole * twice / all[i]);
    }
    return work;
  }

  const TileProgram& program_;
  std::span<const TileGrid> grids_;
  bool inPlace_;
  std::map<std::int64_t, LinePull> pulls_;  ///< By TileGrid::groups.
};

/// Some of each kind.
constexpr std::array<TileGrid, 8> kFewGrids = {{{1},
                                                {2},
                                                {1, 1, 2},
                                                {1, 1, 3},
                                                {1, 1, 2, true},
                                                {TileRun::kAllRows, 2, 2},
                                                {1, 1, 1, false, 2},
                                                {1, 1, 1, false, 4}}};
constexpr std::array<std::int64_t, 2> kFewGroups = {2, 4};
/// Of more, there are too many choices.
constexpr std::size_t kMostOps = 6;

}  // namespace

TEST_CASE("no choice of runs has fewer bytes live than the one that is made", "[tile][property]") {
  std::size_t better = 0;
  std::size_t twice = 0;
  std::size_t byChannels = 0;
  constexpr std::uint64_t kSeeds = test::rounds(120);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const bool cuts = seed % 4 < 2;
    const bool wide = cuts && seed % 5 < 2;
    const auto graph = std::make_shared<const Graph>(wide ? test::randomBottlenecks(seed, 1)
                                                          : test::randomImages(seed, 1 + seed % 6));
    const StorageOptions options{.alias = AliasRules::none(), .alignment = Bytes(1 + seed % 2 * 7)};
    const bool arriving = seed % 3 == 0;
    CAPTURE(seed, arriving, cuts);
    const Schedule schedule = givenOrder(*graph);
    const TileProgram program(*graph, schedule, options, arriving, kFewGroups);
    if (program.size() == 0 || program.size() > kMostOps) continue;
    const std::span<const TileGrid> grids = cuts ? std::span(kFewGrids) : lineGrids();
    const std::int64_t extra = cuts && !wide ? program.work() / 2 : 0;
    RunChooser chooser(program, grids, extra);
    const RunChoice choice = chooser.choose();
    CHECK(choice.peak == EveryChoice(program, grids, false).leastFrom(0, extra));
    CHECK(chooser.choose({.inPlace = true}).peak ==
          EveryChoice(program, grids, true).leastFrom(0, extra));
    CHECK(choice.price.extra <= extra);
    better += choice.peak < choice.whole ? 1 : 0;
    twice += choice.price.extra > 0 ? 1 : 0;
    for (const TileRun& run : choice.runs) byChannels += run.groups > 0 ? 1 : 0;
    // And the graph that comes of it is as was foreseen.
    const Graph tiled = tiledGraph(graph, program, choice).value();
    const Storage storage = shareStorage(tiled, givenOrder(tiled), options);
    CHECK(livePeak(storage, options.alignment) == choice.peak);
    if (choice.peak == choice.whole) continue;
    // What is enough is not gone below, and costs no more.
    const Bytes middle((choice.peak.count() + choice.whole.count()) / 2);
    const RunChoice enough = chooser.choose({middle});
    CHECK(enough.peak <= middle);
    CHECK(enough.price <= choice.price);
    // Earlier questions do not change an answer.
    CHECK(RunChooser(program, grids, extra).choose({middle}).runs == enough.runs);
    CHECK(chooser.choose().runs == choice.runs);
  }
  CHECK(better >= test::rounds(30));
  CHECK(twice >= test::rounds(3));
  // The first few have none that pays.
  CHECK((byChannels > 0 || kSeeds < 120));
}

TEST_CASE("rows that several tensors share are kept as long as one of them needs them", "[tile]") {
  // Of a row and the one written over it, only every second is read.
  test::ImageGraph images(false);
  const auto x = images.input(9, 4, 1);
  const auto a = images.convolve(x, 6, {});
  const auto b = images.mapped(a);
  images.output(images.convolve(b, 1, {.kernel = 1, .stride = 2, .before = 0, .after = 0}));
  const Graph graph = std::move(images).build();
  const StorageOptions options{.alias = AliasRules::none(), .alignment = 1_B};
  const TileProgram program(graph, givenOrder(graph), options, false);
  LinePull pull(program);
  REQUIRE(pull.pull({0, 3, 1}, kMaxBytes));
  // x of 36, y of 5 rows of 2 places, and one row of 4 places and 6 channels.
  CHECK(pull.result().peak == 36_B + 10_B + 24_B);
}

TEST_CASE("what a run has live of its own is live in longer ones that end there, too",
          "[tile][property]") {
  std::size_t exact = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Graph graph = seed % 3 == 0 ? test::randomBottlenecks(seed, 1 + seed % 2)
                                      : test::randomImages(seed, 2 + seed % 9);
    const StorageOptions options{.alias = seed % 2 == 0 ? AliasRules() : AliasRules::none(),
                                 .alignment = Bytes(1 + seed % 2 * 7)};
    const TileProgram program(graph, givenOrder(graph), options, seed % 4 == 0, kFewGroups);
    for (const TileGrid& grid : kFewGrids) {
      LinePull pull(program.along(grid.groups));
      const auto runOf = [&](std::size_t first, std::size_t last) {
        return TileRun{first, last, grid.rows, grid.bands, grid.columns, grid.apart, grid.groups};
      };
      for (std::size_t last = 1; last <= program.size(); ++last) {
        Bytes own;
        for (std::size_t first = last; first-- > 0;) {
          const TileRun run = runOf(first, last);
          CAPTURE(seed, first, last, grid.rows, grid.bands, grid.columns, grid.apart, grid.groups);
          const Bytes least = own + pull.liveAround(run);
          if (!pull.pull(run, kMaxBytes)) continue;
          const Bytes peak = pull.result().peak;
          CHECK(peak >= least);
          exact += peak == least ? 1 : 0;
          // With a limit it stops, and knows no more than what it saw.
          const Bytes limit(peak.count() * static_cast<std::int64_t>(seed % 5) / 5);
          CHECK_FALSE(pull.pull(run, limit, false));
          CHECK(pull.atLeast() <= peak);
          own = std::max(own, pull.ownAtLeast());
        }
      }
    }
  }
  CHECK(exact > 0);
}
