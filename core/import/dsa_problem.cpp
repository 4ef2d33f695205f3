#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/stated_rules.h"
#include "core/plan/constraint_use.h"

// Problems of dsa-solver (dsa-problem-v1): docs/formats/dsa.md. Fields that are not known are
// refused, as by the program whose format it is: a misspelt rule would be lost.

namespace hw {
namespace {

constexpr std::int64_t kMostDsaId = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostDsaPools = 255;
/// Times in the file may be anywhere in this range: differences do not overflow.
constexpr std::int64_t kMostDsaTime = std::int64_t{1} << 60;

using DsaFields = std::initializer_list<const char*>;

/// The same object, which has all of `required` and, besides these and `others`, nothing.
const JsonNode& fieldsOf(const JsonNode& node, DsaFields required, DsaFields others = {}) {
  node.object();
  for (const char* key : required) {
    if (!node.value.contains(key)) node.refuse("the field '{}' is missing", key);
  }
  for (const auto& [key, value] : node.value.items()) {
    const auto same = [&, &name = key](const char* known) { return name == known; };
    if (std::ranges::any_of(required, same) || std::ranges::any_of(others, same)) continue;
    node.refuse("the field '{}' is not known; expected {}", printable(key, 40),
                fmt::join(required, ", "));
  }
  return node;
}

JsonNode memberOf(const JsonNode& node, const char* key) {
  if (const auto member = node.find(key)) return *member;
  node.refuse("the field '{}' is missing", key);
}

std::uint32_t idOf(const JsonNode& node, const char* key) {
  return static_cast<std::uint32_t>(memberOf(node, key).count(kMostDsaId));
}

Bytes bytesOf(const JsonNode& node, const char* key) {
  return Bytes(memberOf(node, key).count(kMaxBytes.count()));
}

std::int64_t timeIn(const JsonNode& node) {
  const bool whole = node.value.is_number_integer();
  const bool huge = node.value.is_number_unsigned() &&
                    node.value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMostDsaTime);
  const std::int64_t time = whole && !huge ? node.value.get<std::int64_t>() : 0;
  if (!whole || huge || time < -kMostDsaTime) {
    node.expected(fmt::format("a whole number from {} to {}", -kMostDsaTime, kMostDsaTime));
  }
  return time;
}

/// The form of a document that its fingerprint is of: what says nothing is left out.
std::string canonicalDsa(ParsedJson document) {
  document.erase("$schema");
  if (!document.contains("metadata")) document["metadata"] = ParsedJson::object();
  const auto features = document.find("relaxed_features");
  if (features != document.end() && features->empty()) document.erase(features);
  for (ParsedJson& each : document["problem"]["constraints"]["separations"]) {
    const auto reasons = each.find("reasons");
    if (reasons != each.end() && reasons->empty()) each.erase(reasons);
  }
  return document.dump(2) + "\n";
}

class DsaReader {
 public:
  explicit DsaReader(const ParsedJson& document) : root_{document} {}

  Result<Model> read() {
    fieldsOf(root_, {"schema_version", "profile", "instance", "problem"},
             {"metadata", "relaxed_from", "relaxed_features", "$schema"});
    if (memberOf(root_, "schema_version").count(kMostDsaId) != 1) {
      refuse("the schema is of another version; expected 1", "schema_version",
             ErrorCode::unsupported);
    }
    const JsonNode problem = memberOf(root_, "problem");
    fieldsOf(problem, {"pools", "buffers", "constraints", "objective"},
             {"cost_model", "pypto_structure"});
    problem.forEach("pools", [&](const JsonNode& each) { readPool(each); });
    if (problem_.pools.empty()) refuse("there is no pool; expected one or more", "problem.pools");
    findTimes(problem);
    problem.forEach("buffers", [&](const JsonNode& each) { readBuffer(each); });
    StatedRules rules(
        problem_, [&](StayId id) { return nameOf(id); },
        [&](PairRule rule, std::size_t place) { return placeOf(rule, place); });
    readRules(problem, rules);
    HW_TRY(left, std::move(rules).apply());
    graph_.notes.insert(graph_.notes.end(), left.begin(), left.end());
    keepGroupsInOnePool();
    return finish(problem);
  }

 private:
  std::string nameOf(StayId id) const {
    return printable(graph_.tensors[TensorId(problem_.stays[id].buffer.index())].name, 80);
  }

  static std::string placeOf(PairRule rule, std::size_t place) {
    constexpr std::array<std::string_view, 4> kLists = {
        "constraints.separations", "constraints.colocations", "constraints.temporal_exclusions",
        "cost_model.reuse_penalties"};
    return fmt::format("problem.{}[{}]", kLists[static_cast<std::size_t>(rule)], place);
  }

  void readPool(const JsonNode& node) {
    fieldsOf(node, {"id", "name", "capacity", "reserved_ranges"}, {"bank_geometry"});
    if (problem_.pools.size() == static_cast<std::size_t>(kMostDsaPools)) {
      refuse(fmt::format("there are more than {} pools", kMostDsaPools), node.where,
             ErrorCode::unsupported);
    }
    const auto id = idOf(node, "id");
    const PoolId pool(problem_.pools.size());
    if (!poolOf_.emplace(id, pool).second) node.refuse("pool {} is there twice", id);
    ProblemPool added{.name = freeName(poolNames_, memberOf(node, "name").text(), 'p', id),
                      .capacity = node.bytes("capacity")};
    std::vector<Interval<Bytes>> ranges;
    node.forEach("reserved_ranges", [&](const JsonNode& each) {
      fieldsOf(each, {"begin", "end"});
      ranges.push_back({bytesOf(each, "begin"), bytesOf(each, "end")});
      if (ranges.back().empty()) each.refuse("the range is empty; expected begin < end");
    });
    added.reserved = mergedRanges(std::move(ranges));
    if (const auto banks = node.find("bank_geometry")) {
      fieldsOf(*banks, {"bank_size", "num_banks"});
      graph_.notes.push_back(
          fmt::format("pool '{}' has {} banks of {} bytes, of which planning knows nothing",
                      printable(added.name, 40), memberOf(*banks, "num_banks").count(kMostDsaId),
                      groupDigits(bytesOf(*banks, "bank_size").count())));
    }
    dsa_.pools.add(id);
    problem_.pools.add(std::move(added));
  }

  /// Steps begin at 0: times do where they are negative or too large for steps.
  void findTimes(const JsonNode& problem) {
    std::int64_t least = kMostDsaTime;
    std::int64_t most = 0;
    problem.forEach("buffers", [&](const JsonNode& buffer) {
      buffer.object().forEach("live_intervals", [&](const JsonNode& each) {
        fieldsOf(each, {"lower", "upper"});
        least = std::min(least, timeIn(memberOf(each, "lower")));
        most = std::max(most, timeIn(memberOf(each, "upper")));
      });
    });
    if (least >= 0 && most <= kMaxStep.count()) return;
    if (most - least > kMaxStep.count()) {
      refuse(fmt::format("lives are from {} to {}; expected at most {} steps", least, most,
                         kMaxStep.count()),
             "problem.buffers", ErrorCode::unsupported);
    }
    origin_ = least;
    graph_.notes.push_back(fmt::format("step 0 is time {} of the file", least));
  }

  void readBuffer(const JsonNode& node) {
    fieldsOf(node, {"id", "name", "size", "alignment", "live_intervals", "allowed_pools"});
    const std::uint32_t id = idOf(node, "id");
    const TensorId tensor(graph_.tensors.size());
    if (!tensorOf_.emplace(id, tensor).second) node.refuse("buffer {} is there twice", id);
    Stay stay{.buffer = BufferId(tensor.index()), .size = bytesOf(node, "size")};
    if (stay.size > kMaxBytes - total_) {
      node.refuse("the buffers add up to more than {} bytes", kMaxBytes.count());
    }
    total_ += stay.size;
    stay.alignment = bytesOf(node, "alignment");
    if (stay.alignment == Bytes(0)) node.refuse("the alignment is 0; expected at least 1");
    const auto lives = livesOf(node);
    const auto pools = poolsOf(node);
    graph_.tensors.add({.name = freeName(names_, memberOf(node, "name").text(), 'b', id),
                        .bytes = stay.size,
                        .origin = SizeOrigin::declared});
    dsa_.buffers.add(id);
    stayOf_.add(StayId());
    if (stay.size == Bytes(0)) return;  // Nothing to place.
    stay.steps = {lives.front().begin, lives.back().end};
    problem_.steps = std::max(problem_.steps, stay.steps.end);
    const StayId added = problem_.stays.add(stay);
    stayOf_[tensor] = added;
    for (std::size_t i = 1; i < lives.size(); ++i) {
      problem_.gaps.push_back({added, {lives[i - 1].end, lives[i].begin}});
    }
    allow(added, pools);
  }

  /// Ascending, with steps between one and the next.
  std::vector<Interval<Step>> livesOf(const JsonNode& node) const {
    std::vector<Interval<Step>> lives;
    node.forEach("live_intervals", [&](const JsonNode& each) {
      const std::int64_t lower = timeIn(memberOf(each, "lower"));
      const std::int64_t upper = timeIn(memberOf(each, "upper"));
      if (lower >= upper) {
        each.refuse("the interval is from {} to {}; expected lower < upper", lower, upper);
      }
      lives.push_back({Step(lower - origin_), Step(upper - origin_)});
    });
    if (lives.empty()) {
      refuse("the buffer is never live; expected one interval or more",
             node.where + ".live_intervals");
    }
    return mergedRanges(std::move(lives));
  }

  std::vector<PoolId> poolsOf(const JsonNode& node) const {
    std::vector<PoolId> pools;
    node.forEach("allowed_pools", [&](const JsonNode& each) { pools.push_back(poolAt(each)); });
    std::ranges::sort(pools);
    pools.erase(std::unique(pools.begin(), pools.end()), pools.end());
    if (!pools.empty()) return pools;
    refuse("the buffer may lie nowhere; expected one pool or more", node.where + ".allowed_pools");
  }

  PoolId poolAt(const JsonNode& node) const {
    const auto known = poolOf_.find(static_cast<std::uint32_t>(node.count(kMostDsaId)));
    if (known != poolOf_.end()) return known->second;
    node.refuse("pool {} is not there; expected the id of a pool", node.value.dump());
  }

  TensorId bufferAt(const JsonNode& node, const char* key) const {
    const JsonNode member = memberOf(node, key);
    const auto known = tensorOf_.find(static_cast<std::uint32_t>(member.count(kMostDsaId)));
    if (known != tensorOf_.end()) return known->second;
    member.refuse("buffer {} is not there; expected the id of a buffer", member.value.dump());
  }

  /// The name that the file gives, once each.
  static std::string freeName(std::unordered_set<std::string>& names, std::string name, char letter,
                              std::uint32_t id) {
    if (name.empty()) name = fmt::format("{}{}", letter, id);
    while (!names.insert(name).second) name += fmt::format("#{}", id);
    return name;
  }

  /// One pool is that of the stay, all are no restriction.
  void allow(StayId stay, const std::vector<PoolId>& pools) {
    auto& allowed = problem_.constraints.allowed;
    problem_.stays[stay].pool = {};
    if (!allowed.empty()) {
      allowed.resize(problem_.stays.size());
      allowed[stay].clear();
    }
    if (pools.size() == problem_.pools.size()) return;
    if (pools.size() == 1) {
      problem_.stays[stay].pool = pools.front();
      return;
    }
    allowed.resize(problem_.stays.size());
    allowed[stay] = pools;
  }

  void readRules(const JsonNode& problem, StatedRules& rules) {
    const JsonNode constraints = memberOf(problem, "constraints");
    fieldsOf(constraints,
             {"colocations", "separations", "temporal_exclusions", "pinned_allocations"});
    readPairs(constraints, "colocations", PairRule::together, rules);
    readPairs(constraints, "separations", PairRule::apart, rules);
    readPairs(constraints, "temporal_exclusions", PairRule::exclusive, rules);
    constraints.forEach("pinned_allocations", [&](const JsonNode& each) { pin(each, rules); });
    if (const auto costs = problem.find("cost_model")) {
      fieldsOf(*costs, {"reuse_penalties"});
      readPairs(*costs, "reuse_penalties", PairRule::penalty, rules);
    }
    auto& allowed = problem_.constraints.allowed;
    if (!allowed.empty()) allowed.resize(problem_.stays.size());
  }

  static void checkPair(const JsonNode& node, PairRule rule) {
    if (rule == PairRule::penalty) {
      fieldsOf(node, {"first", "second", "cost", "reason"});
      memberOf(node, "reason").text();
    } else if (rule == PairRule::apart) {
      fieldsOf(node, {"first", "second"}, {"reasons"});
      node.forEach("reasons", [](const JsonNode& each) { each.text(); });
    } else {
      fieldsOf(node, {"first", "second"});
    }
  }

  void readPairs(const JsonNode& node, const char* list, PairRule rule, StatedRules& rules) {
    std::size_t place = 0;
    node.forEach(list, [&](const JsonNode& each) {
      checkPair(each, rule);
      const TensorId first = bufferAt(each, "first");
      const TensorId second = bufferAt(each, "second");
      const std::int64_t cost =
          rule == PairRule::penalty ? memberOf(each, "cost").count(kMostPenalty) : 0;
      const bool self = first == second;
      if (self && (rule == PairRule::apart || rule == PairRule::exclusive)) {
        each.refuse("buffer {} is paired with itself; expected two buffers", dsa_.buffers[first]);
      }
      const bool empty = !stayOf_[first] || !stayOf_[second];
      if (!self && !empty) rules.add(rule, stayOf_[first], stayOf_[second], place, cost);
      ++place;
    });
  }

  void pin(const JsonNode& node, StatedRules& rules) {
    fieldsOf(node, {"buffer", "pool", "offset", "exclusive_for_all_time"});
    const StayId id = stayOf_[bufferAt(node, "buffer")];
    const PoolId pool = poolAt(memberOf(node, "pool"));
    const Bytes offset = bytesOf(node, "offset");
    const bool alone = memberOf(node, "exclusive_for_all_time").flag();
    if (!id) return;
    Stay& stay = problem_.stays[id];
    const auto pools = poolsFor(problem_, id);
    if (stay.pinned) node.refuse("the buffer is pinned twice");
    if (std::ranges::find(pools, pool) == pools.end()) {
      node.refuse("the buffer is pinned to a pool that is not allowed");
    }
    if (offset.count() % stay.alignment.count() != 0 || offset > kMaxBytes - stay.size) {
      node.refuse(
          "the buffer is pinned to {}; expected a multiple of its alignment {}, and "
          "an end of at most {}",
          offset.count(), stay.alignment.count(), kMaxBytes.count());
    }
    stay.pinned = offset;
    allow(id, {pool});
    if (alone) rules.addAlone(id);
  }

  /// Colocated buffers lie in one pool: the first that all of them may lie in.
  void keepGroupsInOnePool() {
    bool chosen = false;
    for (const std::vector<StayId>& group : problem_.constraints.together) {
      std::vector<PoolId> common = poolsFor(problem_, group.front());
      for (const StayId id : group) {
        const auto pools = poolsFor(problem_, id);
        std::erase_if(common,
                      [&](PoolId pool) { return !std::ranges::binary_search(pools, pool); });
      }
      if (common.empty()) {
        refuse(fmt::format("colocated buffers, '{}' among them, may lie in no common pool",
                           nameOf(group.front())),
               "problem.constraints.colocations");
      }
      chosen = chosen || common.size() > 1;
      for (const StayId id : group) allow(id, {common.front()});
    }
    if (chosen) {
      graph_.notes.emplace_back("colocated buffers that may choose a pool are put into the first");
    }
  }

  /// Cost first, if capacity alone goes before it: peaks are what planning is about otherwise.
  Result<void> readObjective(const JsonNode& problem, Model& model) {
    constexpr std::array<std::string_view, 5> kTerms = {"capacity_overflow", "total_peak",
                                                        "max_peak", "reuse_cost", "bank_cost"};
    const JsonNode objective = memberOf(problem, "objective");
    fieldsOf(objective, {"aggregation", "terms"});
    if (memberOf(objective, "aggregation").text() != "lexicographic") {
      memberOf(objective, "aggregation").expected("\"lexicographic\"");
    }
    std::vector<std::string> terms;
    objective.forEach("terms", [&](const JsonNode& each) {
      if (std::ranges::find(kTerms, each.text()) == kTerms.end()) {
        each.expected(fmt::format("one of {}", fmt::join(kTerms, ", ")));
      }
      if (each.text() != kTerms.front()) terms.push_back(each.text());
    });
    const bool costs = std::ranges::find(terms, "reuse_cost") != terms.end();
    if (costs && terms.front() != "reuse_cost") {
      graph_.notes.emplace_back(
          "the file wants the least cost of the least peak; planning finds "
          "the peak, and tells the cost");
    }
    if (std::ranges::find(terms, "bank_cost") != terms.end()) {
      graph_.notes.emplace_back("the cost of banks, which the file counts, is not known here");
    }
    if (!costs || terms.front() != "reuse_cost" || problem_.constraints.penalties.empty()) {
      return {};
    }
    return addOwnOption(model, "allocator", "best:for=penalty", "problem.objective.terms");
  }

  /// Groups of slots say nothing that pairs do not: all that is asked for is `apart`.
  void notePypto(const JsonNode& problem) {
    const auto structure = problem.find("pypto_structure");
    if (!structure) return;
    fieldsOf(*structure, {"alias_classes", "pipeline_groups"});
    structure->forEach("alias_classes", [&](const JsonNode& each) {
      fieldsOf(each, {"buffer", "members"});
      bufferAt(each, "buffer");
      each.forEach("members", [](const JsonNode& member) { member.text(); });
    });
    std::size_t groups = 0;
    structure->forEach("pipeline_groups", [&](const JsonNode& each) {
      fieldsOf(each, {"group", "pool", "slot_size", "depth", "effective_depth", "members"});
      poolAt(memberOf(each, "pool"));
      bytesOf(each, "slot_size");
      for (const char* number : {"group", "depth", "effective_depth"}) idOf(each, number);
      each.forEach("members", [&](const JsonNode& member) {
        fieldsOf(member, {"buffer", "stage", "residue"});
        bufferAt(member, "buffer");
        for (const char* number : {"stage", "residue"}) idOf(member, number);
      });
      ++groups;
    });
    if (groups == 0) return;
    graph_.notes.push_back(
        fmt::format("{} groups of pipeline slots are told of: what they ask of addresses is in "
                    "the pairs that are apart",
                    groups));
  }

  /// Texts about the file, which are kept as they are.
  void checkTexts() const {
    if (const auto metadata = root_.find("metadata")) {
      for (const auto& [key, value] : metadata->object().value.items()) {
        JsonNode{value, "metadata." + printable(key, 40)}.text();
      }
    }
    root_.forEach("relaxed_features", [](const JsonNode& each) { each.text(); });
    root_.text("relaxed_from");
  }

  Result<Model> finish(const JsonNode& problem) {
    Model model;
    notePypto(problem);
    checkTexts();
    HW_DO(readObjective(problem, model));
    dsa_.profile = memberOf(root_, "profile").text();
    dsa_.instance = memberOf(root_, "instance").text();
    dsa_.document = canonicalDsa(root_.value);
    graph_.format = "dsa-problem";
    graph_.notes.push_back(fmt::format("of dsa-solver, profile {}", printable(dsa_.profile, 40)));
    model.graph = std::make_shared<const Graph>(std::move(graph_));
    problem_.ownPools = true;
    model.problem = std::move(problem_);
    model.dsa = std::make_shared<const DsaProblem>(std::move(dsa_));
    return model;
  }

  JsonNode root_;
  Graph graph_;
  Problem problem_;
  DsaProblem dsa_;
  std::unordered_map<std::uint32_t, PoolId> poolOf_;
  std::unordered_map<std::uint32_t, TensorId> tensorOf_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> poolNames_;
  IdMap<TensorId, StayId> stayOf_;  ///< None: of no bytes.
  std::int64_t origin_ = 0;         ///< Time of step 0.
  Bytes total_;
};

/// The beginning and the end of a file, in which its keys are looked for.
bool saysAll(std::string_view text, std::initializer_list<std::string_view> keys) {
  constexpr std::size_t kLookedAt = std::size_t{1} << 20;
  const std::string_view head = text.substr(0, kLookedAt);
  const std::string_view tail = text.substr(text.size() - std::min(text.size(), kLookedAt));
  return std::ranges::all_of(keys, [&](std::string_view key) {
    return head.find(key) != std::string_view::npos || tail.find(key) != std::string_view::npos;
  });
}

}  // namespace

bool acceptsDsaProblem(std::string_view bytes) {
  const std::string_view text = withoutByteOrderMark(bytes);
  if (!opensObject(text)) return false;
  return saysAll(text, {"\"live_intervals\"", "\"allowed_pools\""}) ||
         saysAll(text, {"\"schema_version\"", "\"profile\"", "\"problem\""});
}

Result<Model> readDsaProblem(std::string_view bytes, const ImportOptions&) {
  HW_TRY(document, parseJson(withoutByteOrderMark(bytes)));
  return unlessRefused([&] { return DsaReader(document).read(); });
}

}  // namespace hw
