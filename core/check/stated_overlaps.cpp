#include "core/check/stated_overlaps.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/check/row_replay.h"

namespace hw {
namespace {

class OverlapAuditor {
 public:
  OverlapAuditor(const OverlapAudit& audit, std::vector<Holding>& holdings)
      : audit_(audit), holdings_(holdings) {}

  /// Trims the input's holding; why not, if it must not.
  std::string apply(const StatedOverlap& stated) {
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
    const auto spoiler = firstSpoiler(*script, placeOf(under, script->input),
                                      placeOf(over, script->output), stated.forward);
    if (spoiler) {
      return fmt::format("row {} of it would lie on bytes that are read after it is written",
                         *spoiler);
    }
    trim(*input, over.bytes, stated.step);
    return {};
  }

 private:
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

}  // namespace

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

bool isDeclared(const PlanDocument& plan, const Graph& graph, const Resolved& resolved) {
  const auto& own = graph.tensors[resolved.tensor].plannedOffset;
  return plan.allocator == "embedded" && own && *own == resolved.placement->offset;
}

std::string overlapText(const Placement& first, const Holding& a, const Placement& second,
                        const Holding& b, const std::string& pool) {
  const Interval<Step> both = {std::max(a.steps.begin, b.steps.begin),
                               std::min(a.steps.end, b.steps.end)};
  return fmt::format("'{}' and '{}' share bytes {}-{} of {} in {}", printable(first.tensor, 80),
                     printable(second.tensor, 80), std::max(a.bytes.begin, b.bytes.begin).count(),
                     std::min(a.bytes.end, b.bytes.end).count() - 1, printable(pool, 40),
                     spelledSteps(both));
}

}  // namespace hw
