#include "core/tile/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/ops/constant_reads.h"
#include "core/tile/tile_rewrite.h"

namespace hw {
namespace {

/// The reason why the program stays whole: the op with the most bytes live, and its type.
std::string whyWhole(const TileProgram& program, std::span<const TileGrid> grids) {
  std::size_t most = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (program.liveAt(at) > program.liveAt(most)) most = at;
  }
  if (program.size() == 0) return "there are no operators";
  const Graph& graph = program.graph();
  const OpId id = program.opAt(most);
  const std::string name = printable(displayName(graph, id), 80);
  const std::string_view type = graph.ops[id].type;
  const bool able = std::ranges::any_of(
      grids, [&](const TileGrid& grid) { return program.along(grid.groups).isAble(most); });
  return able ? fmt::format(
                    "no run of operators around '{}', which has the most bytes live, needs "
                    "fewer in parts",
                    name)
              : fmt::format(
                    "'{}', which has the most bytes live, is of type {}, which needs all of "
                    "its inputs for any part of its outputs",
                    name, printable(type, 80));
}

void countParts(const Graph& graph, TileAccount& account) {
  const Graph& original = *graph.tiling->original;
  IdMap<OpId, bool> seen(original.ops.size());
  Bytes came;
  Bytes arriving;
  IdMap<TensorId, bool> arrives(original.tensors.size());
  ConstantReads constants(graph);
  for (const OpId id : graph.ops.keys()) {
    if (graph.ops[id].type == kArriveType && graph.ops[id].domain == kTileDomain) {
      for (const TensorId out : graph.ops[id].outputs) {
        const Tiling::Piece* piece = pieceOf(graph, out);
        if (piece == nullptr) continue;
        came += *graph.tensors[out].bytes;
        if (arrives[piece->of]) continue;
        arrives[piece->of] = true;
        arriving += *original.tensors[piece->of].bytes;
      }
    }
    const Tiling::Part* part = partOf(graph, id);
    if (part == nullptr) continue;
    Bytes weights;
    for (const TensorId in : graph.reads(id)) {
      if (!graph.tensors[in].constant) continue;
      weights += graph.tensors[in].bytes.value_or(Bytes());
      account.weightsRead += constants.of(id, in);
    }
    ++account.parts;
    if (seen[part->of]) continue;
    seen[part->of] = true;
    ++account.ops;
    account.weights += weights;
  }
  account.arriveAgain = std::max(came - arriving, Bytes());
}

/// The grids of a rule, and which of them are tried together.
struct RuleGrids {
  std::vector<TileGrid> grids{};
  /// Sets of grids to try: all together, and for the rule `any` also those of narrower rules, so
  /// that it is never worse than these.
  std::vector<std::vector<std::size_t>> sets{};
  /// More of these, where all together are not as low as was foreseen.
  std::vector<std::vector<std::size_t>> seldom{};

  /// Adds them to the grids, and returns their numbers.
  std::vector<std::size_t> add(std::span<const TileGrid> more) {
    std::vector<std::size_t> numbers;
    for (const TileGrid& grid : more) {
      numbers.push_back(grids.size());
      grids.push_back(grid);
    }
    return numbers;
  }
};

RuleGrids gridsOf(TileRule rule) {
  RuleGrids found;
  const auto together = [](std::vector<std::size_t> some, const std::vector<std::size_t>& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
  };
  const bool any = rule == TileRule::any;
  const bool striped = any || rule == TileRule::stripes;
  const auto add = [&](bool wanted, std::span<const TileGrid> grids) {
    return wanted ? found.add(grids) : std::vector<std::size_t>();
  };
  const auto lines = add(striped || rule == TileRule::lines, lineGrids());
  const auto stripes = together(lines, add(striped, stripeGrids()));
  const auto patches = add(any || rule == TileRule::patches, patchGrids());
  const auto channels = add(any || rule == TileRule::channels, channelGrids());
  auto all = together(together(stripes, patches), channels);
  all = together(all, add(any, looseGrids()));
  if (!all.empty()) found.sets.push_back(all);
  if (!any) return found;
  found.sets.insert(found.sets.end(), {lines, channels});
  found.seldom = {all, stripes, patches};
  return found;
}

}  // namespace

std::span<const std::string_view> tileRuleNames() {
  static constexpr std::array<std::string_view, 6> kNames = {"off",     "lines",    "stripes",
                                                             "patches", "channels", "any"};
  return kNames;
}

std::string_view tileRuleName(TileRule rule) {
  return tileRuleNames()[static_cast<std::size_t>(rule)];
}

namespace {

/// A program in parts, planned for some way of sharing storage.
struct TilePlan {
  RunChoice choice{};
  std::int64_t work = 0;
  std::string whyNot{};
  std::optional<Graph> graph{};  ///< Nothing: it is as it was.
  Bytes peak{};                  ///< With the sharing that was asked for.
};

/// The search for runs under one sharing of storage.
class TileSearch {
 public:
  TileSearch(std::shared_ptr<const Graph> graph, const Schedule& schedule,
             const StorageOptions& sharing, const TileSettings& settings,
             const std::stop_token& stop)
      : graph_(std::move(graph)),
        schedule_(schedule),
        sharing_(sharing),
        settings_(settings),
        stop_(stop),
        grids_(gridsOf(settings.rule)),
        whole_(peakOf(*graph_, schedule_)) {
    for (const TileGrid& grid : grids_.grids) {
      if (grid.groups > 0) groups_.push_back(grid.groups);
    }
  }

  /// Adds the plans of runs that are looked for where storage is shared as `runs` say.
  Result<void> add(const StorageOptions& runs, std::vector<TilePlan>& plans) const {
    const TileProgram program(*graph_, schedule_, runs, settings_.arriving, groups_, stop_);
    if (stop_.stop_requested()) {
      plans.push_back({.work = program.work(), .peak = kMaxBytes});
      return {};
    }
    const double most = std::max(settings_.extraWork, 0.0) * static_cast<double>(program.work());
    RunBounds bounds{.grids = grids_.grids, .enough = settings_.enough};
    bounds.extra = static_cast<std::int64_t>(std::min(most, 0x1p62));
    const std::size_t before = plans.size();
    HW_TRY(foreseen, addSets(program, bounds, grids_.sets, plans));
    const auto asForeseen = [&](const TilePlan& plan) { return plan.peak <= foreseen; };
    const bool asLow =
        std::any_of(plans.begin() + static_cast<std::ptrdiff_t>(before), plans.end(), asForeseen);
    if (asLow || grids_.seldom.empty()) return {};
    HW_DO(addSets(program, bounds, grids_.seldom, plans));
    return {};
  }

  Bytes whole() const { return whole_; }

  /// The better of two plans: the lower one, down to the size that is enough, else the cheaper one.
  bool isBetter(const TilePlan& a, const TilePlan& b) const {
    if (!a.graph || !b.graph) return a.graph.has_value() && !b.graph;
    const auto used = [&](const TilePlan& plan) { return std::max(plan.peak, settings_.enough); };
    if (used(a) != used(b)) return used(a) < used(b);
    return a.choice.price < b.choice.price;
  }

 private:
  /// Adds a plan for each set that comes to other runs; at least one. What is foreseen of the
  /// first, if that has any runs.
  Result<Bytes> addSets(const TileProgram& program, const RunBounds& bounds,
                        const std::vector<std::vector<std::size_t>>& sets,
                        std::vector<TilePlan>& plans) const {
    auto choices = chooseRuns(program, bounds, sets, stop_);
    if (choices.empty()) choices.emplace_back();
    for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
      const auto same = [&](const RunChoice& other) { return other.runs == choice->runs; };
      if (std::any_of(choices.begin(), choice, same)) continue;
      HW_TRY(plan, planOf(program, *choice));
      plans.push_back(std::move(plan));
    }
    return choices.front().runs.empty() ? kMaxBytes : choices.front().peak;
  }

  Result<TilePlan> planOf(const TileProgram& program, const RunChoice& choice) const {
    TilePlan plan{.choice = choice, .work = program.work(), .peak = kMaxBytes};
    if (choice.runs.empty() && !grids_.grids.empty()) {
      plan.whyNot = whyWhole(program, grids_.grids);
    }
    const bool arrives =
        std::ranges::any_of(graph_->inputs, [&](TensorId input) { return program.arrives(input); });
    if (choice.runs.empty() && !arrives) return plan;
    HW_TRY(rewritten, tiledGraph(graph_, program, choice));
    plan.peak = peakOf(rewritten, givenOrder(rewritten));
    const bool saves = plan.peak < whole_;
    if (!saves && !arrives) plan.whyNot = whyWhole(program, grids_.grids);
    if (saves || arrives) plan.graph = std::move(rewritten);
    return plan;
  }

  Bytes peakOf(const Graph& graph, const Schedule& order) const {
    return livePeak(shareStorage(graph, order, sharing_), sharing_.alignment);
  }

  std::shared_ptr<const Graph> graph_;
  const Schedule& schedule_;
  const StorageOptions& sharing_;
  const TileSettings& settings_;
  const std::stop_token& stop_;
  RuleGrids grids_;
  Bytes whole_;
  std::vector<std::int64_t> groups_;  ///< Of channels.
};

/// A concat that shares holds all of its bytes from its first input on, so runs are also searched
/// as if it copied; which views share is decided when there are parts.
StorageOptions withoutSlices(StorageOptions options) {
  options.alias.concat = options.alias.split = false;
  return options;
}

TiledProgram programOf(TilePlan plan, const std::shared_ptr<const Graph>& graph,
                       const Schedule& schedule, Bytes whole) {
  TiledProgram result{graph, schedule, {}};
  TileAccount& account = result.account;
  account.whole = account.peak = whole;
  account.whyNot = std::move(plan.whyNot);
  if (!plan.graph) return result;
  result.graph = std::make_shared<const Graph>(*std::move(plan.graph));
  result.schedule = givenOrder(*result.graph);
  account.peak = plan.peak;
  account.runs = plan.choice.runs.size();
  for (const TileRun& run : plan.choice.runs) {
    account.cells += run.cells();
    account.byChannels += run.groups > 0 ? 1 : 0;
  }
  account.work = plan.work;
  account.extra = plan.choice.price.extra;
  countParts(*result.graph, account);
  return result;
}

}  // namespace

Result<std::vector<TiledProgram>> tiledWays(const std::shared_ptr<const Graph>& graph,
                                            const Schedule& schedule, const StorageOptions& options,
                                            const TileSettings& settings,
                                            const std::stop_token& stop) {
  const TileSearch search(graph, schedule, options, settings, stop);
  std::vector<TilePlan> plans;
  HW_DO(search.add(options, plans));
  const bool slices = options.alias.concat || options.alias.split;
  if (slices && settings.rule != TileRule::off && !stop.stop_requested()) {
    HW_DO(search.add(withoutSlices(options), plans));
  }
  std::ranges::stable_sort(
      plans, [&](const TilePlan& a, const TilePlan& b) { return search.isBetter(a, b); });
  std::vector<TiledProgram> ways;
  for (TilePlan& plan : plans) {
    if (!ways.empty() && !plan.graph) break;
    ways.push_back(programOf(std::move(plan), graph, schedule, search.whole()));
  }
  return ways;
}

Result<TiledProgram> tiled(std::shared_ptr<const Graph> graph, Schedule schedule,
                           const StorageOptions& options, const TileSettings& settings,
                           const std::stop_token& stop) {
  HW_TRY(ways, tiledWays(graph, schedule, options, settings, stop));
  return std::move(ways.front());
}

namespace {

/// "line by line in one run", "box by box in 5 runs, 2 of them channel by channel".
std::string cutText(const TileAccount& account) {
  const bool all = account.byChannels == account.runs;
  const std::string_view way = all                             ? "channel by channel"
                               : account.cells == account.runs ? "line by line"
                                                               : "box by box";
  std::string text = account.runs == 1 ? fmt::format("{} in one run", way)
                                       : fmt::format("{} in {} runs", way, account.runs);
  if (all || account.byChannels == 0) return text;
  return fmt::format("{}, {} of them channel by channel", text, account.byChannels);
}

}  // namespace

std::string tileText(const TileAccount& account) {
  if (account.parts == 0) {
    return account.whyNot.empty() ? "graph inputs come in when they are first read"
                                  : "nothing runs in parts: " + account.whyNot;
  }
  const double again = account.weights > Bytes()
                           ? static_cast<double>(account.weightsRead.count()) /
                                 static_cast<double>(account.weights.count())
                           : 1;
  std::string text = fmt::format(
      "{} operators run in {} parts, {}: at most {} bytes are live at once, not "
      "{}; their weights are read {:.1f} times",
      account.ops, groupDigits(static_cast<std::int64_t>(account.parts)), cutText(account),
      groupDigits(account.peak.count()), groupDigits(account.whole.count()), again);
  if (account.extra > 0) {
    text += fmt::format("; {:.1f} % more work is done",
                        100.0 * static_cast<double>(account.extra) /
                            static_cast<double>(std::max<std::int64_t>(account.work, 1)));
  }
  if (account.arriveAgain > Bytes()) {
    text +=
        fmt::format("; {} bytes of inputs come in again", groupDigits(account.arriveAgain.count()));
  }
  return text;
}

}  // namespace hw
