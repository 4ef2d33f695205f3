#include "core/solver/exact/jigsaw.h"

#include <algorithm>
#include <numeric>

namespace hw::exact {

Jigsaw::Jigsaw(const Boxes& whole, bool bySteps, int loose, Dice& dice)
    : whole_(whole), boxes_(whole.boxes), state_(boxes_.size(), State::open) {
  members_.resize(boxes_.size());
  bool gaps = false;
  for (Item i = 0; i < boxes_.size(); ++i) {
    members_[i] = {{i, 0}};
    const bool alone = loose > 0 && dice.chance(loose);
    if (alone || !isPlain(i)) state_[i] = State::alone;
    gaps |= !isPlain(i);
  }
  if (bySteps && !gaps) {
    takeSteps();
  } else {
    takeSections();
  }
  begins_.resize(moments_ + 1);
  ends_.resize(moments_ + 1);
  changedAt_.resize(moments_ + 1, 0);
  std::vector<Item> items(boxes_.size());
  std::iota(items.begin(), items.end(), 0U);
  dice.shuffle(items);
  for (const Item i : items) {
    if (isPlain(i)) enlist(i);
  }
}

void Jigsaw::takeSections() {
  moments_ = whole_.sections;
  momentOf_.resize(moments_);
  std::iota(momentOf_.begin(), momentOf_.end(), 0U);
}

void Jigsaw::takeSteps() {
  std::vector<Step> steps;
  for (const Box& box : boxes_) steps.insert(steps.end(), {box.life.begin, box.life.end});
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  moments_ = static_cast<std::uint32_t>(steps.size()) - 1;
  const auto number = [&](Step step) {
    const auto after = std::ranges::upper_bound(steps, step);
    return static_cast<std::uint32_t>(after - steps.begin()) - 1;
  };
  for (Box& box : boxes_) box.hull = {number(box.life.begin), number(box.life.end)};
  for (const Step step : whole_.moments) momentOf_.push_back(number(step));
}

/// The sections whose moments are within `hull`.
Piece Jigsaw::sectionsOf(const Piece& hull) const {
  const auto number = [&](std::uint32_t moment) {
    const auto found = std::ranges::lower_bound(momentOf_, moment);
    return static_cast<std::uint32_t>(found - momentOf_.begin());
  };
  return {number(hull.first), number(hull.last)};
}

void Jigsaw::enlist(Item item) {
  begins_[hull(item).first].push_back(item);
  ends_[hull(item).last].push_back(item);
}

void Jigsaw::strike(Item item) {
  std::erase(begins_[hull(item).first], item);
  std::erase(ends_[hull(item).last], item);
}

void Jigsaw::touch(Item item) {
  changedAt_[hull(item).first] = changedAt_[hull(item).last] = changes_;
}

std::vector<Jigsaw::Item> Jigsaw::joinable(std::uint32_t change, Dice& dice) const {
  addLooks(static_cast<std::int64_t>(boxes_.size()));
  const auto isNews = [&](std::uint32_t moment) { return changedAt(moment) >= change; };
  std::vector<Item> items;
  for (Item i = 0; i < boxes_.size(); ++i) {
    if (canJoin(i) && (isNews(hull(i).first) || isNews(hull(i).last))) items.push_back(i);
  }
  dice.shuffle(items);
  return items;
}

std::vector<std::int64_t> Jigsaw::room(Bytes capacity) const {
  std::vector<std::int64_t> change(moments_ + 1, 0);
  for (Item i = 0; i < boxes_.size(); ++i) {
    if (state_[i] == State::gone) continue;
    const Piece& own = hull(i);
    const auto gappy = whole_.pieces.begin() + boxes_[i].firstPiece;
    const std::span<const Piece> pieces =
        isPlain(i) ? std::span(&own, 1)
                   : std::span(gappy, boxes_[i].lastPiece - boxes_[i].firstPiece);
    for (const Piece& piece : pieces) {
      change[piece.first] += height(i);
      change[piece.last] -= height(i);
    }
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  change.pop_back();
  for (std::int64_t& each : change) each = capacity.count() / whole_.unit.count() - each;
  return change;
}

void Jigsaw::addHole(const Piece& hull, std::int64_t height) {
  boxes_.push_back({.height = height, .size = whole_.unit * height, .lastPiece = 1, .hull = hull});
  members_.emplace_back();
  state_.push_back(State::open);
  ++changes_;
  enlist(static_cast<Item>(boxes_.size() - 1));
  touch(static_cast<Item>(boxes_.size() - 1));
}

void Jigsaw::takeOver(Item first, Item follower) {
  ++changes_;
  stretch(first, hull(follower).last);
  absorb(first, follower, 0);
}

void Jigsaw::stack(Item below, Item above) {
  ++changes_;
  const std::int64_t offset = height(below);
  boxes_[below].height += height(above);
  absorb(below, above, offset);
}

void Jigsaw::joinWheel(const Wheel& wheel) {
  ++changes_;
  const std::int64_t low = height(wheel.bottom);
  stretch(wheel.bottom, hull(wheel.right).last);
  boxes_[wheel.bottom].height += height(wheel.left);
  absorb(wheel.bottom, wheel.right, 0);
  absorb(wheel.bottom, wheel.left, low);
  absorb(wheel.bottom, wheel.middle, low);
  absorb(wheel.bottom, wheel.top, low + height(wheel.middle));
}

void Jigsaw::stretch(Item item, std::uint32_t end) {
  std::erase(ends_[hull(item).last], item);
  touch(item);
  boxes_[item].hull.last = end;
  ends_[end].push_back(item);
}

/// `other` lies `offset` units above the bottom of `into` from now on.
void Jigsaw::absorb(Item into, Item other, std::int64_t offset) {
  boxes_[into].steps += boxes_[other].steps;
  boxes_[into].size = std::max(boxes_[into].size, whole_.unit * offset + boxes_[other].size);
  for (const auto& [box, inner] : members_[other]) {
    members_[into].emplace_back(box, inner + offset);
  }
  members_[other].clear();
  strike(other);
  touch(other);
  state_[other] = State::gone;
}

Joined Jigsaw::finish() const {
  Joined joined;
  joined.boxes = {.sections = whole_.sections,
                  .moments = whole_.moments,
                  .unit = whole_.unit,
                  .aligned = whole_.aligned,
                  .pinned = whole_.pinned};
  joined.places.resize(whole_.boxes.size());
  for (Item i = 0; i < boxes_.size(); ++i) {
    if (state_[i] == State::gone || members_[i].empty()) continue;
    Box box = boxes_[i];
    std::vector<Piece>& pieces = joined.boxes.pieces;
    box.firstPiece = static_cast<std::uint32_t>(pieces.size());
    if (isPlain(i)) {
      box.hull = sectionsOf(box.hull);
      pieces.push_back(box.hull);
    } else {
      const auto own = whole_.piecesOf(boxes_[i]);
      pieces.insert(pieces.end(), own.begin(), own.end());
    }
    box.lastPiece = static_cast<std::uint32_t>(pieces.size());
    const auto number = static_cast<std::uint32_t>(joined.boxes.boxes.size());
    joined.boxes.boxes.push_back(box);
    for (const auto& [member, inner] : members_[i]) joined.places[member] = {number, inner};
  }
  return joined;
}

std::vector<std::int64_t> Jigsaw::offsetsOf(std::span<const Item> items,
                                            const std::vector<std::int64_t>& offsets) const {
  std::vector<std::int64_t> all(whole_.boxes.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const auto& [member, inner] : members_[items[i]]) all[member] = offsets[i] + inner;
  }
  return all;
}

}  // namespace hw::exact
