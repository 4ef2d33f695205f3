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

/// What stands in the way: the op with the most bytes live, and what it is.
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

std::vector<TileGrid> gridsOf(TileRule rule) {
  std::vector<TileGrid> grids;
  const auto add = [&](std::span<const TileGrid> more) {
    grids.insert(grids.end(), more.begin(), more.end());
  };
  const bool any = rule == TileRule::any;
  if (any || rule == TileRule::lines || rule == TileRule::stripes) add(lineGrids());
  if (any || rule == TileRule::stripes) add(stripeGrids());
  if (any || rule == TileRule::patches) add(patchGrids());
  if (any || rule == TileRule::channels) add(channelGrids());
  if (any) add(looseGrids());
  return grids;
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

/// What a run must do, and for whom.
class TileSearch {
 public:
  TileSearch(std::shared_ptr<const Graph> graph, const Schedule& schedule,
             const TileSettings& settings, const std::stop_token& stop)
      : graph_(std::move(graph)),
        schedule_(schedule),
        settings_(settings),
        stop_(stop),
        grids_(gridsOf(settings.rule)) {
    for (const TileGrid& grid : grids_) {
      if (grid.groups > 0) groups_.push_back(grid.groups);
    }
  }

  Result<TilePlan> plan(const StorageOptions& runs, const StorageOptions& sharing) const {
    const TileProgram program(*graph_, schedule_, runs, settings_.arriving, groups_, stop_);
    TilePlan plan{.work = program.work(), .peak = kMaxBytes};
    if (stop_.stop_requested()) return plan;
    const double most = std::max(settings_.extraWork, 0.0) * static_cast<double>(plan.work);
    RunBounds bounds{.grids = grids_, .enough = settings_.enough};
    bounds.extra = static_cast<std::int64_t>(std::min(most, 0x1p62));
    if (!grids_.empty()) plan.choice = chooseRuns(program, bounds, stop_);
    if (plan.choice.runs.empty() && !grids_.empty()) plan.whyNot = whyWhole(program, grids_);
    const bool arrives =
        std::ranges::any_of(graph_->inputs, [&](TensorId input) { return program.arrives(input); });
    if (plan.choice.runs.empty() && !arrives) return plan;
    HW_TRY(rewritten, tiledGraph(graph_, program, plan.choice));
    plan.peak = peakOf(rewritten, givenOrder(rewritten), sharing);
    const bool saves = plan.peak < peakOf(*graph_, schedule_, sharing);
    if (!saves && !arrives) plan.whyNot = whyWhole(program, grids_);
    if (saves || arrives) plan.graph = std::move(rewritten);
    return plan;
  }

  static Bytes peakOf(const Graph& graph, const Schedule& order, const StorageOptions& options) {
    return livePeak(shareStorage(graph, order, options), options.alignment);
  }

  /// Of two plans the one that is lower, as far as that is of use, or else cheaper.
  bool isBetter(const TilePlan& a, const TilePlan& b) const {
    if (!a.graph || !b.graph) return a.graph.has_value() && !b.graph;
    const auto used = [&](const TilePlan& plan) { return std::max(plan.peak, settings_.enough); };
    if (used(a) != used(b)) return used(a) < used(b);
    return a.choice.price < b.choice.price;
  }

 private:
  std::shared_ptr<const Graph> graph_;
  const Schedule& schedule_;
  const TileSettings& settings_;
  const std::stop_token& stop_;
  std::vector<TileGrid> grids_;
  std::vector<std::int64_t> groups_;  ///< Of channels.
};

/// Of a concat whose inputs lie in it, all is held from the first of them on. Runs look at less
/// without; who may share in the end is decided when there are parts.
StorageOptions withoutSlices(StorageOptions options) {
  options.alias.concat = options.alias.split = false;
  return options;
}

}  // namespace

Result<TiledProgram> tiled(std::shared_ptr<const Graph> graph, Schedule schedule,
                           const StorageOptions& options, const TileSettings& settings,
                           const std::stop_token& stop) {
  const TileSearch search(graph, schedule, settings, stop);
  HW_TRY(plan, search.plan(options, options));
  const bool slices = options.alias.concat || options.alias.split;
  if (slices && settings.rule != TileRule::off && !stop.stop_requested()) {
    HW_TRY(other, search.plan(withoutSlices(options), options));
    if (search.isBetter(other, plan)) plan = std::move(other);
  }
  TiledProgram result{std::move(graph), std::move(schedule), {}};
  TileAccount& account = result.account;
  account.whole = account.peak = TileSearch::peakOf(*result.graph, result.schedule, options);
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
