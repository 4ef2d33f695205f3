#include "core/tile/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <optional>

#include "core/base/made_once.h"
#include "core/base/task_queue.h"
#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/ops/constant_reads.h"
#include "core/ops/op_table.h"
#include "core/tile/run_choice.h"
#include "core/tile/tile_rewrite.h"

namespace hw {
namespace {

/// The reason why the program, with or without work in place, stays whole: the op with the most
/// bytes live, and its type.
std::string whyWhole(const TileProgram& program, std::span<const TileGrid> grids, bool inPlace) {
  std::size_t most = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (program.liveAt(at, inPlace) > program.liveAt(most, inPlace)) most = at;
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

/// A choice of runs and the program made of it.
struct TilePlan {
  RunChoice choice{};
  Bytes live = kMaxBytes;  ///< Most of the rewritten program, also where that is of no use.
  Bytes bound = kMaxBytes;
  TiledProgram program{};  ///< Without storage: the one that was given.
};

/// The runs of a program whose storage is shared in one way.
struct RunSearch {
  RunSearch(const Graph& graph, const Schedule& schedule, const StorageOptions& sharing,
            const TileSettings& settings, std::span<const TileGrid> grids,
            const std::stop_token& stop, bool overlaps)
      : program(graph, schedule, sharing, settings.arriving, groupsOf(grids), stop,
                overlaps ? settings.overlaps : OverlapFinder()) {
    // After a stop the program may lack what the chooser looks for.
    if (!stop.stop_requested()) chooser.emplace(program, grids, extraOf(settings, program.work()));
  }

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
  std::optional<RunChooser> chooser{};  ///< None after a stop.
};

namespace {

/// A concat that shares holds all of its bytes from its first input on, so runs are also searched
/// as if it copied; which views share is decided when there are parts.
StorageOptions withoutSlices(StorageOptions options) {
  options.alias.concat = options.alias.split = false;
  return options;
}

StorageOptions withInPlace(StorageOptions options, bool inPlace) {
  options.alias.inPlace = inPlace;
  return options;
}

}  // namespace

class TileSearch::Search {
 public:
  Search(std::shared_ptr<const Graph> graph, Schedule schedule, StorageOptions sharing,
         const TileSettings& settings)
      : graph_(std::move(graph)),
        schedule_(std::move(schedule)),
        sharing_(std::move(sharing)),
        settings_(settings),
        grids_(gridsOf(settings.rule)) {
    const bool slices = sharesSlices();
    for (const bool overlaps : {true, false}) {
      if (overlaps && !settings_.overlaps) continue;
      if (slices) sharings_.emplace_back(withoutSlices(sharing_), overlaps);
      sharings_.emplace_back(sharing_, overlaps);
    }
  }

  Result<std::vector<TiledProgram>> ways(const RunAim& aim, const std::stop_token& stop,
                                         Workers& workers) {
    std::vector<PlanOf> plans;
    Bytes lowest = kMaxBytes;
    const std::vector<std::vector<RunChoice>> choices = firstChoices(aim, stop, workers);
    for (std::size_t i = 0; i < sharings_.size(); ++i) {
      HW_TRY(found, plansOf(sharings_[i], choices[i], aim, stop, lowest, workers));
      for (const PlanOf& plan : found) lowest = std::min(lowest, plan->live);
      // With overlaps and without, the same runs are often found.
      if (settings_.overlaps)
        std::erase_if(found, [&](const PlanOf& plan) {
          return std::ranges::any_of(
              plans, [&](const PlanOf& known) { return known->choice.runs == plan->choice.runs; });
        });
      plans.insert(plans.begin(), found.begin(), found.end());
    }
    std::ranges::stable_sort(
        plans, [&](const PlanOf& a, const PlanOf& b) { return isBetter(*a, *b, aim.enough); });
    std::vector<TiledProgram> ways;
    for (const PlanOf& plan : plans) {
      if (!ways.empty() && !plan->program.storage) break;
      ways.push_back(plan->program);
    }
    if (ways.empty()) ways.push_back(whole(aim.inPlace));
    if (settings_.overlaps && ways.front().storage) addWhole(ways, aim.inPlace);
    return ways;
  }

 private:
  using PlanOf = std::shared_ptr<const TilePlan>;

  /// The runs that are looked for where storage is shared in one way, and the plans made of them.
  struct Sharing {
    Sharing(StorageOptions sharing, bool overlapping)
        : options(std::move(sharing)), overlaps(overlapping) {}

    StorageOptions options{};
    bool overlaps = false;  ///< Runs are foreseen with what overlaps save.
    std::mutex mutex{};     ///< Of `runs`, whose program does not change once it is there.
    std::optional<RunSearch> runs{};
    /// By the text of their runs, and by whether the program works in place.
    MadeOnce<TilePlan> plans{kMostKept, &weightOf};
  };

  /// Most bytes live of the program that was given, found when it is first asked for.
  struct WholePeak {
    std::once_flag once{};
    Bytes bytes{};
  };

  static std::size_t weightOf(const TilePlan& plan) { return plan.program.graph->tensors.size(); }

  /// True if slices may share, and runs are looked for.
  bool sharesSlices() const {
    if (settings_.rule == TileRule::off) return false;
    if (!sharing_.alias.concat && !sharing_.alias.split) return false;
    return std::ranges::any_of(graph_->ops, [](const Op& op) {
      const ViewFamily family = viewFamilyOf(op);
      return family == ViewFamily::concat || family == ViewFamily::split;
    });
  }

  /// The choices of the usual sets, by sharing.
  std::vector<std::vector<RunChoice>> firstChoices(const RunAim& aim, const std::stop_token& stop,
                                                   Workers& workers) {
    std::vector<std::vector<RunChoice>> choices(sharings_.size());
    workers.run(sharings_.size(), [&](std::size_t i) {
      const std::lock_guard lock(sharings_[i].mutex);
      choices[i] = choicesOf(sharings_[i], grids_.sets, aim, stop);
    });
    return choices;
  }

  /// The plans of `choices`, which were made under that sharing, and of choices of the seldom sets
  /// where these are not as low as was foreseen. None after a stop. `lowest`: the least peak that
  /// is known.
  Result<std::vector<PlanOf>> plansOf(Sharing& sharing, const std::vector<RunChoice>& choices,
                                      const RunAim& aim, const std::stop_token& stop, Bytes lowest,
                                      Workers& workers) const {
    std::vector<PlanOf> plans;
    if (choices.empty()) return plans;
    HW_TRY(foreseen, addPlans(sharing, choices, aim, workers, plans));
    for (const PlanOf& plan : plans) lowest = std::min(lowest, plan->live);
    if (lowest <= std::max(foreseen, aim.enough) || grids_.seldom.empty()) return plans;
    std::unique_lock lock(sharing.mutex);
    const std::vector<RunChoice> more = choicesOf(sharing, grids_.seldom, aim, stop);
    lock.unlock();
    if (!more.empty()) HW_DO(addPlans(sharing, more, aim, workers, plans));
    return plans;
  }

  /// The choices of those sets of grids; at least one, but none after a stop. `sharing.mutex` is
  /// held.
  std::vector<RunChoice> choicesOf(Sharing& sharing,
                                   const std::vector<std::vector<std::size_t>>& sets,
                                   const RunAim& aim, const std::stop_token& stop) const {
    if (!sharing.runs) {
      sharing.runs.emplace(*graph_, schedule_, sharing.options, settings_, grids_.grids, stop,
                           sharing.overlaps);
      if (!sharing.runs->chooser) sharing.runs.reset();
    }
    std::vector<RunChoice> choices;
    if (!sharing.runs || stop.stop_requested()) return choices;
    for (const auto& set : sets) {
      // The first set contains the others, so these take no less.
      const Bytes least = choices.empty() ? aim.enough : std::max(aim.enough, choices[0].peak);
      choices.push_back(sharing.runs->chooser->choose(set, {least, aim.inPlace}, stop));
    }
    if (choices.empty()) choices.emplace_back();
    return choices;
  }

  /// Adds a plan for each choice of other runs. Returns the peak that is foreseen of the first;
  /// kMaxBytes where that has no runs.
  Result<Bytes> addPlans(Sharing& sharing, const std::vector<RunChoice>& choices, const RunAim& aim,
                         Workers& workers, std::vector<PlanOf>& plans) const {
    std::vector<const RunChoice*> distinct;
    for (const RunChoice& choice : choices) {
      const auto same = [&](const RunChoice* other) { return other->runs == choice.runs; };
      if (std::ranges::none_of(distinct, same)) distinct.push_back(&choice);
    }
    std::vector<Result<PlanOf>> made(distinct.size());
    workers.run(distinct.size(),
                [&](std::size_t i) { made[i] = planOf(sharing, *distinct[i], aim.inPlace); });
    for (Result<PlanOf>& each : made) {
      HW_TRY(plan, std::move(each));
      plans.push_back(std::move(plan));
    }
    return choices.front().runs.empty() ? kMaxBytes : choices.front().peak;
  }

  /// The plan of a choice, made or kept.
  Result<PlanOf> planOf(Sharing& sharing, const RunChoice& choice, bool inPlace) const {
    std::string key = inPlace ? "in place;" : "";
    for (const TileRun& run : choice.runs) {
      key += fmt::format("{} {} {} {} {} {} {};", run.first, run.last, run.rows, run.bands,
                         run.columns, run.apart, run.groups);
    }
    return sharing.plans.get(key, [&] { return makePlan(sharing.runs->program, choice, inPlace); });
  }

  /// Adds the program that was given before those whose bound is not lower.
  void addWhole(std::vector<TiledProgram>& ways, bool inPlace) const {
    TiledProgram given = whole(inPlace);
    const StorageOptions sharing = withInPlace(sharing_, inPlace);
    given.account.peak =
        settings_.overlaps(*graph_, schedule_, shareStorage(*graph_, schedule_, sharing)).bound;
    given.account.whyNot = "whole operators whose outputs overlap inputs need no more bytes";
    const auto at = std::ranges::find_if(
        ways, [&](const TiledProgram& way) { return way.account.peak >= given.account.peak; });
    ways.insert(at, std::move(given));
  }

  /// The program that was given.
  TiledProgram whole(bool inPlace) const {
    const Bytes live = wholePeak(inPlace);
    return {.graph = graph_, .schedule = schedule_, .account = {.whole = live, .peak = live}};
  }

  /// Most bytes of that program that are live at once.
  Bytes wholePeak(bool inPlace) const {
    WholePeak& whole = inPlace ? wholeInPlace_ : whole_;
    std::call_once(whole.once, [&] {
      const StorageOptions sharing = withInPlace(sharing_, inPlace);
      whole.bytes = livePeak(shareStorage(*graph_, schedule_, sharing), sharing.alignment);
    });
    return whole.bytes;
  }

  Result<TilePlan> makePlan(const TileProgram& program, const RunChoice& choice,
                            bool inPlace) const {
    TilePlan plan{.choice = choice, .program = whole(inPlace)};
    TileAccount& account = plan.program.account;
    const bool arrives =
        std::ranges::any_of(graph_->inputs, [&](TensorId input) { return program.arrives(input); });
    if (choice.runs.empty() && !grids_.grids.empty()) {
      account.whyNot = whyWhole(program, grids_.grids, inPlace);
    }
    if (choice.runs.empty() && !arrives) return plan;
    HW_TRY(rewritten, tiledGraph(graph_, program, choice));
    const Schedule order = givenOrder(rewritten);
    Storage storage = shareStorage(rewritten, order, withInPlace(sharing_, inPlace));
    plan.live = livePeak(storage, sharing_.alignment);
    if (plan.live >= account.whole && !arrives) {
      account.whyNot = whyWhole(program, grids_.grids, inPlace);
      return plan;
    }
    plan.bound =
        settings_.overlaps ? settings_.overlaps(rewritten, order, storage).bound : plan.live;
    account.peak = plan.bound;
    account.runs = choice.runs.size();
    for (const TileRun& run : choice.runs) {
      account.cells += run.cells();
      account.byChannels += run.groups > 0 ? 1 : 0;
    }
    account.work = program.work();
    account.extra = choice.price.extra;
    countParts(rewritten, account);
    plan.program.graph = std::make_shared<const Graph>(std::move(rewritten));
    plan.program.schedule = order;
    plan.program.storage = std::make_shared<const Storage>(std::move(storage));
    return plan;
  }

  /// The better of two plans: the lower one, down to the size that is enough, else the cheaper one.
  static bool isBetter(const TilePlan& a, const TilePlan& b, Bytes enough) {
    if (!a.program.storage || !b.program.storage) return a.program.storage && !b.program.storage;
    const auto used = [&](const TilePlan& plan) { return std::max(plan.bound, enough); };
    if (used(a) != used(b)) return used(a) < used(b);
    return a.choice.price < b.choice.price;
  }

  /// The most tensors of plans that are kept under one sharing.
  static constexpr std::size_t kMostKept = 200'000;

  std::shared_ptr<const Graph> graph_;
  Schedule schedule_;
  StorageOptions sharing_;
  TileSettings settings_;
  RuleGrids grids_;
  mutable WholePeak whole_;
  mutable WholePeak wholeInPlace_;
  std::deque<Sharing> sharings_;  ///< As they are gone through; the last is as asked.
};

TileSearch::TileSearch(std::shared_ptr<const Graph> graph, Schedule schedule,
                       const StorageOptions& options, const TileSettings& settings)
    : search_(std::make_unique<Search>(std::move(graph), std::move(schedule), options, settings)) {}

TileSearch::~TileSearch() = default;
TileSearch::TileSearch(TileSearch&&) noexcept = default;
TileSearch& TileSearch::operator=(TileSearch&&) noexcept = default;

Result<std::vector<TiledProgram>> TileSearch::ways(const RunAim& aim, const std::stop_token& stop,
                                                   Workers* workers) const {
  Workers alone(1);
  return search_->ways(aim, stop, workers != nullptr ? *workers : alone);
}

Result<TiledProgram> tiled(std::shared_ptr<const Graph> graph, Schedule schedule,
                           const StorageOptions& options, const TileSettings& settings,
                           const std::stop_token& stop) {
  const TileSearch search(std::move(graph), std::move(schedule), options, settings);
  HW_TRY(ways, search.ways({.inPlace = options.alias.inPlace}, stop));
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
  const double again =
      account.weights > Bytes() ? account.weightsRead.real() / account.weights.real() : 1;
  std::string text = fmt::format(
      "{} operators run in {} parts, {}: at most {} bytes are live at once, not "
      "{}; their weights are read {:.1f} times",
      account.ops, groupDigits(account.parts), cutText(account), groupDigits(account.peak.count()),
      groupDigits(account.whole.count()), again);
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
