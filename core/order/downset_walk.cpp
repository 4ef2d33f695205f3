#include "core/order/downset_walk.h"

#include <algorithm>
#include <utility>

namespace hw {
namespace {

bool has(const Downset& bits, std::size_t op) { return (bits[op / 64] >> (op % 64) & 1) != 0; }

void assign(Downset& bits, std::size_t op, bool value) {
  const std::uint64_t bit = std::uint64_t{1} << (op % 64);
  value ? bits[op / 64] |= bit : bits[op / 64] &= ~bit;
}

}  // namespace

LiveWalk::LiveWalk(const OrderProblem& problem)
    : problem_(&problem), touched_(problem.pieces.size()) {
  for (const PieceId piece : problem.pieces.keys()) {
    if (isLive(piece, 0)) live_ += problem.pieces[piece].size;
  }
}

bool LiveWalk::isLive(PieceId id, std::uint32_t touched) const {
  const OrderProblem::Piece& piece = problem_->pieces[id];
  return (piece.atStart || touched > 0) && (piece.atEnd || touched < piece.touches);
}

Bytes LiveWalk::during(OpId op) const {
  Bytes bytes = ran_ == 0 ? live_ + problem_->firstStep : live_;
  for (const PieceId piece : problem_->touches[op]) {
    if (!isLive(piece, touched_[piece])) bytes += problem_->pieces[piece].size;
  }
  Bytes saved;
  for (const OrderProblem::Chance& chance : problem_->chances[op]) {
    const bool dies = std::ranges::all_of(chance.over, [&](PieceId id) {
      return !problem_->pieces[id].atEnd && touched_[id] + 1 == problem_->pieces[id].touches;
    });
    if (dies) saved = std::max(saved, chance.saved);
  }
  return bytes - saved;
}

Bytes LiveWalk::change(OpId op) const {
  Bytes change;
  for (const PieceId piece : problem_->touches[op]) {
    const bool before = isLive(piece, touched_[piece]);
    const bool after = isLive(piece, touched_[piece] + 1);
    if (after && !before) change += problem_->pieces[piece].size;
    if (before && !after) change -= problem_->pieces[piece].size;
  }
  return change;
}

void LiveWalk::run(OpId op) {
  live_ += change(op);
  for (const PieceId piece : problem_->touches[op]) ++touched_[piece];
  ++ran_;
}

void LiveWalk::takeBack(OpId op) {
  for (const PieceId piece : problem_->touches[op]) --touched_[piece];
  live_ -= change(op);
  --ran_;
}

DownsetWalk::DownsetWalk(const Precedence& precedence, std::vector<OpId> ops, LiveWalk start)
    : ops_(std::move(ops)),
      after_(ops_.size()),
      missing_(ops_.size()),
      walk_(std::move(start)),
      done_((ops_.size() + 63) / 64),
      able_(done_.size()) {
  constexpr std::uint32_t kOutside = 0xFFFFFFFF;
  IdMap<OpId, std::uint32_t> number(precedence.before.size(), kOutside);
  for (std::size_t i = 0; i < ops_.size(); ++i) number[ops_[i]] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    for (const OpId before : precedence.before[ops_[i]]) {
      if (number[before] == kOutside) continue;
      after_[number[before]].push_back(static_cast<std::uint32_t>(i));
      ++missing_[i];
    }
  }
  for (std::size_t i = 0; i < ops_.size(); ++i) assign(able_, i, missing_[i] == 0);
}

// Everything below is a count, so ops may be run and taken back in any order.
void DownsetWalk::toggle(std::size_t op) {
  const bool runs = !has(done_, op);
  runs ? walk_.run(ops_[op]) : walk_.takeBack(ops_[op]);
  assign(done_, op, runs);
  runs ? ++doneCount_ : --doneCount_;
  for (const std::uint32_t next : after_[op]) {
    runs ? --missing_[next] : ++missing_[next];
    assign(able_, next, missing_[next] == 0 && !has(done_, next));
  }
  assign(able_, op, missing_[op] == 0 && !runs);
  ++visits_;
}

void DownsetWalk::load(const std::uint64_t* downset) {
  for (std::size_t word = 0; word < done_.size(); ++word) {
    for (std::uint64_t rest = done_[word] ^ downset[word]; rest != 0; rest &= rest - 1) {
      toggle(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
  path_.clear();
}

void DownsetWalk::run(std::size_t op) {
  toggle(op);
  path_.push_back(static_cast<std::uint32_t>(op));
}

void DownsetWalk::settle(Bytes peak) {
  while (settleOne(peak)) {
  }
}

bool DownsetWalk::settleOne(Bytes peak) {
  const Downset able = able_;
  bool ran = false;
  forEachBit(able, [&](std::size_t op) {
    ++visits_;
    if (walk_.change(ops_[op]) > Bytes() || walk_.during(ops_[op]) > peak) return;
    run(op);
    ran = true;
  });
  if (ran) return true;
  bool settled = false;
  forEachBit(able, [&](std::size_t op) { settled = settled || settleChain(op, peak); });
  return settled;
}

bool DownsetWalk::settleChain(std::size_t first, Bytes peak) {
  const Bytes before = walk_.live();
  const std::size_t length = path_.size();
  for (std::size_t op = first;;) {
    if (walk_.during(ops_[op]) > peak) break;
    run(op);
    if (walk_.live() <= before) return true;
    std::size_t freed = 0;
    for (const std::uint32_t next : after_[op]) {
      if (missing_[next] != 0) continue;
      op = next;
      if (++freed > 1) break;
    }
    if (freed != 1) break;
  }
  while (path_.size() > length) {
    toggle(path_.back());
    path_.pop_back();
  }
  return false;
}

}  // namespace hw
