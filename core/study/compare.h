#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/run/figures.h"
#include "core/run/run.h"

namespace hw {

/// The figure that rows are sorted by; less is better.
enum class Ranking : std::uint8_t { peak, latency, traffic, energy };
inline constexpr std::array<std::string_view, 4> kRankingNames = {"peak", "latency", "traffic",
                                                                  "energy"};

/// The usual ranking, where nobody says one: latency if the first memory of the machine is bounded,
/// for then where tensors live decides; else the peak.
Ranking usualRanking(const RunRequest& request);

/// One attempt. Has a run and its figures, or the error that kept it from having one.
struct ComparisonRow {
  AllocatorChoice allocator{};
  std::string platform{};  ///< What people call the machine that it was to run on.
  RunRequest request{};    ///< All that it was told.
  std::shared_ptr<const Run> run{};
  RunFigures figures{};  ///< Of the run.
  std::optional<Error> error{};
  /// Ranks first of all that fit and plan everything asked for; several may.
  bool best = false;

  /// Everything has a place within the capacities.
  bool fits() const { return run && figures.fits; }
  /// Someone wanted to stop before there was a plan.
  bool stopped() const { return error && error->code == ErrorCode::stopped; }
  /// Sum of the footprints of all pools.
  Bytes peak() const { return figures.peak(); }
};

/// One model planned in several ways: by several allocators, on several platforms.
struct Comparison {
  std::shared_ptr<const Model> model{};
  /// Those that fit by rank, equal latencies by traffic, then by peak; then those that do not by
  /// peak, then those without a plan; otherwise as asked for.
  std::vector<ComparisonRow> rows{};
  /// Of what was asked for: of a run that plans all of it on one device, if there is one.
  Bytes lowerBound{};
  Ranking by = Ranking::peak;

  /// Sorts and marks the rows anew.
  void rank(Ranking ranking);
  /// True when the rows are not all about one platform.
  bool severalPlatforms() const;
  /// Rows that were stopped before they had a plan.
  std::size_t stopped() const;
};

/// Runs every choice, all allocators if there is none, on `request` (whose own is ignored) with
/// `request.threads` at a time. Never fails: an allocator that fails, runs out of memory or is
/// stopped is a row that says so, and the others keep what they have. Progress names the rows at
/// work.
Comparison compareAllocators(std::shared_ptr<const Model> model, const RunRequest& request,
                             const std::vector<AllocatorChoice>& choices,
                             const RunContext& context);

/// The same over whole configurations: several platforms, several capacities. `threads` of them at
/// a time; each plans with one. Ranked as is usual for the first.
Comparison compareRequests(std::shared_ptr<const Model> model,
                           const std::vector<RunRequest>& requests, int threads,
                           const RunContext& context);

/// A comparison whose rows have no plans yet, one for each request.
Comparison openComparison(std::shared_ptr<const Model> model,
                          const std::vector<RunRequest>& requests);
/// Plans a row of a comparison, with one thread; rows may be planned side by side. Never fails: it
/// says so. `context` tells nobody of progress.
void fillRow(const Comparison& comparison, ComparisonRow& row, const RunContext& context);
/// Ranks the rows, as is usual for the first, and finds their lower bound: all have been planned.
void closeComparison(Comparison& comparison);

/// `comparison` with a row for a run that is there already, of the same model; it may be empty.
Comparison withRow(Comparison comparison, const std::shared_ptr<const Run>& run);

/// The same rows for the settings of `request`, apart from what they differ in: allocators, and
/// platforms with the capacities of their own if those are several. What was made so is kept.
Comparison compareAgain(const Comparison& comparison, const RunRequest& request,
                        const RunContext& context);

}  // namespace hw
