#pragma once

#include <optional>
#include <vector>

#include "core/import/measured/operator_profile.h"
#include "core/run/run_request.h"

namespace hw {

/// Which operator of `graph` each operator of a profile is: by its name, where one has it and the
/// type agrees; else by its number, as long as the types at all numbers agree with those of the
/// graph without constants, which runtimes do not count. None: the graph has no such operator.
/// Nobody is meant twice.
std::vector<OpId> matchOperators(const Graph& graph, const OperatorProfile& profile);

/// The order of `graph` in which the matched operators run as they were measured, as far as their
/// data allow; others run just before whoever needs them, or at the end. As moves of the order in
/// which the graph comes, one after the other; nothing where it takes more than `kMostMoves`.
inline constexpr std::size_t kMostMoves = 20'000;
std::optional<std::vector<OpMove>> measuredOrder(const Graph& graph,
                                                 const std::vector<OpId>& matched);

/// What a run beside a measurement shares where nobody says otherwise: reshapes have the bytes of
/// their input. What the runtime writes over inputs is up to its kernels: runtime_plan.h.
AliasRules runtimeAlias();

/// `request`, with its operators in the order that was measured. Fails where it asks for another
/// order or rewrites the graph, and where nothing of the profile is in the model.
Result<RunRequest> measuredRequest(const Graph& graph, const OperatorProfile& profile,
                                   RunRequest request);

}  // namespace hw
