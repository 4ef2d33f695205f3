#include "core/plan_file/dsa_plan.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>

#include "core/plan_file/tensor_names.h"

// Plans of dsa-solver (dsa-solution-v1): docs/formats/dsa.md.

namespace hw {
namespace {

constexpr std::string_view kDsaBuffer = "buffer ";
constexpr std::string_view kDsaPool = "pool ";

JsonNode dsaMember(const JsonNode& node, const char* key) {
  if (const auto member = node.object().find(key)) return *member;
  node.refuse("the field '{}' is missing", key);
}

std::string dsaNumber(std::string_view kind, const JsonNode& node, const char* key) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return fmt::format("{}{}", kind, dsaMember(node, key).count(kMost));
}

/// The meaning of the numbers of a file in a model of it.
class DsaNames {
 public:
  explicit DsaNames(const Model& model) : problem_(*model.problem), names_(*model.graph) {
    const DsaProblem& dsa = *model.dsa;
    for (const TensorId id : dsa.buffers.keys()) {
      tensors_.emplace(fmt::format("{}{}", kDsaBuffer, dsa.buffers[id]), id);
    }
    for (const PoolId id : dsa.pools.keys()) {
      pools_.emplace(fmt::format("{}{}", kDsaPool, dsa.pools[id]), id);
    }
    stays_.resize(dsa.buffers.size());
    for (const StayId id : problem_.stays.keys()) {
      stays_[TensorId(problem_.stays[id].buffer.index())] = id;
    }
  }

  /// Adds `numbered` under its name, once for each stretch of steps.
  void add(Placement numbered, std::vector<Placement>& named) const {
    if (const auto pool = pools_.find(numbered.pool); pool != pools_.end()) {
      numbered.pool = problem_.pools[pool->second].name;
    }
    const auto tensor = tensors_.find(numbered.tensor);
    const StayId stay = tensor == tensors_.end() ? StayId() : stays_[tensor->second];
    if (tensor != tensors_.end()) numbered.tensor = names_.of(tensor->second);
    if (!stay) {  // Unknown, or of no bytes.
      named.push_back(std::move(numbered));
      return;
    }
    numbered.alignment = problem_.stays[stay].alignment;
    for (const Interval<Step>& live : problem_.liveSteps(stay)) {
      numbered.first = live.begin;
      numbered.last = live.end - Step(1);
      named.push_back(numbered);
    }
  }

 private:
  const Problem& problem_;
  TensorNames names_;
  std::unordered_map<std::string, TensorId> tensors_;
  std::unordered_map<std::string, PoolId> pools_;
  IdMap<TensorId, StayId> stays_;  ///< None: of no bytes.
};

}  // namespace

std::string dsaFingerprint(const DsaProblem& problem) {
  // FNV-1a (Fowler, Noll, Vo), 64 bits.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : problem.document) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 1099511628211ULL;
  }
  return fmt::format("{:016x}", hash);
}

bool isDsaSolution(const JsonNode& document) {
  return document.find("problem_fingerprint").has_value() && !document.find("format");
}

StatedDsa readDsaClaims(const JsonNode& document) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (dsaMember(document, "schema_version").count(kMost) != 1) {
    refuse("the schema is of another version; expected 1", "schema_version",
           ErrorCode::unsupported);
  }
  if (!document.find("placements")) {
    refuse("\"placements\" is missing; expected a plan with an array of them", "");
  }
  return {.profile = document.text("profile"),
          .instance = document.text("instance"),
          .fingerprint = dsaMember(document, "problem_fingerprint").text()};
}

Placement readDsaPlacement(const JsonNode& node) {
  return {.tensor = dsaNumber(kDsaBuffer, node, "buffer"),
          .pool = dsaNumber(kDsaPool, node, "pool"),
          .offset = Bytes(dsaMember(node, "offset").count(kMaxBytes.count())),
          .where = node.where};
}

Result<PlanDocument> namedDsaPlan(const PlanDocument& plan, const Model& model) {
  if (!model.dsa || !model.problem) {
    return fail(ErrorCode::unsupported,
                "the plan calls buffers by their numbers in a problem of dsa-solver "
                "(dsa-problem-v1); the model is not one");
  }
  PlanDocument named{.dsa = plan.dsa};
  for (const ProblemPool& pool : model.problem->pools) {
    named.pools.push_back({.name = pool.name, .capacity = pool.capacity});
  }
  const DsaNames names(model);
  for (const Placement& placement : plan.placements) names.add(placement, named.placements);
  return named;
}

}  // namespace hw
