#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/picture/stage/stage_item.h"
#include "core/plan/method_record.h"
#include "core/run/run.h"

namespace hw {

namespace stage {
struct RowCells;
}

/// The stage on which a method plays: its lists on the left, memory as it knows it on the right,
/// below one sentence that says what happened. Any record can be played; lists with a role are
/// drawn in memory, too.
class Stage {
 public:
  /// What holds for all ticks, so that nothing jumps between them.
  struct Extent {
    Interval<Bytes> bytes{};  ///< All addresses of a pool, or distances from an origin.
    Interval<Bytes> taken{};  ///< Of those the ones that are used, without mere candidates.
    Bytes largestBlock{};     ///< Of blocks that are one beside the other.
    Bytes allBlocks{};        ///< What those hold together in the end.
  };

  /// Of `run->plan.records[record]`. O(changes).
  Stage(std::shared_ptr<const Run> run, std::size_t record);

  const Run& run() const { return *run_; }
  const MethodRecord& record() const { return run_->plan.records[record_]; }
  /// The lists that are drawn: those that ever hold anything, by number.
  const std::vector<std::uint32_t>& lists() const { return lists_; }
  /// The most rows that a list ever has.
  std::size_t mostRows(std::uint32_t list) const { return mostRows_[list]; }
  /// Of a pool; of a list that names none, the pool none.
  Extent extent(PoolId pool) const;

  /// All shapes when `player`, of this stage's record, has come to its tick, in the order in which
  /// they are drawn, inside `where`. What `selected` has is framed. O(rows), and O(changes of the
  /// tick).
  std::vector<StageItem> items(const Ruler& ruler, const MethodPlayer& player, const Box& where,
                               StayId selected = {}) const;

  /// The height at which everything has room in a picture of that width, as far as pictures go.
  double wantedHeight(const Ruler& ruler, double width) const;

  /// "t0: takes idle block 2", what the last of `ticks` ticks did; before the first what is to
  /// come.
  std::string sentence(std::size_t ticks) const;

 private:
  void measure();
  void widen(const MethodList& list, const MethodRow& row);
  void widenByCandidate(PoolId pool, const stage::RowCells& cells, const MethodTick& tick);

  std::shared_ptr<const Run> run_;
  std::size_t record_;
  std::vector<std::uint32_t> lists_;
  std::vector<std::size_t> mostRows_;
  std::map<PoolId, Extent> extents_;
};

}  // namespace hw
