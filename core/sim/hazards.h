#pragma once

#include <span>
#include <vector>

#include "core/sim/activity.h"

namespace hw {

/// Why an activity waits for another. Of two that hold equally long the first is the cause, so that
/// reuse is blamed only where nothing else holds as long.
enum class WaitRule : std::uint8_t {
  data,      ///< It reads what the other writes.
  unit,      ///< The other's end made room on the unit.
  channel,   ///< The same of a DMA engine.
  sequence,  ///< Sequential devices do one thing after the other.
  order,     ///< The other's start: engines and in-order devices start in program order.
  inPlace,   ///< It writes over what the other reads or writes, in the same stay or an input's.
  reuse,     ///< The other used bytes that are another stay's now.
};
inline constexpr std::array<std::string_view, 7> kWaitRuleNames = {
    "data", "unit", "channel", "sequence", "order", "in place", "reuse"};

/// An earlier activity that has to end first, and why.
struct Wait {
  ActivityId on{};
  WaitRule rule{};
};

/// The waits of each activity for others that touch the same bytes, ascending.
class Waits {
 public:
  std::span<const Wait> of(ActivityId id) const {
    return std::span(waits_).subspan(first_[id.index()],
                                     first_[id.index() + 1] - first_[id.index()]);
  }
  std::size_t size() const { return waits_.size(); }
  /// For activities one after the other.
  void add(std::span<const Wait> waits) {
    waits_.insert(waits_.end(), waits.begin(), waits.end());
    first_.push_back(waits_.size());
  }
  /// All but those of one rule.
  Waits without(WaitRule rule) const;

 private:
  std::vector<std::size_t> first_{0};
  std::vector<Wait> waits_;
};

/// Hazards. Inside one stay, an activity waits for every earlier one that touches a common byte if
/// one of the two writes it; between stays that meet, for every earlier one that touches the other
/// stay, whichever bytes: a stay's bytes change hands as a whole. And for the makers of what it
/// reads that has no address.
///
/// Left out is what can never decide: waits that another one of the same rule, later in program
/// order, holds at least as long. O((n + k) log n) for n accesses and k waits.
Waits hazardsOf(const ActivityList& list);

}  // namespace hw
