#include "core/solver/exact/search.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "core/base/dice.h"
#include "core/solver/exact/boxes.h"

namespace hw::exact {
namespace {

/// The boxes of one part as arrays, numbered in the order that breaks a search's ties. All numbers
/// are in units and fit into `Value` with room to add two of them.
template <class Value>
struct OrderedBoxes {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::vector<Value> height{};
  std::vector<Value> highest{};    ///< Offset at which the box still ends within the capacity.
  std::vector<Value> alignment{};  ///< At least 1.
  std::vector<Value> pin{};        ///< -1: none.
  std::vector<Piece> hull{};
  std::vector<Piece> pieces{};
  std::vector<std::uint32_t> firstPiece{};  ///< One more than there are boxes.
  std::vector<std::uint32_t> twin{};        ///< The box before that is just like it, or kNone.
  std::vector<std::uint32_t> pinned{};      ///< The boxes with pins.
  Value capacity = 0;                       ///< Rounded up to whole units.
  bool gaps = false;                        ///< Some box has several pieces.
  bool plain = true;                        ///< Neither pins nor alignments.

  void fill(const Boxes& boxes, std::span<const std::uint32_t> order, Bytes limit);

  std::uint32_t count() const { return static_cast<std::uint32_t>(height.size()); }
  std::span<const Piece> piecesOf(std::uint32_t box) const {
    return {pieces.data() + firstPiece[box], pieces.data() + firstPiece[box + 1]};
  }

  /// True when two boxes share a section.
  bool overlap(std::uint32_t a, std::uint32_t b) const {
    if (hull[a].first >= hull[b].last || hull[b].first >= hull[a].last) return false;
    return !gaps || piecesOverlap(a, b);
  }

  /// Moves `offset` up to where `box` is aligned and clear of those of `pins` that it overlaps. A
  /// box with a pin goes there. False when that is too high, or above the pin.
  bool lift(std::uint32_t box, Value& offset, std::span<const std::uint32_t> pins) const;

 private:
  void findTwins();
  bool piecesOverlap(std::uint32_t a, std::uint32_t b) const;
};

template <class Value>
void OrderedBoxes<Value>::fill(const Boxes& boxes, std::span<const std::uint32_t> order,
                               Bytes limit) {
  *this = {};
  const std::int64_t unit = boxes.unit.count();
  capacity = static_cast<Value>((limit.count() + unit - 1) / unit);
  plain = !boxes.aligned && !boxes.pinned;
  for (const std::uint32_t at : order) {
    const Box& box = boxes.boxes[at];
    if (box.pin >= 0) pinned.push_back(count());
    height.push_back(static_cast<Value>(box.height));
    highest.push_back(static_cast<Value>(boxes.highest(box, limit)));
    alignment.push_back(static_cast<Value>(box.alignment));
    pin.push_back(static_cast<Value>(box.pin));
    hull.push_back(box.hull);
    firstPiece.push_back(static_cast<std::uint32_t>(pieces.size()));
    for (const Piece& piece : boxes.piecesOf(box)) pieces.push_back(piece);
    gaps |= boxes.piecesOf(box).size() > 1;
  }
  firstPiece.push_back(static_cast<std::uint32_t>(pieces.size()));
  findTwins();
}

template <class Value>
/// Boxes of one shape are interchangeable, so plans that differ only by which of them lies where
/// need to be looked at once.
void OrderedBoxes<Value>::findTwins() {
  twin.assign(count(), kNone);
  if (gaps) return;
  std::vector<std::uint32_t> byShape(count());
  std::iota(byShape.begin(), byShape.end(), 0U);
  const auto shape = [&](std::uint32_t box) {
    return std::tuple(hull[box].first, hull[box].last, height[box], highest[box], alignment[box]);
  };
  std::ranges::stable_sort(byShape, {}, shape);
  for (std::size_t i = 1; i < byShape.size(); ++i) {
    const std::uint32_t a = byShape[i - 1];
    const std::uint32_t b = byShape[i];
    if (pin[a] < 0 && pin[b] < 0 && shape(a) == shape(b)) twin[b] = a;
  }
}

template <class Value>
bool OrderedBoxes<Value>::piecesOverlap(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t i = firstPiece[a];
  std::uint32_t j = firstPiece[b];
  while (i < firstPiece[a + 1] && j < firstPiece[b + 1]) {
    if (pieces[i].first < pieces[j].last && pieces[j].first < pieces[i].last) return true;
    pieces[i].last < pieces[j].last ? ++i : ++j;
  }
  return false;
}

template <class Value>
bool OrderedBoxes<Value>::lift(std::uint32_t box, Value& offset,
                               std::span<const std::uint32_t> pins) const {
  if (pin[box] >= 0) {
    if (offset > pin[box]) return false;
    offset = pin[box];
    return offset <= highest[box];
  }
  for (bool again = true; again;) {
    again = false;
    const Value rest = offset % alignment[box];
    if (rest != 0) offset += alignment[box] - rest;
    for (const std::uint32_t other : pins) {
      const bool clear = pin[other] >= offset + height[box] || offset >= pin[other] + height[other];
      if (clear || !overlap(other, box)) continue;
      offset = pin[other] + height[other];
      again = true;
    }
  }
  return offset <= highest[box];
}

/// A box that has no place yet, and the lowest offset it can still get.
template <class Value>
struct OpenBox {
  Value lowest = 0;
  std::uint32_t box = 0;

  friend bool operator<(const OpenBox& a, const OpenBox& b) {
    return a.lowest != b.lowest ? a.lowest < b.lowest : a.box < b.box;
  }
};

/// The position of a search in its order: a box that is not above it was passed over, and must be
/// lifted by another box before it can be placed.
template <class Value>
struct Passed {
  Value offset = -1;
  std::uint32_t box = 0;

  bool covers(const OpenBox<Value>& open) const {
    return open.lowest < offset || (open.lowest == offset && open.box <= box);
  }
};

/// Says whether some section has no room for the boxes that still have to go there.
///
/// The boxes of one section lie on top of each other, none below its lowest offset: a machine, and
/// jobs with release times. Taken in the order of these, each as early as possible, they end as
/// early as they can (Jackson 1955). So if that is above the capacity, no completion exists.
template <class Value>
class LevelBound {
 public:
  explicit LevelBound(std::uint32_t sections) : level_(sections), failures_(sections) {}

  /// True when every section of `range` has room for `open`, which is ascending. A box passed over
  /// has to lie on one that is not, so it counts from the lowest top of those on.
  bool fits(const OrderedBoxes<Value>& boxes, std::span<const OpenBox<Value>> open,
            const Passed<Value>& passed, Piece range);

  /// By section: how often it had no room.
  const std::vector<std::uint32_t>& failures() const { return failures_; }
  void forgetFailures() { std::ranges::fill(failures_, 0U); }

 private:
  std::vector<Value> level_;
  std::vector<std::uint32_t> failures_;
};

/// Puts the boxes [first, last) onto the levels of the sections in `range`, none below `least`.
/// Most of a search's time goes here.
template <class Value>
void stack(const OrderedBoxes<Value>& boxes, const OpenBox<Value>* first,
           const OpenBox<Value>* last, Value least, Piece range, Value* level) {
  const Piece* const pieces = boxes.pieces.data();
  const std::uint32_t* const firstPiece = boxes.firstPiece.data();
  for (; first != last; ++first) {
    const Value bottom = std::max(first->lowest, least);
    const Value height = boxes.height[first->box];
    for (std::uint32_t p = firstPiece[first->box]; p < firstPiece[first->box + 1]; ++p) {
      const std::uint32_t end = std::min(pieces[p].last, range.last);
      for (std::uint32_t s = std::max(pieces[p].first, range.first); s < end; ++s) {
        level[s] = std::max(level[s], bottom) + height;
      }
    }
  }
}

template <class Value>
bool LevelBound<Value>::fits(const OrderedBoxes<Value>& boxes, std::span<const OpenBox<Value>> open,
                             const Passed<Value>& passed, Piece range) {
  const OpenBox<Value>* const begin = open.data();
  const OpenBox<Value>* const end = begin + open.size();
  const OpenBox<Value>* ready = begin;
  while (ready != end && passed.covers(*ready)) ++ready;
  if (ready == end) return open.empty();
  Value lowestTop = std::numeric_limits<Value>::max();
  const OpenBox<Value>* under = ready;
  for (; under != end && under->lowest < lowestTop; ++under) {
    lowestTop = std::min<Value>(lowestTop, under->lowest + boxes.height[under->box]);
  }
  Value* const level = level_.data();
  std::fill(level + range.first, level + range.last, Value(0));
  stack(boxes, ready, under, Value(0), range, level);
  stack(boxes, begin, ready, lowestTop, range, level);
  stack(boxes, under, end, Value(0), range, level);
  const Value* const most = std::max_element(level + range.first, level + range.last);
  if (*most <= boxes.capacity) return true;
  ++failures_[static_cast<std::size_t>(most - level)];
  return false;
}

/// 128 bits that stand for what is left to place: the boxes, the lowest offset of each and whether
/// it was passed over. Everything a search does from there on follows from these.
struct StateKey {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  friend bool operator==(const StateKey&, const StateKey&) = default;
};

/// States known to have no completion: the latest ones, in a table that forgets.
///
/// A key is a sum of one product for each open box, of what is to be known of it and of a number
/// of its own, once for each half: multilinear hashing (Carter and Wegman 1979). Two states share
/// a key by chance once in some 2^120 pairs.
class DeadStates {
 public:
  /// Forgets everything; keys are of `boxes` boxes.
  void reset(std::uint32_t boxes) {
    table_.assign(table_.size(), {});
    for (std::uint64_t box = factors_.size(); box < boxes; ++box) {
      factors_.push_back({scramble(2 * box) | 1, scramble(2 * box + 1) | 1});
    }
  }

  template <class Value>
  StateKey keyOf(std::span<const OpenBox<Value>> open, const Passed<Value>& passed) const {
    StateKey key;
    for (const OpenBox<Value>& each : open) {
      const auto lowest = static_cast<std::uint64_t>(each.lowest);
      const std::uint64_t known = 2 * lowest + (passed.covers(each) ? 2 : 1);
      key.a += known * factors_[each.box].a;
      key.b += known * factors_[each.box].b;
    }
    return key;
  }

  bool contains(const StateKey& key) const { return table_[slotOf(key)] == key; }
  void add(const StateKey& key) { table_[slotOf(key)] = key; }

 private:
  static constexpr int kBits = 13;
  static std::size_t slotOf(const StateKey& key) { return key.a >> (64 - kBits); }

  std::vector<StateKey> factors_;  ///< By box.
  std::vector<StateKey> table_ = std::vector<StateKey>(std::size_t{1} << kBits);
};

/// The most bytes of open boxes that one search keeps over all its frames.
constexpr std::size_t kMostMemory = std::size_t{64} << 20;

/// The search over skylines. A frame holds the boxes of one part that have no place yet, each with
/// the lowest offset that those below leave it, and tries one of them after the other there.
///
///     frames_   [root] [after a] [after a, d] ...      one for each box placed on the way
///     open_     |a b c d e f| |b c| |d e f| |e f| ...  the open boxes of frames and waiting parts
///     parts_            {b c} {d e f}                  what is left of a frame falls into parts
template <class Value>
class SkylineSearch final : public Search {
 public:
  SkylineSearch(const Boxes& boxes, Bytes capacity)
      : source_(boxes),
        limit_(capacity),
        bound_(boxes.sections),
        load_(boxes.sections + 1),
        reach_(boxes.sections + 1),
        partAt_(boxes.sections + 1) {}

  void start(std::span<const std::uint32_t> order) override {
    order_.assign(order.begin(), order.end());
    boxes_.fill(source_, order, limit_);
    offsets_.assign(order.size(), 0);
    marked_.assign((order.size() + 63) / 64, 0);
    dead_.reset(boxes_.count());
    bound_.forgetFailures();
    open_.clear();
    parts_.clear();
    frames_.clear();
    state_ = SearchOutcome::exhausted;
    if (placeRoot()) state_ = SearchOutcome::paused;
  }

  SearchOutcome run(std::int64_t nodes) override {
    const std::int64_t until = nodes_ + nodes;
    while (state_ == SearchOutcome::paused && nodes_ < until) {
      if (open_.size() * sizeof(Open) > kMostMemory) state_ = SearchOutcome::abandoned;
      step();
    }
    return state_;
  }

  std::int64_t nodes() const override { return nodes_; }
  const std::vector<std::uint32_t>& failures() const override { return bound_.failures(); }

  std::vector<std::int64_t> offsets() const override {
    std::vector<std::int64_t> offsets(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) offsets[order_[i]] = offsets_[i];
    return offsets;
  }

 private:
  using Open = OpenBox<Value>;

  /// Boxes that nothing outside depends on: [begin, begin + count) of `open_`, ascending.
  struct Part {
    std::size_t begin = 0;
    std::uint32_t count = 0;
    Piece range{};
  };

  struct Frame {
    Part part{};
    std::uint32_t next = 0;  ///< The next box to try.
    Value limit = 0;         ///< Only offsets below are worth trying.
    Passed<Value> tried{};   ///< The box on trial, and where.
    bool onTrial = false;
    bool harmless = false;     ///< What is on trial is in nobody's way.
    std::size_t openEnd = 0;   ///< Size of `open_` without what the trial left.
    std::size_t partsEnd = 0;  ///< Of `parts_`, likewise.
    std::size_t solved = 0;    ///< Parts of the trial that have been solved.
    StateKey key{};
  };

  std::span<const Open> openOf(const Part& part) const {
    return {open_.data() + part.begin, part.count};
  }

  bool placeRoot() {
    for (std::uint32_t box = 0; box < boxes_.count(); ++box) {
      Value lowest = 0;
      if (boxes_.highest[box] < 0 || !boxes_.lift(box, lowest, boxes_.pinned)) return false;
      open_.push_back({lowest, box});
    }
    std::ranges::sort(open_, std::less<>());
    const Part all{0, boxes_.count(), {0, source_.sections}};
    return bound_.fits(boxes_, openOf(all), {}, all.range) && enter(all, {});
  }

  /// One step: a part of the trial at hand is entered, or the next box tried.
  void step() {
    Frame& frame = frames_.back();
    if (!frame.onTrial) {
      if (!tryNext(frame)) leaveFailed();
      return;
    }
    const std::size_t part = frame.partsEnd + frame.solved;
    if (part == parts_.size()) {
      leaveSolved();
    } else if (!enter(parts_[part], frame.tried)) {
      endTrial();
    }
  }

  /// Opens a frame for `part`. False when it is known or easily seen to be hopeless.
  bool enter(const Part& part, const Passed<Value>& passed) {
    Frame frame;
    frame.part = part;
    frame.limit = limitOf(part);
    const auto open = openOf(part);
    while (frame.next < part.count && passed.covers(open[frame.next])) ++frame.next;
    if (frame.next == part.count) return false;
    frame.key = dead_.keyOf(open, passed);
    if (dead_.contains(frame.key)) return false;
    frame.openEnd = open_.size();
    frame.partsEnd = parts_.size();
    frames_.push_back(frame);
    return true;
  }

  /// No box can be next at this offset or above: all of a section has to go there, a pin lies
  /// below, or some box could have been dropped beneath, so that a lower plan is found elsewhere.
  Value limitOf(const Part& part) {
    const auto open = openOf(part);
    std::fill(load_.begin() + part.range.first, load_.begin() + part.range.last + 1, Value(0));
    Value limit = std::numeric_limits<Value>::max();
    for (const Open& each : open) {
      const Value height = boxes_.height[each.box];
      limit = std::min<Value>(limit, each.lowest + height);
      if (boxes_.pin[each.box] >= 0) limit = std::min<Value>(limit, each.lowest + 1);
      for (const Piece& piece : boxes_.piecesOf(each.box)) {
        load_[piece.first] += height;
        load_[piece.last] -= height;
      }
    }
    Value sum = 0;
    Value most = 0;
    for (std::uint32_t s = part.range.first; s < part.range.last; ++s) {
      most = std::max<Value>(most, sum += load_[s]);
    }
    return std::min<Value>(limit, boxes_.capacity - most + 1);
  }

  bool tryNext(Frame& frame) {
    while (frame.next < frame.part.count) {
      const std::uint32_t at = frame.next++;
      const Open chosen = open_[frame.part.begin + at];
      if (chosen.lowest >= frame.limit) return false;
      if (hasTwinBefore(frame.part, at)) continue;
      ++nodes_;
      if (tryBox(frame, chosen)) return true;
      open_.resize(frame.openEnd);
      if (frame.harmless) return false;
    }
    return false;
  }

  /// Puts `chosen` at its lowest offset and finds out what that leaves of the others.
  bool tryBox(Frame& frame, const Open& chosen) {
    offsets_[chosen.box] = chosen.lowest;
    frame.tried = {chosen.lowest, chosen.box};
    frame.harmless = false;
    const std::uint32_t left = frame.part.count - 1;
    open_.resize(frame.openEnd + left);
    Piece touched = boxes_.hull[chosen.box];
    std::uint32_t lifted = 0;
    const bool room = boxes_.plain ? liftPlain(frame, chosen, touched, lifted)
                                   : liftAny(frame, chosen, touched, lifted);
    if (!room) return false;
    frame.harmless = lifted == 0;
    const Part rest{frame.openEnd, left, frame.part.range};
    if (!bound_.fits(boxes_, openOf(rest), frame.tried, touched)) return false;
    split(rest);
    frame.onTrial = true;
    frame.solved = 0;
    return true;
  }

  static void widen(Piece& range, const Piece& by) {
    range.first = std::min(range.first, by.first);
    range.last = std::max(range.last, by.last);
  }

  /// Copies the open boxes but `chosen`, those that overlap it lifted onto its top. Without pins
  /// and alignments all of these end up at the same offset, so the list needs no sorting: they are
  /// marked, together with those that are there already, and read off by number.
  bool liftPlain(const Frame& frame, const Open& chosen, Piece& touched, std::uint32_t& lifted) {
    const Value top = chosen.lowest + boxes_.height[chosen.box];
    const Open* in = open_.data() + frame.part.begin;
    const Open* const end = in + frame.part.count;
    Open* out = open_.data() + frame.openEnd;
    bool room = true;
    for (; in != end && in->lowest <= top; ++in) {
      if (in->box == chosen.box) continue;
      const bool lift = in->lowest < top && boxes_.overlap(chosen.box, in->box);
      if (lift) {
        ++lifted;
        widen(touched, boxes_.hull[in->box]);
        room &= top <= boxes_.highest[in->box];
      }
      if (lift || in->lowest == top) {
        marked_[in->box / 64] |= std::uint64_t{1} << (in->box % 64);
      } else {
        *out++ = *in;
      }
    }
    for (std::size_t word = 0; word < marked_.size(); ++word) {
      for (std::uint64_t bits = marked_[word]; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
        *out++ = {top, static_cast<std::uint32_t>(word) * 64 + bit};
      }
      marked_[word] = 0;
    }
    std::copy(in, end, out);
    return room;
  }

  bool liftAny(const Frame& frame, const Open& chosen, Piece& touched, std::uint32_t& lifted) {
    const Value top = chosen.lowest + boxes_.height[chosen.box];
    pins_.clear();
    for (const Open& each : openOf(frame.part)) {
      const bool fixed = boxes_.pin[each.box] >= 0 && each.box != chosen.box;
      if (fixed) pins_.push_back(each.box);
    }
    std::size_t out = frame.openEnd;
    for (std::uint32_t i = 0; i < frame.part.count; ++i) {
      Open each = open_[frame.part.begin + i];
      if (each.box == chosen.box) continue;
      if (each.lowest < top && boxes_.overlap(chosen.box, each.box)) {
        each.lowest = top;
        if (!boxes_.lift(each.box, each.lowest, pins_)) return false;
        ++lifted;
        widen(touched, boxes_.hull[each.box]);
      }
      open_[out++] = each;
    }
    std::sort(open_.begin() + static_cast<std::ptrdiff_t>(frame.openEnd), open_.end());
    return true;
  }

  /// Cuts what is left where no box crosses; appends the parts.
  void split(const Part& rest) {
    if (rest.count == 0) return;
    std::fill(reach_.begin() + rest.range.first, reach_.begin() + rest.range.last, 0U);
    for (const Open& each : openOf(rest)) {
      const Piece& hull = boxes_.hull[each.box];
      reach_[hull.first] = std::max(reach_[hull.first], hull.last);
    }
    const std::size_t first = parts_.size();
    for (std::uint32_t s = rest.range.first; s < rest.range.last; ++s) {
      if (reach_[s] == 0) continue;
      if (parts_.size() == first || s >= parts_.back().range.last) {
        parts_.push_back({rest.begin, 0, {s, s}});
      }
      widen(parts_.back().range, {s, reach_[s]});
      partAt_[s] = parts_.size() - 1;
    }
    if (parts_.size() == first + 1) {
      parts_.back().count = rest.count;
    } else {
      deal(rest, first);
    }
  }

  /// Sorts the boxes of `rest` by the parts from `first` on, keeping their order.
  void deal(const Part& rest, std::size_t first) {
    const auto open = openOf(rest);
    dealt_.assign(open.begin(), open.end());
    for (const Open& each : dealt_) ++parts_[partAt_[boxes_.hull[each.box].first]].count;
    std::size_t at = rest.begin;
    for (std::size_t part = first; part < parts_.size(); ++part) {
      parts_[part].begin = at;
      at += parts_[part].count;
      parts_[part].count = 0;
    }
    for (const Open& each : dealt_) {
      Part& part = parts_[partAt_[boxes_.hull[each.box].first]];
      open_[part.begin + part.count++] = each;
    }
  }

  /// All parts of the trial are solved, and so is the part of the frame.
  void leaveSolved() {
    dropTrial(frames_.back());
    frames_.pop_back();
    if (frames_.empty()) {
      state_ = SearchOutcome::found;
    } else {
      ++frames_.back().solved;
    }
  }

  void leaveFailed() {
    dead_.add(frames_.back().key);
    frames_.pop_back();
    if (frames_.empty()) {
      state_ = SearchOutcome::exhausted;
    } else {
      endTrial();
    }
  }

  /// The box on trial was no good there.
  void endTrial() {
    Frame& frame = frames_.back();
    dropTrial(frame);
    // The rest failed though this box is in no other's way: so the frame fails (docs/solver.md,
    // rule 5).
    if (frame.harmless) frame.next = frame.part.count;
  }

  void dropTrial(Frame& frame) {
    open_.resize(frame.openEnd);
    parts_.resize(frame.partsEnd);
    frame.onTrial = false;
  }

  /// True when a box just like the one at `at` is open too and comes first: swapping the two in
  /// any plan gives another, which has been looked for already.
  bool hasTwinBefore(const Part& part, std::uint32_t at) const {
    const auto open = openOf(part);
    const std::uint32_t twin = boxes_.twin[open[at].box];
    if (twin == OrderedBoxes<Value>::kNone) return false;
    for (std::uint32_t i = at; i-- > 0 && open[i].lowest == open[at].lowest;) {
      if (open[i].box == twin) return true;
    }
    return false;
  }

  const Boxes& source_;
  Bytes limit_;
  OrderedBoxes<Value> boxes_;
  LevelBound<Value> bound_;
  std::vector<std::uint32_t> order_;
  std::vector<Value> offsets_;
  std::vector<Open> open_;
  std::vector<Part> parts_;
  std::vector<Frame> frames_;
  DeadStates dead_;
  std::int64_t nodes_ = 0;
  SearchOutcome state_ = SearchOutcome::exhausted;

  // Room to work in.
  std::vector<Value> load_;
  std::vector<std::uint32_t> reach_;
  std::vector<std::size_t> partAt_;
  std::vector<std::uint64_t> marked_;
  std::vector<Open> dealt_;
  std::vector<std::uint32_t> pins_;
};

}  // namespace

bool isTooLarge(const Boxes& boxes) {
  const std::size_t count = boxes.boxes.size();
  return count * (count + 1) / 2 * sizeof(OpenBox<std::int32_t>) > kMostMemory;
}

std::unique_ptr<Search> makeSearch(const Boxes& boxes, Bytes capacity) {
  // Nothing is ever above the capacity by more than all of a section.
  const std::int64_t unit = boxes.unit.count();
  std::int64_t load = boxes.load().count() / unit;
  std::int64_t most = capacity.count() / unit;
  for (const Box& box : boxes.boxes) {
    most = std::max({most, box.pin, box.alignment});
    load = std::max(load, 2 * box.height);
  }
  // Rounded up to units, a section holds at most as many more as there are boxes.
  most += load + static_cast<std::int64_t>(boxes.boxes.size());
  if (most < std::numeric_limits<std::int32_t>::max() / 2) {
    return std::make_unique<SkylineSearch<std::int32_t>>(boxes, capacity);
  }
  return std::make_unique<SkylineSearch<std::int64_t>>(boxes, capacity);
}

}  // namespace hw::exact
