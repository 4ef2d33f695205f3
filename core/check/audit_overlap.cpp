#include "core/check/audit_overlap.h"

#include <algorithm>

#include "core/plan/metrics.h"
#include "core/plan/validate.h"

namespace hw {
namespace {

/// A moment at which a member of a group begins or ceases to hold its bytes.
struct Edge {
  Step step{};
  bool begins = false;
  std::size_t member = 0;
};

/// Covers what the members of one group hold by disjoint rectangles, so that sharing inside the
/// group does not look like a conflict. Addresses are cut at every member's ends:
///
///     root  +-----------+      each of the two segments is held from the first begin to the
///     a     +-----+     |      last end of whoever covers it
///     b           +-----+
class GroupCover {
 public:
  explicit GroupCover(std::vector<Holding> members) : members_(std::move(members)) {
    for (const Holding& member : members_) {
      cuts_.push_back(member.bytes.begin);
      cuts_.push_back(member.bytes.end);
    }
    std::ranges::sort(cuts_);
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    holders_.resize(cuts_.size());
    since_.resize(cuts_.size());
  }

  std::vector<Holding> rectangles() {
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      edges.push_back({members_[i].steps.begin, true, i});
      edges.push_back({members_[i].steps.end, false, i});
    }
    // At one step begins come first: two stretches of which one ends where the other begins then
    // become one rectangle.
    std::ranges::stable_sort(edges, [](const Edge& a, const Edge& b) {
      return a.step != b.step ? a.step < b.step : a.begins > b.begins;
    });
    for (const Edge& edge : edges) cross(edge);
    return std::move(cover_);
  }

 private:
  std::size_t cutAt(Bytes address) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(cuts_, address) - cuts_.begin());
  }

  void cross(const Edge& edge) {
    const Holding& member = members_[edge.member];
    const std::size_t end = cutAt(member.bytes.end);
    for (std::size_t cut = cutAt(member.bytes.begin); cut < end; ++cut) {
      if (edge.begins) {
        if (holders_[cut]++ == 0) since_[cut] = {edge.step, edge.member};
      } else if (--holders_[cut] == 0) {
        Holding rectangle = members_[since_[cut].second];
        rectangle.bytes = {cuts_[cut], cuts_[cut + 1]};
        rectangle.steps = {since_[cut].first, edge.step};
        cover_.push_back(rectangle);
      }
    }
  }

  std::vector<Holding> members_;
  std::vector<Bytes> cuts_;
  std::vector<int> holders_;  ///< By segment [cuts_[i], cuts_[i + 1]).
  std::vector<std::pair<Step, std::size_t>> since_;
  std::vector<Holding> cover_;
};

std::vector<Holding> disjointWithinGroups(std::vector<Holding> holdings) {
  const auto key = [](const Holding& holding) { return std::pair(holding.group, holding.pool); };
  std::ranges::stable_sort(holdings, {}, key);
  std::vector<Holding> disjoint;
  for (auto first = holdings.begin(); first != holdings.end();) {
    const auto last = std::find_if(first, holdings.end(),
                                   [&](const Holding& other) { return key(other) != key(*first); });
    const auto cover = GroupCover(std::vector<Holding>(first, last)).rectangles();
    disjoint.insert(disjoint.end(), cover.begin(), cover.end());
    first = last;
  }
  return disjoint;
}

}  // namespace

HoldingCheck checkHoldings(const std::vector<Holding>& holdings, std::size_t pools) {
  std::vector<Holding> useful;
  std::ranges::copy_if(holdings, std::back_inserter(useful), [](const Holding& holding) {
    return !holding.bytes.empty() && !holding.steps.empty();
  });
  const std::vector<Holding> rectangles = disjointWithinGroups(std::move(useful));
  Problem problem;
  Plan plan;
  for (std::size_t i = 0; i < pools; ++i) {
    problem.pools.add({});
    plan.regions.add({Bytes()});
  }
  for (const Holding& rectangle : rectangles) {
    const PoolId pool(rectangle.pool);
    problem.stays.add({.buffer = BufferId(problem.stays.size()),
                       .steps = rectangle.steps,
                       .size = rectangle.bytes.length(),
                       .pool = pool});
    problem.steps = std::max(problem.steps, rectangle.steps.end);
    plan.addresses.add(Address{pool, RegionId(0), rectangle.bytes.begin});
    Bytes& region = plan.regions[pool][RegionId(0)];
    region = std::max(region, rectangle.bytes.end);
  }
  HoldingCheck result{.peakLive = lowerBound(problem)};
  for (const Violation& violation : validate(problem, plan)) {
    if (!violation.b) continue;
    result.conflicts.emplace_back(rectangles[violation.a.index()], rectangles[violation.b.index()]);
  }
  return result;
}

}  // namespace hw
