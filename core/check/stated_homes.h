#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/check/audit_model.h"
#include "core/check/plan_audit.h"

namespace hw {

/// Places of a model's tensors as a plan states them.
struct StatedPlaces {
  const Graph& graph;
  const PlanDocument& plan;
  const std::vector<Resolved>& placements;
  const IdMap<TensorId, std::optional<Demand>>& demands;
};

/// The device of a pool called "device/L2"; empty where there is only one.
std::string_view deviceOfPool(std::string_view pool);

/// Of a plan in the blocks of several devices: where each tensor is, as StorageOptions::homes has
/// it; by the platform of `options` or of the plan's settings, else by the devices that the pools
/// of the placements belong to. Empty: one place.
IdMap<TensorId, std::uint32_t> statedHomes(const StatedPlaces& stated, const AuditOptions& options);

}  // namespace hw
