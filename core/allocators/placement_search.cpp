#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/allocators/search_report.h"
#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/plan/decision.h"
#include "core/plan/method_record.h"
#include "core/plan/metrics.h"
#include "core/plan/problem.h"

namespace hw {
namespace {

/// In order of preference among placements that lead to equal areas.
enum class Kind : std::uint8_t { overlay, gap, above, below };

inline std::string_view kindName(Kind kind) {
  constexpr std::string_view kNames[] = {"overlay", "in a gap", "grow above", "grow below"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// The bytes in use so far, gaps included. Addresses may be negative: growing below moves `begin`.
using Area = Interval<Bytes>;

/// One way to place a tensor after those before it.
struct Placement {
  Kind kind{};
  Bytes offset{};
  Bytes slack{};   ///< Of the gap it is in, or of the block it lies over.
  Area area{};     ///< That it leads to.
  Bytes held{};    ///< What it keeps others off: its size, or the whole block it lies over.
  StayId under{};  ///< The input it lies over.
};

/// docs/methods.md §5: smaller area, then kind, then tighter gap, then lower address.
inline auto priority(const Placement& p) {
  return std::tuple(p.area.length(), p.kind, p.slack, p.offset);
}

/// The multiple of `alignment` next to `value`, which may be negative.
inline Bytes alignBelow(Bytes value, Bytes alignment) {
  const std::int64_t rest = value.count() % alignment.count();
  return Bytes(value.count() - (rest < 0 ? rest + alignment.count() : rest));
}
inline Bytes alignAbove(Bytes value, Bytes alignment) {
  return alignBelow(value + alignment - Bytes(1), alignment);
}

/// Adds `stay` at both ends of a free gap. False when it is too small.
inline bool addGaps(Interval<Bytes> gap, const Stay& stay, const Area& area,
                    std::vector<Placement>& options) {
  const Bytes low = alignAbove(gap.begin, stay.alignment);
  const Bytes high = alignBelow(gap.end - stay.size, stay.alignment);
  if (high < low) return false;
  const Bytes slack = gap.length() - stay.size;
  options.push_back({Kind::gap, low, slack, area, stay.size});
  if (high != low) options.push_back({Kind::gap, high, slack, area, stay.size});
  return true;
}

/// The first criterion of `priority` by which `lower` comes after `chosen`.
inline std::string whyLower(const Placement& lower, const Placement& chosen) {
  const Bytes more = lower.area.length() - chosen.area.length();
  if (more > Bytes()) return fmt::format(", {} more", countBytes(more));
  if (lower.kind != chosen.kind) return "; its kind comes later";
  if (lower.slack != chosen.slack) return "; a looser gap";
  return "; a higher address";
}

/// The blocks that are live at the stay being placed, in address order.
class LiveBlocks {
 public:
  struct Block {
    Interval<Bytes> bytes{};
    Step end{};
  };

  void clear() { blocks_.clear(); }
  void add(const Block& block) {
    blocks_.insert(std::ranges::upper_bound(blocks_, block.bytes, {}, &Block::bytes), block);
  }
  void dropEnded(Step now) {
    std::erase_if(blocks_, [&](const Block& block) { return block.end <= now; });
  }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};

/// The record of the lists of a placement search. Does nothing without a record.
class SequenceRecord {
 public:
  /// All of them outlive it; `order` may be filled in later. `record` null: nothing is recorded.
  SequenceRecord(MethodRecord* record, const Problem& problem, const std::vector<StayId>& order)
      : recorder_(record), problem_(problem), order_(order) {
    const std::vector<std::string> columns = {"tensor", "kind", "offset", "area"};
    stack_ = recorder_.addList({.name = "stack",
                                .summary = "placements not taken, with the area they lead to",
                                .kind = MethodList::Kind::stack,
                                .columns = columns});
    sequence_ = recorder_.addList({.name = "sequence",
                                   .summary = "placements taken, one a tensor",
                                   .columns = columns,
                                   .role = MethodList::Role::placed});
    candidates_ = recorder_.addList({.name = "candidates",
                                     .summary = "of the tensor being placed, by priority",
                                     .columns = {"kind", "offset", "area"},
                                     .role = MethodList::Role::candidates});
    counts_ = recorder_.addList({.name = "counts",
                                 .summary = "what became of sequences and placements",
                                 .kind = MethodList::Kind::table,
                                 .columns = {"what", "count"}});
    for (const char* what : {"completed", "given up", "pruned", "dropped"}) {
      recorder_.append(counts_, {std::string(what), std::int64_t{0}});
    }
    best_ = recorder_.addList({.name = "best",
                               .summary = "complete sequences that were smaller than all before",
                               .columns = {"sequence", "area"}});
  }

  void pushed(std::size_t i, const Placement& placement) {
    if (recorder_.on()) recorder_.append(stack_, rowOf(i, placement));
  }
  void popped() {
    if (recorder_.on()) recorder_.erase(stack_, recorder_.rows(stack_) - 1);
  }
  /// The bottom of the stack, which was full.
  void dropped() {
    if (!recorder_.on()) return;
    recorder_.erase(stack_, 0);
    count(kDropped);
  }
  /// A placement that leads to no smaller area than the best is not worth a place on the stack.
  void pruned() { count(kPruned); }
  void worthless(std::size_t i) {
    if (!recorder_.on()) return;
    pruned();
    tick(i, "comes off the stack and is dropped: no better than the best");
  }
  void givenUp(std::size_t i) {
    if (!recorder_.on()) return;
    count(kGivenUp);
    tick(i, "the sequence is given up: its area is no smaller than the best");
  }

  /// A sequence begins with the first `depth` placements of the one before.
  void cutTo(std::size_t depth) {
    while (recorder_.on() && recorder_.rows(sequence_) > depth) {
      recorder_.erase(sequence_, recorder_.rows(sequence_) - 1);
    }
  }

  void looked(const std::vector<Placement>& options) {
    if (!recorder_.on()) return;
    while (recorder_.rows(candidates_) > 0) recorder_.erase(candidates_, 0);
    for (const Placement& each : options) {
      recorder_.append(candidates_,
                       {std::string(kindName(each.kind)), each.offset, each.area.length()});
    }
  }

  void took(std::size_t i, const Placement& chosen, bool byPriority) {
    if (!recorder_.on()) return;
    recorder_.append(sequence_, rowOf(i, chosen));
    tick(i,
         fmt::format("{}: {} at {}, an area of {} bytes",
                     byPriority ? "the first by priority" : "an alternative off the stack",
                     kindName(chosen.kind), chosen.offset.count(), chosen.area.length().count()));
  }

  void completed(std::int64_t sequence, Bytes area) {
    if (!recorder_.on()) return;
    recorder_.append(best_, {sequence, area});
    count(kCompleted);
    recorder_.tick(
        {}, problem_.steps - Step(1),
        fmt::format("sequence {} is complete: {} bytes, the best so far", sequence, area.count()));
  }

  void tick(std::size_t i, std::string what) {
    if (!recorder_.on()) return;
    recorder_.tick(order_[i], problem_.stays[order_[i]].steps.begin, std::move(what));
  }

 private:
  enum Count : std::size_t { kCompleted, kGivenUp, kPruned, kDropped };  ///< Rows of the table.

  void count(Count row) {
    if (!recorder_.on()) return;
    MethodRow more = recorder_.row(counts_, row);
    ++std::get<std::int64_t>(more[1]);
    recorder_.replace(counts_, row, std::move(more));
  }

  MethodRow rowOf(std::size_t i, const Placement& placement) const {
    return {order_[i], std::string(kindName(placement.kind)), placement.offset,
            placement.area.length()};
  }

  MethodRecorder recorder_;
  const Problem& problem_;
  const std::vector<StayId>& order_;
  std::size_t stack_ = 0;  ///< Of the record, like the next.
  std::size_t sequence_ = 0;
  std::size_t candidates_ = 0;
  std::size_t counts_ = 0;
  std::size_t best_ = 0;
};

constexpr ParamSpec kStack{.name = "stack",
                           .type = ParamType::integer,
                           .summary = "alternatives kept at most; 0: unlimited",
                           .fallback = "0",
                           .label = "alternatives kept"};
constexpr ParamSpec kSequences{.name = "sequences",
                               .type = ParamType::integer,
                               .summary = "sequences completed at most; 0: unlimited",
                               .fallback = "20000",
                               .label = "sequences to complete"};
constexpr ParamSpec kSeconds = secondsParam("2");
constexpr ParamSpec kParams[] = {kStack, kSequences, kSeconds};

struct Budget {
  std::size_t stack;
  std::int64_t sequences;
  double seconds;
};

/// Depth-first over placement sequences of one pool, best placement first.
class Search {
 public:
  /// `record` outlives the search; null: nothing is recorded.
  Search(const Problem& problem, PoolId pool, const PlanContext& context, const Budget& budget,
         SearchUse& use, MethodRecord* record = nullptr)
      : problem_(problem),
        context_(context),
        budget_(budget),
        use_(use),
        record_(record, problem, order_) {
    for (const StayId id : problem.stays.keys()) {
      if (problem.poolOf(id) == pool) order_.push_back(id);
    }
    std::ranges::stable_sort(order_, {}, [&](StayId id) { return problem.stays[id].steps.begin; });
    rank_.resize(problem.stays.size());
    for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
    offsets_.resize(order_.size());
    held_.resize(order_.size());
    under_.resize(order_.size());
    areas_.resize(order_.size() + 1);
    bound_ = lowerBound(problem, pool);
    alignment_ = commonAlignment(problem).value_or(Bytes(1));
    deadline_ =
        use.deadline(context.timeLimit > 0 ? context.timeLimit : budget.seconds, context.clock);
    mostSequences_ = use.most(use.tries, budget.sequences);
    mostNodes_ = use.most(use.nodes, context.nodeBudget);
    nodesBefore_ = use.nodes;
    name_ = problem.pools[pool].name;
    table_ = {
        .name = "sequences",
        .summary = "sequences completed, with the bytes each needs, and what was pruned",
        .columns = {"sequence", "from tensor", "kind", "area", "best", "pruned so far", "open"}};
  }

  void run() {
    if (order_.empty()) return;
    began_ = secondsNow(context_.clock);
    complete(0, {});
    while (!stack_.empty() && !outOfBudget() && best_ > bound_) {
      const Entry entry = stack_.back();
      stack_.pop_back();
      record_.popped();
      if (entry.placement.area.length() >= best_) {
        ++pruned_;
        record_.worthless(entry.depth);
        continue;
      }
      complete(entry.depth, entry.placement);
    }
    exhausted_ = stack_.empty() && dropped_ == 0;
    if (!history_.empty()) tell(history_.back().winner);
  }

  bool stopped() const { return stopped_ && best_ == kNothing; }
  bool optimal() const { return order_.empty() || (best_ == bound_ && exact_); }

  /// The decision by which the plan's own sequence placed `stay`: its candidates by priority.
  std::optional<Decision> recount(const Plan& plan, StayId stay);

  void write(PoolId pool, Plan& plan) {
    for (std::size_t i = 0; i < order_.size(); ++i)
      plan.addresses[order_[i]] = Address{pool, RegionId(0), bestOffsets_[i]};
    if (order_.empty()) return;
    plan.notes.push_back(
        fmt::format("placement-search: first sequence {} bytes, best {}; {} sequences completed, "
                    "{} pruned{}{}; {}",
                    groupDigits(first_.count()), groupDigits(best_.count()), sequences_, pruned_,
                    dropped_ ? fmt::format(", {} dropped", dropped_) : "",
                    overlaid_ ? fmt::format(", {} placed over their input", overlaid_) : "",
                    best_ == bound_  ? "stopped at the lower bound"
                    : exhausted_     ? "the search was exhausted"
                    : stack_.empty() ? "the stack was full: what was dropped from it was not tried"
                                     : "the budget ran out before the search was exhausted"));
    table_.name += " " + name_;
    plan.tables.push_back(std::move(table_));
    plan.tables.push_back(progressTable(history_, name_));
  }

 private:
  struct Entry {
    std::size_t depth{};
    Placement placement{};
  };
  static constexpr Bytes kNothing{std::numeric_limits<std::int64_t>::max()};

  /// Tells listeners and the plan where the search stands.
  void tell(const std::string& winner) {
    history_.push_back({.seconds = secondsNow(context_.clock) - began_,
                        .incumbent = best_,
                        .bound = bound_,
                        .nodes = use_.nodes - nodesBefore_,
                        .winner = winner});
    tellProgress(context_, name_, history_.back());
  }

  bool stopRequested() { return stopped_ |= context_.stop.stop_requested(); }

  bool outOfBudget() {
    return stopRequested() || (budget_.sequences > 0 && use_.tries >= mostSequences_) ||
           use_.nodes >= mostNodes_ || (deadline_ && secondsNow(context_.clock) >= *deadline_);
  }

  /// Places the stays from `depth` on by priority, the first of them as `forced` says unless it is
  /// the start of the search; stacks what was not chosen. Gives up when the area is no better.
  void complete(std::size_t depth, const Placement& forced) {
    const bool initial = best_ == kNothing;
    live_.clear();
    for (std::size_t i = 0; i < depth; ++i) {
      if (stayAt(i).steps.end > stayAt(depth).steps.begin) addLive(i);
    }
    record_.cutTo(depth);
    for (std::size_t i = depth; i < order_.size(); ++i) {
      Placement chosen = forced;
      live_.dropEnded(stayAt(i).steps.begin);
      if (initial || i > depth) {
        std::vector<Placement> options = candidates(i);
        std::ranges::sort(options, {}, priority);
        chosen = options.front();
        record_.looked(options);
        // The worst first, so that the best of them comes off the stack first.
        for (std::size_t k = options.size(); k-- > 1;) push({i, options[k]});
      }
      take(i, chosen);
      record_.took(i, chosen, initial || i > depth);
      if (chosen.area.length() >= best_) {
        ++pruned_;
        record_.givenUp(i);
        return;
      }
      // A look at the clock costs more than a placement. Only a stop ends the first sequence.
      if (i % 64 == 63 && (initial ? stopRequested() : outOfBudget())) return;
      addLive(i);
      ++use_.nodes;
    }
    ++sequences_;
    ++use_.tries;
    best_ = areas_.back().length();
    if (initial) first_ = best_;
    bestOffsets_ = offsets_;
    overlaid_ = std::ranges::count_if(under_, [](StayId input) { return bool(input); });
    // The area's own begin may be aligned for the stay there and for no other.
    const Bytes shift = alignAbove(Bytes() - areas_.back().begin, alignment_);
    exact_ = shift == Bytes() - areas_.back().begin;
    for (Bytes& offset : bestOffsets_) offset += shift;
    record_.completed(sequences_, best_);
    addRow(table_,
           {sequences_, order_[depth],
            initial ? std::string("initial") : std::string(kindName(forced.kind)),
            areas_.back().length(), best_, pruned_, static_cast<std::int64_t>(stack_.size())});
    tell(fmt::format("sequence {}", sequences_));
  }

  void take(std::size_t i, const Placement& chosen) {
    offsets_[i] = chosen.offset;
    held_[i] = chosen.held;
    under_[i] = chosen.under;
    areas_[i + 1] = chosen.area;
  }

  const Stay& stayAt(std::size_t i) const { return problem_.stays[order_[i]]; }

  void addLive(std::size_t i) {
    live_.add({{offsets_[i], offsets_[i] + held_[i]}, stayAt(i).steps.end});
  }

  void push(const Entry& entry) {
    if (entry.placement.area.length() >= best_) {
      ++pruned_;
      record_.pruned();
      return;
    }
    stack_.push_back(entry);
    record_.pushed(entry.depth, entry.placement);
    if (budget_.stack > 0 && stack_.size() > budget_.stack) {
      stack_.pop_front();
      record_.dropped();
      ++dropped_;
    }
  }

  std::vector<Placement> candidates(std::size_t i) const {
    const Stay& stay = stayAt(i);
    const Area area = areas_[i];
    const std::vector<LiveBlocks::Block>& live = live_.blocks();
    std::vector<Placement> options;
    addOverlays(i, area, options);
    Bytes top = area.begin;
    for (const LiveBlocks::Block& block : live) {
      addGaps({top, block.bytes.begin}, stay, area, options);
      top = std::max(top, block.bytes.end);
    }
    const Interval<Bytes> topmost{top, area.end};
    if (!addGaps(topmost, stay, area, options)) {
      const Bytes at = alignAbove(top, stay.alignment);
      const Area grown{area.begin, std::max(area.end, at + stay.size)};
      options.push_back({Kind::above, at, Bytes(), grown, stay.size});
    }
    if (!live.empty()) {
      const Bytes at = alignBelow(live.front().bytes.begin - stay.size, stay.alignment);
      if (at < area.begin) options.push_back({Kind::below, at, Bytes(), {at, area.end}, stay.size});
    }
    return options;
  }

  /// Over an input of its op that dies there. The block stays as large as the input was: a buffer
  /// is one rectangle.
  void addOverlays(std::size_t i, const Area& area, std::vector<Placement>& options) const {
    for (const Overlay& overlay : problem_.overlaysOf(order_[i])) {
      const std::size_t at = rank_[overlay.over];
      if (!mayLieOver(i, overlay.over)) continue;
      const Bytes slack = held_[at] - stayAt(i).size;
      options.push_back({Kind::overlay, offsets_[at], slack, area, held_[at], overlay.over});
    }
  }

  bool mayLieOver(std::size_t i, StayId input) const {
    const Stay& stay = stayAt(i);
    const std::size_t at = rank_[input];
    if (problem_.poolOf(input) != problem_.poolOf(order_[i]) || at >= i) return false;
    if (stay.size > stayAt(at).size) return false;
    if (alignBelow(offsets_[at], stay.alignment) != offsets_[at]) return false;
    // Neither over what lies over another in this very step, nor where another does.
    if (under_[at] && stayAt(at).steps.begin == stay.steps.begin) return false;
    for (std::size_t k = i; k-- > 0 && stayAt(k).steps.begin == stay.steps.begin;) {
      if (under_[k] == input) return false;
    }
    return true;
  }

  Decision account(const std::vector<Placement>& options, std::size_t at, Bytes shift) const;

  const Problem& problem_;
  const PlanContext& context_;
  Budget budget_;
  SearchUse& use_;  ///< Nodes are placements: most sequences are cut short.
  std::vector<StayId> order_;
  LiveBlocks live_;                  ///< What is live at the stay being placed.
  IdMap<StayId, std::size_t> rank_;  ///< In `order_`.
  std::vector<Bytes> offsets_;
  std::vector<Bytes> held_;    ///< Bytes kept from others; see Placement.
  std::vector<StayId> under_;  ///< The inputs that stays lie over.
  std::vector<Bytes> bestOffsets_;
  std::vector<Area> areas_;  ///< Before the i-th placement.
  std::deque<Entry> stack_;
  Bytes best_ = kNothing;
  Bytes first_;
  Bytes bound_;
  std::int64_t sequences_ = 0;
  std::int64_t pruned_ = 0;
  std::int64_t dropped_ = 0;
  std::int64_t overlaid_ = 0;  ///< Stays of the best sequence that lie over an input.
  bool exhausted_ = false;
  bool exact_ = true;   ///< Aligning the best sequence cost nothing.
  Bytes alignment_{1};  ///< Of all stays together.
  bool stopped_ = false;
  std::optional<double> deadline_;
  std::int64_t mostSequences_ = 0;  ///< Of `use_`, like the next.
  std::int64_t mostNodes_ = 0;
  std::int64_t nodesBefore_ = 0;
  double began_ = 0;
  std::string name_{};  ///< Of the pool.
  std::vector<ExactProgress> history_;
  MethodTable table_;
  SequenceRecord record_;
};

std::optional<Decision> Search::recount(const Plan& plan, StayId stay) {
  const auto at = static_cast<std::size_t>(std::ranges::find(order_, stay) - order_.begin());
  if (at == order_.size() || !plan.addresses[order_[0]]) return std::nullopt;
  // The sequence starts at 0 and the plan has moved it up.
  const Bytes shift = plan.addresses[order_[0]]->offset;
  live_.clear();
  for (std::size_t i = 0; i <= at; ++i) {
    live_.dropEnded(stayAt(i).steps.begin);
    std::vector<Placement> options = candidates(i);
    std::ranges::sort(options, {}, priority);
    const auto& address = plan.addresses[order_[i]];
    if (!address) return std::nullopt;
    const auto chosen = std::ranges::find(options, address->offset - shift, &Placement::offset);
    if (chosen == options.end()) return std::nullopt;
    take(i, *chosen);
    if (i == at) return account(options, at, shift);
    addLive(i);
  }
  return std::nullopt;
}

Decision Search::account(const std::vector<Placement>& options, std::size_t at, Bytes shift) const {
  Decision decision{.stay = order_[at]};
  decision.when = fmt::format("placed {} of {}, in id order", ordinal(at + 1), order_.size());
  const auto chosen = std::ranges::find(options, offsets_[at], &Placement::offset);
  for (auto option = options.begin(); option != options.end(); ++option) {
    Candidate candidate{.kind = std::string(kindName(option->kind)),
                        .verdict = option == chosen ? Verdict::chosen : Verdict::lessGood};
    if (const Bytes offset = option->offset + shift; offset >= Bytes()) {
      candidate.address = Address{problem_.poolOf(order_[at]), RegionId(0), offset};
    }
    if (option->kind == Kind::gap) candidate.room = option->slack + stayAt(at).size;
    candidate.reason = "leads to an area of " + countBytes(option->area.length());
    if (option != chosen && chosen != options.end()) {
      candidate.reason += option < chosen ? "; first by priority, but no better in the end"
                                          : whyLower(*option, *chosen);
    }
    addCandidate(decision, std::move(candidate));
  }
  decision.decided =
      chosen == options.begin()
          ? "the first by priority: smallest area, kind, tightest gap, lowest address"
          : "an alternative from the stack: the whole sequence came out smaller";
  return decision;
}

class PlacementSearch final : public Allocator {
 public:
  explicit PlacementSearch(const Budget& budget) : budget_(budget) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    HW_DO(refusePins(problem, "placement-search"));
    Plan plan;
    plan.addresses.resize(problem.stays.size());
    bool optimal = true;
    SearchUse own;
    for (const PoolId pool : problem.pools.keys()) {
      MethodRecord record{.name = "placement-search " + problem.pools[pool].name};
      Search search(problem, pool, context, budget_, context.use ? *context.use : own,
                    context.record ? &record : nullptr);
      search.run();
      if (search.stopped()) return fail(ErrorCode::stopped, "planning was stopped");
      optimal &= search.optimal();
      search.write(pool, plan);
      if (!record.ticks.empty()) plan.records.push_back(std::move(record));
    }
    plan.status = optimal ? PlanStatus::optimal : PlanStatus::complete;
    return plan;
  }

  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    const PlanContext context;
    SearchUse use;
    return Search(problem, problem.poolOf(stay), context, budget_, use).recount(plan, stay);
  }

  Budget budget_;
};

}  // namespace

std::span<const ParamSpec> placementSearchParams() { return kParams; }

std::unique_ptr<Allocator> makePlacementSearch(const Params& params) {
  return std::make_unique<PlacementSearch>(
      Budget{.stack = static_cast<std::size_t>(params.integer(kStack)),
             .sequences = params.integer(kSequences),
             .seconds = params.number(kSeconds)});
}

}  // namespace hw
