#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/import/tensor_rules.h"
#include "core/plan_file/tensor_names.h"

namespace hw {

/// Place of a tensor as a plan states it.
struct TensorPlace {
  TensorId tensor{};
  std::string_view pool{};
  Interval<Bytes> bytes{};
};

/// Findings about a plan, and what it pays.
struct TensorRulesCheck {
  std::vector<std::string> broken{};  ///< Rules that it breaks, in sentences.
  std::int64_t penalty = 0;           ///< At most 2^63 - 1.
};

/// Holds the places of a plan against the rules about the tensors of a graph; a pair of one buffer
/// pays nothing. Shares no code with planners. O(places x log ranges + rules x places of a tensor
/// squared).
TensorRulesCheck checkTensorRules(const TensorRules& rules, const TensorNames& names,
                                  const Storage& storage, const std::vector<TensorPlace>& places);

/// Permissions that the rules give: pairs that are exclusive or begin together may have the same
/// bytes at the same step. Buffers count, where tensors share one.
class TensorPermits {
 public:
  TensorPermits(const TensorRules& rules, const Storage& storage);
  bool mayShare(BufferId a, BufferId b) const;
  /// True if there is none.
  bool empty() const { return under_.empty() && exclusive_.empty(); }

 private:
  BufferId firstOf(BufferId buffer) const;

  std::map<BufferId, BufferId> under_;  ///< Links of a group towards its first buffer.
  std::set<std::pair<BufferId, BufferId>> exclusive_;
};

}  // namespace hw
