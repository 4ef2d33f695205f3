#pragma once

#include <map>

#include "core/base/interval.h"
#include "core/base/quantity.h"

namespace hw {

/// Bytes in pieces that all have one `Content`: cut where needed, joined where equal.
template <class Content>
class ByteMap {
 public:
  /// Hands `visit` the content of each piece of `bytes`, which it may change, and the piece.
  template <class Visit>
  void visit(Interval<Bytes> bytes, const Visit& visit) {
    if (bytes.empty()) return;
    const auto begin = cut(bytes.begin);
    const auto end = cut(bytes.end);
    for (auto piece = begin; piece != end; ++piece) {
      visit(piece->second, Interval<Bytes>{piece->first, std::next(piece)->first});
    }
    join(begin, end);
  }

 private:
  using Pieces = std::map<Bytes, Content>;

  typename Pieces::iterator cut(Bytes at) {
    auto above = pieces_.lower_bound(at);
    if (above != pieces_.end() && above->first == at) return above;
    const Content below = above == pieces_.begin() ? Content() : std::prev(above)->second;
    return pieces_.emplace_hint(above, at, below);
  }

  void join(typename Pieces::iterator begin, typename Pieces::iterator end) {
    if (begin != pieces_.begin()) --begin;
    for (auto piece = begin; piece != end;) {
      const auto next = std::next(piece);
      if (next == pieces_.end()) return;
      if (next->second == piece->second) {
        if (next == end) end = std::next(next);
        pieces_.erase(next);
      } else {
        piece = next;
      }
    }
  }

  Pieces pieces_;  ///< By first byte, each up to the next.
};

}  // namespace hw
