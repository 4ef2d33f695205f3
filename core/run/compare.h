#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// One allocator's attempt. Has a run, or the error that kept it from having one.
struct ComparisonRow {
  AllocatorChoice allocator{};
  std::shared_ptr<const Run> run{};
  std::optional<Error> error{};

  /// Everything has a place within the capacities.
  bool fits() const;
  /// Sum of the footprints of all pools.
  Bytes peak() const;
};

/// One model planned by several allocators under one configuration.
struct Comparison {
  std::shared_ptr<const Model> model{};
  std::vector<ComparisonRow> rows{};  ///< Those that fit first, then by peak, then as asked for.
};

/// Runs every choice on `config` (whose own allocator is ignored) with `config.threads` at a time.
/// Fails only on stop; an allocator that fails is a row that says so.
Result<Comparison> compareAllocators(std::shared_ptr<const Model> model, const RunConfig& config,
                                     const std::vector<AllocatorChoice>& choices,
                                     const RunContext& context);

}  // namespace hw
