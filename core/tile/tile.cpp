#include "core/tile/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/ops/constant_reads.h"
#include "core/tile/run_choice.h"
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

}  // namespace

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

namespace {

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

/// A program in parts.
struct TilePlan {
  RunChoice choice{};
  std::int64_t work = 0;  ///< Of all ops, running whole.
  std::string whyNot{};
  std::shared_ptr<const Graph> graph{};      ///< Null: it is as it was.
  std::shared_ptr<const Storage> storage{};  ///< Of the graph, with the sharing asked for,
  Bytes peak = kMaxBytes;                    ///< and the most bytes live.
};

/// The runs of a program whose storage is shared in one way.
struct RunSearch {
  RunSearch(const Graph& graph, const Schedule& schedule, const StorageOptions& sharing,
            const TileSettings& settings, std::span<const TileGrid> grids,
            const std::stop_token& stop)
      : program(graph, schedule, sharing, settings.arriving, groupsOf(grids), stop),
        chooser(program, grids, extraOf(settings, program.work())) {}

  static std::vector<std::int64_t> groupsOf(std::span<const TileGrid> grids) {
    std::vector<std::int64_t> groups;
    for (const TileGrid& grid : grids) {
      if (grid.groups > 0) groups.push_back(grid.groups);
    }
    return groups;
  }

  static std::int64_t extraOf(const TileSettings& settings, std::int64_t work) {
    const double most = std::max(settings.extraWork, 0.0) * static_cast<double>(work);
    return static_cast<std::int64_t>(std::min(most, 0x1p62));
  }

  TileProgram program;
  RunChooser chooser;
};

namespace {

/// A concat that shares holds all of its bytes from its first input on, so runs are also searched
/// as if it copied; which views share is decided when there are parts.
StorageOptions withoutSlices(StorageOptions options) {
  options.alias.concat = options.alias.split = false;
  return options;
}

}  // namespace

class TileSearch::Kept {
 public:
  Kept(std::shared_ptr<const Graph> graph, Schedule schedule, const StorageOptions& sharing,
       const TileSettings& settings)
      : graph_(std::move(graph)),
        schedule_(std::move(schedule)),
        sharing_(sharing),
        settings_(settings),
        grids_(gridsOf(settings.rule)),
        whole_(livePeak(shareStorage(*graph_, schedule_, sharing_), sharing_.alignment)) {}

  Result<std::vector<TiledProgram>> ways(Bytes enough, const std::stop_token& stop) {
    const bool slices = sharing_.alias.concat || sharing_.alias.split;
    std::vector<PlanOf> others;
    if (slices && settings_.rule != TileRule::off) {
      HW_TRY(found, plansOf(apart_, withoutSlices(sharing_), enough, stop, kMaxBytes));
      others = std::move(found);
    }
    Bytes lowest = kMaxBytes;
    for (const PlanOf& plan : others) lowest = std::min(lowest, plan->peak);
    HW_TRY(plans, plansOf(asAsked_, sharing_, enough, stop, lowest));
    plans.insert(plans.end(), others.begin(), others.end());
    std::ranges::stable_sort(
        plans, [&](const PlanOf& a, const PlanOf& b) { return isBetter(*a, *b, enough); });
    std::vector<TiledProgram> ways;
    for (const PlanOf& plan : plans) {
      if (!ways.empty() && !plan->graph) break;
      ways.push_back(programOf(*plan));
    }
    if (ways.empty()) ways.push_back(programOf({}));
    return ways;
  }

 private:
  using PlanOf = std::shared_ptr<const TilePlan>;

  /// The runs under one sharing of storage, and the plans made of them.
  struct Half {
    std::mutex mutex{};  ///< Of all below but `runs->program`, which does not change.
    std::optional<RunSearch> runs{};
    std::vector<PlanOf> plans{};
    std::size_t kept = 0;  ///< Tensors of those plans.
  };

  /// The plans of runs that are looked for where storage is shared as `sharing` says. None after a
  /// stop. `lowest`: the least peak that is known.
  Result<std::vector<PlanOf>> plansOf(Half& half, const StorageOptions& sharing, Bytes enough,
                                      const std::stop_token& stop, Bytes lowest) const {
    std::vector<PlanOf> plans;
    if (!begin(half, sharing, stop)) return plans;
    HW_TRY(foreseen, addSets(half, grids_.sets, enough, stop, plans));
    for (const PlanOf& plan : plans) lowest = std::min(lowest, plan->peak);
    if (lowest > std::max(foreseen, enough) && !grids_.seldom.empty()) {
      HW_DO(addSets(half, grids_.seldom, enough, stop, plans));
    }
    return plans;
  }

  /// False after a stop.
  bool begin(Half& half, const StorageOptions& sharing, const std::stop_token& stop) const {
    const std::lock_guard lock(half.mutex);
    if (!half.runs) {
      half.runs.emplace(*graph_, schedule_, sharing, settings_, grids_.grids, stop);
      if (stop.stop_requested()) half.runs.reset();  // Parts of it may be missing.
    }
    return !stop.stop_requested();
  }

  std::vector<RunChoice> choicesOf(Half& half, const std::vector<std::vector<std::size_t>>& sets,
                                   Bytes enough, const std::stop_token& stop) const {
    const std::lock_guard lock(half.mutex);
    std::vector<RunChoice> choices;
    for (const auto& set : sets) {
      // The first set contains the others, so these take no less.
      const Bytes least = choices.empty() ? enough : std::max(enough, choices.front().peak);
      choices.push_back(half.runs->chooser.choose(set, least, stop));
    }
    return choices;
  }

  /// Adds a plan for each set that comes to other runs; at least one. What is foreseen of the
  /// first, if that has any runs.
  Result<Bytes> addSets(Half& half, const std::vector<std::vector<std::size_t>>& sets, Bytes enough,
                        const std::stop_token& stop, std::vector<PlanOf>& plans) const {
    std::vector<RunChoice> choices = choicesOf(half, sets, enough, stop);
    if (choices.empty()) choices.emplace_back();
    for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
      const auto same = [&](const RunChoice& other) { return other.runs == choice->runs; };
      if (std::any_of(choices.begin(), choice, same)) continue;
      HW_TRY(plan, planOf(half, *choice));
      plans.push_back(std::move(plan));
    }
    return choices.front().runs.empty() ? kMaxBytes : choices.front().peak;
  }

  Result<PlanOf> planOf(Half& half, const RunChoice& choice) const {
    {
      const std::lock_guard lock(half.mutex);
      const auto known = std::ranges::find_if(
          half.plans, [&](const PlanOf& plan) { return plan->choice.runs == choice.runs; });
      if (known != half.plans.end()) return *known;
    }
    HW_TRY(made, makePlan(half.runs->program, choice));
    auto plan = std::make_shared<const TilePlan>(std::move(made));
    const std::lock_guard lock(half.mutex);
    half.kept += plan->graph ? plan->graph->tensors.size() : 1;
    if (half.kept <= kMostKept) half.plans.push_back(plan);
    return plan;
  }

  Result<TilePlan> makePlan(const TileProgram& program, const RunChoice& choice) const {
    TilePlan plan{.choice = choice, .work = program.work()};
    if (choice.runs.empty() && !grids_.grids.empty()) {
      plan.whyNot = whyWhole(program, grids_.grids);
    }
    const bool arrives =
        std::ranges::any_of(graph_->inputs, [&](TensorId input) { return program.arrives(input); });
    if (choice.runs.empty() && !arrives) return plan;
    HW_TRY(rewritten, tiledGraph(graph_, program, choice));
    Storage storage = shareStorage(rewritten, givenOrder(rewritten), sharing_);
    plan.peak = livePeak(storage, sharing_.alignment);
    const bool saves = plan.peak < whole_;
    if (!saves && !arrives) plan.whyNot = whyWhole(program, grids_.grids);
    if (saves || arrives) {
      plan.graph = std::make_shared<const Graph>(std::move(rewritten));
      plan.storage = std::make_shared<const Storage>(std::move(storage));
    }
    return plan;
  }

  /// The better of two plans: the lower one, down to the size that is enough, else the cheaper one.
  static bool isBetter(const TilePlan& a, const TilePlan& b, Bytes enough) {
    if (!a.graph || !b.graph) return a.graph && !b.graph;
    const auto used = [&](const TilePlan& plan) { return std::max(plan.peak, enough); };
    if (used(a) != used(b)) return used(a) < used(b);
    return a.choice.price < b.choice.price;
  }

  TiledProgram programOf(const TilePlan& plan) const {
    TiledProgram result{graph_, schedule_, {}, plan.storage};
    TileAccount& account = result.account;
    account.whole = account.peak = whole_;
    account.whyNot = plan.whyNot;
    if (!plan.graph) return result;
    result.graph = plan.graph;
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

  /// The most tensors of plans that are kept, of each half.
  static constexpr std::size_t kMostKept = 200'000;

  std::shared_ptr<const Graph> graph_;
  Schedule schedule_;
  StorageOptions sharing_;
  TileSettings settings_;
  RuleGrids grids_;
  Bytes whole_;
  Half asAsked_;
  Half apart_;  ///< Where joins and splits copy.
};

TileSearch::TileSearch(std::shared_ptr<const Graph> graph, Schedule schedule,
                       const StorageOptions& options, const TileSettings& settings)
    : kept_(std::make_unique<Kept>(std::move(graph), std::move(schedule), options, settings)) {}

TileSearch::~TileSearch() = default;
TileSearch::TileSearch(TileSearch&&) noexcept = default;
TileSearch& TileSearch::operator=(TileSearch&&) noexcept = default;

Result<std::vector<TiledProgram>> TileSearch::ways(Bytes enough,
                                                   const std::stop_token& stop) const {
  return kept_->ways(enough, stop);
}

Result<TiledProgram> tiled(std::shared_ptr<const Graph> graph, Schedule schedule,
                           const StorageOptions& options, const TileSettings& settings,
                           const std::stop_token& stop) {
  const TileSearch search(std::move(graph), std::move(schedule), options, settings);
  HW_TRY(ways, search.ways({}, stop));
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
