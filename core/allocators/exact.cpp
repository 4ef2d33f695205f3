#include "core/solver/exact/exact.h"

#include <fmt/format.h>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"

namespace hw {
namespace {

constexpr ParamSpec kCapacity{.name = "capacity",
                              .type = ParamType::size,
                              .summary =
                                  "asks whether the first pool's stays fit into this much; 0: into "
                                  "the pool, or as little as possible where it is unbounded",
                              .fallback = "0"};
constexpr ParamSpec kNodes{.name = "nodes",
                           .type = ParamType::integer,
                           .summary = "placements looked at, at most; 0: no limit",
                           .fallback = "0"};
constexpr ParamSpec kSeconds{.name = "seconds",
                             .type = ParamType::number,
                             .summary = "time limit; 0: none, so that runs repeat",
                             .fallback = "10"};
constexpr ParamSpec kParams[] = {kCapacity, kNodes, kSeconds};

struct Settings {
  Bytes capacity{};
  std::int64_t nodes = 0;
  double seconds = 0;
};

MethodTable historyOf(const ExactResult& found, const std::string& pool) {
  MethodTable table{.name = "progress " + pool,
                    .summary = "the best plan so far and the proved bound, as the search went on",
                    .columns = {"microseconds", "incumbent", "bound", "nodes", "order"}};
  for (const ExactProgress& each : found.history) {
    addRow(table, {static_cast<std::int64_t>(each.seconds * 1e6), each.incumbent, each.bound,
                   each.nodes, each.winner});
  }
  return table;
}

std::string noteOf(const ExactResult& found, const std::string& pool) {
  const auto facts = fmt::format("{} bytes by '{}' after {} nodes", found.incumbent.count(),
                                 found.winner, found.nodes);
  switch (found.status) {
    case ExactStatus::optimal:
      return fmt::format("{}: {}, proved optimal", pool, facts);
    case ExactStatus::fits:
      return fmt::format("{}: {}, which fits; no plan is below {}", pool, facts,
                         found.bound.count());
    case ExactStatus::infeasible:
      return fmt::format("{}: proved: no plan is below {} bytes; the best one found needs {}", pool,
                         found.bound.count(), facts);
    case ExactStatus::stopped:
      break;
  }
  const ExactProgress& last = found.history.back();
  return fmt::format("{}: {}, stopped; no plan is below {}, {:.2f} % less", pool, facts,
                     last.bound.count(), 100 * last.gap() / (1 + last.gap()));
}

class Exact final : public Allocator {
 public:
  explicit Exact(const Settings& settings) : settings_(settings) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    if (const auto pinned = placePins(problem, plan); !pinned) {
      return tl::unexpected(pinned.error());
    }
    PlanStatus status = PlanStatus::optimal;
    for (const PoolId pool : problem.pools.keys()) {
      const ExactResult found = solveExact(problem, pool, optionsFor(problem, pool, context));
      bool any = false;
      for (const StayId id : problem.stays.keys()) {
        if (problem.poolOf(id) != pool) continue;
        plan.addresses[id] = Address{pool, RegionId(0), found.offsets[id]};
        any = true;
      }
      if (!any) continue;
      status = worse(status, found.status);
      plan.notes.push_back(noteOf(found, problem.pools[pool].name));
      plan.tables.push_back(historyOf(found, problem.pools[pool].name));
    }
    plan.status = status;
    return plan;
  }

  ExactOptions optionsFor(const Problem& problem, PoolId pool, const PlanContext& context) const {
    ExactOptions options{.capacity = problem.pools[pool].capacity,
                         .nodes = settings_.nodes,
                         .seconds = context.timeLimit > 0 ? context.timeLimit : settings_.seconds,
                         .threads = context.threads,
                         .stop = context.stop};
    if (pool == PoolId(0) && settings_.capacity > Bytes()) options.capacity = settings_.capacity;
    if (context.progress) {
      options.progress = [&](const ExactProgress& now) {
        context.progress(0.1, fmt::format("{} bytes, bound {}, {} nodes, {:.0f} a second, '{}'",
                                          now.incumbent.count(), now.bound.count(), now.nodes,
                                          now.nodesPerSecond(), now.winner));
      };
    }
    return options;
  }

  /// The status of several pools together.
  static PlanStatus worse(PlanStatus status, ExactStatus found) {
    if (status == PlanStatus::infeasible || found == ExactStatus::infeasible) {
      return PlanStatus::infeasible;
    }
    if (status == PlanStatus::stopped || found == ExactStatus::stopped) return PlanStatus::stopped;
    return found == ExactStatus::fits ? PlanStatus::complete : status;
  }

  Settings settings_;
};

}  // namespace

std::span<const ParamSpec> exactParams() { return kParams; }

std::unique_ptr<Allocator> makeExact(const Params& params) {
  return std::make_unique<Exact>(Settings{.capacity = params.size(kCapacity),
                                          .nodes = params.integer(kNodes),
                                          .seconds = params.number(kSeconds)});
}

}  // namespace hw
