#include "core/solver/fast/joining.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/dice.h"

namespace hw {
namespace {

constexpr std::uint32_t kNobody = JoinBoxes::kNobody;

/// A pair is joined if chance makes at most so many that are as good; few at first.
constexpr std::array<double, 4> kChances{0.003, 0.05, 1, 1e9};
/// The most boxes that begin or end at a moment that is compared; later there are fewer.
constexpr std::uint32_t kMostCompared = 512;
/// The most pairs of what ends and begins at a rank where wheels are looked for.
constexpr std::uint32_t kMostAroundWheels = 256;
/// A pair that a third box could join at once is so much less likely to be chance.
constexpr double kConfirmed = 1e-3;
/// The factor for boxes that meet a single one where it begins or ends: they lie on one another.
constexpr double kBesideOne = 0.1;
/// Less than this share is joined in the first round where nothing was cut.
constexpr double kWorthwhile = 0.125;
/// Of what is cut up, halves are cut with this chance; before it is joined anew, pairs are found
/// more or less likely by powers of e up to this.
constexpr double kCutOn = 0.6;
constexpr double kShake = 3;
/// Ranks between two looks at the clock.
constexpr std::uint32_t kLooksApart = 1 << 10;

class Joiner {
 public:
  explicit Joiner(const JoinOptions& options) : options_(options), seed_(options.seed) {}

  std::optional<JoinedRectangles> run(const Rectangles& given) {
    if (given.count() < 2 || !boxes_.fill(given)) return std::nullopt;
    each_ = boxes_.count() / static_cast<double>(boxes_.ranks());
    std::vector<std::uint32_t> ranks(boxes_.ranks());
    std::iota(ranks.begin(), ranks.end(), 0U);
    joinAll(ranks);
    // By chance some wheels are found in what was only halved, and are in the way there.
    if (leavesMany() && !stopped_) {
      wheels_ = true;
      boxes_ = {};
      boxes_.fill(given);
      joinAll(std::move(ranks));
    }
    if (stopped_ || leavesMany()) return std::nullopt;
    repair();
    return resultFor(given);
  }

 private:
  struct Pair {
    std::uint32_t first = kNobody;
    std::uint32_t second = kNobody;
    double chance = 0;
  };

  bool leavesMany() const { return boxes_.alive() > boxes_.count() / 4; }

  template <class Visit>
  void forEachBegun(std::uint32_t rank, const Visit& visit) const {
    const JoinBoxes::List& list = boxes_.begins(rank);
    if (list.count > kMostCompared) return;
    for (std::uint32_t i = list.head; i != kNobody; i = boxes_[i].nextBegun) visit(i);
  }
  template <class Visit>
  void forEachEnded(std::uint32_t rank, const Visit& visit) const {
    const JoinBoxes::List& list = boxes_.ends(rank);
    if (list.count > kMostCompared) return;
    for (std::uint32_t i = list.head; i != kNobody; i = boxes_[i].nextEnded) visit(i);
  }

  /// While repairing, each pair is found more or less likely, and other ones each time.
  double shaken(double chance, std::uint32_t first, std::uint32_t second) const {
    if (!repairing_) return chance;
    const std::uint64_t key = (std::uint64_t{first} << 32U | second) ^ shake_;
    return chance * std::exp(kShake * (2 * fractionOf(scramble(key)) - 1));
  }

  /// Two of one life: how many more there would be by chance.
  double chanceOfPile(std::uint32_t first, std::uint32_t second) const {
    const JoinBoxes::Box& box = boxes_[first];
    const double others = (boxes_.begins(box.begin).count - 1.0) * (boxes_.ends(box.end).count - 1);
    double chance = others / (each_ * (box.end - box.begin));
    if (boxes_.ends(box.begin).count == 1 || boxes_.begins(box.end).count == 1) {
      chance *= kBesideOne;
    }
    const std::uint32_t size = box.size + boxes_[second].size;
    bool confirmed = false;
    const auto confirm = [&](std::uint32_t i) { confirmed |= boxes_[i].size == size; };
    forEachEnded(box.begin, confirm);
    forEachBegun(box.end, confirm);
    return shaken(confirmed ? chance * kConfirmed : chance, first, second);
  }

  /// One that begins where another of its size ends: of sizes there are about as many as they are
  /// large.
  double chanceOfRow(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t rank = boxes_[second].begin;
    const double others = 1.0 * boxes_.begins(rank).count * boxes_.ends(rank).count - 1;
    const double chance = others / boxes_[first].size;
    bool confirmed = false;
    forEachBegun(boxes_[first].begin,
                 [&](std::uint32_t i) { confirmed |= boxes_[i].end == boxes_[second].end; });
    return shaken(confirmed ? chance * kConfirmed : chance, first, second);
  }

  /// With whom a box goes best: of its life, ending where it begins, or, if `all`, beginning where
  /// it ends.
  Pair bestWith(std::uint32_t id, double most, bool all) const {
    const JoinBoxes::Box& box = boxes_[id];
    Pair best{.chance = most};
    const auto compare = [&](std::uint32_t i, std::uint32_t j, double chance) {
      if (chance <= best.chance) best = {i, j, chance};
    };
    const auto pile = [&](std::uint32_t i) {
      const JoinBoxes::Box& other = boxes_[i];
      const bool same = other.begin == box.begin && other.end == box.end;
      if (same && i != id) compare(i, id, chanceOfPile(i, id));
    };
    if (boxes_.begins(box.begin).count <= boxes_.ends(box.end).count) {
      forEachBegun(box.begin, pile);
    } else {
      forEachEnded(box.end, pile);
    }
    forEachEnded(box.begin, [&](std::uint32_t i) {
      if (boxes_[i].size == box.size) compare(i, id, chanceOfRow(i, id));
    });
    if (!all) return best;
    forEachBegun(box.end, [&](std::uint32_t i) {
      if (boxes_[i].size == box.size) compare(id, i, chanceOfRow(id, i));
    });
    return best;
  }

  /// Joins what begins at a rank with others, and what they become, wherever it goes on.
  void joinAt(std::uint32_t rank, double most) {
    here_.clear();
    std::uint32_t next = boxes_.begins(rank).head;
    for (; next != kNobody; next = boxes_[next].nextBegun) here_.push_back(next);
    for (const std::uint32_t id : here_) {
      if (!boxes_.isAlive(id)) continue;
      joinOn(bestWith(id, most, false), most);
    }
    if (wheels_) joinWheelsAt(rank, most);
  }

  /// Joins a pair, and what it becomes, as long as that goes on.
  void joinOn(Pair pair, double most) {
    while (pair.first != kNobody) {
      ++moves_;
      boxes_.join(pair.first, pair.second);
      pair = bestWith(pair.first, most, true);
    }
  }

  /// Joins wheels whose middle begins or ends at a rank.
  void joinWheelsAt(std::uint32_t rank, double most) {
    here_.clear();
    forEachBegun(rank, [&](std::uint32_t id) { here_.push_back(id); });
    forEachEnded(rank, [&](std::uint32_t id) { here_.push_back(id); });
    for (const std::uint32_t id : here_) {
      if (!boxes_.isAlive(id)) continue;
      const JoinBoxes::Wheel wheel = wheelAround(id, most);
      if (wheel.middle == kNobody) continue;
      ++moves_;
      boxes_.joinWheel(wheel);
      joinOn(bestWith(wheel.bottom, most, true), most);
    }
  }

  /// A wheel that is likely enough to be none by chance.
  JoinBoxes::Wheel wheelAround(std::uint32_t middle, double most) const {
    const JoinBoxes::Box& inner = boxes_[middle];
    const std::uint32_t from = inner.begin;
    JoinBoxes::Wheel found;
    if (boxes_.ends(from).count * boxes_.begins(from).count > kMostAroundWheels) return found;
    forEachEnded(from, [&](std::uint32_t left) {
      if (boxes_[left].size <= inner.size) return;
      const std::uint32_t high = boxes_[left].size - inner.size;
      forEachBegun(from, [&](std::uint32_t top) {
        if (boxes_[top].end <= inner.end || boxes_[top].size != high) return;
        const JoinBoxes::Wheel wheel = closed({.left = left, .top = top, .middle = middle}, most);
        if (wheel.bottom != kNobody) found = wheel;
      });
    });
    return found;
  }

  /// With a bottom and a right one, given the others; as it is where there are none.
  JoinBoxes::Wheel closed(JoinBoxes::Wheel wheel, double most) const {
    const JoinBoxes::Box& inner = boxes_[wheel.middle];
    forEachBegun(inner.end, [&](std::uint32_t right) {
      const JoinBoxes::Box& box = boxes_[right];
      if (box.end != boxes_[wheel.top].end || box.size <= inner.size) return;
      forEachEnded(inner.end, [&](std::uint32_t bottom) {
        const bool meets = boxes_[bottom].begin == boxes_[wheel.left].begin;
        if (!meets || boxes_[bottom].size != box.size - inner.size) return;
        if (chanceOfWheel(wheel.left, right, inner) > most) return;
        wheel.bottom = bottom;
        wheel.right = right;
      });
    });
    return wheel;
  }

  /// Of pairs of sizes there are about as many as their product.
  double chanceOfWheel(std::uint32_t left, std::uint32_t right,
                       const JoinBoxes::Box& middle) const {
    const double ways = 1.0 * boxes_.begins(middle.begin).count * boxes_.ends(middle.begin).count *
                        boxes_.begins(middle.end).count * boxes_.ends(middle.end).count;
    return shaken(ways / (1.0 * boxes_[left].size * boxes_[right].size), left, right);
  }

  /// The likelier to have been one, the sooner: at these ranks, and where that leads.
  void joinAll(std::vector<std::uint32_t> ranks) {
    for (const double most : kChances) {
      std::uint32_t before = 0;
      do {
        before = boxes_.alive();
        for (const std::uint32_t rank : ranks) {
          if (++looks_ % kLooksApart == 0 && options_.stopped) stopped_ |= options_.stopped();
          if (stopped_) return;
          joinAt(rank, most);
        }
        const std::vector<std::uint32_t> more = boxes_.takeTouched();
        if (more.empty()) continue;
        ranks.insert(ranks.end(), more.begin(), more.end());
        std::ranges::sort(ranks);
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
      } while (most == kChances.back() && boxes_.alive() < before);
      const double joined = boxes_.count() - boxes_.alive();
      if (!repairing_ && joined < kWorthwhile * boxes_.count()) return;
    }
  }

  static double fractionOf(std::uint64_t random) {
    return static_cast<double>(random >> 11U) * 0x1p-53;
  }
  double fraction() {
    seed_ += kScrambleStep;
    return fractionOf(scramble(seed_));
  }

  void cutUp(std::uint32_t id) {
    std::vector<std::uint32_t> open = {id};
    double chance = 0;
    while (!open.empty()) {
      const std::uint32_t next = open.back();
      open.pop_back();
      if (boxes_[next].joined == kNobody || (chance > 0 && fraction() > chance)) continue;
      const JoinBoxes::Others others = boxes_.split(next);
      // As many of a wheel as of two halves go on.
      chance = 2 * kCutOn / (1 + others.count);
      open.push_back(next);
      open.insert(open.end(), others.begin(), others.end());
      ++moves_;
    }
  }

  /// Cuts up one box at a time and joins what is around anew; stays so where that leaves no more.
  void repair() {
    repairing_ = true;
    boxes_.remember();
    std::vector<std::uint32_t> left = boxes_.aliveBoxes();
    const std::int64_t last = moves_ + options_.moves;
    while (boxes_.alive() > 1 && moves_ < last && !stopped_) {
      if (left.empty()) left = boxes_.aliveBoxes();
      const auto at = static_cast<std::size_t>(fraction() * static_cast<double>(left.size()));
      const std::uint32_t id = left[at];
      if (boxes_[id].joined == kNobody || !boxes_.isAlive(id)) {
        left[at] = left.back();
        left.pop_back();
        ++moves_;
        continue;
      }
      const std::uint32_t before = boxes_.alive();
      shake_ = scramble(seed_);
      cutUp(id);
      joinAll(boxes_.takeTouched());
      if (boxes_.alive() > before || stopped_) {
        boxes_.takeBackChanges();
        continue;
      }
      for (const JoinBoxes::Change& change : boxes_.changes()) {
        if (change.joined) continue;
        for (const std::uint32_t other : change.others) {
          if (boxes_.isAlive(other)) left.push_back(other);
        }
      }
      boxes_.keepChanges();
    }
  }

  Bytes sizeOf(std::uint32_t id) const { return boxes_.unit() * std::int64_t{boxes_[id].size}; }

  JoinedRectangles resultFor(const Rectangles& given) const {
    const std::vector<std::uint32_t> left = boxes_.aliveBoxes();
    JoinedRectangles result{.unit = boxes_.unit()};
    result.in.resize(boxes_.count());
    result.above.resize(boxes_.count());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open;
    for (std::uint32_t at = 0; at < left.size(); ++at) {
      open.emplace_back(left[at], 0U);
      while (!open.empty()) {
        const auto [id, above] = open.back();
        open.pop_back();
        result.in[id] = at;
        result.above[id] = above;
        openMembers(id, above, open);
      }
    }
    addRectangles(given, left, result);
    return result;
  }

  /// Adds what was joined to a box, and how far above the beginning of the whole it lies.
  void openMembers(std::uint32_t id, std::uint32_t above,
                   std::vector<std::pair<std::uint32_t, std::uint32_t>>& open) const {
    std::uint32_t size = boxes_[id].size;
    for (std::uint32_t i = boxes_[id].joined; i != kNobody; i = boxes_[i].before) {
      if (boxes_[i].endsWheel) {
        const std::uint32_t middle = boxes_[i].before;
        const std::uint32_t left = boxes_[middle].before;
        size -= boxes_[left].size;
        open.emplace_back(i, above + size + boxes_[middle].size);
        open.emplace_back(middle, above + size);
        open.emplace_back(left, above + size);
        i = boxes_[left].before;  // The right one.
        open.emplace_back(i, above);
        continue;
      }
      const bool onTop = boxes_.isOnTop(id, i);
      if (onTop) size -= boxes_[i].size;
      open.emplace_back(i, onTop ? above + size : above);
    }
  }

  /// With ranks of their own, for most of those given are not needed any more.
  void addRectangles(const Rectangles& given, const std::vector<std::uint32_t>& left,
                     JoinedRectangles& result) const {
    Rectangles& joined = result.rectangles;
    std::vector<std::uint32_t> rankOf(boxes_.ranks());
    for (std::uint32_t rank = 0; rank < boxes_.ranks(); ++rank) {
      rankOf[rank] = static_cast<std::uint32_t>(joined.steps.size());
      const bool used = boxes_.begins(rank).count + boxes_.ends(rank).count > 0;
      if (used) joined.steps.push_back(given.steps[rank]);
    }
    joined.stays.resize(left.size());
    for (std::uint32_t i = 0; i < boxes_.count(); ++i) joined.stays[result.in[i]] = given.stays[i];
    for (const std::uint32_t id : left) {
      joined.begin.push_back(rankOf[boxes_[id].begin]);
      joined.end.push_back(rankOf[boxes_[id].end]);
      joined.size.push_back(sizeOf(id));
    }
    joined.countFirst();
  }

  const JoinOptions& options_;
  std::uint64_t seed_;
  JoinBoxes boxes_;
  double each_ = 1;  ///< How many begin at a rank, at first.
  std::vector<std::uint32_t> here_;
  bool wheels_ = false;
  bool repairing_ = false;
  std::uint64_t shake_ = 0;
  std::int64_t moves_ = 0;
  std::uint32_t looks_ = 0;
  bool stopped_ = false;
};

}  // namespace

bool JoinBoxes::fill(const Rectangles& given) {
  if (!given.pins.empty() || !given.alignment.empty() || given.count() >= kGone) return false;
  std::int64_t unit = 0;
  for (const Bytes size : given.size) unit = std::gcd(unit, size.count());
  unit_ = Bytes(std::max<std::int64_t>(unit, 1));
  // No pile is higher than what is live at once.
  if (loadBound(given).count() / unit_.count() >= std::int64_t{kGone}) return false;
  begins_.resize(given.steps.size());
  ends_.resize(given.steps.size());
  isTouched_.resize(given.steps.size());
  boxes_.resize(given.count());
  // From the last one on, so that lists begin with the first.
  for (std::uint32_t i = count(); i-- > 0;) {
    boxes_[i].begin = given.begin[i];
    boxes_[i].end = given.end[i];
    boxes_[i].size = static_cast<std::uint32_t>(given.size[i].count() / unit_.count());
    link(i);
  }
  return true;
}

void JoinBoxes::link(std::uint32_t id) {
  Box& box = boxes_[id];
  List& begun = begins_[box.begin];
  box.lastBegun = kNobody;
  box.nextBegun = begun.head;
  if (begun.head != kNobody) boxes_[begun.head].lastBegun = id;
  begun.head = id;
  ++begun.count;
  List& ended = ends_[box.end];
  box.lastEnded = kNobody;
  box.nextEnded = ended.head;
  if (ended.head != kNobody) boxes_[ended.head].lastEnded = id;
  ended.head = id;
  ++ended.count;
  ++alive_;
}

void JoinBoxes::unlink(std::uint32_t id) {
  Box& box = boxes_[id];
  List& begun = begins_[box.begin];
  (box.lastBegun == kNobody ? begun.head : boxes_[box.lastBegun].nextBegun) = box.nextBegun;
  if (box.nextBegun != kNobody) boxes_[box.nextBegun].lastBegun = box.lastBegun;
  --begun.count;
  List& ended = ends_[box.end];
  (box.lastEnded == kNobody ? ended.head : boxes_[box.lastEnded].nextEnded) = box.nextEnded;
  if (box.nextEnded != kNobody) boxes_[box.nextEnded].lastEnded = box.lastEnded;
  --ended.count;
  box.lastBegun = kGone;
  --alive_;
}

void JoinBoxes::touch(std::uint32_t rank) {
  if (isTouched_[rank]) return;
  isTouched_[rank] = true;
  touched_.push_back(rank);
}

std::vector<std::uint32_t> JoinBoxes::takeTouched() {
  for (const std::uint32_t rank : touched_) isTouched_[rank] = false;
  return std::exchange(touched_, {});
}

std::vector<std::uint32_t> JoinBoxes::aliveBoxes() const {
  std::vector<std::uint32_t> alive;
  alive.reserve(alive_);
  for (const List& list : begins_) {
    for (std::uint32_t i = list.head; i != kNobody; i = boxes_[i].nextBegun) alive.push_back(i);
  }
  return alive;
}

void JoinBoxes::note(bool joined, std::uint32_t first, const Others& others) {
  if (!remembering_) return;
  for (const std::uint32_t other : others) {
    touch(boxes_[other].begin);
    touch(boxes_[other].end);
  }
  touch(boxes_[first].begin);
  changes_.push_back({joined, first, others});
}

void JoinBoxes::chain(std::uint32_t id, std::uint32_t other) {
  boxes_[other].before = boxes_[id].joined;
  boxes_[other].endsWheel = false;
  boxes_[id].joined = other;
}

void JoinBoxes::join(std::uint32_t first, std::uint32_t second) {
  unlink(first);
  unlink(second);
  Box& box = boxes_[first];
  const Box& other = boxes_[second];
  if (isOnTop(first, second)) {
    box.size += other.size;
  } else {
    box.end = other.end;
  }
  chain(first, second);
  link(first);
  note(true, first, {{second}});
}

void JoinBoxes::joinWheel(const Wheel& wheel) {
  const Others others{{wheel.right, wheel.left, wheel.middle, wheel.top}, 4};
  unlink(wheel.bottom);
  for (const std::uint32_t other : others) {
    unlink(other);
    chain(wheel.bottom, other);
  }
  boxes_[wheel.top].endsWheel = true;
  boxes_[wheel.bottom].size += boxes_[wheel.left].size;
  boxes_[wheel.bottom].end = boxes_[wheel.right].end;
  link(wheel.bottom);
  note(true, wheel.bottom, others);
}

JoinBoxes::Others JoinBoxes::lastJoined(std::uint32_t id) const {
  const std::uint32_t last = boxes_[id].joined;
  if (!boxes_[last].endsWheel) return {{last}};
  Others others{{}, 4};
  others.ids[3] = last;
  for (std::size_t i = 3; i > 0; --i) others.ids[i - 1] = boxes_[others.ids[i]].before;
  return others;
}

JoinBoxes::Others JoinBoxes::split(std::uint32_t id) {
  unlink(id);
  Box& box = boxes_[id];
  const Others others = lastJoined(id);
  const std::uint32_t second = others.ids[0];
  if (others.count > 1) {
    box.size -= boxes_[others.ids[1]].size;
    box.end = boxes_[second].begin;
  } else if (isOnTop(id, second)) {
    box.size -= boxes_[second].size;
  } else {
    box.end = boxes_[second].begin;
  }
  box.joined = boxes_[second].before;
  link(id);
  for (const std::uint32_t other : others) link(other);
  note(false, id, others);
  return others;
}

void JoinBoxes::takeBackChanges() {
  remembering_ = false;
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    const auto& ids = change.others.ids;
    if (change.joined) {
      split(change.first);
    } else if (change.others.count > 1) {
      joinWheel({ids[1], ids[3], ids[2], change.first, ids[0]});
    } else {
      join(change.first, ids[0]);
    }
  }
  remembering_ = true;
}

std::vector<Bytes> JoinedRectangles::spread(const std::vector<Bytes>& offsets) const {
  std::vector<Bytes> all;
  all.reserve(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    all.push_back(offsets[in[i]] + unit * std::int64_t{above[i]});
  }
  return all;
}

std::optional<JoinedRectangles> joinRectangles(const Rectangles& rectangles,
                                               const JoinOptions& options) {
  return Joiner(options).run(rectangles);
}

}  // namespace hw
