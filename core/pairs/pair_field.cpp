#include "core/pairs/pair_field.h"

#include <algorithm>
#include <queue>

namespace hw {

namespace {

constexpr std::int64_t kLargestCostSum = std::int64_t{1} << 62;

std::int64_t roundedUp(std::int64_t value, std::int64_t alignment) {
  return alignUp(Bytes(value), Bytes(alignment)).count();
}

/// Distances of two offsets that are multiples of the smaller alignment are multiples of it too.
PairField::Edge edgeOf(const PairModel& model, std::size_t block, const PairModel::Apart& apart) {
  const std::int64_t common =
      std::min(model.blocks[block].alignment.count(), model.blocks[apart.other].alignment.count());
  return {.other = apart.other,
          .below = roundedUp(apart.below.count(), common),
          .above = roundedUp(apart.above.count(), common)};
}

/// By the other block; of those to one block the hard one first.
bool comesBefore(const PairField::Edge& a, const PairField::Edge& b) {
  return a.other != b.other ? a.other < b.other : a.hard > b.hard;
}

std::vector<PairField::Edge> edgesOf(const PairModel& model, std::size_t block) {
  std::vector<PairField::Edge> edges;
  if (block < model.conflicts.size()) {
    for (const PairModel::Apart& apart : model.conflicts[block]) {
      edges.push_back(edgeOf(model, block, apart));
      edges.back().hard = true;
    }
  }
  if (block < model.penalties.size()) {
    for (const PairModel::Penalty& penalty : model.penalties[block]) {
      edges.push_back(edgeOf(model, block, penalty.apart));
      edges.back().cost = penalty.cost;
    }
  }
  std::stable_sort(edges.begin(), edges.end(), comesBefore);
  return edges;
}

std::vector<Interval<std::int64_t>> barredOf(const PairField& field, std::uint32_t block,
                                             const std::vector<Interval<Bytes>>& reserved) {
  std::vector<Interval<std::int64_t>> barred;
  for (const Interval<Bytes>& range : reserved) {
    if (range.empty()) continue;
    barred.push_back({range.begin.count() - field.size[block] + 1, range.end.count()});
  }
  for (const PairField::Edge& edge : field.edges[block]) {
    if (!edge.hard || !field.fixed[edge.other]) continue;
    const std::int64_t there = *field.fixed[edge.other];
    barred.push_back({there - edge.below + 1, there + edge.above});
  }
  return mergedRanges(std::move(barred));
}

}  // namespace

PairBudget::PairBudget(const PairLimits& limits, std::function<bool()> stopped)
    : mostNodes_(limits.nodes), stopped_(std::move(stopped)) {
  constexpr double kLongest = 1e9;  // Seconds; a later end would leave the clock's range.
  if (limits.seconds <= 0 || limits.seconds > kLongest) return;
  end_ = Watch::now() +
         std::chrono::duration_cast<Watch::duration>(std::chrono::duration<double>(limits.seconds));
}

bool PairBudget::spend() {
  if (spent_) return true;
  if (mostNodes_ > 0 && nodes_ >= mostNodes_) return spent_ = true;
  constexpr std::int64_t kNodesBetweenLooks = 16;
  if (nodes_++ % kNodesBetweenLooks != 0) return false;
  spent_ = (end_ && Watch::now() >= *end_) || (stopped_ && stopped_());
  return spent_;
}

PairBudget PairBudget::part(std::int64_t nodes) const {
  PairBudget part = *this;
  part.nodes_ = 0;
  const std::int64_t left = mostNodes_ > 0 ? mostNodes_ - nodes_ : 0;
  if (mostNodes_ > 0 && left <= 0) part.spent_ = true;
  part.mostNodes_ = left > 0 && nodes > 0 ? std::min(left, nodes) : std::max(left, nodes);
  return part;
}

void PairBudget::settle(const PairBudget& part) {
  nodes_ += part.nodes_;
  if (mostNodes_ > 0 && nodes_ >= mostNodes_) spent_ = true;
  if (end_ && Watch::now() >= *end_) spent_ = true;
  if (stopped_ && stopped_()) spent_ = true;
}

std::int64_t PairField::lowest(std::uint32_t block, std::int64_t from) const {
  const std::int64_t last = capacity - size[block];
  std::int64_t offset = from;
  if (fixed[block]) {
    if (*fixed[block] < from || *fixed[block] % alignment[block] != 0) return kNowhere;
    offset = *fixed[block];
  } else if (offset <= last) {
    offset = roundedUp(offset, alignment[block]);
  }
  for (const Interval<std::int64_t>& range : barred[block]) {
    if (offset > last || offset < range.begin) break;
    if (offset >= range.end) continue;
    if (fixed[block]) return kNowhere;
    offset = roundedUp(range.end, alignment[block]);
  }
  return offset <= last ? offset : kNowhere;
}

PairField fieldOf(const PairModel& model) {
  PairField field;
  field.capacity = std::min(model.capacity.value_or(kMaxBytes), kMaxBytes).count();
  field.room = field.capacity;
  for (const Interval<Bytes>& range : model.reserved) {
    const std::int64_t end = std::min(range.end.count(), field.capacity);
    field.room -= std::max<std::int64_t>(end - range.begin.count(), 0);
  }
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const PairModel::Block& block = model.blocks[i];
    field.size.push_back(block.size.count());
    field.alignment.push_back(block.alignment.count());
    field.fixed.emplace_back();
    if (block.fixed) field.fixed.back() = block.fixed->count();
    field.edges.push_back(edgesOf(model, i));
  }
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    field.barred.push_back(barredOf(field, block, model.reserved));
  }
  return field;
}

std::vector<std::vector<std::uint32_t>> componentsOf(const PairField& field) {
  std::vector<std::vector<std::uint32_t>> components;
  std::vector<char> seen(field.count(), 0);
  for (std::uint32_t first = 0; first < field.count(); ++first) {
    if (seen[first]) continue;
    std::vector<std::uint32_t> reached{first};
    seen[first] = 1;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const PairField::Edge& edge : field.edges[reached[i]]) {
        if (seen[edge.other]) continue;
        seen[edge.other] = 1;
        reached.push_back(edge.other);
      }
    }
    std::sort(reached.begin(), reached.end());
    components.push_back(std::move(reached));
  }
  return components;
}

PairField fieldOfBlocks(const PairField& field, const std::vector<std::uint32_t>& blocks) {
  constexpr std::uint32_t kOutside = ~std::uint32_t{0};
  std::vector<std::uint32_t> numbers(field.count(), kOutside);
  for (std::uint32_t i = 0; i < blocks.size(); ++i) numbers[blocks[i]] = i;
  PairField part;
  part.capacity = field.capacity;
  part.room = field.room;
  for (const std::uint32_t block : blocks) {
    part.size.push_back(field.size[block]);
    part.alignment.push_back(field.alignment[block]);
    part.fixed.push_back(field.fixed[block]);
    part.barred.push_back(field.barred[block]);
    std::vector<PairField::Edge>& edges = part.edges.emplace_back();
    for (PairField::Edge edge : field.edges[block]) {
      edge.other = numbers[edge.other];
      if (edge.other != kOutside) edges.push_back(edge);
    }
    std::stable_sort(edges.begin(), edges.end(), comesBefore);
  }
  return part;
}

PairField hardened(const PairField& field) {
  PairField hard = field;
  for (std::uint32_t block = 0; block < hard.count(); ++block) {
    for (PairField::Edge& edge : hard.edges[block]) {
      if (!edge.hard && hard.fixed[edge.other]) {
        const std::int64_t there = *hard.fixed[edge.other];
        hard.barred[block].push_back({there - edge.below + 1, there + edge.above});
      }
      edge.hard = true;
      edge.cost = 0;
    }
    hard.barred[block] = mergedRanges(std::move(hard.barred[block]));
  }
  return hard;
}

std::optional<std::int64_t> costOf(const PairField& field,
                                   const std::vector<std::int64_t>& offsets) {
  std::int64_t cost = 0;
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    const std::int64_t offset = offsets[block];
    if (offset < 0 || field.lowest(block, offset) != offset) return std::nullopt;
    for (const PairField::Edge& edge : field.edges[block]) {
      if (edge.other < block || PairField::isApart(edge, offset, offsets[edge.other])) continue;
      if (edge.hard) return std::nullopt;
      cost += edge.cost;
    }
  }
  return cost;
}

std::optional<std::int64_t> totalCost(const PairField& field) {
  std::int64_t total = 0;
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    for (const PairField::Edge& edge : field.edges[block]) {
      if (edge.other < block) continue;
      if (edge.cost > kLargestCostSum - total) return std::nullopt;
      total += edge.cost;
    }
  }
  return total;
}

std::optional<std::vector<std::vector<std::int64_t>>> touchingOffsets(const PairField& field,
                                                                      std::size_t most) {
  using Entry = std::pair<std::int64_t, std::uint32_t>;
  constexpr std::size_t kLinksPerPlace = 50;
  std::vector<std::vector<std::int64_t>> offsets(field.count());
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto offer = [&](std::uint32_t block, std::int64_t from) {
    const std::int64_t offset = field.lowest(block, from);
    if (offset != PairField::kNowhere) open.emplace(offset, block);
  };
  for (std::uint32_t block = 0; block < field.count(); ++block) offer(block, 0);
  std::size_t total = 0;
  std::size_t links = 0;
  while (!open.empty()) {
    const auto [offset, block] = open.top();
    open.pop();
    if (!offsets[block].empty() && offsets[block].back() == offset) continue;
    links += field.edges[block].size();
    if (++total > most || links > kLinksPerPlace * most) return std::nullopt;
    offsets[block].push_back(offset);
    for (const PairField::Edge& edge : field.edges[block]) offer(edge.other, offset + edge.below);
  }
  return offsets;
}

}  // namespace hw
