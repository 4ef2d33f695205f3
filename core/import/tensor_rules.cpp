#include "core/import/tensor_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"

namespace hw {
namespace {

/// The keys of rules about pairs: those of a problem CSV, but for conflicts, since a graph has
/// lives.
constexpr std::array kTensorPairRules = {PairRule::apart, PairRule::together, PairRule::exclusive,
                                         PairRule::penalty};

std::string ruleKey(PairRule rule) {
  return std::string(kPairRules[static_cast<std::size_t>(rule)]);
}

class RulesReader {
 public:
  explicit RulesReader(const Graph& graph) : graph_(graph) {
    for (const TensorId id : graph.tensors.keys()) byName_.emplace(graph.tensors[id].name, id);
  }

  TensorRules read(const JsonNode& node) {
    for (const auto& [key, value] : node.object().value.items()) {
      const JsonNode list{value, fmt::format("{}.{}", node.where, printable(key, 40))};
      const auto rule = std::ranges::find(kTensorPairRules, key, &ruleKey);
      if (rule != kTensorPairRules.end()) {
        list.forEach([&](const JsonNode& each) { readPair(*rule, each); });
      } else {
        readPlaces(key, list);
      }
    }
    return std::move(rules_);
  }

 private:
  TensorId planned(const std::string& name, const std::string& where) const {
    const auto found = byName_.find(name);
    if (found == byName_.end()) {
      refuse(fmt::format("tensor '{}' is not among the tensors", printable(name, 80)), where);
    }
    const Tensor& tensor = graph_.tensors[found->second];
    if (tensor.constant || tensor.persistent) {
      refuse(fmt::format("tensor '{}' is {}, which is not planned", printable(name, 80),
                         tensor.constant ? "a weight" : "kept from run to run"),
             where);
    }
    return found->second;
  }

  /// ["a", "b"], of `together` more than two, of `penalty` with the cost behind them.
  void readPair(PairRule rule, const JsonNode& node) {
    std::vector<TensorId> tensors;
    std::int64_t cost = 0;
    const bool priced = rule == PairRule::penalty;
    const std::size_t entries = node.value.is_array() ? node.value.size() : 0;
    const bool many = rule == PairRule::together ? entries >= 2 : entries == (priced ? 3U : 2U);
    if (!many) {
      node.expected(priced                       ? "two tensors and a cost"
                    : rule == PairRule::together ? "two tensors or more"
                                                 : "two tensors");
    }
    node.forEach([&](const JsonNode& each) {
      if (priced && tensors.size() == 2) {
        cost = each.count(kMostPenalty);
      } else {
        tensors.push_back(planned(each.text(), each.where));
      }
    });
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      if (tensors[i] == tensors[0]) {
        node.refuse("tensor '{}' is paired with itself",
                    printable(graph_.tensors[tensors[0]].name, 80));
      }
      rules_.pairs.push_back({rule, tensors[0], tensors[i], cost, node.where});
    }
  }

  void readPlaces(std::string_view key, const JsonNode& places) {
    for (const auto& [name, value] : places.object().value.items()) {
      const JsonNode node{value, fmt::format("{}.{}", places.where, printable(name, 40))};
      if (key == "allowed") {
        TensorRules::Allowed allowed{.tensor = planned(name, node.where), .where = node.where};
        node.forEach([&](const JsonNode& each) { allowed.memories.push_back(each.text()); });
        rules_.allowed.push_back(std::move(allowed));
      } else if (key == "pinned") {
        rules_.pins.push_back(
            {planned(name, node.where), Bytes(node.count(kMaxBytes.count())), node.where});
      } else if (key == "reserved") {
        readReserved(name, node);
      } else {
        places.refuse(
            "this is no rule about tensors; expected apart, together, exclusive, penalty, "
            "allowed, pinned or reserved");
      }
    }
  }

  void readReserved(const std::string& memory, const JsonNode& node) {
    TensorRules::Reserved reserved{.memory = memory, .where = node.where};
    node.forEach([&](const JsonNode& each) {
      std::vector<std::int64_t> ends;
      each.forEach([&](const JsonNode& end) { ends.push_back(end.count(kMaxBytes.count())); });
      if (ends.size() != 2 || ends[0] >= ends[1]) each.expected("bytes [begin, end)");
      reserved.ranges.push_back({Bytes(ends[0]), Bytes(ends[1])});
    });
    rules_.reserved.push_back(std::move(reserved));
  }

  const Graph& graph_;
  std::unordered_map<std::string_view, TensorId> byName_;
  TensorRules rules_;
};

class RulesOfStays {
 public:
  RulesOfStays(const TensorRules& rules, const Graph& graph, const Storage& storage,
               Problem& problem)
      : rules_(rules), graph_(graph), storage_(storage), problem_(problem) {}

  Result<std::vector<std::string>> apply() {
    HW_DO(applyPlaces());
    StatedRules stated(
        problem_, [&](StayId id) { return nameOf(storage_.rootOf(problem_.stays[id].buffer)); },
        [&](PairRule, std::size_t place) { return rules_.pairs[place].where; });
    for (std::size_t i = 0; i < rules_.pairs.size(); ++i) HW_DO(addPair(i, stated));
    HW_TRY(notes, std::move(stated).apply());
    if (idle_ > 0) {
      notes.push_back(fmt::format(
          "{} rules are of tensors that are not planned or share a buffer: they say nothing",
          idle_));
    }
    return std::move(notes);
  }

 private:
  std::string nameOf(TensorId id) const { return printable(graph_.tensors[id].name, 80); }

  /// Nothing where the tensor has no buffer.
  StayId stayOf(TensorId id) const {
    const BufferId buffer = storage_.bufferOf(id);
    return buffer ? StayId(buffer.index()) : StayId();
  }

  Result<void> addPair(std::size_t place, StatedRules& stated) {
    const TensorRules::Pair& pair = rules_.pairs[place];
    const StayId a = stayOf(pair.a);
    const StayId b = stayOf(pair.b);
    if (a && a == b && pair.rule == PairRule::apart) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("tensors '{}' and '{}' are apart, and share a buffer with this "
                              "--alias",
                              nameOf(pair.a), nameOf(pair.b)),
                  pair.where);
    }
    if (a && a == b && pair.rule == PairRule::together &&
        storage_.offsetOf(pair.a) != storage_.offsetOf(pair.b)) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("tensors '{}' and '{}' have to begin together, and lie side by side "
                              "in one buffer with this --alias",
                              nameOf(pair.a), nameOf(pair.b)),
                  pair.where);
    }
    if (!a || !b || a == b) {
      ++idle_;
      return {};
    }
    if (pair.rule == PairRule::together) {
      HW_DO(checkBegin(pair.a, pair.where));
      HW_DO(checkBegin(pair.b, pair.where));
    }
    stated.add(pair.rule, a, b, place, pair.cost);
    return {};
  }

  Result<void> checkBegin(TensorId id, const std::string& where) const {
    if (storage_.offsetOf(id) == Bytes()) return {};
    return fail(ErrorCode::invalidArgument,
                fmt::format("tensor '{}' lies inside of the buffer of '{}' with this --alias: a "
                            "rule cannot say where it begins",
                            nameOf(id), nameOf(storage_.rootOf(storage_.bufferOf(id)))),
                where);
  }

  Result<PoolId> poolNamed(const std::string& memory, const std::string& where) const {
    const auto found = std::ranges::find(problem_.pools, memory, &ProblemPool::name);
    if (found != problem_.pools.end()) {
      return PoolId(static_cast<std::size_t>(found - problem_.pools.begin()));
    }
    const std::string names = joinText(problem_.pools, ", ", std::mem_fn(&ProblemPool::name));
    return fail(ErrorCode::invalidArgument,
                fmt::format("there is no memory '{}'; those of the run are {}",
                            printable(memory, 40), printable(names, 200)),
                where);
  }

  Result<void> applyPlaces() {
    for (const TensorRules::Reserved& each : rules_.reserved) {
      HW_TRY(pool, poolNamed(each.memory, each.where));
      problem_.pools[pool].reserved = mergedRanges(each.ranges);
    }
    for (const TensorRules::Allowed& each : rules_.allowed) HW_DO(allow(each));
    for (const TensorRules::Pin& each : rules_.pins) HW_DO(pin(each));
    return {};
  }

  Result<void> allow(const TensorRules::Allowed& rule) {
    const StayId stay = stayOf(rule.tensor);
    std::vector<PoolId> pools;
    for (const std::string& memory : rule.memories) {
      HW_TRY(pool, poolNamed(memory, rule.where));
      pools.push_back(pool);
    }
    if (!stay) {
      ++idle_;
      return {};
    }
    std::ranges::sort(pools);
    pools.erase(std::unique(pools.begin(), pools.end()), pools.end());
    auto& allowed = problem_.constraints.allowed;
    allowed.resize(problem_.stays.size());
    if (!allowed[stay].empty()) {
      std::erase_if(pools,
                    [&](PoolId pool) { return !std::ranges::binary_search(allowed[stay], pool); });
    }
    if (pools.empty()) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("tensor '{}' may lie in no memory", nameOf(rule.tensor)), rule.where);
    }
    allowed[stay] = std::move(pools);
    return {};
  }

  /// In the memory that it may lie in: the first where it may lie in any.
  Result<void> pin(const TensorRules::Pin& rule) {
    const StayId id = stayOf(rule.tensor);
    if (!id) {
      ++idle_;
      return {};
    }
    HW_DO(checkBegin(rule.tensor, rule.where));
    Stay& stay = problem_.stays[id];
    if (!isAligned(rule.offset, stay.alignment) || rule.offset > kMaxBytes - stay.size) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("tensor '{}' is pinned to {}; expected a multiple of its alignment "
                              "{}, and an end of at most 2^60",
                              nameOf(rule.tensor), rule.offset.count(), stay.alignment.count()),
                  rule.where);
    }
    if (stay.pinned && *stay.pinned != rule.offset) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("the buffer of tensor '{}' is pinned to {} and to {}",
                              nameOf(rule.tensor), stay.pinned->count(), rule.offset.count()),
                  rule.where);
    }
    stay.pinned = rule.offset;
    const auto& allowed = problem_.constraints.allowed;
    stay.pool = allowed.empty() || allowed[id].empty() ? PoolId(0) : allowed[id].front();
    return {};
  }

  const TensorRules& rules_;
  const Graph& graph_;
  const Storage& storage_;
  Problem& problem_;
  std::size_t idle_ = 0;
};

}  // namespace

std::shared_ptr<const TensorRules> readTensorRules(const JsonNode& constraints,
                                                   const Graph& graph) {
  constexpr std::size_t kMostMemories = 254;  // Beside L2.
  TensorRules rules = RulesReader(graph).read(constraints);
  if (memoriesOf(rules).size() > kMostMemories) {
    constraints.refuse("the rules name more than {} memories", kMostMemories);
  }
  if (rules.empty()) return nullptr;
  return std::make_shared<const TensorRules>(std::move(rules));
}

std::vector<std::string> memoriesOf(const TensorRules& rules) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> known;
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) names.push_back(name);
  };
  for (const TensorRules::Reserved& each : rules.reserved) add(each.memory);
  for (const TensorRules::Allowed& each : rules.allowed) std::ranges::for_each(each.memories, add);
  return names;
}

Json tensorRulesJson(const TensorRules& rules, const Graph& graph) {
  const auto name = [&](TensorId id) { return graph.tensors[id].name; };
  Json json = Json::object();
  for (const TensorRules::Pair& pair : rules.pairs) {
    Json entry = {name(pair.a), name(pair.b)};
    if (pair.rule == PairRule::penalty) entry.push_back(pair.cost);
    json[ruleKey(pair.rule)].push_back(std::move(entry));
  }
  for (const TensorRules::Allowed& each : rules.allowed) {
    json["allowed"][name(each.tensor)] = each.memories;
  }
  for (const TensorRules::Pin& each : rules.pins) {
    json["pinned"][name(each.tensor)] = each.offset.count();
  }
  for (const TensorRules::Reserved& each : rules.reserved) {
    Json& ranges = json["reserved"][each.memory] = Json::array();
    for (const Interval<Bytes>& range : each.ranges) {
      ranges.push_back({range.begin.count(), range.end.count()});
    }
  }
  return json;
}

Result<std::vector<std::string>> applyTensorRules(const TensorRules& rules, const Graph& graph,
                                                  const Storage& storage, Problem& problem) {
  return RulesOfStays(rules, graph, storage, problem).apply();
}

}  // namespace hw
