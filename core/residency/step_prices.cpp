#include "core/residency/step_prices.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace hw {

StepPrices::StepPrices(const LevelProgram& program, Bytes budget)
    : program_(program),
      budget_(budget),
      prices_(program.steps.size()),
      entries_(program.buffers.size(), kNone) {
  const auto ahead = usesAhead(program);
  for (std::size_t at = 0; at < program.steps.size(); ++at) {
    firstOf_.push_back(nodes_.size());
    for (std::size_t i = 0; i < program.steps[at].operands.size(); ++i) {
      nodes_.push_back({.at = at, .use = &program.steps[at].operands[i], .ahead = ahead[at][i]});
    }
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    nodes_[i].next = std::exchange(entries_[nodes_[i].use->buffer], i);
  }
  evaluate();
}

StepPrices::Wide StepPrices::paid(const Node& node, Arrival arrival, UseChoice choice) const {
  const LevelBuffer& buffer = program_.buffers[node.use->buffer];
  const UseOption option = optionOf(buffer, *node.use, node.ahead, arrival, choice);
  if (!option.allowed) return -1;
  Wide sum = units(option.moved);
  if (choice != UseChoice::place) sum += Wide(prices_[node.at]) * buffer.size.count();
  if (node.next == kNone) return sum;
  if (choice == UseChoice::hold) {
    sum += (sums_[nodes_[node.next].at] - sums_[node.at + 1]) * buffer.size.count();
  }
  return sum + nodes_[node.next].toGo[static_cast<std::size_t>(option.next)];
}

/// The bound at the present prices.
void StepPrices::evaluate() {
  sums_.assign(1, 0);
  for (const std::int64_t price : prices_) sums_.push_back(sums_.back() + price);
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    for (const Arrival arrival : kArrivals) {
      const auto slot = static_cast<std::size_t>(arrival);
      Wide least = -1;
      for (const UseChoice choice : kUseChoices) {
        const Wide sum = paid(nodes_[i], arrival, choice);
        if (sum < 0 || (least >= 0 && sum >= least)) continue;
        least = sum;
        nodes_[i].best[slot] = choice;
      }
      nodes_[i].toGo[slot] = least;
    }
  }
  bound_ = -sums_.back() * budget_.count();
  for (const std::size_t entry : entries_) {
    if (entry != kNone) bound_ += nodes_[entry].toGo[0];
  }
}

/// What all buffers hold together, by step, when each has its way.
std::vector<std::int64_t> StepPrices::bytesWanted() const {
  std::vector<std::int64_t> changes(prices_.size() + 1);
  for (const BufferId id : program_.buffers.keys()) {
    const LevelBuffer& buffer = program_.buffers[id];
    Arrival arrival = Arrival::far;
    for (std::size_t i = entries_[id]; i != kNone; i = nodes_[i].next) {
      const Node& node = nodes_[i];
      const UseChoice choice = node.best[static_cast<std::size_t>(arrival)];
      arrival = optionOf(buffer, *node.use, node.ahead, arrival, choice).next;
      if (choice == UseChoice::place) continue;
      changes[node.at] += buffer.size.count();
      const bool held = choice == UseChoice::hold;
      changes[held ? nodes_[node.next].at : node.at + 1] -= buffer.size.count();
    }
  }
  for (std::size_t at = 1; at < changes.size(); ++at) changes[at] += changes[at - 1];
  changes.pop_back();
  return changes;
}

void StepPrices::improve(Bytes known, int rounds) {
  constexpr std::int64_t kMostPrice = std::int64_t{64} << kShift;
  constexpr int kPatience = 12;
  std::vector<std::int64_t> best = prices_;
  Wide bestBound = bound_;
  int halvings = 0;
  for (int round = 0, idle = 0; round < rounds && bytes(bestBound) < known; ++round) {
    std::vector<std::int64_t> excess = bytesWanted();
    std::int64_t most = 1;
    for (std::size_t at = 0; at < excess.size(); ++at) {
      excess[at] -= budget_.count();
      if (excess[at] < 0 && prices_[at] == 0) excess[at] = 0;
      most = std::max(most, std::abs(excess[at]));
    }
    // Scaled to 30 bits, so that the sum of their squares cannot overflow.
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most)));
    const int fewer = std::max(0, bits - 30);
    Wide squares = 0;
    for (const std::int64_t bytes : excess) squares += Wide(bytes >> fewer) * (bytes >> fewer);
    if (squares == 0) break;
    const Wide missing = (units(known) - bound_) >> halvings;
    for (std::size_t at = 0; at < excess.size(); ++at) {
      const Wide change = missing * (excess[at] >> fewer) / squares >> fewer;
      prices_[at] =
          static_cast<std::int64_t>(std::clamp<Wide>(prices_[at] + change, 0, kMostPrice));
    }
    evaluate();
    if (bound_ > bestBound) {
      bestBound = bound_;
      best = prices_;
      idle = 0;
    } else if (++idle == kPatience) {
      idle = 0;
      ++halvings;
      prices_ = best;
      evaluate();
    }
  }
  prices_ = std::move(best);
  evaluate();
}

UseOption StepPrices::option(std::size_t at, std::size_t i, Arrival arrival,
                             UseChoice choice) const {
  const Node& node = nodes_[firstOf_[at] + i];
  return optionOf(program_.buffers[node.use->buffer], *node.use, node.ahead, arrival, choice);
}

StepPrices::Wide StepPrices::surplus(std::size_t at, std::size_t i, Arrival arrival,
                                     UseChoice choice) const {
  const Node& node = nodes_[firstOf_[at] + i];
  const Wide sum = paid(node, arrival, choice);
  return sum < 0 ? sum : sum - node.toGo[static_cast<std::size_t>(arrival)];
}

}  // namespace hw
