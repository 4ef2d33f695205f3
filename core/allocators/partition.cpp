#include "core/allocators/partition.h"

#include "core/allocators/allocators.h"
#include "core/allocators/catalog.h"
#include "core/base/check.h"

namespace hw {
namespace {

constexpr std::string_view kNested[] = {"free-list",         "greedy-by-size",
                                        "two-sided",         "placement-search",
                                        "greedy-by-breadth", "in-order",
                                        "hill-climb",        "stacked",
                                        "annealed-stack",    "size-length",
                                        "shared-objects",    "block-id",
                                        "keep-best",         "none"};
constexpr ParamSpec kAllocator{.name = "allocator",
                               .type = ParamType::choice,
                               .summary =
                                   "places the blocks on each device, and what shares a "
                                   "block inside it",
                               .fallback = "free-list",
                               .choices = kNested};
constexpr ParamSpec kParams[] = {kAllocator};

/// A bare problem has one device and one unit per stay: its blocks are the stays themselves.
class PartitionOfProblem final : public Allocator {
 public:
  explicit PartitionOfProblem(const Params& params) : nested_(nestedAllocator(params).make()) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    return nested_->plan(problem, context);
  }

  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    return nested_->explain(problem, plan, stay);
  }

  std::unique_ptr<Allocator> nested_;
};

}  // namespace

AllocatorChoice nestedAllocator(const Params& params) {
  const auto info = findAllocator(params.choice(kAllocator));
  check(info.has_value(), "the nested allocator in the catalogue");
  return {.info = *info};
}

std::span<const ParamSpec> partitionParams() { return kParams; }

std::unique_ptr<Allocator> makePartition(const Params& params) {
  return std::make_unique<PartitionOfProblem>(params);
}

}  // namespace hw
