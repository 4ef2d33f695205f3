#include "core/insight/constraint_changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/catalog.h"
#include "core/base/text.h"
#include "core/import/tensor_rules.h"
#include "core/plan/constraint_use.h"

namespace hw {
namespace {

template <class List>
void takeOut(List& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

class ChangeList {
 public:
  ChangeList(const Run& run, std::size_t most)
      : run_(run), problem_(run.problem), rules_(run.problem.constraints), most_(most) {}

  std::vector<ConstraintChange> list() {
    for (std::size_t i = 0; i < rules_.apart.size(); ++i) {
      add(Kind::apart, i, std::min(size(rules_.apart[i].a), size(rules_.apart[i].b)));
    }
    for (std::size_t i = 0; i < rules_.together.size(); ++i) {
      Bytes sum;
      for (const StayId id : rules_.together[i]) sum += size(id);
      add(Kind::together, i, sum);
    }
    for (const PoolId pool : problem_.pools.keys()) {
      const auto& ranges = problem_.pools[pool].reserved;
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        add(Kind::reserved, i, ranges[i].length(), pool);
      }
    }
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.stays[id].pinned) add(Kind::pinned, id.index(), size(id));
      if (isKeptOut(id)) add(Kind::allowed, id.index(), size(id));
    }
    keepMost();
    std::vector<ConstraintChange> changes;
    for (const Found& found : found_) changes.push_back(changeOf(found));
    return changes;
  }

 private:
  enum class Kind : std::uint8_t { apart, together, reserved, pinned, allowed };

  /// A constraint by its place in its list.
  struct Found {
    Bytes bytes{};
    Kind kind{};
    PoolId pool{};
    std::size_t index = 0;
  };

  std::string name(StayId id) const { return "'" + printable(run_.stayName(id), 80) + "'"; }
  Bytes size(StayId id) const { return problem_.stays[id].size; }

  bool isKeptOut(StayId id) const {
    const bool listed = !rules_.allowed.empty() && !rules_.allowed[id].empty();
    return listed && !problem_.stays[id].pinned && problem_.pools.size() > 1;
  }

  /// A problem may have millions: those of fewest bytes are dropped now and then.
  void add(Kind kind, std::size_t index, Bytes bytes, PoolId pool = {}) {
    constexpr std::size_t kRoom = 4'096;
    found_.push_back({bytes, kind, pool, index});
    if (found_.size() >= most_ + kRoom) keepMost();
  }

  void keepMost() {
    std::ranges::stable_sort(found_, std::greater(), &Found::bytes);
    if (found_.size() > most_) found_.resize(most_);
  }

  ConstraintChange changeOf(const Found& found) const {
    const std::size_t index = found.index;
    const StayId id(index);
    switch (found.kind) {
      case Kind::apart:
        return {fmt::format("{} and {} apart", name(rules_.apart[index].a),
                            name(rules_.apart[index].b)),
                [index](Model& model) { takeOut(model.problem->constraints.apart, index); }};
      case Kind::together:
        return {groupText(rules_.together[index]) + " together",
                [index](Model& model) { takeOut(model.problem->constraints.together, index); }};
      case Kind::reserved: {
        const ProblemPool& pool = problem_.pools[found.pool];
        return {fmt::format("bytes [{}, {}) of {} reserved",
                            groupDigits(pool.reserved[index].begin.count()),
                            groupDigits(pool.reserved[index].end.count()), pool.name),
                [index, at = found.pool](Model& model) {
                  takeOut(model.problem->pools[at].reserved, index);
                }};
      }
      case Kind::pinned:
        return {fmt::format("{} pinned to {}", name(id),
                            groupDigits(problem_.stays[id].pinned->count())),
                [id](Model& model) { model.problem->stays[id].pinned.reset(); }};
      case Kind::allowed:
        break;
    }
    return {name(id) + " kept out of some pools",
            [id](Model& model) { model.problem->constraints.allowed[id].clear(); }};
  }

  std::string groupText(const std::vector<StayId>& group) const {
    constexpr std::size_t kNamed = 4;
    std::string names;
    for (std::size_t i = 0; i < std::min(kNamed, group.size()); ++i) {
      names += (i == 0 ? "" : ", ") + name(group[i]);
    }
    return group.size() > kNamed ? names + fmt::format(" and {} more", group.size() - kNamed)
                                 : names;
  }

  const Run& run_;
  const Problem& problem_;
  const Constraints& rules_;
  std::size_t most_;
  std::vector<Found> found_;
};

/// The same of rules about the tensors of a graph.
class RuleChanges {
 public:
  RuleChanges(const Run& run, const TensorRules& rules) : run_(run), rules_(rules) {}

  std::vector<ConstraintChange> list(std::size_t most) {
    for (std::size_t i = 0; i < rules_.pairs.size(); ++i) {
      const TensorRules::Pair& pair = rules_.pairs[i];
      if (pair.rule != PairRule::apart && pair.rule != PairRule::together) continue;
      add(&TensorRules::pairs, i, std::min(bytes(pair.a), bytes(pair.b)),
          fmt::format("{} and {} {}", name(pair.a), name(pair.b),
                      kPairRules[static_cast<std::size_t>(pair.rule)]));
    }
    for (std::size_t i = 0; i < rules_.reserved.size(); ++i) {
      Bytes sum;
      for (const Interval<Bytes>& range : mergedRanges(rules_.reserved[i].ranges)) {
        sum += range.length();
      }
      add(&TensorRules::reserved, i, sum,
          fmt::format("bytes of {} reserved", printable(rules_.reserved[i].memory, 40)));
    }
    for (std::size_t i = 0; i < rules_.pins.size(); ++i) {
      const TensorRules::Pin& pin = rules_.pins[i];
      add(&TensorRules::pins, i, bytes(pin.tensor),
          fmt::format("{} pinned to {}", name(pin.tensor), groupDigits(pin.offset.count())));
    }
    for (std::size_t i = 0; i < rules_.allowed.size(); ++i) {
      const TensorId tensor = rules_.allowed[i].tensor;
      add(&TensorRules::allowed, i, bytes(tensor), name(tensor) + " kept out of some pools");
    }
    std::ranges::stable_sort(found_, std::greater(), &Found::bytes);
    if (found_.size() > most) found_.resize(most);
    std::vector<ConstraintChange> changes;
    for (Found& found : found_) changes.push_back(std::move(found.change));
    return changes;
  }

 private:
  struct Found {
    Bytes bytes{};
    ConstraintChange change{};
  };

  template <class List>
  void add(List TensorRules::*list, std::size_t index, Bytes bytes, std::string without) {
    found_.push_back({bytes, {std::move(without), [list, index](Model& model) {
                                auto rules = std::make_shared<TensorRules>(*model.rules);
                                takeOut((*rules).*list, index);
                                if (rules->empty()) rules = nullptr;
                                model.rules = std::move(rules);
                              }}});
  }

  Bytes bytes(TensorId id) const { return run_.graph().tensors[id].bytes.value_or(Bytes()); }
  std::string name(TensorId id) const {
    return "'" + printable(displayName(run_.graph(), id), 80) + "'";
  }

  const Run& run_;
  const TensorRules& rules_;
  std::vector<Found> found_;
};

}  // namespace

Model modelAsGiven(const Run& run) {
  Model model = *run.model;
  if (!run.graph().ops.empty()) return model;
  Problem problem = run.problem;
  const auto& given = run.model->problem;
  for (const StayId id : problem.stays.keys()) {
    const bool known = given && given->stays.contains(id);
    const auto& allowed = problem.constraints.allowed;
    // A model that gave its problem away does not say: who names several pools had none.
    const bool free = !allowed.empty() && !allowed[id].empty();
    if (known ? !given->stays[id].pool : free) problem.stays[id].pool = PoolId();
  }
  model.problem = std::move(problem);
  return model;
}

std::string notPayingText(const Run& run, const ReusePenalty& paid) {
  Problem problem = run.problem;
  Constraints& rules = problem.constraints;
  const auto group = groupOf(problem, paid.pair.a);
  if (std::ranges::find(group, paid.pair.b) != group.end()) return "they have to begin together";
  std::erase(rules.penalties, paid);
  std::erase(rules.exclusive, paid.pair);
  rules.apart.insert(std::ranges::upper_bound(rules.apart, paid.pair), paid.pair);
  const auto choice = AllocatorChoice::parse("best:for=penalty,moves=100000,nodes=20000");
  const auto plan = choice->make()->plan(problem, {.story = false});
  if (!plan || plan->status == PlanStatus::infeasible) return "apart, no plan fits";
  if (!fits(problem, *plan)) return "apart, no plan that fits was found";
  const std::int64_t before = penaltyOf(run.problem, run.plan);
  const std::int64_t after = penaltyOf(problem, *plan);
  std::string text =
      fmt::format("apart, {} in all instead of {}", groupDigits(after), groupDigits(before));
  if (after < before) return text;
  return text + (plan->penaltyBound == after ? ", and no plan with less" : "");
}

std::vector<ConstraintChange> constraintChanges(const Run& run, std::size_t most) {
  if (run.graph().ops.empty()) return ChangeList(run, most).list();
  return run.model->rules ? RuleChanges(run, *run.model->rules).list(most)
                          : std::vector<ConstraintChange>();
}

}  // namespace hw
