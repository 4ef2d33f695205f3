#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/csv.h"
#include "core/graph/graph.h"
#include "core/import/stated_rules.h"
#include "core/plan/virtual_time.h"

namespace hw {

/// Columns of a problem CSV with rules about buffers, those about pairs in the order of `PairRule`,
/// and with facts of pools (docs/formats/problem_csv.md).
enum class RuleColumn : std::uint8_t {
  apart,
  together,
  exclusive,
  penalty,
  conflicts,
  allowed,
  pinned,
  begin,
  end,
  pools,
  reserved
};
inline constexpr std::array<std::string_view, 11> kRuleColumns = {
    "apart",  "together", "exclusive", "penalty", "conflicts", "allowed",
    "pinned", "begin",    "end",       "pools",   "reserved"};

/// Rules of a problem CSV, row by row: those that they name may be in rows behind.
class CsvRules {
 public:
  /// `first`: the column of the table that is the first of `kRuleColumns`.
  CsvRules(const CsvTable& table, std::size_t first) : table_(table), first_(first) {}

  /// To be called behind the header. Fails on columns that exclude each other. `hasSteps`: there
  /// are columns of steps.
  Result<void> readHeader(bool hasSteps);
  /// True if conflicts or vector clocks stand in place of steps.
  bool hasOwnTime() const { return ownTime_; }

  /// The row of `tensor`, whose stay, if it takes bytes, is the last of `problem`. The first row
  /// has the pools.
  Result<void> readRow(TensorId tensor, bool takesBytes, Problem& problem);
  /// Finds those that are named, and puts all rules into the problem. Notes come back.
  Result<std::vector<std::string>> apply(const IdMap<TensorId, Tensor>& tensors,
                                         Problem& problem) &&;

 private:
  struct Words {
    PairRule rule{};
    TensorId tensor{};
    std::size_t line = 0;
    std::string text{};
  };

  bool has(RuleColumn column) const {
    return table_.has(first_ + static_cast<std::size_t>(column));
  }
  std::string_view field(RuleColumn column) const {
    return table_.field(first_ + static_cast<std::size_t>(column));
  }
  Result<void> readPools(Problem& problem);
  Result<void> readReserved(Problem& problem);
  Result<PoolId> poolNamed(std::string_view word, Problem& problem);
  std::optional<PoolId> knownPool(const std::string& name) const;
  Result<void> readAllowed(StayId stay, Problem& problem);
  Result<void> readPin(StayId id, Problem& problem);
  Result<void> readClocks();
  Result<std::vector<std::int64_t>> readClock(RuleColumn column);
  Result<void> addClocks(StatedRules& rules) const;
  Result<void> addWord(std::string_view word, const Words& words, StatedRules& rules) const;

  const CsvTable& table_;
  std::size_t first_;  ///< Of `kRuleColumns`.
  bool any_ = false;   ///< Any column of rules is there.
  bool ownTime_ = false;
  bool clocks_ = false;
  /// A pinned stay that names no pool, and its line.
  struct FreePin {
    StayId stay{};
    std::size_t line = 0;
  };
  std::vector<FreePin> freePins_;
  std::vector<Words> words_;
  std::size_t threads_ = 0;
  IdMap<StayId, ClockLife> lives_;
  IdMap<TensorId, StayId> stayOf_;
  std::unordered_map<std::string, PoolId> poolOf_;
  const IdMap<TensorId, Tensor>* tensors_ = nullptr;
  std::unordered_map<std::string_view, TensorId> byName_;
};

}  // namespace hw
