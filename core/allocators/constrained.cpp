#include "core/allocators/constrained.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/allocators/search_report.h"
#include "core/base/text.h"
#include "core/pairs/pair_placer.h"
#include "core/pairs/pair_proof.h"
#include "core/pairs/pair_search.h"
#include "core/plan/constraint_use.h"
#include "core/plan/pair_blocks.h"

namespace hw {
namespace {

/// Fails where two pins of one set cannot both be kept.
Result<void> checkPins(const PairBlocks& blocks) {
  const PairModel& model = blocks.model;
  for (std::size_t a = 0; a < model.blocks.size(); ++a) {
    const auto& fixed = model.blocks[a].fixed;
    if (!fixed) continue;
    if (!isAligned(*fixed, model.blocks[a].alignment)) {
      return fail(ErrorCode::malformed,
                  fmt::format("stay {} is pinned to {}, which is not a multiple of {}",
                              blocks.stays[a].front().index(), groupDigits(fixed->count()),
                              groupDigits(model.blocks[a].alignment.count())));
    }
    for (const Interval<Bytes>& range : model.reserved) {
      if (*fixed >= range.end || *fixed + model.blocks[a].size <= range.begin) continue;
      return fail(ErrorCode::malformed,
                  fmt::format("stay {} is pinned to {}, where bytes are reserved",
                              blocks.stays[a].front().index(), groupDigits(fixed->count())));
    }
    for (const PairModel::Apart& apart : model.conflicts[a]) {
      const auto& other = model.blocks[apart.other].fixed;
      if (!other || *fixed + apart.below <= *other || *fixed >= *other + apart.above) continue;
      return fail(
          ErrorCode::malformed,
          fmt::format("stays {} and {} are pinned to bytes that they may not share",
                      blocks.stays[a].front().index(), blocks.stays[apart.other].front().index()));
    }
  }
  return {};
}

Result<std::vector<PairBlocks>> soundBlocks(const Problem& problem) {
  HW_TRY(all, pairBlocksOf(problem));
  for (const PairBlocks& blocks : all) HW_DO(checkPins(blocks));
  return std::move(all);
}

Plan emptyPlan(const Problem& problem) {
  return {.addresses = IdMap<StayId, std::optional<Address>>(problem.stays.size())};
}

/// The blocks of the stays of a set of pools in the order of its pools, each once.
std::vector<std::uint32_t> blockOrder(const PairBlocks& blocks, const StayOrder& order) {
  std::vector<bool> listed(blocks.stays.size());
  std::vector<std::uint32_t> list;
  for (const PoolId pool : blocks.pools) {
    for (const StayId id : order(pool)) {
      const std::uint32_t block = blocks.blockOf[id];
      if (block == PairBlocks::kNoBlock || listed[block]) continue;
      listed[block] = true;
      list.push_back(block);
    }
  }
  return list;
}

std::int64_t placeByRule(PairPlacer& placer, std::uint32_t block, FitRule rule) {
  switch (rule) {
    case FitRule::first:
      return placer.lowest(block);
    case FitRule::best:
      return placer.tightest(block);
    case FitRule::stacked:
      break;
  }
  return placer.stacked(block);
}

/// By block; none where one has no place.
std::vector<Bytes> placedInOrder(const PairBlocks& blocks, FitRule rule, const StayOrder& order) {
  PairPlacer placer(blocks.model, PairPlacer::Heeds::conflicts);
  for (const std::uint32_t block : blockOrder(blocks, order)) {
    if (placer.isFixed(block)) continue;
    const std::int64_t offset = placeByRule(placer, block, rule);
    if (offset == PairPlacer::kNowhere) return {};
    placer.put(block, offset);
  }
  std::vector<Bytes> offsets;
  for (std::uint32_t block = 0; block < placer.count(); ++block) {
    offsets.emplace_back(placer.offset(block));
  }
  return offsets;
}

/// `model` with every pair that costs something kept apart, but for those that pins decide: the
/// cost of the ones that pay is added to `pinned`.
PairModel payingNothing(PairModel model, std::int64_t& pinned) {
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    std::vector<PairModel::Apart>& list = model.conflicts[i];
    for (const PairModel::Penalty& penalty : model.penalties[i]) {
      const PairModel::Apart& apart = penalty.apart;
      const auto& here = model.blocks[i].fixed;
      const auto& there = model.blocks[apart.other].fixed;
      if (here && there) {
        const bool pays = *here + apart.below > *there && *here < *there + apart.above;
        if (pays && i < apart.other) pinned += penalty.cost;
        continue;
      }
      const auto known = std::ranges::lower_bound(list, apart.other, {}, &PairModel::Apart::other);
      if (known == list.end() || known->other != apart.other) {
        list.insert(known, apart);
      } else {
        known->below = std::max(known->below, apart.below);
        known->above = std::max(known->above, apart.above);
      }
    }
    model.penalties[i].clear();
  }
  return model;
}

/// Looks for the best plan of one set of pools.
class BlockSearch {
 public:
  BlockSearch(const Problem& problem, const PairBlocks& blocks, const PlanContext& context,
              const ConstrainedSearch& search)
      : problem_(problem),
        blocks_(blocks),
        model_(blocks.model),
        context_(context),
        search_(search),
        byCost_(search.aim == ConstrainedAim::penalty && model_.capacity.has_value()),
        start_(std::chrono::steady_clock::now()) {
    name_ = joinText(blocks.pools, "+", [&](PoolId pool) { return problem.pools[pool].name; });
    if (search.aim == ConstrainedAim::penalty && !byCost_) {
      // There is room for not paying: the lowest plan that does not.
      model_ = payingNothing(std::move(model_), pinnedCost_);
    }
  }

  /// False when it was stopped before there was any plan.
  bool run() {
    const PairClique clique =
        heaviestClique(model_, limits(kCliqueNodes, kFirstSearch), [this] { return stopped(); });
    bound_ = clique.bytes;
    shortage_ = shortageOf(model_, clique);
    if (byCost_ && !isShort()) {
      searchCheapest();
      if (!fits_ && !shown_) searchLowest();
    } else {
      searchLowest();
    }
    if (offsets_.empty()) return false;
    note("the end");
    return true;
  }

  void write(Plan& plan) const {
    placeBlocks(blocks_, problem_, offsets_, plan);
    plan.tables.push_back(progressTable(history_, name_));
    plan.notes.push_back(name_ + ": " + (byCost_ && fits_ ? costText() : peakText()));
    if (isImpossible()) plan.notes.push_back(name_ + ": " + shortageText());
    if (isShort()) plan.tables.push_back(shortageTable());
  }

  PlanStatus status() const {
    if (isImpossible()) return PlanStatus::infeasible;
    const bool lowest = blocks_.exact && pairPeak(model_, offsets_) <= bound_;
    return lowest ? PlanStatus::optimal : PlanStatus::complete;
  }

  /// Proved: no plan within the capacity pays less; nothing where that was not looked for.
  std::optional<std::int64_t> penaltyBound() const {
    if (search_.aim != ConstrainedAim::penalty || isImpossible()) return std::nullopt;
    return blocks_.fixedCost + (byCost_ ? (blocks_.exact ? costBound_ : 0) : pinnedCost_);
  }
  std::int64_t nodes() const { return nodes_; }

 private:
  static constexpr std::int64_t kCliqueNodes = 200'000;
  static constexpr std::string_view kLeastRoom =
      ", with the least room that any of these pools has: nothing is proved";
  /// The shares of the budget, of counts or of seconds, of the first looks: most problems need no
  /// more.
  static constexpr double kFirstSearch = 0.03;
  static constexpr double kFirstProof = 0.15;
  static constexpr std::int64_t kFirstNodes = 50'000;
  static constexpr double kProof = 0.5;

  bool stopped() const { return context_.stop.stop_requested(); }
  double secondsGone() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool isImpossible() const { return blocks_.exact && (shown_ || isShort()); }
  bool isShort() const { return shortage_.missing > Bytes(); }

  PairLimits limits(std::int64_t nodes, double share) const {
    const double seconds = search_.budget.seconds;
    if (seconds <= 0) return {.nodes = part(nodes, share), .seed = context_.seed};
    const double left = std::max(0.001, share * seconds);
    return {.seconds = std::min(left, std::max(0.001, seconds - secondsGone())),
            .seed = context_.seed};
  }

  /// 0 stays 0: no limit.
  static std::int64_t part(std::int64_t nodes, double share) {
    if (nodes == 0) return 0;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(nodes) * share));
  }

  /// `most`: no more nodes than that, whatever the share; 0: no such limit.
  PairOptions options(double share, std::int64_t most = 0) {
    PairLimits allowed = limits(search_.budget.moves, share);
    if (most > 0) allowed.nodes = allowed.nodes > 0 ? std::min(allowed.nodes, most) : most;
    return {.limits = allowed,
            .peakBound = bound_,
            .costBound = costBound_,
            .stopped = [this] { return stopped(); },
            .improved = [this](const PairSample& sample) { follow(sample); }};
  }

  void follow(const PairSample& sample) {
    history_.push_back({.seconds = secondsGone(),
                        .incumbent = byCost_ && sample.fits ? Bytes(sample.cost) : sample.peak,
                        .bound = provedBound(byCost_ && sample.fits),
                        .nodes = nodes_ + sample.nodes,
                        .winner = "search"});
    tellProgress(context_, name_, history_.back());
  }

  /// For the history: of costs or of bytes; 0 where the pools differ.
  Bytes provedBound(bool cost) const {
    if (!blocks_.exact) return Bytes();
    return cost ? Bytes(costBound_) : bound_;
  }

  void note(const std::string& winner) {
    const bool cost = byCost_ && fits_;
    history_.push_back({.seconds = secondsGone(),
                        .incumbent = cost ? Bytes(cost_) : pairPeak(model_, offsets_),
                        .bound = provedBound(cost),
                        .nodes = nodes_,
                        .winner = winner});
    tellProgress(context_, name_, history_.back());
  }

  /// In turns, as for penalties.
  void searchLowest() {
    lookLow(options(kFirstSearch, kFirstNodes));
    if (search_.proves && !isLow()) proveLowest(kFirstProof);
    if (!isLow()) lookLow(options(search_.proves ? kProof : 1));
    if (search_.proves && !isLow()) proveLowest(1);
    fits_ =
        !offsets_.empty() && (!model_.capacity || pairPeak(model_, offsets_) <= *model_.capacity);
  }

  bool isLow() const {
    return isShort() || stopped() || offsets_.empty() || pairPeak(model_, offsets_) <= bound_;
  }

  void lookLow(const PairOptions& asked) {
    const PairPlan found = searchLowestPeak(model_, asked);
    nodes_ += found.nodes;
    if (found.offsets.empty()) return;
    if (offsets_.empty() || found.peak < pairPeak(model_, offsets_)) offsets_ = found.offsets;
  }

  void proveLowest(double share) {
    PairModel roomy = model_;
    roomy.capacity.reset();
    const PeakProof proof = provePeak(roomy, offsets_, limits(search_.budget.nodes, share),
                                      [this] { return stopped(); });
    nodes_ += proof.nodes;
    bound_ = std::max(bound_, proof.bound);
    if (!proof.offsets.empty() && proof.peak < pairPeak(model_, offsets_)) offsets_ = proof.offsets;
    shown_ = model_.capacity && bound_ > *model_.capacity;
  }

  void searchCheapest() {
    searchPenalty(options(kFirstSearch, kFirstNodes));
    if (search_.proves && !isSettled()) provePenalty(kFirstProof);
    if (!isSettled()) searchPenalty(options(search_.proves ? kProof : 1));
    if (search_.proves && !isSettled()) provePenalty(1);
  }

  bool isSettled() const { return shown_ || stopped() || (fits_ && cost_ <= costBound_); }

  void searchPenalty(const PairOptions& asked) {
    const PairPlan found =
        searchLeastPenalty(model_, fits_ ? offsets_ : std::vector<Bytes>(), asked);
    nodes_ += found.nodes;
    if (found.offsets.empty()) return;
    const bool better = found.fits && (!fits_ || found.cost < cost_);
    if (better || offsets_.empty()) take(found.offsets, found.cost, found.fits);
  }

  void provePenalty(double share) {
    const PenaltyProof proof =
        proveLeastPenalty(model_, fits_ ? offsets_ : std::vector<Bytes>(),
                          limits(search_.budget.nodes, share), [this] { return stopped(); });
    nodes_ += proof.nodes;
    if (proof.status == PairStatus::infeasible) {
      shown_ = true;
      shortage_ = proof.shortage;
      return;
    }
    costBound_ = std::max(costBound_, proof.bound);
    if (!proof.offsets.empty() && (!fits_ || proof.cost < cost_)) {
      take(proof.offsets, proof.cost, true);
    }
  }

  void take(const std::vector<Bytes>& offsets, std::int64_t cost, bool fits) {
    offsets_ = offsets;
    cost_ = cost;
    fits_ = fits;
  }

  std::string peakText() const {
    const Bytes peak = pairPeak(model_, offsets_);
    if (!blocks_.exact) return groupDigits(peak.count()) + " bytes" + std::string(kLeastRoom);
    if (peak <= bound_) return groupDigits(peak.count()) + " bytes, proved optimal";
    const double gap =
        (peak - bound_).real() / static_cast<double>(std::max<std::int64_t>(peak.count(), 1));
    return fmt::format("{} bytes; no plan is below {}, {:.2f} % less", groupDigits(peak.count()),
                       groupDigits(bound_.count()), 100 * gap);
  }

  std::string costText() const {
    const std::string within = groupDigits(model_.capacity->count()) + " bytes";
    if (!blocks_.exact) {
      return fmt::format("penalties of {}{}", groupDigits(cost_ + blocks_.fixedCost), kLeastRoom);
    }
    if (cost_ <= costBound_) {
      return fmt::format("penalties of {}, proved: no plan within {} pays less",
                         groupDigits(cost_ + blocks_.fixedCost), within);
    }
    return fmt::format("penalties of {}; every plan within {} pays {} at least",
                       groupDigits(cost_ + blocks_.fixedCost), within,
                       groupDigits(costBound_ + blocks_.fixedCost));
  }

  std::string shortageText() const {
    if (!isShort()) {
      return fmt::format("proved: no plan fits into {} bytes, by trying all that could",
                         groupDigits(model_.capacity->count()));
    }
    return fmt::format(
        "proved: no plan fits. Of {} buffers each two conflict; they need {} bytes, {} more than "
        "the {} that there are; the table 'conflict {}' names them",
        shortage_.members.size(), groupDigits(shortage_.bytes.count()),
        groupDigits(shortage_.missing.count()), groupDigits(model_.capacity->count()), name_);
  }

  MethodTable shortageTable() const {
    MethodTable table{.name = "conflict " + name_,
                      .summary = "buffers of which each two conflict",
                      .columns = {"tensor", "bytes", "first step", "last step"}};
    for (const std::uint32_t block : shortage_.members) {
      for (const StayId id : blocks_.stays[block]) {
        const Stay& stay = problem_.stays[id];
        addRow(table, {id, stay.size, stay.steps.begin.count(), stay.steps.end.count() - 1});
      }
    }
    return table;
  }

  const Problem& problem_;
  const PairBlocks& blocks_;
  PairModel model_;
  const PlanContext& context_;
  const ConstrainedSearch& search_;
  bool byCost_ = false;  ///< Else the lowest plan is looked for.
  std::string name_;
  std::chrono::steady_clock::time_point start_;
  PairShortage shortage_;
  bool shown_ = false;  ///< Proved: there is no plan within the capacity.
  Bytes bound_;
  std::int64_t costBound_ = 0;
  std::vector<Bytes> offsets_;
  bool fits_ = false;
  std::int64_t pinnedCost_ = 0;  ///< Paid between pins, where nothing else is.
  std::int64_t cost_ = 0;        ///< Of `offsets_`, where penalties are looked at.
  std::int64_t nodes_ = 0;
  std::vector<ExactProgress> history_;
};

tl::unexpected<Error> noPlan(const Problem& problem, const PairBlocks& blocks) {
  return fail(ErrorCode::unsupported,
              fmt::format("no plan was found for {} below 2^60 bytes",
                          printable(problem.pools[blocks.pools.front()].name, 40)));
}

/// The status of several sets of pools together.
PlanStatus worseOf(PlanStatus a, PlanStatus b) {
  if (a == PlanStatus::infeasible || b == PlanStatus::infeasible) return PlanStatus::infeasible;
  return a == PlanStatus::optimal ? b : a;
}

}  // namespace

Result<Plan> placeConstrained(const Problem& problem, FitRule rule,
                              const std::vector<StayOrder>& orders) {
  HW_TRY(all, soundBlocks(problem));
  Plan plan = emptyPlan(problem);
  for (PairBlocks& blocks : all) {
    blocks.model.capacity.reset();  // What does not fit is told, and shown.
    std::vector<Bytes> lowest;
    for (const StayOrder& order : orders) {
      std::vector<Bytes> offsets = placedInOrder(blocks, rule, order);
      if (offsets.empty()) return noPlan(problem, blocks);
      const bool lower =
          lowest.empty() || pairPeak(blocks.model, offsets) < pairPeak(blocks.model, lowest);
      if (lower) lowest = std::move(offsets);
    }
    placeBlocks(blocks, problem, lowest, plan);
  }
  return plan;
}

Result<Plan> searchConstrained(const Problem& problem, const PlanContext& context,
                               const ConstrainedSearch& search) {
  HW_TRY(all, soundBlocks(problem));
  Plan plan = emptyPlan(problem);
  plan.status = PlanStatus::optimal;
  if (search.aim == ConstrainedAim::penalty) plan.penaltyBound = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ConstrainedSearch own = search;
    own.budget = search.budget.leftIn(context);
    // Time that sets of pools do not need is left for those behind them.
    own.budget.seconds /= static_cast<double>(all.size() - i);
    own.budget.moves = std::max<std::int64_t>(1, own.budget.moves);
    own.proves = search.proves && (search.budget.nodes == 0 || own.budget.nodes > 0);
    BlockSearch blocks(problem, all[i], context, own);
    if (!blocks.run()) {
      if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "planning was stopped");
      return noPlan(problem, all[i]);
    }
    if (context.use) context.use->nodes += blocks.nodes();
    blocks.write(plan);
    plan.status = worseOf(plan.status, blocks.status());
    const auto bound = blocks.penaltyBound();
    if (!bound) plan.penaltyBound.reset();
    if (plan.penaltyBound) *plan.penaltyBound += *bound;
  }
  return plan;
}

}  // namespace hw
