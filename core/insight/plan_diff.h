#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan_file/events_writer.h"
#include "core/plan_file/plan_document.h"

namespace hw {

/// One of two plans that are held against each other.
struct DiffSide {
  std::string name{};  ///< As the user named it: an allocator, or a file.
  PlanDocument plan{};
  std::vector<EventRow> events{};   ///< Of memory only.
  std::optional<Error> noEvents{};  ///< Why there are none to compare.
};

enum class PlanChange : std::uint8_t {
  moved,    ///< Another pool or offset.
  resized,  ///< The same place, but another size, other steps, or another tensor's bytes.
  onlyInA,
  onlyInB,
};

/// "moved", "resized", "only-in-a", "only-in-b".
std::string_view changeName(PlanChange change);

/// A tensor that the plans do not agree about; spilled ones may have several, one a residency.
struct TensorChange {
  PlanChange change{};
  std::optional<Placement> a{};  ///< At least one of both.
  std::optional<Placement> b{};

  const Placement& either() const { return a ? *a : *b; }
};

/// A pool in both plans; nothing where a plan does not have it.
struct PoolDiff {
  std::string name{};
  std::optional<Bytes> peakA{};
  std::optional<Bytes> peakB{};
};

/// What both plans place in one pool of things that are alike.
struct DiffClass {
  std::string pool{};
  int power = 0;  ///< Of two: from that many bytes, or steps, to less than twice as many.
  std::size_t countA = 0;
  std::size_t countB = 0;
  Bytes bytesA{};
  Bytes bytesB{};
};

/// Differences of two plans. Times and who planned do not count.
struct PlanDiff {
  std::size_t same = 0;                 ///< Placements that are equal in both.
  std::vector<TensorChange> changes{};  ///< By first step, then as the plans list them.
  std::vector<PoolDiff> pools{};        ///< In the order of A, then what only B has.
  /// Placements with memory of their own by size and by lifetime; of the latter, those whose plans
  /// say when they live. Pools as above, then by power; classes that neither has are left out.
  std::vector<DiffClass> sizes{};
  std::vector<DiffClass> lifetimes{};
  /// The first memory events that are not the same; one of them is missing where a story ends
  /// earlier. Nothing at all: the stories are equal, or one of them is not known.
  struct Events {
    std::optional<EventRow> a{};
    std::optional<EventRow> b{};
  };
  std::optional<Events> firstEvents{};
  std::vector<std::string> notes{};  ///< What keeps the plans from being comparable in full.

  std::size_t count(PlanChange change) const;
  /// Every tensor has the same places, and every pool the same peak.
  bool equal() const;
};

/// Tensors are matched by name; of one with several places the k-th in a pool with the k-th there
/// in the other, what is left over in order. When a side lists buffers only (plan CSV), the
/// addresses of buffers are compared and nothing else. A pool without a name is L2.
PlanDiff diffPlans(const DiffSide& a, const DiffSide& b);

}  // namespace hw
