#include "core/plan/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/plan/constraint_use.h"
#include "core/plan/overlap_use.h"

namespace hw {
namespace {

/// A stay that is live at the same time as the one in question, and its bytes in their region.
struct Wall {
  Interval<Bytes> bytes{};
  StayId stay{};
  friend auto operator<=>(const Wall&, const Wall&) = default;
};

bool liveTogether(const std::vector<Interval<Step>>& a, const std::vector<Interval<Step>>& b) {
  return std::ranges::any_of(a, [&](const Interval<Step>& left) {
    return std::ranges::any_of(b,
                               [&](const Interval<Step>& right) { return left.overlaps(right); });
  });
}

class Judge {
 public:
  Judge(const Problem& problem, const Plan& plan, StayId id)
      : problem_(problem), plan_(plan), stay_(problem.stays[id]), place_(*plan.addresses[id]) {
    decision_.stay = id;
    decision_.fromPlan = true;
  }

  Decision judge() {
    collectWalls();
    const auto& regions = plan_.regions[place_.pool];
    for (const RegionId region : regions.keys()) lookAt(region, regions[region]);
    const auto& list = decision_.candidates;
    const auto lower =
        static_cast<std::size_t>(std::ranges::count_if(list, [&](const Candidate& c) {
          return c.verdict != Verdict::taken && c.verdict != Verdict::chosen && c.address < place_;
        }));
    const auto free =
        static_cast<std::size_t>(std::ranges::count(list, Verdict::lessGood, &Candidate::verdict));
    decision_.decided =
        free > 0 ? fmt::format(
                       "{} would have been free during its whole life; the method did not take {}",
                       free == 1 ? "another place" : fmt::format("{} other places", free),
                       free == 1 ? "it" : "them")
        : lower > 0 ? std::string("every lower gap is too small while it lives")
                    : std::string("no lower address is free during its whole life");
    if (overlaps_) {
      decision_.decided = overlapText(problem_, plan_, decision_.stay);
    } else if (under_) {
      decision_.decided = "it is written over an input that dies in its operator";
    } else if (place_.offset == Bytes() && free == 0) {
      decision_.decided = "it lies at the bottom";
    } else {
      decision_.decided += boundText() + nextLowerText();
    }
    return std::move(decision_);
  }

 private:
  /// The permission for the two to share bytes; null: there is none.
  const Overlap* overlapWith(StayId other) const {
    const Overlap* own = problem_.overlapOf(decision_.stay);
    if (own && own->under == other) return own;
    const Overlap* its = problem_.overlapOf(other);
    return its && its->under == decision_.stay ? its : nullptr;
  }

  /// The reason why it does not lie lower in its own gap: nothing, or who is below.
  std::string boundText() const {
    const Candidate* chosen = decision_.chosen();
    if (chosen == nullptr || chosen->because.empty()) return {};
    const StayId below = chosen->because.front();
    const Bytes end = plan_.addresses[below]->offset + problem_.stays[below].size;
    if (end > place_.offset) return {};  // That is the one above: the gap begins at the bottom.
    const Bytes spare = place_.offset - alignUp(end, stay_.alignment);
    const Interval<Step>& steps = problem_.stays[below].steps;
    return spare > Bytes()
               ? fmt::format(
                     "; it could lie {} lower in its own gap, which would not have made "
                     "the whole lower",
                     countBytes(spare))
               : fmt::format("; bounded below by what is live in steps {} to {}",
                             groupDigits(steps.begin.count()), groupDigits(steps.end.count() - 1));
  }

  /// The bytes that the nearest lower gap lacks, in words.
  std::string nextLowerText() const {
    const Candidate* next = nullptr;
    for (const Candidate& each : decision_.candidates) {
      const bool lower = each.verdict == Verdict::tooSmall && each.address < place_;
      if (lower && (next == nullptr || next->address < each.address)) next = &each;
    }
    if (next == nullptr) return {};
    return fmt::format("; the next lower place, at {}, would have needed {} more",
                       groupDigits(next->address->offset.count()),
                       countBytes(stay_.size - std::min(stay_.size, *next->room)));
  }

  bool isInTheWay(StayId other, const std::vector<Interval<Step>>& live) const {
    if (!problem_.constraints.empty()) return inConflict(problem_, decision_.stay, other);
    return problem_.stays[other].steps.overlaps(stay_.steps) &&
           liveTogether(live, problem_.liveSteps(other));
  }

  void collectWalls() {
    walls_.resize(plan_.regions[place_.pool].size());
    const auto live = problem_.liveSteps(decision_.stay);
    for (const StayId other : problem_.stays.keys()) {
      const auto& at = plan_.addresses[other];
      if (other == decision_.stay || !at || at->pool != place_.pool) continue;
      if (!isInTheWay(other, live)) continue;
      const Bytes end = at->offset + problem_.stays[other].size;
      const bool shares = at->region == place_.region && at->offset < place_.offset + stay_.size &&
                          place_.offset < end;
      if (shares && overlapWith(other)) {
        overlaps_ = overlapWith(other);
      } else if (shares) {
        under_ = true;  // An input that the stay is written over.
      } else {
        walls_[at->region.index()].push_back({{at->offset, end}, other});
      }
    }
    for (auto& walls : walls_) std::ranges::sort(walls);
  }

  /// The gaps of one region, from the bottom to its end.
  void lookAt(RegionId region, Bytes size) {
    Bytes top;
    StayId below;
    for (const Wall& wall : walls_[region.index()]) {
      addGap(region, {top, wall.bytes.begin}, below, wall.stay);
      if (wall.bytes.end > top) {
        top = wall.bytes.end;
        below = wall.stay;
      }
    }
    addGap(region, {top, size}, below, {});
  }

  void addGap(RegionId region, Interval<Bytes> gap, StayId below, StayId above) {
    if (gap.empty()) return;
    const Bytes at = alignUp(gap.begin, stay_.alignment);
    Candidate candidate{
        .kind = "gap", .address = Address{place_.pool, region, at}, .room = gap.length()};
    for (const StayId wall : {below, above}) {
      if (wall) candidate.because.push_back(wall);
    }
    const bool here = region == place_.region && gap.begin <= place_.offset &&
                      place_.offset + stay_.size <= gap.end;
    if (here) {
      candidate.verdict = Verdict::chosen;
      candidate.address = place_;
      candidate.reason =
          fmt::format("{} of its {} are left over",
                      groupDigits((gap.length() - stay_.size).count()), countBytes(gap.length()));
    } else if (at + stay_.size > gap.end) {
      candidate.verdict = Verdict::tooSmall;
      candidate.reason = fmt::format("{} too small", countBytes(at + stay_.size - gap.end));
    } else {
      candidate.verdict = Verdict::lessGood;
      candidate.reason = "free during its whole life; not taken";
    }
    addCandidate(decision_, std::move(candidate));
  }

  const Problem& problem_;
  const Plan& plan_;
  const Stay& stay_;
  Address place_;
  Decision decision_;
  const Overlap* overlaps_ = nullptr;     ///< By which it shares bytes.
  bool under_ = false;                    ///< It shares the bytes of another.
  std::vector<std::vector<Wall>> walls_;  ///< By region.
};

}  // namespace

std::string_view verdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 6> kNames = {"chosen",        "too small", "taken",
                                                      "over capacity", "less good", "not allowed"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const Candidate* Decision::chosen() const {
  const auto found = std::ranges::find(candidates, Verdict::chosen, &Candidate::verdict);
  return found == candidates.end() ? nullptr : &*found;
}

void addCandidate(Decision& decision, Candidate candidate) {
  if (decision.candidates.size() < kMaxCandidates || candidate.verdict == Verdict::chosen) {
    decision.candidates.push_back(std::move(candidate));
  } else {
    ++decision.leftOut;
  }
}

std::string countBytes(Bytes bytes) {
  return groupDigits(bytes.count()) + (bytes == Bytes(1) ? " byte" : " bytes");
}

std::string ordinal(std::size_t number) {
  const std::size_t tens = number % 100;
  const std::size_t ones = number % 10;
  const bool teens = tens >= 11 && tens <= 13;
  const char* ending = teens ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
  return groupDigits(number) + ending;
}

Decision judgeDecision(const Problem& problem, const Plan& plan, StayId stay) {
  if (plan.addresses[stay]) return Judge(problem, plan, stay).judge();
  return {.stay = stay,
          .decided = "it has no place: the plan stopped before it, or had no room",
          .fromPlan = true};
}

}  // namespace hw
