#include <algorithm>

#include "core/order/downset_search.h"
#include "core/order/downset_walk.h"

namespace hw {
namespace {

/// Which ops of a part come before which, directly or not: a bit each.
class Ancestors {
 public:
  Ancestors(const Precedence& precedence, const std::vector<OpId>& ops)
      : words_((ops.size() + 63) / 64), bits_(ops.size() * words_) {
    constexpr std::uint32_t kOutside = 0xFFFFFFFF;
    IdMap<OpId, std::uint32_t> number(precedence.before.size(), kOutside);
    for (std::size_t op = 0; op < ops.size(); ++op) {
      number[ops[op]] = static_cast<std::uint32_t>(op);
      set(op, op);
      for (const OpId before : precedence.before[ops[op]]) {
        if (number[before] != kOutside) include(op, number[before]);
      }
    }
  }

  /// True when `first` has to run before `op`, and when they are the same op.
  bool precedes(std::size_t first, std::size_t op) const {
    return (bits_[op * words_ + first / 64] >> (first % 64) & 1) != 0;
  }

 private:
  void set(std::size_t op, std::size_t first) {
    bits_[op * words_ + first / 64] |= std::uint64_t{1} << (first % 64);
  }
  void include(std::size_t op, std::size_t before) {
    for (std::size_t word = 0; word < words_; ++word) {
      bits_[op * words_ + word] |= bits_[before * words_ + word];
    }
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// A piece that ops of the part touch.
struct Touched {
  PieceId piece{};
  std::vector<std::size_t> by{};  ///< Ops of the part, ascending.
};

std::vector<Touched> touchedBy(const OrderProblem& problem, const std::vector<OpId>& ops) {
  std::vector<std::pair<PieceId, std::size_t>> pairs;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    for (const PieceId piece : problem.touches[ops[op]]) pairs.emplace_back(piece, op);
  }
  std::ranges::sort(pairs);
  std::vector<Touched> touched;
  for (const auto& [piece, op] : pairs) {
    if (touched.empty() || touched.back().piece != piece) touched.push_back({.piece = piece});
    touched.back().by.push_back(op);
  }
  return touched;
}

}  // namespace

Bytes unavoidable(const OrderProblem& problem, const Precedence& precedence,
                  const std::vector<OpId>& ops, const LiveWalk& start) {
  const Ancestors ancestors(precedence, ops);
  // What the part does not touch, and is live when it begins, is live all the time.
  Bytes through = start.live();
  std::vector<Bytes> live(ops.size());
  for (const Touched& touched : touchedBy(problem, ops)) {
    const OrderProblem::Piece& piece = problem.pieces[touched.piece];
    const std::uint32_t before = start.touched(touched.piece);
    const bool begun = piece.atStart || before > 0;
    const bool goesOn = piece.atEnd || before + touched.by.size() < piece.touches;
    if (begun) through -= piece.size;
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const bool here = begun || std::ranges::any_of(touched.by, [&](std::size_t other) {
                          return ancestors.precedes(other, op);
                        });
      const bool needed = goesOn || std::ranges::any_of(touched.by, [&](std::size_t other) {
                            return ancestors.precedes(op, other);
                          });
      if (here && needed) live[op] += piece.size;
    }
  }
  Bytes most;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    Bytes saved;
    for (const OrderProblem::Chance& chance : problem.chances[ops[op]]) {
      saved = std::max(saved, chance.saved);
    }
    most = std::max(most, through + live[op] - saved);
  }
  return most;
}

}  // namespace hw
