#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/made_once.h"
#include "core/base/task_queue.h"
#include "core/layout/layout.h"
#include "core/rewrite/recompute.h"
#include "core/run/run.h"
#include "core/tile/tile.h"

namespace hw {

/// A graph and the order of its operators: what stages before planning may rewrite.
struct Program {
  std::shared_ptr<const Graph> graph{};
  Schedule schedule{};
  std::optional<LayoutAccount> layout{};  ///< What another layout comes to, if asked for.
  std::optional<OrderAccount> order{};    ///< What the schedule comes to, unless it was given.
  /// The account of running some operators again, where that was asked for.
  std::optional<RecomputeAccount> repeats{};
  std::optional<TileAccount> tiles{};  ///< What parts come to, where they were asked for.
  /// The storage of this graph in this order, where sharing it was part of making it.
  std::shared_ptr<const Storage> storage{};
  /// Other ways to run in parts, whose plans may be lower: see `TileSearch`.
  std::vector<Program> otherWays{};
};

/// The common part of runs of one model that rewrite it and share its storage alike: rows of a
/// comparison, and settings of a study that differ in memories alone.
struct CommonPart {
  Program program{};
  Storage storage{};
};

/// A program some of whose operators run again, made of one whose graph is `of`.
struct Repeated {
  std::shared_ptr<const Graph> of{};
  RecomputedProgram made{};
};

/// A graph with scratch set aside for work in place, made of the graph `of`.
struct WithScratch {
  std::shared_ptr<const Graph> of{};
  std::shared_ptr<const Graph> made{};
};

/// Such parts, kept from run to run: RunContext::common; and the threads that share the work within
/// these runs. With more than one, callbacks of runs may be called by any of them.
class CommonWork : public MadeOnce<CommonPart> {
 public:
  explicit CommonWork(int threads = 1)
      : MadeOnce(kMost, &weightOf),
        scratched_(kMost, [](const WithScratch& each) { return weightOfGraph(*each.made); }),
        repeats_(kMost, [](const Repeated& each) { return weightOfGraph(*each.made.graph); }),
        tilings_(kMostTilings, [](const TileSearch&) { return std::size_t{1}; }),
        workers_(threads) {}

  /// Of graphs that are rewritten with work in place in several ways.
  MadeOnce<WithScratch>& scratched() { return scratched_; }
  /// Of programs that may be further rewritten in several ways.
  MadeOnce<Repeated>& repeats() { return repeats_; }
  /// Of programs that are cut into parts for several sizes.
  MadeOnce<TileSearch>& tilings() { return tilings_; }
  Workers& workers() { return workers_; }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 22U;
  static constexpr std::size_t kMostTilings = 8;

  static std::size_t weightOfGraph(const Graph& graph) {
    return graph.tensors.size() + graph.ops.size();
  }
  static std::size_t weightOf(const CommonPart& part) { return weightOfGraph(*part.program.graph); }

  MadeOnce<WithScratch> scratched_;
  MadeOnce<Repeated> repeats_;
  MadeOnce<TileSearch> tilings_;
  Workers workers_;
};

/// The kind of run that a model and a request come to. Decided once, before anything is rewritten.
enum class RunShape : std::uint8_t {
  problem,         ///< A planning problem: stays without operators that touch them.
  oneDevice,       ///< One problem, for the memories of the first device.
  blocks,          ///< Over several devices, each of which places a block per execution unit.
  movesOnDevices,  ///< One problem for all devices, between whose memories buffers move.
  followsModel,    ///< Around the addresses that the model brings along.
};

/// Its graph may run several times: see `Tiling::batches`.
constexpr bool repeatsInBatches(RunShape shape) {
  return shape != RunShape::problem && shape != RunShape::followsModel;
}

/// The input of all rewrites.
struct Rewriting {
  RunShape shape{};
  const RunRequest& request;
  const StorageOptions& sharing;  ///< How storage is shared behind it.
  std::stop_token stop{};
  CommonWork* common = nullptr;  ///< Null: nothing is kept for other runs.

  /// Problems, and plans over several devices or of the model's own, do not run in parts.
  bool rewrites() const { return shape == RunShape::oneDevice; }
};

/// A part of a run, under whose name progress is told.
struct RunStage {
  std::string_view name{};
  double begins = 0;  ///< Where in the whole, for progress; stages go by it.
  /// For those that come first: turns one program into another, as was asked. Everything
  /// behind them sees the last one only.
  Result<Program> (*rewrite)(Program program, const Rewriting& rewriting) = nullptr;
};

/// The program that the stages that rewrite make of a model.
Result<Program> rewrittenProgram(const Model& model, const RunRequest& request,
                                 const RunContext& context = {});

/// The stages of every run, in order: rewrites, then sharing storage, planning and simulating.
std::span<const RunStage> stageCatalog();

}  // namespace hw
