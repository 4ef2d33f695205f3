#include <fmt/format.h>

#include <algorithm>

#include "core/solver/placer.h"

namespace hw {
namespace {

std::string_view ruleText(FitRule rule) {
  return rule == FitRule::first  ? "the lowest gap that is large enough"
         : rule == FitRule::best ? "the tightest gap, the lowest of equals"
                                 : "on top of the highest neighbour: gaps are not used";
}

/// Why the gap that begins at the candidate's address was not taken, though it is free.
void reject(Candidate& gap, Bytes slack, Bytes padding, FitRule rule, const Candidate* taken) {
  if (slack < Bytes()) {
    gap.verdict = Verdict::tooSmall;
    gap.reason = countBytes(Bytes() - slack) + " too small";
    if (padding > Bytes()) gap.reason += " once aligned";
  } else if (rule == FitRule::stacked) {
    gap.verdict = Verdict::notAllowed;
    gap.reason = "large enough, but this method never goes below a neighbour";
  } else {
    gap.verdict = Verdict::lessGood;
    const bool higher = taken != nullptr && taken->address < gap.address;
    gap.reason = rule == FitRule::first ? "large enough, but higher"
                 : higher               ? "not tighter, and higher"
                                        : "a looser fit";
    gap.reason += fmt::format(": {} to spare", countBytes(slack));
  }
}

}  // namespace

/// The neighbours in time, by address, whatever keeps them.
std::vector<Placer::Block> Placer::neighboursOf(StayId id) const {
  std::vector<Block> blocks;
  if (dense_) {
    placed_.forEachAlive(lives_[id.index()], [&](const Block& block) {
      if (problem_.gaps.empty() || neighbours_.liveTogether(id, block.stay)) {
        blocks.push_back(block);
      }
      return true;
    });
    return blocks;
  }
  std::vector<StayId> together;
  neighbours_.query(id, together);
  for (const StayId other : together) blocks.push_back(blockFor(id, other));
  std::ranges::sort(blocks, {},
                    [](const Block& block) { return std::pair(block.bytes, block.stay); });
  return blocks;
}

Decision Placer::decide(StayId id, FitRule rule) {
  const std::vector<Block> blocks = neighboursOf(id);
  const Bytes offset = place(id, rule);
  const Stay& stay = problem_.stays[id];
  const PoolId pool = problem_.poolOf(id);
  Decision decision{.stay = id, .decided = std::string(ruleText(rule))};
  const Candidate taken{.address = Address{pool, RegionId(0), offset}};
  Bytes top;
  StayId under;
  const auto addGap = [&](std::optional<Bytes> end, StayId above) {
    const Bytes at = alignUp(top, stay.alignment);
    Candidate gap{.kind = end ? "gap" : "above all neighbours",
                  .address = Address{pool, RegionId(0), at}};
    if (end) gap.room = *end - top;
    for (const StayId wall : {under, above}) {
      if (wall) gap.because.push_back(wall);
    }
    const bool fits = !end || (rule != FitRule::stacked && at + stay.size <= *end);
    if (at == offset && fits) {
      gap.reason = end ? countBytes(*end - at - stay.size) + " to spare" : "nothing is above it";
    } else if (end) {
      reject(gap, *end - at - stay.size, at - top, rule, &taken);
    } else {
      gap.verdict = Verdict::lessGood;
      gap.reason = "gaps come first";
    }
    addCandidate(decision, std::move(gap));
  };
  for (const Block& block : blocks) {
    if (block.bytes.begin > top) addGap(block.bytes.begin, block.stay);
    if (block.bytes.end < top) continue;
    top = block.bytes.end;
    under = block.stay;
  }
  addGap(std::nullopt, {});
  const bool above = decision.candidates.back().verdict == Verdict::chosen;
  if (blocks.empty()) {
    decision.decided = "no placed neighbour is live at the same time: the bottom";
  } else if (above && rule != FitRule::stacked) {
    decision.decided = decision.candidates.size() > 1
                           ? "no gap is large enough: on top of the highest neighbour"
                           : "its neighbours leave no gap: on top of the highest";
  }
  return decision;
}

std::optional<Decision> decideInOrder(Placer& placer, const Problem& problem,
                                      const std::vector<StayId>& order, const OrderRule& rule,
                                      StayId stay) {
  for (const StayId id : placer.stays()) {
    if (problem.stays[id].pinned) placer.fix(id, *problem.stays[id].pinned);
  }
  std::size_t turn = 0;
  for (const StayId id : order) {
    if (problem.stays[id].pinned) continue;
    ++turn;
    if (id != stay) {
      placer.place(id, rule.fit);
      continue;
    }
    Decision decision = placer.decide(id, rule.fit);
    decision.when = fmt::format("placed {} of {}, {}", ordinal(turn), order.size(), rule.name);
    return decision;
  }
  return std::nullopt;
}

}  // namespace hw
