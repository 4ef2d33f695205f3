#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/columns.h"
#include "core/plan/metrics.h"
#include "core/plan/overlap_use.h"
#include "core/run/options.h"
#include "core/run/run.h"

namespace hw {

/// One tensor in one pool for a while, as a plan file states it.
struct Placement {
  std::string tensor{};
  std::string pool{};
  Bytes offset{};
  std::optional<Bytes> size{};       ///< Exact, not rounded. Nothing: the file does not say.
  std::optional<Step> first{};       ///< Inclusive. Nothing: the file does not say.
  std::optional<Step> last{};        ///< Inclusive.
  std::optional<Bytes> alignment{};  ///< Of the offset; nothing: the plan's.
  std::string aliasOf{};  ///< The tensor whose memory it shares; empty for one of its own.
  /// The way it comes to bytes that are there: `partText`. Written, not read.
  std::string share{};
  /// Of PlanDocument::blocks, for methods that hand out whole blocks. Written, not read.
  std::optional<std::size_t> block{};
  std::string where{};  ///< In the file it was read from, for messages.
};

/// The columns of placements, in files and for people.
const Columns<Placement>& placementColumns();

/// The same of whole buffers; no pool and no offset where one has no place. `run` outlives them.
Columns<StayId> bufferColumns(const Run& run);

/// A pool, as a plan file states it.
struct StatedPool {
  std::string name{};
  std::optional<Bytes> capacity{};
  std::optional<Bytes> peak{};
};

/// A buffer that goes from one pool to another, as a plan file states it.
struct StatedMove {
  std::string tensor{};  ///< The one that fills the buffer.
  std::string from{};    ///< A pool; empty: from outside of the plan.
  std::string to{};
  Step step{};
  std::string where{};  ///< In the file it was read from, for messages.
};

/// Two that share bytes while both are there, as a plan file states it: an output with the input
/// that it is made of row by row, or parts of two tensors.
struct StatedOverlap {
  std::string output{};  ///< The tensors that fill the two buffers.
  std::string input{};
  Step step{};  ///< The first in which they do.
  OverlapWay way{};
  std::string where{};  ///< In the file it was read from, for messages.
};

/// A plan of dsa-solver, as its file states it beside its placements.
struct StatedDsa {
  std::string profile{};
  std::string instance{};
  std::string fingerprint{};  ///< Of the problem: `dsaFingerprint`.
};

/// In column `layout` of a CSV: the row is of a tensor that is held channels last.
inline constexpr std::string_view kNhwc = "nhwc";

/// A plan on paper: what `highwater plan` writes and `highwater check` reads, free of ids, so that
/// plans of other tools fit it too. Formats: docs/formats/plan.md.
struct PlanDocument {
  std::string modelName{};
  std::string modelSha256{};
  std::string allocator{};
  /// Every parameter of the allocator, defaults included. Written, not read.
  Json options = Json::object();
  std::optional<Bytes> alignment{};
  std::string status{};  ///< Empty: not stated.
  std::optional<Bytes> lowerBound{};
  std::vector<StatedPool> pools{};
  std::vector<Placement> placements{};
  std::vector<StatedMove> moves{};
  std::vector<StatedOverlap> overlaps{};
  /// The capacities of the blocks, pool by pool, of a method that hands out whole blocks such as
  /// block-id; empty for methods that hand out addresses. Written, not read.
  std::vector<Bytes> blocks{};
  /// The options of the run that are not the default, as the command line takes them.
  OptionTexts settings{};
  /// Ops by number, in the order in which they run; empty: not stated, so the model's, with the
  /// moves of the settings.
  std::vector<OpId> schedule{};
  /// As `aliasText` says it; empty: not stated.
  std::string alias{};
  std::optional<bool> planInputs{};
  std::optional<bool> planOutputs{};
  /// Placements are of whole buffers; the tensors that share them are not listed (plan CSV).
  bool buffersOnly = false;
  /// Tensors are called by their ids, "t12", whatever their names (column `id` of a plan CSV).
  bool byId = false;
  /// Set for a plan of dsa-solver: as read, tensors and pools are called by their numbers
  /// (`namedDsaPlan` of core/plan_file/dsa_plan.h gives them names).
  std::optional<StatedDsa> dsa{};
};

/// The plan of `run`: tensors in id order, aliases included; one placement per tensor and stretch
/// of steps in which it is live. Stays without an address are absent.
PlanDocument describePlan(const Run& run);

/// The first placements of `describePlan`, at most `most`, and how many there are.
struct PlacementList {
  std::vector<Placement> first{};
  std::size_t count = 0;
};
PlacementList firstPlacements(const Run& run, std::size_t most);

/// Every parameter of the choice with its value or default, numbers as numbers.
Json allocatorOptions(const AllocatorChoice& choice);

/// The figures of a plan in a pool, in files and for people: `PoolMetrics`.
const Columns<PoolMetrics>& poolColumns();

/// The plan that came with a model, on paper; nothing when it brought none. Those that the
/// plan leaves to the runtime are not in it.
std::optional<PlanDocument> embeddedPlan(const Model& model);

}  // namespace hw
