#pragma once

#include "core/exchange/tflm/arena.h"
#include "core/run/run.h"

namespace hw {

/// A plan for tflite-micro to follow, and what it will come to there.
struct TflmPlan {
  /// By tensor of all subgraphs, one after the other; -1: left to the runtime.
  std::vector<std::int32_t> offsets{};
  TflmProgram program{};
  TflmArena arena{};  ///< Where the runtime will put everything, scratch included.
  Bytes ownHead{};    ///< What its own planner takes for the same model.
  /// About what the tail takes beside the head, with pointers of 8 bytes and of 4 (tail.h).
  Bytes tail{};
  Bytes narrowTail{};
  std::size_t left = 0;  ///< Tensors that need bytes and are left to the runtime.
};

/// The options that the user gave, which stay as they are.
struct TflmGiven {
  bool alignment = false;
  bool bodies = false;
  bool near = false;  ///< The size of the near memory.
};

/// The request for a plan for tflite-micro: calls are one step each, as the runtime has an arena
/// for all subgraphs, everything is at a multiple of 16, and the arena is as small as can be: a
/// platform tells how its kernels run, not where to stop.
RunRequest tflmRequest(RunRequest request, const TflmGiven& given);

/// The plan of `run` as the runtime takes it. `file` is the model's: a TFLite file, not a bundle.
/// Subgraphs that nothing calls are planned each on its own, as `run` was: nobody else may use them
/// at that time. Fails, with what it is, on what an arena of fixed offsets cannot say: several
/// memories, moves, rewritten graphs, another order, tensors of another size than the file's.
/// `library`: the kernels that the runtime is built with.
Result<TflmPlan> tflmPlan(std::string_view file, const Run& run,
                          KernelLibrary library = KernelLibrary::reference);

/// "tflite-micro's head takes 55,296 bytes, 73,728 without this plan; its tail about 3,800 more, an
/// estimate (2,300 where pointers have 4 bytes)".
std::string tflmPlanLine(const TflmPlan& plan);

/// The offset of every tensor of the model, from the first step to the last, in the one memory that
/// the plan has: what runtimes can be told. Nothing: it has no place of its own there. Fails, with
/// what it is, on what offsets alone cannot say: plans that do not fit, several memories, moves,
/// graphs whose operators run in parts or again, operators in another order than the file's.
Result<IdMap<TensorId, std::optional<Bytes>>> fixedPlaces(const Run& run);

}  // namespace hw
