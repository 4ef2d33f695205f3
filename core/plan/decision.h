#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace hw {

/// The outcome for a place that a method could have given to a stay.
enum class Verdict : std::uint8_t {
  chosen,
  tooSmall,      ///< Free, but with too few bytes.
  taken,         ///< Somebody lives there meanwhile.
  overCapacity,  ///< Would end above what may be planned of the pool.
  lessGood,      ///< Would do; the method prefers another.
  notAllowed,    ///< Would do; a rule of the method keeps it from being looked at.
};

/// "chosen", "too small", "taken", "over capacity", "less good", "not allowed".
std::string_view verdictName(Verdict verdict);

/// A place that was considered for a stay.
struct Candidate {
  std::string kind{};  ///< In the method's own words: "free block", "gap", "left side", "block 3".
  /// The address at which the stay would begin. Nothing: outside of what the plan ended up with.
  std::optional<Address> address{};
  std::optional<Bytes> room{};  ///< Bytes free there; nothing: as many as wanted.
  Verdict verdict{};
  std::string reason{};           ///< Why, with figures, as a phrase.
  std::vector<StayId> because{};  ///< The stays that bound or occupy it, by address.
};

/// Why one stay lies where it lies: what could have been, and what decided.
struct Decision {
  StayId stay{};
  std::vector<Candidate> candidates{};  ///< By address, or in the order the method looked at them.
  std::size_t leftOut = 0;              ///< Candidates beyond kMaxCandidates, never the chosen one.
  std::string when{};     ///< In what order its turn came: "3rd of 12, largest first".
  std::string decided{};  ///< What decided, in a sentence without full stop.
  /// Judged from the finished plan alone: the method itself keeps no account.
  bool fromPlan = false;

  /// Null when the stay has no place.
  const Candidate* chosen() const;
};

inline constexpr std::size_t kMaxCandidates = 1'000;

/// Appends a candidate unless there are enough; the chosen one always.
void addCandidate(Decision& decision, Candidate candidate);

/// The decision as the finished plan tells it, whatever made the plan: the gaps that the stays live
/// at the same time leave around it, lowest first, and who walls them in. Shares no code with any
/// allocator. O(n + k log k) for k stays live at the same time.
Decision judgeDecision(const Problem& problem, const Plan& plan, StayId stay);

/// "1,024 bytes", "1 byte": for reasons.
std::string countBytes(Bytes bytes);

/// "1st", "22nd", "113th": for turns.
std::string ordinal(std::size_t number);

}  // namespace hw
