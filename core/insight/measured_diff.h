#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/import/measured/operator_profile.h"
#include "core/import/onnx/runtime_shapes.h"
#include "core/run/run.h"
#include "core/run/run_request.h"

namespace hw {

/// Which operator of `graph` each operator of a profile is: by its name, where one has it and the
/// type agrees, if any is told; by its number, where that is its name; else by its number, as long
/// as the types at all numbers agree with those of the graph without constants, which runtimes do
/// not count. Where operators have a class: as many as can be matched by it in their order (a
/// longest common subsequence; none of more than 16 million pairs). None: the graph has no such
/// operator. Nobody is meant twice.
std::vector<OpId> matchOperators(const Graph& graph, const OperatorProfile& profile);

/// The order of `graph` in which the matched operators run as they were measured, as far as their
/// data allow; others run just before whoever needs them, or at the end. As moves of the order in
/// which the graph comes, one after the other; nothing where it takes more than `kMostMoves`.
inline constexpr std::size_t kMostMoves = 20'000;
std::optional<std::vector<OpMove>> measuredOrder(const Graph& graph,
                                                 const std::vector<OpId>& matched);

/// Storage that a run beside a measurement shares where nobody says otherwise: reshapes have the
/// bytes of their input. What the runtime writes over inputs is up to its kernels: runtime_plan.h.
AliasRules runtimeAlias();

/// `request`, with its operators in the order that was measured. Fails where it asks for another
/// order or rewrites the graph, and where nothing of the profile is in the model.
Result<RunRequest> measuredRequest(const Graph& graph, const OperatorProfile& profile,
                                   RunRequest request);

/// Reason why something else was measured than was simulated.
enum class MeasuredReason : std::uint8_t {
  none,          ///< Equal, or nobody knows.
  inPlace,       ///< It was written over an input.
  takesOver,     ///< It was given the bytes of an earlier tensor, which were kept for it.
  kept,          ///< Bytes that nobody reads any more were kept for a later operator.
  keptLonger,    ///< They were given back later, or not at all.
  unread,        ///< Nobody reads it, and it was kept to the end.
  earlier,       ///< Bytes were given back earlier.
  copied,        ///< It shares the bytes of an input in the simulation.
  view,          ///< It shares them in the measurement only.
  scratch,       ///< It took more than it writes, and kept it.
  temporaries,   ///< It took more than it writes while it ran.
  dynamicShape,  ///< A size was not known, or assumed, ahead of time.
  otherSize,     ///< It wrote another number of bytes.
  folded,        ///< It was computed before the model ran.
  eliminated,    ///< It did not run: it was fused into another one, or left out.
  inserted,      ///< The model has no such operator: it was put in, or several were fused.
};

/// "in place", "kept for a later one", …
std::string_view measuredReasonName(MeasuredReason reason);

/// One operator, as simulated and as measured. Bytes live are those while it runs: what it reads is
/// still there.
struct MeasuredRow {
  std::string op{};
  std::string type{};
  std::optional<Step> step{};          ///< Simulated; nothing: the model has no such operator.
  std::optional<std::size_t> event{};  ///< Among those measured; nothing: it did not run.
  std::optional<Bytes> simulatedOutput{};
  std::optional<Bytes> measuredOutput{};
  std::optional<Bytes> simulatedLive{};
  std::optional<Bytes> measuredLive{};
  /// Measured less simulated, of what it takes, and of what is kept behind it beyond the
  /// simulation. Nothing where only outputs were recorded.
  std::int64_t takes = 0;
  std::int64_t keeps = 0;
  Bytes temporaries{};  ///< At least, beyond what it left; known where more than ever was in use.
  Bytes rounding{};     ///< What the allocator adds as it ends.
  std::int64_t micros = 0;
  MeasuredReason reason = MeasuredReason::none;
  std::string with{};  ///< The other operator that the reason is about.

  /// Bytes that it is about, of whichever figure differs most.
  Bytes weight() const;
  bool differs() const { return weight() > Bytes(); }
};

/// A run beside a profile of the same model.
struct MeasuredDiff {
  std::vector<MeasuredRow> rows{};  ///< As they ran.
  bool memory = false;              ///< The profile tells what was asked for.
  Bytes simulatedPeak{};            ///< Most live at a step,
  Bytes expectedPeak{};             ///< and as runtimes keep bytes: core/insight/runtime_plan.h.
  Bytes measuredPeak{};             ///< Most asked for, without what was there before.
  std::size_t simulatedAt = 0;      ///< The rows at which the first and the last of these are.
  std::size_t measuredAt = 0;
  Bytes planned{};               ///< What the simulated plan reserves.
  std::optional<Bytes> inUse{};  ///< Most in use, rounded, with what was there before.
  std::optional<Bytes> held{};   ///< Most that their allocator had.
  Bytes standing{};              ///< There before the first operator.
  std::size_t matched = 0;       ///< Operators that both have.
  std::vector<std::string> notes{};

  /// Rows that differ, those about most bytes first.
  std::vector<std::size_t> largestFirst() const;
  bool equal() const;
};

/// The run that a profile is compared with.
struct MeasuredBeside {
  /// The operators' bytes are those of the runtime's planner; false: what is live in the run.
  bool asRuntime = false;
  RuntimeShapes shapes{};  ///< What the runtime knows: core/import/onnx/runtime_shapes.h.
};

/// Holds a run against the profile, by whose order it was made.
MeasuredDiff diffMeasured(const Run& run, const OperatorProfile& profile,
                          const MeasuredBeside& beside = {});

}  // namespace hw
