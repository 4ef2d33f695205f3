#include "core/solver/exact/portfolio.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <thread>

#include "core/base/dice.h"
#include "core/solver/luby.h"

namespace hw::exact {
namespace {

/// The pressure that all failures of one round add, spread over the sections that failed.
constexpr double kLesson = 0.2;

/// In [0.8, 1.2), by number.
double shaken(std::uint64_t number) {
  constexpr double kSteps = 1 << 20;
  return 0.8 + 0.4 * static_cast<double>(scramble(number) >> 44) / kSteps;
}

struct Rank {
  double pressure = 0;
  double key = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

/// Nodes between two looks at the clock; fewer where a node is dear.
std::int64_t sliceOf(const Boxes& boxes) {
  const auto size = static_cast<std::int64_t>(boxes.boxes.size());
  return std::clamp<std::int64_t>(200'000 / (size + 1), 8, 1'000);
}

/// Nodes of a turn beyond one for each box. Longer turns waste nodes on bad orders, shorter ones
/// learn too little.
constexpr std::int64_t kTurn = 400;
/// Rounds after which turns are twice as long as at first.
constexpr std::int64_t kRoundsToDouble = 64;

/// Rounds in the shortest life.
constexpr std::uint64_t kLife = 60;

/// Boxes from which on the first turns take longer than a thread takes to start.
constexpr std::size_t kWorthThreads = 500;

}  // namespace

OrderMaker::OrderMaker(const Boxes& boxes) : boxes_(boxes), pressure_(boxes.sections + 1, 0) {
  const auto most = static_cast<double>(std::max<std::int64_t>(1, boxes.load().count()));
  for (const Box& box : boxes.boxes) {
    for (const Piece& piece : boxes.piecesOf(box)) {
      pressure_[piece.first] += static_cast<double>(box.size.count());
      pressure_[piece.last] -= static_cast<double>(box.size.count());
    }
  }
  std::partial_sum(pressure_.begin(), pressure_.end(), pressure_.begin());
  for (double& pressure : pressure_) pressure /= most;
  first_ = pressure_;
}

double OrderMaker::keyOf(const Box& box, OrderKey key) const {
  double sections = 0;
  for (const Piece& piece : boxes_.piecesOf(box)) sections += piece.last - piece.first;
  const auto height = static_cast<double>(box.height);
  const auto steps = static_cast<double>(box.steps.count());
  switch (key) {
    case OrderKey::sections:
      return sections;
    case OrderKey::area:
      return sections * height;
    case OrderKey::steps:
      return steps;
    case OrderKey::mass:
      break;
  }
  return steps * height;
}

std::vector<std::uint32_t> OrderMaker::make(const OrderRecipe& recipe) const {
  std::vector<Rank> ranks;
  ranks.reserve(boxes_.boxes.size());
  for (const Box& box : boxes_.boxes) {
    Rank rank{.key = keyOf(box, recipe.key)};
    // Another order for each seed, the same on every machine.
    if (recipe.seed != 0) rank.key *= shaken(recipe.seed * 0x10001 + ranks.size());
    for (const Piece& piece : boxes_.piecesOf(box)) {
      const auto first = pressure_.begin() + piece.first;
      const auto last = pressure_.begin() + piece.last;
      if (recipe.pressed) rank.pressure = std::max(rank.pressure, *std::max_element(first, last));
    }
    ranks.push_back(rank);
  }
  std::vector<std::uint32_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t box) { return ranks[box]; });
  return order;
}

void OrderMaker::learn(const std::vector<std::uint64_t>& failures) {
  const auto sum = std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
  if (sum == 0) return;
  for (std::size_t s = 0; s < failures.size(); ++s) {
    pressure_[s] += kLesson * static_cast<double>(failures[s]) / static_cast<double>(sum);
  }
}

Portfolio::Portfolio(const Boxes& boxes, Bytes capacity, OrderMaker& orders, Aim aim)
    : boxes_(boxes), capacity_(capacity), orders_(orders) {
  const auto add = [&](std::string_view name, OrderKey key, bool pressed, bool learns) {
    lanes_.push_back({.name = name, .recipe = {.key = key, .pressed = pressed}, .learns = learns});
  };
  add("learned, sections", OrderKey::sections, true, true);
  add("learned, area", OrderKey::area, true, true);
  add("learned, steps", OrderKey::steps, true, true);
  add("learned, mass", OrderKey::mass, true, true);
  if (aim == Aim::plan) return;
  add("area", OrderKey::area, false, false);
  add("load, sections", OrderKey::sections, true, false);
}

std::string_view Portfolio::winner() const { return lanes_[winner_].name; }

std::int64_t Portfolio::roundNodes() const {
  const auto size = static_cast<std::int64_t>(boxes_.boxes.size());
  const auto age = static_cast<std::int64_t>(rounds_);
  const std::int64_t turn = (size + kTurn) * (kRoundsToDouble + age) / kRoundsToDouble;
  return turn * static_cast<std::int64_t>(lanes_.size());
}

SearchOutcome Portfolio::run(std::int64_t nodes, const Limits& limits) {
  if (isTooLarge(boxes_)) return SearchOutcome::abandoned;
  const std::int64_t until = nodes_ + nodes;
  const auto lanes = static_cast<std::int64_t>(lanes_.size());
  while (nodes_ < until && !limits.over()) {
    winner_ = round((std::min(roundNodes(), until - nodes_) + lanes - 1) / lanes, limits);
    if (winner_ < lanes_.size()) {
      if (lanes_[winner_].outcome == SearchOutcome::found) {
        offsets_ = lanes_[winner_].search->offsets();
      }
      return lanes_[winner_].outcome;
    }
    const auto gaveUp = [](const Lane& lane) { return lane.outcome == SearchOutcome::abandoned; };
    if (std::ranges::all_of(lanes_, gaveUp)) return SearchOutcome::abandoned;
    if (limits.pulse) limits.pulse();
  }
  return SearchOutcome::paused;
}

std::size_t Portfolio::round(std::int64_t nodes, const Limits& limits) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> ended = lanes_.size();
  const auto work = [&] {
    for (std::size_t i = next++; i < lanes_.size(); i = next++) {
      if (lanes_[i].outcome == SearchOutcome::abandoned) continue;
      turn(i, nodes, limits, ended);
      const bool decided = lanes_[i].outcome == SearchOutcome::found ||
                           lanes_[i].outcome == SearchOutcome::exhausted;
      std::size_t least = ended;
      while (decided && i < least && !ended.compare_exchange_weak(least, i)) {
      }
    }
  };
  std::vector<std::jthread> helpers;
  // A problem that the first orders solve at once is not worth a thread.
  const bool alone = rounds_ == 0 && boxes_.boxes.size() < kWorthThreads;
  const std::size_t wanted = alone ? 1 : static_cast<std::size_t>(limits.threads);
  const std::size_t threads = std::min(wanted, lanes_.size());
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  // The nodes of later lanes depend on the clock; they do not count.
  const std::size_t winner = ended;
  const std::size_t counting = std::min(winner + 1, lanes_.size());
  for (std::size_t i = 0; i < counting; ++i) {
    if (!lanes_[i].search) continue;
    nodes_ += lanes_[i].search->nodes() - lanes_[i].counted;
    lanes_[i].counted = lanes_[i].search->nodes();
  }
  learn(counting);
  age();
  ++rounds_;
  return winner;
}

void Portfolio::prepare(Lane& lane) const {
  const bool fresh = lane.search == nullptr;
  if (fresh) lane.search = makeSearch(boxes_, capacity_);
  if (!fresh && !lane.learns) return;
  OrderRecipe recipe = lane.recipe;
  recipe.seed = rounds_;
  lane.search->start(orders_.make(recipe));
}

void Portfolio::turn(std::size_t index, std::int64_t nodes, const Limits& limits,
                     const std::atomic<std::size_t>& ended) {
  if (ended < index || limits.over()) return;
  Lane& lane = lanes_[index];
  prepare(lane);
  const std::int64_t slice = sliceOf(boxes_);
  const std::int64_t until = lane.search->nodes() + nodes;
  do {
    const std::int64_t left = until - lane.search->nodes();
    lane.outcome = lane.search->run(std::min(slice, left));
    if (ended < index || limits.over()) return;
  } while (lane.outcome == SearchOutcome::paused && lane.search->nodes() < until);
}

void Portfolio::learn(std::size_t counting) {
  std::vector<std::uint64_t> sum(boxes_.sections, 0);
  for (const Lane& lane : std::span(lanes_).first(counting)) {
    if (!lane.learns || !lane.search) continue;
    const auto& failures = lane.search->failures();
    for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += failures[s];
  }
  orders_.learn(sum);
}

void Portfolio::age() {
  if (++age_ < kLife * lubyLength(lives_ + 1)) return;
  age_ = 0;
  ++lives_;
  orders_.restart();
}

}  // namespace hw::exact
