#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/rewrites.h"
#include "core/run/run.h"

namespace hw {

/// A plan as the front of `shrink` has it. `run->request` makes it again.
struct ShrinkPoint {
  Rewrites with{};
  std::shared_ptr<const Run> run{};
  Bytes peak{};          ///< Bytes to reserve, in all pools.
  Bytes bound{};         ///< No plan of the same stays needs less.
  double extraMacs = 0;  ///< Multiplications made again / those of the model.
  SimTime latency{};     ///< Of one run on the machine.
};

/// Trial of some rewrites by themselves.
struct ShrinkTrial {
  Rewrites with{};
  TileRule tile = TileRule::off;  ///< How operators are cut, where they are.
  /// No plan with these rewrites needs less: of any order, where the order is one of them and
  /// nothing else hinders; else of the stays that came of it. Nothing where it was not tried.
  std::optional<Bytes> bound{};
  bool anyOrder = false;             ///< The bound holds whatever the order.
  std::optional<Bytes> peak{};       ///< Of the plan.
  std::shared_ptr<const Run> run{};  ///< The plan; null where it was not tried.
  /// Outcome in sentences, or why it was not tried.
  std::vector<std::string> said{};
};

/// Bytes against extra multiplications and latency: what rewrites of one model come to.
struct ShrinkFront {
  RunRequest request{};  ///< As asked for, with a near memory without limit.
  /// Limits that were set.
  std::optional<Bytes> budget{};
  double extraMacs = 0;
  ShrinkPoint plain{};                ///< Nothing rewritten but what the request says itself.
  std::vector<ShrinkPoint> points{};  ///< By peak; none is as good as another in all three.
  std::vector<ShrinkTrial> trials{};  ///< Nothing, each rewrite alone, then all together.
  std::size_t tried = 0;              ///< Programs that were planned and simulated.
  bool stopped = false;               ///< There would have been more.

  /// Of those within the budget the fastest, of equals the smallest; without a budget the smallest.
  /// Null where none is within it.
  const ShrinkPoint* chosen() const;
  /// The smallest that needs fewer bytes than the plain plan and is as fast, to half a percent.
  /// Null where there is none, or where operators are not timed.
  const ShrinkPoint* costless() const;
  /// Some rewrite needs fewer bytes than the plain plan.
  bool shrinks() const { return !points.empty() && points.front().peak < plain.peak; }
};

struct ShrinkOptions {
  Rewrites allow = Rewrites::all();
  std::optional<Bytes> budget{};  ///< Bytes to reserve at most.
  double extraMacs = 0.1;         ///< At most so many times those of the model; 0: none.
  /// Number of sizes between the least of parts and the least of whole operators parts are made
  /// for; half as many by channels, and below what goes line by line.
  std::size_t sizes = 4;
  /// Called when there is a better front, with what there is so far.
  std::function<void(const ShrinkFront&)> report{};
};

/// Tries rewrites of a model and what they come to together, and keeps those that are not worse
/// than another in bytes, multiplications and latency. The first answer is the plain plan, the
/// second all that leaves operators whole; then they run in parts, as small as they can: line by
/// line, in all ways, among them stripes and patches that make some things twice, and by channels;
/// then for sizes between.
/// Every plan is checked and simulated. Deterministic. Fails when the model has no operators, or
/// cannot be planned as the request says; stopped, it gives what it has.
Result<ShrinkFront> shrink(std::shared_ptr<const Model> model, const RunRequest& request,
                           const ShrinkOptions& options, const RunContext& context);

}  // namespace hw
