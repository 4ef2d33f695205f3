#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/decision.h"
#include "core/run/run.h"

namespace hw {

/// Explanation why a stay of a run lies where it lies.
struct PlaceExplanation {
  StayId stay{};
  /// Of the stay; where memory is managed by execution unit, of the block that holds it.
  Decision decision{};
  std::string block{};               ///< What the block is; empty where stays are placed singly.
  std::optional<Decision> inside{};  ///< The stay's place inside the block; offsets are from there.
  std::string residency{};           ///< Why this pool, in a sentence; empty: there was no choice.
};

/// Follows the allocator's decision again. Costs about one planning; less for searches.
PlaceExplanation explainPlace(const Run& run, StayId stay);

/// Explanation why a tensor has no bytes of its own.
struct AliasExplanation {
  TensorId root{};                     ///< That the block belongs to; may be the tensor itself.
  Bytes offset{};                      ///< Inside the block.
  std::vector<TensorId> others{};      ///< That live in the same block.
  std::string share{};                 ///< `partText`: "bytes 0–63 of c, no copy".
  std::string reason{};                ///< "'flat' (Reshape) moves no bytes"; empty for the root.
  std::vector<std::string> refused{};  ///< Sharing that was not possible, and why.
};

/// Explains what `tensor`, which is planned, shares with whom.
AliasExplanation explainAlias(const Run& run, TensorId tensor);

/// The stays that hold `tensor`, by step; empty when it is not planned.
std::vector<StayId> staysOf(const Run& run, TensorId tensor);

}  // namespace hw
