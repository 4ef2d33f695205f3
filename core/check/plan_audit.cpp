#include "core/check/plan_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "core/check/audit_model.h"
#include "core/check/kernel_scripts.h"
#include "core/check/replay.h"
#include "core/check/stated_homes.h"
#include "core/check/tensor_rules_audit.h"
#include "core/graph/tiling.h"
#include "core/plan/constraint_audit.h"
#include "core/plan/constraint_use.h"
#include "core/plan/decision.h"
#include "core/plan/metrics.h"
#include "core/plan_file/dsa_plan.h"

namespace hw {
namespace {

std::string inQuotes(std::string_view name) { return "'" + printable(name, 80) + "'"; }

/// The moves that a plan states, ascending by step; `findings` gets one for each of which the
/// tensor or a pool is not known.
std::vector<AuditedRunParts::Moved> resolveMoves(
    const std::vector<StatedMove>& stated,
    const std::function<BufferId(const std::string&)>& bufferNamed,
    const std::vector<AuditedRunParts::Pool>& pools, std::vector<Finding>& findings) {
  const auto poolNamed = [&](const std::string& name) {
    const auto known = std::ranges::find(pools, name, &AuditedRunParts::Pool::name);
    const bool none = name.empty() || known == pools.end();
    return none ? PoolId() : PoolId(static_cast<std::size_t>(known - pools.begin()));
  };
  std::vector<AuditedRunParts::Moved> moves;
  for (const StatedMove& move : stated) {
    const AuditedRunParts::Moved moved{bufferNamed(move.tensor), poolNamed(move.from),
                                       poolNamed(move.to), move.step};
    const bool known = moved.buffer && moved.from != moved.to &&
                       bool(moved.from) != move.from.empty() && bool(moved.to) != move.to.empty();
    if (known) {
      moves.push_back(moved);
    } else {
      findings.push_back({fmt::format("{} is moved from {} to {} in step {}; expected a tensor "
                                      "that has a place, and two pools",
                                      inQuotes(move.tensor), inQuotes(move.from), inQuotes(move.to),
                                      move.step.count()),
                          move.where});
    }
  }
  std::ranges::stable_sort(moves, {}, &AuditedRunParts::Moved::step);
  return moves;
}

/// Faults of the moves of an assembled run: one without a place at either end, else what
/// its byte-level replay finds, which asks for every operand when it is read.
std::vector<Finding> auditMovedRun(const Run& run) {
  constexpr Bytes kArena{std::int64_t{256} << 20};
  std::vector<Finding> findings;
  for (const Move& move : run.problem.moves) {
    if (move.from || move.to) continue;
    findings.push_back({fmt::format(
        "{} is moved in step {}, but has no place at one end of the move then",
        inQuotes(displayName(run.graph(), run.storage.rootOf(move.buffer))), move.step.count())});
  }
  if (!findings.empty() || run.problem.moves.empty()) return findings;
  for (const Corruption& found : replayBytes(run, kArena)) {
    findings.push_back({fmt::format("in step {}, {}", found.step.count(), found.message)});
  }
  return findings;
}

/// Facts that the overlaps which a plan states are held against.
struct OverlapAudit {
  const Graph& graph;
  const Schedule& schedule;
  const Storage& storage;  ///< As the plan shares it.
  std::function<std::optional<TensorId>(const std::string&)> tensorNamed{};
  std::function<TensorId(const Holding&)> tensorOf{};
};

class OverlapAuditor {
 public:
  OverlapAuditor(const OverlapAudit& audit, std::vector<Holding>& holdings)
      : audit_(audit), holdings_(holdings) {}

  /// Trims the input's holding; why not, if it must not.
  std::string apply(const StatedOverlap& stated) {
    if (stated.way == OverlapWay::parts) return faultOfParts(stated);
    if (stated.step >= audit_.schedule.steps()) return "there is no such step";
    const Op& op = audit_.graph.ops[audit_.schedule.opAt(stated.step)];
    const auto script = rowScriptOf(audit_.graph, op);
    if (!script || !isNamed(stated.output, script->output) ||
        !isNamed(stated.input, script->input)) {
      return fmt::format("operator '{}' does not make it row by row of that",
                         printable(op.name.empty() ? op.type : op.name, 80));
    }
    const auto input = holdingOf(script->input, stated.step);
    const auto output = holdingOf(script->output, stated.step);
    if (!input || !output) return "one of them has no place in that step";
    const Holding& under = holdings_[*input];
    const Holding& over = holdings_[*output];
    if (under.steps.end != stated.step + Step(1)) return "the input is needed after it";
    if (under.pool != over.pool) return {};
    const auto spoiler =
        firstSpoiler(*script, placeOf(under, script->input), placeOf(over, script->output),
                     stated.way == OverlapWay::forward);
    if (spoiler) {
      return fmt::format("row {} of it would lie on bytes that are read after it is written",
                         *spoiler);
    }
    trim(*input, over.bytes, stated.step);
    return {};
  }

 private:
  /// Why the two are not there in parts; empty where they are. Each piece holds its own bytes.
  std::string faultOfParts(const StatedOverlap& stated) const {
    for (const std::string& name : {stated.output, stated.input}) {
      const auto named = audit_.tensorNamed(name);
      const BufferId buffer = named ? audit_.storage.bufferOf(*named) : BufferId();
      if (buffer && audit_.storage.tensorsOf(buffer).size() > 1) continue;
      return fmt::format("'{}' is not there in parts", printable(name, 80));
    }
    return {};
  }

  /// The tensor of that name shares a buffer with `tensor`.
  bool isNamed(const std::string& name, TensorId tensor) const {
    const auto named = audit_.tensorNamed(name);
    const BufferId buffer = audit_.storage.bufferOf(tensor);
    return named && buffer && audit_.storage.bufferOf(*named) == buffer;
  }

  /// Its own, or that of the whole buffer where only those are listed.
  std::optional<std::size_t> holdingOf(TensorId tensor, Step step) const {
    const TensorId root = audit_.storage.rootOf(audit_.storage.bufferOf(tensor));
    for (const TensorId wanted : {tensor, root}) {
      for (std::size_t i = 0; i < holdings_.size(); ++i) {
        const Holding& holding = holdings_[i];
        if (holding.steps.contains(step) && audit_.tensorOf(holding) == wanted) return i;
      }
    }
    return std::nullopt;
  }

  Bytes placeOf(const Holding& holding, TensorId tensor) const {
    return holding.bytes.begin - audit_.storage.offsetOf(audit_.tensorOf(holding)) +
           audit_.storage.offsetOf(tensor);
  }

  void trim(std::size_t at, Interval<Bytes> taken, Step step) {
    const Holding whole = holdings_[at];
    holdings_[at].steps.end = step;
    for (const Interval<Bytes>& part :
         {Interval<Bytes>{whole.bytes.begin, std::min(whole.bytes.end, taken.begin)},
          Interval<Bytes>{std::max(whole.bytes.begin, taken.end), whole.bytes.end}}) {
      if (part.empty()) continue;
      holdings_.push_back(whole);
      holdings_.back().bytes = part;
      holdings_.back().steps.begin = step;
    }
  }

  const OverlapAudit& audit_;
  std::vector<Holding>& holdings_;
};

/// `holdings`, in which each input holds, while an output is written over a part of it as the plan
/// states, the rest only. Stated overlaps that the graph does not allow, because the op is not made
/// of rows, or a row would lie on bytes that others still read (`firstSpoiler`), change nothing and
/// get a finding.
std::vector<Holding> withStatedOverlaps(const OverlapAudit& audit,
                                        const std::vector<StatedOverlap>& stated,
                                        std::vector<Holding> holdings,
                                        std::vector<Finding>& findings) {
  OverlapAuditor auditor(audit, holdings);
  for (const StatedOverlap& each : stated) {
    const std::string why = auditor.apply(each);
    if (why.empty()) continue;
    findings.push_back(
        {fmt::format("'{}' is said to overlap '{}' in step {}, but {}", printable(each.output, 80),
                     printable(each.input, 80), each.step.count(), why),
         each.where});
  }
  return holdings;
}

/// True if a tensor is where the model's own plan has it: what it shares with others of that kind
/// is its author's word, and no accident.
bool isDeclared(const Graph& graph, const Resolved& resolved) {
  const auto& own = graph.tensors[resolved.tensor].plannedOffset;
  return own && *own == resolved.placement->offset;
}

/// "'a' and 'b' share bytes 0-63 of L2 in step 3 (64 bytes)".
std::string overlapText(const Placement& first, const Holding& a, const Placement& second,
                        const Holding& b, const std::string& pool) {
  const Interval<Step> both = {std::max(a.steps.begin, b.steps.begin),
                               std::min(a.steps.end, b.steps.end)};
  const Interval<Bytes> bytes = {std::max(a.bytes.begin, b.bytes.begin),
                                 std::min(a.bytes.end, b.bytes.end)};
  return fmt::format("'{}' and '{}' share bytes {}-{} of {} in {} ({})",
                     printable(first.tensor, 80), printable(second.tensor, 80), bytes.begin.count(),
                     bytes.end.count() - 1, printable(pool, 40), spelledSteps(both),
                     countBytes(bytes.length()));
}

/// Longer chains of aliases are taken for a circle. Our own plans have chains of one; the limit
/// keeps a file with a chain through all its tensors from taking quadratic time.
constexpr std::size_t kLongestChain = 100;

class Auditor {
 public:
  Auditor(const std::shared_ptr<const Model>& model, const PlanDocument& plan,
          const AuditOptions& options, Schedule order)
      : model_(model),
        graph_(*model->graph),
        plan_(plan),
        options_(options),
        names_(graph_),
        alignment_(options.alignment.value_or(plan.alignment.value_or(Bytes(1)))),
        schedule_(std::move(order)),
        demands_(demandsOf(*model, schedule_, planInputs(), planOutputs())) {}

  Audit run() {
    namePools();
    resolve();
    readStorage();
    for (const Resolved& resolved : resolved_) checkPlacement(resolved);
    checkCoverage();
    checkOverlaps();
    checkConstraints();
    checkPools();
    checkClaims();
    audit_.tensors = static_cast<std::size_t>(
        std::ranges::count_if(demands_, [](const auto& demand) { return demand.has_value(); }));
    buildRun();
    return std::move(audit_);
  }

 private:
  bool planInputs() const { return options_.planInputs.value_or(plan_.planInputs.value_or(true)); }
  bool planOutputs() const {
    return options_.planOutputs.value_or(plan_.planOutputs.value_or(true));
  }

  void find(std::string message, std::string where = {}) {
    audit_.findings.push_back({std::move(message), std::move(where)});
  }

  void namePools() {
    for (const StatedPool& pool : plan_.pools) audit_.pools.push_back({.name = pool.name});
    if (audit_.pools.empty()) audit_.pools.push_back({.name = "L2"});
  }

  /// The pool of a placement; an unnamed one is the first. Adds pools that the plan did not list.
  std::size_t poolOf(const Placement& placement) {
    if (placement.pool.empty()) return 0;
    const auto known = std::ranges::find(audit_.pools, placement.pool, &AuditedPool::name);
    if (known == audit_.pools.end()) {
      if (!plan_.pools.empty()) {
        find(fmt::format("{} is placed in pool {}, which the plan does not list",
                         inQuotes(placement.tensor), inQuotes(placement.pool)),
             placement.where);
      }
      audit_.pools.push_back({.name = placement.pool});
      return audit_.pools.size() - 1;
    }
    return static_cast<std::size_t>(known - audit_.pools.begin());
  }

  std::optional<TensorId> tensorNamed(const std::string& name) const {
    if (model_->problem) return names_.find(name);
    if (plan_.byId) return names_.findId(name);
    const auto named = names_.find(name);
    return named ? named : names_.findId(name);
  }

  void resolve() {
    for (const Placement& placement : plan_.placements) {
      const auto tensor = tensorNamed(placement.tensor);
      if (!tensor) {
        find(fmt::format("{} is placed, but the model has no such tensor",
                         inQuotes(placement.tensor)),
             placement.where);
        continue;
      }
      resolved_.push_back({&placement, *tensor, *tensor});
    }
    placed_ = IdMap<TensorId, const Resolved*>(graph_.tensors.size(), nullptr);
    for (const Resolved& resolved : resolved_) {
      if (placed_[resolved.tensor] == nullptr) placed_[resolved.tensor] = &resolved;
    }
    for (Resolved& resolved : resolved_) resolved.root = rootOf(resolved);
  }

  /// Follows `alias_of` to the tensor that has memory of its own, or that only has parts: of a
  /// tensor that is never there as a whole a plan lists the parts alone.
  TensorId rootOf(const Resolved& start) {
    const Resolved* at = &start;
    for (std::size_t hops = 0; !at->placement->aliasOf.empty(); ++hops) {
      const auto next = tensorNamed(at->placement->aliasOf);
      const bool circle = hops >= kLongestChain;
      if (!circle && next && placed_[*next] == nullptr && !demands_[*next]) {
        firstParts_.try_emplace(*next, &start);
        return *next;
      }
      if (circle || !next || placed_[*next] == nullptr) {
        find(fmt::format("{} is an alias of {}, {}", inQuotes(start.placement->tensor),
                         inQuotes(circle ? start.placement->aliasOf : at->placement->aliasOf),
                         circle ? "and so on without end" : "which has no placement"),
             start.placement->where);
        return start.tensor;
      }
      at = placed_[*next];
    }
    return at->tensor;
  }

  void readStorage() {
    aliases_.explains = model_->problem.has_value();
    if (aliases_.explains) return;  // Nothing is shared.
    AliasQuestion question{.rules = rulesToTry(plan_), .buffersOnly = plan_.buffersOnly};
    question.options = {.planInputs = planInputs(),
                        .planOutputs = planOutputs(),
                        .alignment = alignment_,
                        .homes = statedHomes({graph_, plan_, resolved_, demands_}, options_)};
    if (options_.alias) question.rules = {*options_.alias};
    aliases_ = readAliases(graph_, schedule_, resolved_, question);
    dropIdleScratch(graph_, aliases_.storage, demands_);
    if (plan_.buffersOnly) impliedAliases();
    if (plan_.moves.empty()) return;
    aliases_.storage = withPlacedWeights(graph_, schedule_, std::move(aliases_.storage), resolved_);
  }

  /// A CSV lists whole buffers; the tensors inside them are where the model says.
  void impliedAliases() {
    for (const TensorId id : graph_.tensors.keys()) {
      if (!aliases_.storage.bufferOf(id) || placed_[id] != nullptr) continue;
      if (placed_[rootOfImplied(id)] != nullptr) implied_.insert(id);
    }
  }

  void checkPlacement(const Resolved& resolved) {
    const Placement& placement = *resolved.placement;
    const auto& demand = demands_[resolved.tensor];
    const std::size_t pool = poolOf(placement);
    const Bytes size = placement.size.value_or(demand ? demand->size : Bytes());
    const bool own = resolved.root == resolved.tensor;
    const Bytes alignment = placement.alignment.value_or(alignment_);
    if (own && !isAligned(placement.offset, alignment)) {
      find(fmt::format("{} is at offset {}, which is not a multiple of {}",
                       inQuotes(placement.tensor), placement.offset.count(), alignment.count()),
           placement.where);
    }
    demand ? checkSize(placement, *demand, alignment) : remarkUnneeded(resolved);
    const bool shares = own || checkAlias(resolved, pool);
    const Interval<Step> steps = statedSteps(placement, demand);
    // A piece may lie in several stretches: it holds all from the first to the last.
    const bool piece = pieceOf(graph_, resolved.tensor) != nullptr;
    const Bytes held = piece ? std::max(size, extentOf(graph_, resolved.tensor).length()) : size;
    holdings_.push_back({.owner = static_cast<std::size_t>(&resolved - resolved_.data()),
                         .group = (shares ? resolved.root : resolved.tensor).index(),
                         .pool = pool,
                         .bytes = {placement.offset, placement.offset + held},
                         .steps = steps});
    AuditedPool& total = audit_.pools[pool];
    total.top = std::max(total.top, placement.offset + held);
    ++total.placements;
  }

  void remarkUnneeded(const Resolved& resolved) {
    const Tensor& tensor = graph_.tensors[resolved.tensor];
    if (tensor.constant && aliases_.storage.bufferOf(resolved.tensor)) return;
    const char* why = tensor.constant     ? "is a weight"
                      : tensor.persistent ? "keeps its value from run to run"
                      : !tensor.bytes     ? "has no known size in the model"
                                          : "needs no place";
    audit_.remarks.push_back(
        fmt::format("{} is placed although it {}", inQuotes(resolved.placement->tensor), why));
  }

  void checkSize(const Placement& placement, const Demand& demand, Bytes alignment) {
    const Bytes size = placement.size.value_or(demand.size);
    // Rounded up or not: plans from elsewhere have either.
    if (size >= demand.size && size <= alignUp(demand.size, alignment)) return;
    find(fmt::format("{} is given {} bytes; the model says {}", inQuotes(placement.tensor),
                     groupDigits(size.count()), groupDigits(demand.size.count())),
         placement.where);
  }

  /// True if the model lets the two share memory this way.
  bool checkAlias(const Resolved& resolved, std::size_t pool) {
    const Placement& placement = *resolved.placement;
    const auto first = firstParts_.find(resolved.root);
    const Resolved& root = first == firstParts_.end() ? *placed_[resolved.root] : *first->second;
    const auto refuse = [&](const std::string& why) {
      find(fmt::format("{} is an alias of {}, but {}", inQuotes(placement.tensor),
                       inQuotes(placement.aliasOf), why),
           placement.where);
      return false;
    };
    const Storage& storage = aliases_.storage;
    const BufferId buffer = storage.bufferOf(resolved.tensor);
    if (!buffer || storage.bufferOf(resolved.root) != buffer) {
      return refuse("the model does not let them share memory");
    }
    // The checks of the moves say who is where, if buffers move.
    if (!plan_.moves.empty()) return true;
    if (pool != poolOf(*root.placement)) return refuse("they are in different pools");
    const Bytes distance = placement.offset - root.placement->offset;
    const Bytes right = storage.offsetOf(resolved.tensor) - storage.offsetOf(root.tensor);
    if (distance == right) return true;
    return refuse(
        fmt::format("it starts {} bytes after it instead of {}", distance.count(), right.count()));
  }

  /// Every tensor has a place in every step in which it is needed.
  void checkCoverage() {
    IdMap<TensorId, std::vector<Interval<Step>>> held(graph_.tensors.size());
    for (const Holding& holding : holdings_) {
      held[resolved_[holding.owner].tensor].push_back(holding.steps);
    }
    for (const TensorId id : graph_.tensors.keys()) {
      const auto& demand = demands_[id];
      if (!demand) continue;
      // A replay asks for each operand when it is read, if buffers move.
      const bool moves = !plan_.moves.empty();
      if (moves && aliases_.storage.bufferOf(id) && rootOfImplied(id) != id) continue;
      const TensorId holder = implied_.contains(id) ? rootOfImplied(id) : id;
      if (held[holder].empty()) {
        find(fmt::format("{} has no place; it needs {} bytes in {}", inQuotes(names_.of(id)),
                         groupDigits(demand->size.count()),
                         spelledSteps({demand->steps.front().begin, demand->steps.back().end})));
        continue;
      }
      if (moves) continue;
      std::ranges::sort(held[holder]);
      for (const Interval<Step>& steps : demand->steps) checkHeld(id, steps, held[holder]);
    }
  }

  TensorId rootOfImplied(TensorId id) const {
    return aliases_.storage.rootOf(aliases_.storage.bufferOf(id));
  }

  void checkHeld(TensorId id, const Interval<Step>& needed,
                 const std::vector<Interval<Step>>& held) {
    Step covered = needed.begin;
    for (const Interval<Step>& steps : held) {
      if (steps.begin <= covered) covered = std::max(covered, steps.end);
    }
    if (covered >= needed.end) return;
    find(fmt::format("{} is needed in {}, but has no place in step {}", inQuotes(names_.of(id)),
                     spelledSteps(needed), covered.count()));
  }

  /// Holdings of the stretches in which pieces lie, or, where those are very many, of all from the
  /// first to the last.
  std::vector<Holding> heldStretches() const {
    constexpr std::size_t kMost = 2'000'000;
    const bool inParts = std::ranges::find(plan_.overlaps, OverlapWay::parts,
                                           &StatedOverlap::way) != plan_.overlaps.end();
    std::vector<Holding> held;
    for (const Holding& holding : holdings_) {
      const TensorId tensor = resolved_[holding.owner].tensor;
      held.push_back(holding);
      if (pieceOf(graph_, tensor) == nullptr || (held.size() > kMost && !inParts)) continue;
      held.pop_back();
      const Bytes host = holding.bytes.begin - extentOf(graph_, tensor).begin;
      for (const Interval<Bytes>& each : stretchesOf(graph_, tensor)) {
        held.push_back(holding);
        held.back().bytes = {host + each.begin, host + each.end};
      }
    }
    return held;
  }

  std::vector<Holding> sharedHoldings() {
    if (model_->problem) return holdings_;
    if (plan_.overlaps.empty()) return heldStretches();
    const OverlapAudit audit{graph_, schedule_, aliases_.storage,
                             [&](const std::string& name) { return tensorNamed(name); },
                             [&](const Holding& held) { return resolved_[held.owner].tensor; }};
    return withStatedOverlaps(audit, plan_.overlaps, heldStretches(), audit_.findings);
  }

  void checkOverlaps() {
    const std::vector<Holding> held = sharedHoldings();
    HoldingCheck check = checkHoldings(held, audit_.pools.size());
    if (model_->rules) permits_.emplace(*model_->rules, aliases_.storage);
    if (permits_ && !permits_->empty()) check.conflicts = everyConflict(held);
    audit_.lowerBound = check.peakLive;
    if (severalAtOnce()) {  // `checkConstraints` looks at every pair.
      audit_.lowerBound = lowerBound(*model_->problem);
      if (plan_.moves.empty()) checkPlacedTwice();
      return;
    }
    for (const auto& [a, b] : check.conflicts) {
      const Resolved &first = resolved_[a.owner], &second = resolved_[b.owner];
      std::string shared =
          overlapText(*first.placement, a, *second.placement, b, audit_.pools[a.pool].name);
      const std::string_view permission = permissionOf(a, b);
      if (permission.empty()) {
        find(std::move(shared), second.placement->where);
        continue;
      }
      declared_ = true;
      audit_.remarks.push_back(fmt::format("{}: {}", permission, shared));
    }
    if (plan_.moves.empty()) checkPlacedTwice();
  }

  /// A word on why two share bytes in the plan that came with the model; empty: they must not. The
  /// rows of a problem mean no overlap, but for what is written as the last step of the other.
  std::string_view permissionOf(const Holding& a, const Holding& b) const {
    const Storage& storage = aliases_.storage;
    if (permits_ && permits_->mayShare(storage.bufferOf(resolved_[a.owner].tensor),
                                       storage.bufferOf(resolved_[b.owner].tensor))) {
      return "permitted by a constraint";
    }
    if (plan_.allocator != "embedded") return {};
    if (!model_->problem) {
      const bool declared =
          isDeclared(graph_, resolved_[a.owner]) && isDeclared(graph_, resolved_[b.owner]);
      return declared ? "declared overlap" : "";
    }
    const bool follows = a.steps.begin + Step(1) == b.steps.end && a.steps.begin > b.steps.begin;
    const bool precedes = b.steps.begin + Step(1) == a.steps.end && b.steps.begin > a.steps.begin;
    return follows || precedes ? "legal if one is made row by row of the other" : "";
  }

  /// True if constraints let some have the same bytes at the same step.
  bool severalAtOnce() const { return model_->problem && letsShare(*model_->problem); }

  /// The pool and the offset that the problem has for a stay, if any.
  void checkOwnPlace(StayId id, const Placement& placement, PoolId pool) {
    const Problem& problem = *model_->problem;
    const Stay& stay = problem.stays[id];
    if (stay.pool && stay.pool != pool) {
      find(fmt::format("{} is in {}; the problem has it in {}", inQuotes(placement.tensor),
                       inQuotes(placement.pool), inQuotes(problem.pools[stay.pool].name)),
           placement.where);
    }
    if (stay.pinned && *stay.pinned != placement.offset) {
      find(fmt::format("{} is at offset {}; the problem pins it to {}", inQuotes(placement.tensor),
                       groupDigits(placement.offset.count()), groupDigits(stay.pinned->count())),
           placement.where);
    }
  }

  /// The problem, and behind its pools those that only the plan names: a finding where the problem
  /// brings its own.
  Problem withStatedPools() {
    Problem problem = *model_->problem;
    for (const AuditedPool& pool : audit_.pools) {
      if (std::ranges::find(problem.pools, pool.name, &ProblemPool::name) != problem.pools.end()) {
        continue;
      }
      problem.pools.add({.name = pool.name});
      if (!problem.ownPools || pool.placements == 0) continue;
      find(fmt::format("the plan places buffers in {}; the problem has no such pool",
                       inQuotes(pool.name)));
    }
    return problem;
  }

  /// Adds the places of tensors that plans of whole buffers do not list.
  void addImplied(std::vector<TensorPlace>& places) const {
    std::map<TensorId, std::vector<TensorPlace>> byRoot;
    for (const TensorPlace& place : places) byRoot[place.tensor].push_back(place);
    for (const TensorId id : implied_) {
      const auto root = byRoot.find(rootOfImplied(id));
      if (root == byRoot.end() || !demands_[id]) continue;
      for (TensorPlace place : root->second) {
        place.tensor = id;
        place.bytes.begin += aliases_.storage.offsetOf(id);
        place.bytes.end = place.bytes.begin + demands_[id]->size;
        places.push_back(place);
      }
    }
  }

  void checkTensorRules() {
    std::vector<TensorPlace> places;
    for (const Holding& holding : holdings_) {
      places.push_back(
          {resolved_[holding.owner].tensor, audit_.pools[holding.pool].name, holding.bytes});
    }
    addImplied(places);
    TensorRulesCheck check = hw::checkTensorRules(*model_->rules, names_, aliases_.storage, places);
    for (std::string& each : check.broken) find(std::move(each));
    if (check.penalty == 0) return;
    audit_.remarks.push_back(fmt::format("penalties of {} are paid", groupDigits(check.penalty)));
  }

  /// Holds the places of a planning problem against its constraints.
  void checkConstraints() {
    if (model_->rules) checkTensorRules();
    if (!model_->problem) return;
    const Problem problem = withStatedPools();
    IdMap<TensorId, StayId> stayOf(graph_.tensors.size());
    for (const StayId id : problem.stays.keys()) {
      stayOf[TensorId(problem.stays[id].buffer.index())] = id;
    }
    Plan plan{.addresses = IdMap<StayId, std::optional<Address>>(problem.stays.size())};
    std::vector<StayId> placed;
    for (const Holding& holding : holdings_) {
      const StayId id = stayOf[resolved_[holding.owner].tensor];
      const auto pool =
          std::ranges::find(problem.pools, audit_.pools[holding.pool].name, &ProblemPool::name);
      if (!id) continue;
      const PoolId there(static_cast<std::size_t>(pool - problem.pools.begin()));
      const Address address{there, RegionId(0), holding.bytes.begin};
      const Placement& placement = *resolved_[holding.owner].placement;
      if (!plan.addresses[id]) {
        plan.addresses[id] = address;
        placed.push_back(id);
        checkOwnPlace(id, placement, there);
      } else if (plan.addresses[id] != address) {
        find(fmt::format("{} has two addresses; after a gap a buffer comes back to the same",
                         inQuotes(placement.tensor)),
             placement.where);
      }
    }
    if (!isConstrained(problem)) return;
    const IdMap<PoolId, IdMap<RegionId, Bytes>> starts(problem.pools.size(), {Bytes()});
    const auto name = [&](StayId id) {
      return inQuotes(names_.of(TensorId(problem.stays[id].buffer.index())));
    };
    for (Violation& each : auditConstrainedPlan(problem, plan, placed, starts, name)) {
      find(std::move(each.message));
    }
  }

  std::string_view deviceOf(const Holding& holding) const {
    return deviceOfPool(audit_.pools[holding.pool].name);
  }

  /// Two places at once would have to be kept equal by somebody; only a copy to another device is.
  void checkPlacedTwice() {
    std::vector<const Holding*> order;
    for (const Holding& holding : holdings_) order.push_back(&holding);
    const auto tensor = [&](const Holding* holding) { return resolved_[holding->owner].tensor; };
    std::ranges::stable_sort(order, [&](const Holding* a, const Holding* b) {
      return std::pair(tensor(a), a->steps) < std::pair(tensor(b), b->steps);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (tensor(order[i - 1]) != tensor(order[i])) continue;
      if (!order[i - 1]->steps.overlaps(order[i]->steps)) continue;
      if (deviceOf(*order[i - 1]) != deviceOf(*order[i])) continue;
      const Placement& placement = *resolved_[order[i]->owner].placement;
      find(fmt::format("{} has two places at once in step {}", inQuotes(placement.tensor),
                       order[i]->steps.begin.count()),
           placement.where);
    }
  }

  void checkPools() {
    for (const AuditedPool& pool : audit_.pools) {
      const auto stated = std::ranges::find(plan_.pools, pool.name, &StatedPool::name);
      Bytes peak = pool.top;
      std::optional<Bytes> capacity;
      if (stated != plan_.pools.end()) {
        capacity = stated->capacity;
        if (stated->peak && *stated->peak < pool.top) {
          find(fmt::format("{} is used up to byte {}, but its stated peak is {}",
                           printable(pool.name, 40), pool.top.count(), stated->peak->count()));
        }
        peak = std::max(peak, stated->peak.value_or(Bytes()));
      }
      if (const auto given = options_.capacities.find(pool.name);
          given != options_.capacities.end()) {
        capacity = std::min(given->second, capacity.value_or(given->second));
      }
      if (capacity && peak > *capacity) {
        find(fmt::format("{} needs {} bytes, {} more than its capacity of {}",
                         printable(pool.name, 40), groupDigits(peak.count()),
                         groupDigits((peak - *capacity).count()), groupDigits(capacity->count())));
      }
    }
  }

  void checkDsaClaims(const StatedDsa& claims, const DsaProblem& dsa) {
    const auto remark = [&](const char* what, const std::string& theirs, const std::string& ours) {
      if (theirs == ours) return;
      audit_.remarks.push_back(
          fmt::format("the plan was made for a problem of {} {}; that of this one is {}", what,
                      inQuotes(theirs), inQuotes(ours)));
    };
    remark("instance", claims.instance, dsa.instance);
    remark("profile", claims.profile, dsa.profile);
    remark("fingerprint", claims.fingerprint, dsaFingerprint(dsa));
  }

  void checkClaims() {
    if (!plan_.modelSha256.empty() && !model_->sha256.empty() &&
        plan_.modelSha256 != model_->sha256) {
      audit_.remarks.emplace_back(
          "the plan was made for a file with another SHA-256 than this model");
    }
    if (plan_.dsa && model_->dsa) checkDsaClaims(*plan_.dsa, *model_->dsa);
    Bytes peaks;
    for (const StatedPool& pool : plan_.pools) peaks += pool.peak.value_or(Bytes());
    const bool allPeaks = std::ranges::all_of(
        plan_.pools, [](const StatedPool& pool) { return pool.peak.has_value(); });
    if (plan_.lowerBound && !plan_.pools.empty() && allPeaks && *plan_.lowerBound > peaks) {
      find(fmt::format("the stated lower bound {} is above the stated peaks, {} together",
                       plan_.lowerBound->count(), peaks.count()));
    }
  }

  void buildRun() {
    // Buffers that overlap on purpose are not kept apart: a replay would only find that.
    if (!aliases_.explains || declared_) return;
    AuditedRunParts parts{model_, schedule_, alignment_, aliases_.storage};
    for (const AuditedPool& pool : audit_.pools) parts.pools.push_back({pool.name, pool.top});
    parts.places.resize(graph_.tensors.size());
    for (const Holding& holding : holdings_) {
      const Address address{PoolId(holding.pool), RegionId(0), holding.bytes.begin};
      parts.places[resolved_[holding.owner].tensor].push_back({address, holding.steps});
    }
    const auto bufferNamed = [&](const std::string& name) {
      return aliases_.storage.bufferOf(tensorNamed(name).value_or(TensorId()));
    };
    parts.moves = resolveMoves(plan_.moves, bufferNamed, parts.pools, audit_.findings);
    audit_.run = assembleRun(std::move(parts));
    if (audit_.run && audit_.findings.empty()) audit_.findings = auditMovedRun(*audit_.run);
  }

  std::shared_ptr<const Model> model_;
  const Graph& graph_;
  const PlanDocument& plan_;
  const AuditOptions& options_;
  TensorNames names_;
  Bytes alignment_;
  Schedule schedule_;
  IdMap<TensorId, std::optional<Demand>> demands_;
  std::vector<Resolved> resolved_;
  IdMap<TensorId, const Resolved*> placed_;
  std::map<TensorId, const Resolved*> firstParts_;  ///< Of tensors that only have parts.
  std::set<TensorId> implied_;
  AliasReading aliases_;
  std::vector<Holding> holdings_;
  std::optional<TensorPermits> permits_;  ///< Of a graph with rules about its tensors.
  bool declared_ = false;                 ///< Some overlap, and the model's own plan means it.
  Audit audit_;
};

Audit auditNamed(const std::shared_ptr<const Model>& model, const PlanDocument& plan,
                 const AuditOptions& options) {
  auto program = statedProgram(model, plan);
  if (!program) return {.findings = {{"the order it was made for: " + program.error().message}}};
  return Auditor(program->model, plan, options, std::move(program->schedule)).run();
}

}  // namespace

Audit auditPlan(const std::shared_ptr<const Model>& model, const PlanDocument& plan,
                const AuditOptions& options) {
  if (plan.dsa) {
    const auto named = namedDsaPlan(plan, *model);
    if (!named) return {.findings = {{named.error().message}}};
    return auditNamed(model, *named, options);
  }
  return auditNamed(model, plan, options);
}

}  // namespace hw
