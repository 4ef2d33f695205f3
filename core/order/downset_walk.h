#pragma once

#include <bit>
#include <vector>

#include "core/order/order_problem.h"
#include "core/schedule/schedule.h"

namespace hw {

/// A position in an order problem: runs ops, takes them back, and counts the bytes live.
class LiveWalk {
 public:
  explicit LiveWalk(const OrderProblem& problem);

  Bytes live() const { return live_; }
  /// Bytes live while `op` runs next: what it touches for the first time, too.
  Bytes during(OpId op) const;
  /// The live bytes added once `op` has run next; negative where it frees more.
  Bytes change(OpId op) const;
  void run(OpId op);
  /// Undoes running `op`. Ops may be taken back in any order.
  void takeBack(OpId op);

  /// The number of ops that touch it and have run.
  std::uint32_t touched(PieceId piece) const { return touched_[piece]; }

 private:
  bool isLive(PieceId piece, std::uint32_t touched) const;

  const OrderProblem* problem_;
  IdMap<PieceId, std::uint32_t> touched_;
  Bytes live_{};
  std::size_t ran_ = 0;
};

/// A set of ops that have run, one bit each.
using Downset = std::vector<std::uint64_t>;

/// Walks over the downsets of some ops: sets that hold, with an op, all that must run before it.
/// Ops are numbered from 0 on as in `ops`, an order that respects `precedence`; others that they
/// depend on have run already.
class DownsetWalk {
 public:
  DownsetWalk(const Precedence& precedence, std::vector<OpId> ops, LiveWalk start);

  std::size_t size() const { return ops_.size(); }
  const Downset& done() const { return done_; }
  std::size_t doneCount() const { return doneCount_; }
  /// Ops that can run next.
  const Downset& able() const { return able_; }
  Bytes live() const { return walk_.live(); }
  Bytes during(std::size_t op) const { return walk_.during(ops_[op]); }

  /// Goes to another downset. The path is empty then.
  void load(const std::uint64_t* downset);
  void run(std::size_t op);
  /// Runs every op that can only help: one, or a chain of ops each of which makes the next one
  /// able to run, that needs no more than `peak` bytes and leaves no more live than there were.
  ///
  /// Whatever the best order behind is, the same with that moved to its front is no worse: an op
  /// never adds more to what is live when more has run, and what a chain leaves is its least, so
  /// at every later moment no more is live than was (Liu, "An application of generalized tree
  /// pebbling to sparse matrix factorization", SIAM J. Algebraic Discrete Methods 8, 1987, merges
  /// chains so).
  void settle(Bytes peak);

  /// The ops that ran since the last `load`.
  const std::vector<std::uint32_t>& path() const { return path_; }
  /// The number of times that an op was looked at, run or taken back, which limits a search.
  std::int64_t visits() const { return visits_; }

  const std::vector<OpId>& ops() const { return ops_; }
  const std::vector<std::uint32_t>& after(std::size_t op) const { return after_[op]; }

 private:
  void toggle(std::size_t op);
  bool settleOne(Bytes peak);
  bool settleChain(std::size_t first, Bytes peak);

  std::vector<OpId> ops_;
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<std::uint32_t> missing_;
  LiveWalk walk_;
  Downset done_;
  Downset able_;
  std::size_t doneCount_ = 0;
  std::vector<std::uint32_t> path_;
  std::int64_t visits_ = 0;
};

/// Calls `visit` with the number of each bit that is set, ascending.
template <class Visit>
void forEachBit(const Downset& bits, const Visit& visit) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
}

}  // namespace hw
