#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocators/catalog.h"
#include "core/import/importer.h"
#include "core/machine/memory_model.h"
#include "core/order/op_order.h"
#include "core/residency/fetching.h"
#include "core/residency/residency_rules.h"
#include "core/schedule/moves.h"
#include "core/storage/aliasing.h"
#include "core/tile/tile.h"

namespace hw {

/// Of addresses in the plan of a graph, where nobody says otherwise.
inline constexpr Bytes kDefaultAlignment{64};

/// The size of a pool for planning.
struct PoolSize {
  enum class Kind { platform, unbounded, bytes } kind = Kind::platform;
  Bytes bytes{};
  bool assumed = false;  ///< Nobody asked for it: a bare planning problem does without.
};

/// The memory of graph inputs, and from when on they are there.
enum class InputPlace : std::uint8_t {
  arena,     ///< They are planned, and there as the run begins; far where buffers move.
  external,  ///< Outside of what is planned.
  loaded,    ///< They start in the far pool, and come near by a load.
  near,      ///< Where buffers move they start near, too, where there is room.
  rows,      ///< They come in row by row, when they are first read.
};
inline constexpr std::string_view kInputPlaceNames[] = {"arena", "external", "loaded", "near",
                                                        "rows"};

/// The memory of graph outputs, and until when they are there.
enum class OutputPlace : std::uint8_t {
  arena,     ///< They are planned, and there as the run ends; far where buffers move.
  external,  ///< Outside of what is planned.
  stored,    ///< They end in the far pool, where a store takes them.
  near,      ///< Where buffers move they may stay near, too.
};
inline constexpr std::string_view kOutputPlaceNames[] = {"arena", "external", "stored", "near"};

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
  InputPlace inputs = InputPlace::arena;
  OutputPlace outputs = OutputPlace::arena;
  WeightChoice weights{};
  ResidencyRule residency = ResidencyRule::wholeLife;
  bool channelsLast = false;  ///< Images are held so, whatever the model says.
  OpOrder order = OpOrder::given;
  bool recompute = false;  ///< Cheap operators may run again instead of keeping what they made.
  TileRule tile = TileRule::off;
  Bytes tileTo{};               ///< Parts need not take fewer bytes.
  double extraWork = 0.1;       ///< How much of all work may be done more than once.
  std::vector<OpMove> moves{};  ///< Changes of that order, one after the other.
  int batches = 1;              ///< Inferences, one behind the other.
  std::uint64_t seed = 1;
  int threads = 1;
  double timeLimit = 0;  ///< Seconds; 0: none.

  bool plansInputs() const { return inputs != InputPlace::external; }
  bool plansOutputs() const { return outputs != OutputPlace::external; }
};

/// The default allocator on the default platform.
RunRequest defaultRequest();
/// The same for planning alone: memories are unlimited, and nobody asked for L3.
RunRequest planningRequest();

}  // namespace hw
