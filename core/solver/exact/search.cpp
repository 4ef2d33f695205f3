#include "core/solver/exact/search.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace hw::exact {
namespace {

template <class Value>
class SkylineSearch final : public Search {
 public:
  SkylineSearch(const Boxes& boxes, const std::vector<std::uint32_t>& order, Bytes capacity)
      : order_(order), sections_(boxes.sections) {
    const auto n = static_cast<std::uint32_t>(order.size());
    height_.resize(n);
    highest_.resize(n);
    alignment_.resize(n);
    pin_.resize(n);
    hull_.resize(n);
    firstPiece_.resize(n + 1);
    offset_.assign(n, 0);
    aligned_ = boxes.aligned;
    pinned_ = boxes.pinned;
    for (std::uint32_t i = 0; i < n; ++i) {
      const Box& b = boxes.boxes[order[i]];
      height_[i] = static_cast<Value>(b.height);
      highest_[i] = static_cast<Value>(boxes.highest(b, capacity));
      alignment_[i] = static_cast<Value>(b.alignment);
      pin_[i] = static_cast<Value>(b.pin);
      hull_[i] = b.hull;
      firstPiece_[i] = static_cast<std::uint32_t>(pieces_.size());
      for (const Piece& p : boxes.piecesOf(b)) pieces_.push_back(p);
      if (b.lastPiece - b.firstPiece > 1) gaps_ = true;
      if (b.pin >= 0) pins_.push_back(i);
    }
    firstPiece_[n] = static_cast<std::uint32_t>(pieces_.size());
    capacity_ =
        static_cast<Value>((capacity.count() + boxes.unit.count() - 1) / boxes.unit.count());
    level_.assign(sections_ + 16, 0);
    sums_.assign(sections_ + 1, 0);
    far_.assign(sections_ + 1, 0);
    table_.assign(std::size_t(1) << kTableBits, {});
    changedBits_.assign((n + 63) / 64, 0);
    partOf_.assign(sections_ + 1, 0);
    root(n);
  }

  SearchOutcome run(std::int64_t nodes) override {
    if (done_) return result_;
    const std::int64_t until = nodes_ + nodes;
    while (true) {
      if (frames_.empty()) return finish(solved_ ? SearchOutcome::found : SearchOutcome::exhausted);
      if (nodes_ >= until) return SearchOutcome::paused;
      if (entries_.size() > kMostEntries) return finish(SearchOutcome::abandoned);
      step();
    }
  }
  std::int64_t nodes() const override { return nodes_; }
  std::vector<std::int64_t> offsets() const override {
    std::vector<std::int64_t> r(order_.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[order_[i]] = offset_[i];
    return r;
  }

 private:
  static constexpr std::size_t kMostEntries = std::size_t(1) << 25;
  static constexpr int kTableBits = 16;
  struct Entry {
    Value lo;
    std::uint32_t id;
  };
  struct Part {
    std::size_t begin;
    std::uint32_t count;
    std::uint32_t s0, s1;
  };
  struct Frame {
    Part part{};
    std::uint32_t pos = 0;  // next candidate
    Value limit = 0;        // candidates must be below
    bool trying = false;    // its parts_ are being solved
    bool harmless = false;  // what is tried affects nobody
    Value cur = 0;
    std::uint32_t curId = 0;  // what is tried
    std::size_t base = 0;     // entries_ below this are not of its children
    std::size_t partsBase = 0;
    std::uint32_t partsNext = 0;
    std::uint64_t key1 = 0, key2 = 0;
  };
  struct Key {
    std::uint64_t a = 0, b = 0;
  };

  SearchOutcome finish(SearchOutcome o) {
    done_ = true;
    result_ = o;
    return o;
  }

  static std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  bool overlap(std::uint32_t a, std::uint32_t b) const {
    if (hull_[a].first >= hull_[b].last || hull_[b].first >= hull_[a].last) return false;
    if (!gaps_) return true;
    std::uint32_t i = firstPiece_[a], j = firstPiece_[b];
    while (i < firstPiece_[a + 1] && j < firstPiece_[b + 1]) {
      if (pieces_[i].first < pieces_[j].last && pieces_[j].first < pieces_[i].last) return true;
      if (pieces_[i].last < pieces_[j].last)
        ++i;
      else
        ++j;
    }
    return false;
  }

  // lowest offset >= lo that is aligned and clear of the pins in the list
  bool lift(std::uint32_t id, Value& lo, const std::vector<std::uint32_t>& pins) {
    if (pin_[id] >= 0) {
      if (lo > pin_[id]) return false;
      lo = pin_[id];
      return true;
    }
    for (bool again = true; again;) {
      again = false;
      if (alignment_[id] > 1)
        lo = static_cast<Value>((lo + alignment_[id] - 1) / alignment_[id] * alignment_[id]);
      for (std::uint32_t p : pins) {
        if (pin_[p] < lo + height_[id] && lo < pin_[p] + height_[p] && overlap(p, id)) {
          lo = pin_[p] + height_[p];
          again = true;
        }
      }
    }
    return lo <= highest_[id];
  }
  static bool before(const Entry& a, const Entry& b) {
    return a.lo != b.lo ? a.lo < b.lo : a.id < b.id;
  }

  void root(std::uint32_t n) {
    solved_ = false;
    for (std::uint32_t i = 0; i < n; ++i) {
      Value lo = 0;
      if (highest_[i] < 0 || !lift(i, lo, pins_)) return;
      entries_.push_back({lo, i});
    }
    std::ranges::sort(entries_, before);
    const Part p{0, n, 0, sections_};
    if (!fits(p, -1, 0)) return;
    push(p, -1, 0);
  }

  bool waiting(const Entry& e, Value cur, std::uint32_t curId) const {
    return e.lo < cur || (e.lo == cur && e.id <= curId);
  }

  // release-date bound over all sections of the part
  bool fits(const Part& part, Value cur, std::uint32_t curId) {
    const Entry* e = entries_.data() + part.begin;
    const Entry* end = e + part.count;
    const Entry* firstOpen = e;
    while (firstOpen != end && waiting(*firstOpen, cur, curId)) ++firstOpen;
    if (firstOpen == end) return part.count == 0;
    Value* t = level_.data();
    std::fill(t + part.s0, t + part.s1, Value(0));
    // waiting boxes rest on something that is placed later
    Value minTop = std::numeric_limits<Value>::max();
    for (const Entry* k = firstOpen; k != end && k->lo < minTop; ++k)
      minTop = std::min<Value>(minTop, k->lo + height_[k->id]);
    const Entry* k = firstOpen;
    for (; k != end && k->lo <= minTop; ++k) paint(*k, k->lo);
    for (const Entry* w = e; w != firstOpen; ++w) paint(*w, minTop);
    for (; k != end; ++k) paint(*k, k->lo);
    Value most = 0;
    for (std::uint32_t s = part.s0; s < part.s1; ++s) most = std::max(most, t[s]);
    return most <= capacity_;
  }
  void paint(const Entry& e, Value lo) {
    const Value h = height_[e.id];
    Value* t = level_.data();
    for (std::uint32_t p = firstPiece_[e.id]; p < firstPiece_[e.id + 1]; ++p) {
      const std::uint32_t last = pieces_[p].last;
      for (std::uint32_t s = pieces_[p].first; s < last; ++s) t[s] = std::max(t[s], lo) + h;
    }
  }

  // opens a frame; false if known dead
  bool push(const Part& part, Value cur, std::uint32_t curId) {
    Frame f;
    f.part = part;
    f.cur = cur;
    f.curId = curId;
    const Entry* e = entries_.data() + part.begin;
    Value limit = std::numeric_limits<Value>::max();
    std::uint64_t a = 0, b = 0;
    bool open = false;
    for (std::uint32_t i = 0; i < part.count; ++i) {
      limit = std::min<Value>(limit, e[i].lo + height_[e[i].id]);
      const bool w = waiting(e[i], cur, curId);
      if (!w && !open) {
        open = true;
        f.pos = i;
      }
      const std::uint64_t m =
          mix((std::uint64_t(e[i].id) << 40) ^ (std::uint64_t(e[i].lo) << 1) ^ w);
      a += m;
      b ^= m * 0xD6E8FEB86659FD93ULL + (m >> 29);
    }
    if (!open) return false;
    f.key1 = a;
    f.key2 = b;
    if (useTable_) {
      const Key& k = table_[a >> (64 - kTableBits)];
      if (k.a == a && k.b == b) {
        ++hits_;
        return false;
      }
    }
    f.limit = limit;
    // largest section total
    std::fill(sums_.begin() + part.s0, sums_.begin() + part.s1 + 1, Value(0));
    for (std::uint32_t i = 0; i < part.count; ++i) {
      const std::uint32_t id = e[i].id;
      for (std::uint32_t p = firstPiece_[id]; p < firstPiece_[id + 1]; ++p) {
        sums_[pieces_[p].first] += height_[id];
        sums_[pieces_[p].last] -= height_[id];
      }
    }
    Value sum = 0, most = 0;
    for (std::uint32_t s = part.s0; s < part.s1; ++s) most = std::max(most, sum += sums_[s]);
    f.limit = std::min<Value>(f.limit, capacity_ - most + 1);
    f.base = entries_.size();
    f.partsBase = parts_.size();
    frames_.push_back(f);
    return true;
  }

  void step() {
    Frame& f = frames_.back();
    if (f.trying) {
      if (f.partsBase + f.partsNext == parts_.size()) {  // all parts solved
        entries_.resize(f.base);
        parts_.resize(f.partsBase);
        frames_.pop_back();
        if (frames_.empty()) {
          solved_ = true;
          return;
        }
        ++frames_.back().partsNext;
        return;
      }
      const Part part = parts_[f.partsBase + f.partsNext];
      if (!push(part, f.cur, f.curId)) undo();
      return;
    }
    if (!next(f)) fail();
  }
  void undo() {  // the candidate of the top frame failed
    Frame& f = frames_.back();
    entries_.resize(f.base);
    parts_.resize(f.partsBase);
    f.trying = false;
    if (f.harmless) f.pos = f.part.count;
  }
  void fail() {
    const Frame& f = frames_.back();
    if (useTable_) table_[f.key1 >> (64 - kTableBits)] = {f.key1, f.key2};
    frames_.pop_back();
    if (!frames_.empty()) undo();
  }

  bool next(Frame& f) {
    while (f.pos < f.part.count) {
      const Entry e = entries_[f.part.begin + f.pos];
      if (e.lo >= f.limit) return false;
      ++f.pos;
      ++nodes_;
      f.cur = e.lo;
      f.curId = e.id;
      if (place(f, e)) {
        f.trying = true;
        f.partsNext = 0;
        return true;
      }
      entries_.resize(f.base);
      if (f.harmless) return false;
    }
    return false;
  }

  // builds the parts that remain after e is placed
  bool place(Frame& f, const Entry e) {
    offset_[e.id] = e.lo;
    f.harmless = false;
    const Value top = e.lo + height_[e.id];
    const std::size_t base = f.base;
    const std::uint32_t m = f.part.count - 1;
    if (m == 0) {
      f.harmless = true;
      return true;
    }
    entries_.resize(base + m);
    const Entry* in = entries_.data() + f.part.begin;
    const Entry* end = in + f.part.count;
    Entry* out = entries_.data() + base;
    std::uint32_t changed = 0;
    if (!aligned_ && !pinned_) {
      for (; in != end && in->lo <= top; ++in) {
        if (in->id == e.id) continue;
        if (in->lo == top) {
          changedBits_[in->id >> 6] |= std::uint64_t(1) << (in->id & 63);
          continue;
        }
        if (overlap(e.id, in->id)) {
          if (top > highest_[in->id]) {
            std::ranges::fill(changedBits_, 0);
            return false;
          }
          changedBits_[in->id >> 6] |= std::uint64_t(1) << (in->id & 63);
          ++changed;
        } else {
          *out++ = *in;
        }
      }
      for (std::size_t w = 0; w < changedBits_.size(); ++w) {
        std::uint64_t bits = changedBits_[w];
        changedBits_[w] = 0;
        while (bits) {
          *out++ = {top, static_cast<std::uint32_t>(w * 64 + std::countr_zero(bits))};
          bits &= bits - 1;
        }
      }
      std::copy(in, end, out);
    } else {
      pinsHere_.clear();
      if (pinned_)
        for (const Entry* k = in; k != end; ++k)
          if (k->id != e.id && pin_[k->id] >= 0) pinsHere_.push_back(k->id);
      for (; in != end; ++in) {
        if (in->id == e.id) continue;
        *out = *in;
        if (in->lo < top && overlap(e.id, in->id)) {
          out->lo = top;
          if (!lift(in->id, out->lo, pinsHere_)) return false;
          ++changed;
        } else if (pin_[in->id] >= 0 && overlap(e.id, in->id) && pin_[in->id] < top)
          return false;
        ++out;
      }
      std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(base), entries_.end(), before);
    }
    f.harmless = changed == 0;
    const Part all{base, m, f.part.s0, f.part.s1};
    if (!fits(all, e.lo, e.id)) return false;
    split(all);
    return true;
  }

  void split(const Part& all) {
    std::fill(far_.begin() + all.s0, far_.begin() + all.s1, 0U);
    const Entry* e = entries_.data() + all.begin;
    for (std::uint32_t i = 0; i < all.count; ++i) {
      const Piece& hull = hull_[e[i].id];
      far_[hull.first] = std::max(far_[hull.first], hull.last);
    }
    const std::size_t first = parts_.size();
    std::uint32_t end = 0;
    for (std::uint32_t s = all.s0; s < all.s1; ++s) {
      if (far_[s] == 0) continue;
      if (s >= end) parts_.push_back({all.begin, 0, s, s});
      end = std::max(end, far_[s]);
      parts_.back().s1 = end;
      partOf_[s] = static_cast<std::uint32_t>(parts_.size() - 1);
    }
    if (parts_.size() == first + 1) {
      parts_.back().count = all.count;
      return;
    }
    for (std::uint32_t i = 0; i < all.count; ++i) ++parts_[partOf_[hull_[e[i].id].first]].count;
    std::size_t at = all.begin;
    for (std::size_t p = first; p < parts_.size(); ++p) {
      parts_[p].begin = at;
      at += parts_[p].count;
      parts_[p].count = 0;
    }
    scratch_.assign(entries_.begin() + static_cast<std::ptrdiff_t>(all.begin), entries_.end());
    for (const Entry& each : scratch_) {
      Part& part = parts_[partOf_[hull_[each.id].first]];
      entries_[part.begin + part.count++] = each;
    }
  }

  const std::vector<std::uint32_t> order_;
  std::uint32_t sections_;
  std::vector<Value> height_, highest_, alignment_, pin_, offset_;
  std::vector<Piece> hull_, pieces_;
  std::vector<std::uint32_t> firstPiece_, pins_;
  std::vector<std::uint32_t> pinsHere_;
  bool aligned_ = false, pinned_ = false, gaps_ = false, useTable_ = true;
  Value capacity_ = 0;
  std::vector<Value> level_, sums_;
  std::vector<std::uint32_t> far_, partOf_;
  std::vector<Entry> scratch_;
  std::vector<std::uint64_t> changedBits_;
  std::vector<Entry> entries_;
  std::vector<Part> parts_;
  std::vector<Frame> frames_;
  std::vector<Key> table_;
  std::int64_t nodes_ = 0, hits_ = 0;
  bool solved_ = false, done_ = false;
  SearchOutcome result_{};
};

}  // namespace

std::unique_ptr<Search> makeSearch(const Boxes& boxes, const std::vector<std::uint32_t>& order,
                                   Bytes capacity) {
  std::int64_t sum = (capacity.count() + boxes.unit.count() - 1) / boxes.unit.count();
  for (const Box& b : boxes.boxes) sum += b.height + b.alignment;
  if (sum < (std::int64_t{1} << 30))
    return std::make_unique<SkylineSearch<std::int32_t>>(boxes, order, capacity);
  return std::make_unique<SkylineSearch<std::int64_t>>(boxes, order, capacity);
}

}  // namespace hw::exact
