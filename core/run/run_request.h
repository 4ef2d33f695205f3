#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/allocators/catalog.h"
#include "core/import/importer.h"
#include "core/machine/memory_model.h"
#include "core/order/op_order.h"
#include "core/residency/fetching.h"
#include "core/residency/moving_problem.h"
#include "core/schedule/moves.h"
#include "core/storage/aliasing.h"
#include "core/tile/tile.h"

namespace hw {

/// How large a pool is for planning.
struct PoolSize {
  enum class Kind { platform, unbounded, bytes } kind = Kind::platform;
  Bytes bytes{};
  bool assumed = false;  ///< Nobody asked for it: a bare planning problem does without.
};

/// Everything that a run can be told: what to open, and how to plan it. Nobody changes a request
/// on behalf of whoever asked; what came of it stands in the `Run`. Its text, option by option, is
/// in core/run/options.h.
struct RunRequest {
  std::string model{};  ///< A path, samples:NAME, or "-"; empty: the model is there already.
  ImportOptions import{};
  AllocatorChoice allocator{};
  Platform platform{};
  PoolSize l2{};
  PoolSize l3{};
  std::optional<Bytes> alignment{};  ///< Default: 64 for graphs, 1 for planning problems.
  AliasRules alias{};
  bool overlap = false;  ///< Outputs may overlap inputs as far as the unit's kernels allow it.
  bool planInputs = true;
  bool inputRows = false;  ///< Planned ones come in row by row, when they are first read.
  bool planOutputs = true;
  bool loadInputs = false;    ///< Planned ones start in the far pool, and come near by a load.
  bool storeOutputs = false;  ///< Planned ones end in the far pool, where a store takes them.
  bool nearInputs = false;    ///< Planned ones start near by rules that move buffers, too,
  bool nearOutputs = false;   ///< and may stay there: where there is room.
  WeightChoice weights{};
  ResidencyRule residency = ResidencyRule::wholeLife;
  bool channelsLast = false;  ///< Images are held so, whatever the model says.
  OpOrder order = OpOrder::given;
  bool recompute = false;  ///< Cheap operators may run again instead of keeping what they made.
  TileRule tile = TileRule::off;
  Bytes tileTo{};               ///< Parts need not take fewer bytes.
  double extraWork = 0.1;       ///< How much of all work may be done more than once.
  std::vector<OpMove> moves{};  ///< Changes of that order, one after the other.
  std::uint64_t seed = 1;
  int threads = 1;
  double timeLimit = 0;  ///< Seconds; 0: none.
};

/// The default allocator on the default platform.
RunRequest defaultRequest();
/// The same for planning alone: memories are unlimited, and nobody asked for L3.
RunRequest planningRequest();

}  // namespace hw
