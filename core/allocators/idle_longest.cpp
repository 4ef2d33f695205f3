#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/plan/metrics.h"
#include "core/solver/order_record.h"
#include "core/solver/orders.h"

namespace hw {
namespace {

constexpr Step kNever{-1};

/// A place that could be had: whose bytes they were last, and since when they are idle.
struct Place {
  Bytes offset{};
  Step idleSince{kNever};
  StayId tenant{};  ///< The last of those that were there; none: nobody was.
  bool taken = false;
};

/// One pool while its stays are placed in program order: tells of every byte who had it last.
class Bytewise {
 public:
  Bytewise(const Problem& problem, PoolId pool, const std::vector<StayId>& stays)
      : problem_(problem), top_(lowerBound(problem, pool)) {
    const auto& capacity = problem.pools[pool].capacity;
    if (capacity) top_ = *capacity;
    for (const StayId id : stays) {
      if (problem.stays[id].pinned) pinned_.push_back(id);
    }
  }

  /// The offsets at which the stay may begin: at an edge of other bytes, below the top.
  std::vector<Place> places(StayId id) const {
    const Stay& stay = problem_.stays[id];
    std::vector<Bytes> offsets{Bytes()};
    const auto consider = [&](Bytes begin, Bytes end) {
      offsets.push_back(alignUp(end, stay.alignment));
      if (begin >= stay.size) offsets.push_back(alignDown(begin - stay.size, stay.alignment));
    };
    for (const Piece& piece : pieces_) consider(piece.begin, piece.begin);
    for (const StayId pin : pinned_) {
      const Bytes begin = *problem_.stays[pin].pinned;
      consider(begin, begin + problem_.stays[pin].size);
    }
    consider(top_, top_);
    std::ranges::sort(offsets);
    std::vector<Place> found;
    for (const Bytes offset : offsets) {
      const bool known = !found.empty() && found.back().offset == offset;
      if (!known && offset + stay.size <= top_) found.push_back(look(id, offset));
    }
    return found;
  }

  /// The free place that is idle longest, the lowest of equals; on top of everything if there is
  /// none. O(pieces) where nothing is pinned.
  Bytes choose(StayId id) {
    const auto best = pinned_.empty() ? lookAlong(id) : bestOf(places(id));
    return best ? *best : above(id);
  }

  void moveIn(StayId id, Bytes offset) {
    const Bytes end = offset + problem_.stays[id].size;
    top_ = std::max(top_, end);
    auto first = std::ranges::lower_bound(pieces_, offset, {}, &Piece::begin);
    StayId behind = first == pieces_.begin() ? StayId() : std::prev(first)->tenant;
    auto last = first;
    for (; last != pieces_.end() && last->begin <= end; ++last) behind = last->tenant;
    first = pieces_.erase(first, last);
    pieces_.insert(first, {pieceOf(offset, id), pieceOf(end, behind)});
  }

 private:
  /// From `begin` up to the next piece, `tenant` was the last; none: nobody yet.
  struct Piece {
    Bytes begin{};
    StayId tenant{};
    Step idleSince{kNever};  ///< The tenant's end.
  };

  Piece pieceOf(Bytes begin, StayId tenant) const {
    return {begin, tenant, tenant ? problem_.stays[tenant].steps.end : kNever};
  }

  static std::optional<Bytes> bestOf(const std::vector<Place>& places) {
    const Place* best = nullptr;
    for (const Place& place : places) {
      if (place.taken || (best != nullptr && best->idleSince <= place.idleSince)) continue;
      best = &place;
    }
    if (best == nullptr) return std::nullopt;
    return best->offset;
  }

  /// The best of `places`, without listing them: goes up from place to place. `lasting_` keeps
  /// those pieces under the stay that are in use longer than all pieces above them, so that the
  /// first of them says since when the place is idle.
  std::optional<Bytes> lookAlong(StayId id) {
    const Stay& stay = problem_.stays[id];
    std::optional<Bytes> best;
    Step least = stay.steps.begin + Step(1);
    std::size_t above = 0;  // The first piece that the stay has not reached.
    lasting_.clear();
    std::size_t first = 0;  // In `lasting_`: the first still under the stay.
    const auto look = [&](Bytes offset) {
      if (offset + stay.size > top_ || (best && offset <= *best)) return;
      for (; above < pieces_.size() && pieces_[above].begin < offset + stay.size; ++above) {
        while (lasting_.size() > first && idleSince(lasting_.back()) <= idleSince(above)) {
          lasting_.pop_back();
        }
        lasting_.push_back(above);
      }
      const auto isOver = [&](std::size_t piece) {
        return piece + 1 < pieces_.size() && pieces_[piece + 1].begin <= offset;
      };
      while (first < lasting_.size() && isOver(lasting_[first])) ++first;
      const Step idle = first < lasting_.size() ? idleSince(lasting_[first]) : kNever;
      if (idle >= least) return;
      least = idle;
      best = offset;
    };
    look(Bytes());
    // On top of one piece after the other, and right below them, both ascending.
    std::size_t below = 0;
    for (const Piece& piece : pieces_) {
      const Bytes offset = alignUp(piece.begin, stay.alignment);
      for (; below < pieces_.size() && pieces_[below].begin < offset + stay.size; ++below) {
        lookBelow(stay, pieces_[below].begin, look);
      }
      look(offset);
    }
    for (; below < pieces_.size(); ++below) lookBelow(stay, pieces_[below].begin, look);
    lookBelow(stay, top_, look);
    return best;
  }

  template <class Look>
  static void lookBelow(const Stay& stay, Bytes begin, const Look& look) {
    if (begin >= stay.size) look(alignDown(begin - stay.size, stay.alignment));
  }
  Step idleSince(std::size_t piece) const { return pieces_[piece].idleSince; }

  bool isPinned(StayId id) const { return problem_.stays[id].pinned.has_value(); }

  Place look(StayId id, Bytes offset) const {
    const Stay& stay = problem_.stays[id];
    const Interval<Bytes> bytes{offset, offset + stay.size};
    Place place{.offset = offset};
    auto piece = std::ranges::upper_bound(pieces_, offset, {}, &Piece::begin);
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->begin < bytes.end; ++piece) {
      if (!piece->tenant) continue;
      if (piece->idleSince <= place.idleSince) continue;
      place.idleSince = piece->idleSince;
      place.tenant = piece->tenant;
    }
    place.taken = place.tenant && place.idleSince > stay.steps.begin;
    for (const StayId pin : pinned_) {
      const Stay& other = problem_.stays[pin];
      const Interval<Bytes> theirs{*other.pinned, *other.pinned + other.size};
      if (!theirs.overlaps(bytes) || !other.steps.overlaps(stay.steps)) continue;
      place.taken = true;
      place.tenant = pin;
    }
    return place;
  }

  /// Above whatever is live meanwhile.
  Bytes above(StayId id) const {
    const Stay& stay = problem_.stays[id];
    Bytes end;
    for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
      const StayId tenant = pieces_[i].tenant;
      if (tenant && problem_.stays[tenant].steps.end > stay.steps.begin) {
        end = std::max(end, pieces_[i + 1].begin);
      }
    }
    for (const StayId pin : pinned_) {
      const Stay& other = problem_.stays[pin];
      if (other.steps.overlaps(stay.steps)) end = std::max(end, *other.pinned + other.size);
    }
    return alignUp(end, stay.alignment);
  }

  const Problem& problem_;
  Bytes top_;
  std::vector<Piece> pieces_;  ///< By begin; the last has no tenant.
  std::vector<StayId> pinned_;
  std::vector<std::size_t> lasting_;  ///< Pieces, see `lookAlong`.
};

class IdleLongest final : public Allocator {
 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    HW_DO(placePins(problem, plan));
    for (const PoolId pool : problem.pools.keys()) {
      const std::vector<StayId> order = productionOrder(problem, pool);
      Bytewise bytes(problem, pool, order);
      std::size_t done = 0;
      for (const StayId id : order) {
        if (++done % kPlacementsBetweenLooks == 0 && context.stop.stop_requested()) {
          return fail(ErrorCode::stopped, "planning was stopped");
        }
        const auto& pin = problem.stays[id].pinned;
        const Bytes offset = pin ? *pin : bytes.choose(id);
        bytes.moveIn(id, offset);
        plan.addresses[id] = Address{pool, RegionId(0), offset};
      }
      if (context.record && !order.empty()) tellRecord(problem, pool, order, plan);
    }
    return plan;
  }

  /// Follows the walk once more, with an account of every place that each could have had.
  static void tellRecord(const Problem& problem, PoolId pool, const std::vector<StayId>& order,
                         Plan& plan) {
    Bytewise bytes(problem, pool, order);
    auto next = order.begin();
    plan.records.push_back(
        placingRecord("idle-longest", problem, pool, order, "as they are produced", [&](StayId id) {
          // Those that are pinned move in when it is their turn, too.
          for (; *next != id; ++next) bytes.moveIn(*next, plan.addresses[*next]->offset);
          return DecidedPlace{plan.addresses[id]->offset, account(problem, id, pool, bytes)};
        }));
  }

  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    const PoolId pool = problem.poolOf(stay);
    const std::vector<StayId> order = productionOrder(problem, pool);
    Bytewise bytes(problem, pool, order);
    std::size_t turn = 0;
    for (const StayId id : order) {
      ++turn;
      if (id != stay) {
        bytes.moveIn(id, plan.addresses[id]->offset);
        continue;
      }
      Decision decision = account(problem, stay, pool, bytes);
      decision.when =
          fmt::format("placed {} of {}, as they are produced", ordinal(turn), order.size());
      return decision;
    }
    return std::nullopt;
  }

  static std::string idleText(const Place& place) {
    return place.tenant ? fmt::format("idle since step {}", place.idleSince.count())
                        : std::string("never used");
  }

  static Decision account(const Problem& problem, StayId stay, PoolId pool, Bytewise& bytes) {
    const std::vector<Place> places = bytes.places(stay);
    const Bytes offset = bytes.choose(stay);
    Decision decision{.stay = stay, .decided = "whose former tenants fell idle first"};
    bool among = false;
    for (const Place& place : places) {
      Candidate candidate{.kind = "place",
                          .address = Address{pool, RegionId(0), place.offset},
                          .verdict = Verdict::lessGood,
                          .reason = idleText(place)};
      if (place.tenant) candidate.because = {place.tenant};
      if (place.taken) {
        candidate.verdict = Verdict::taken;
        candidate.reason = "somebody lives there meanwhile";
      } else if (place.offset == offset) {
        candidate.verdict = Verdict::chosen;
        among = true;
      }
      addCandidate(decision, std::move(candidate));
    }
    if (among) return decision;
    decision.decided = "no place below is free: on top of what is live";
    const auto& capacity = problem.pools[pool].capacity;
    addCandidate(decision,
                 {.kind = "above all neighbours",
                  .address = Address{pool, RegionId(0), offset},
                  .reason = capacity ? "nothing fits under the capacity" : "nothing is above it"});
    return decision;
  }
};

}  // namespace

std::unique_ptr<Allocator> makeIdleLongest(const Params&) {
  return std::make_unique<IdleLongest>();
}

}  // namespace hw
