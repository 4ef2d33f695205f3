#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/residency/residency_rules.h"

namespace hw {
namespace {

/// Prices of a byte in the near pool, one a step, that tell how little traffic a budget allows: who
/// pays them needs no budget, so each buffer can be looked at alone. Lagrangian relaxation of the
/// capacity constraints (Held and Karp 1971). Everything is counted in units of 2^-20 byte.
class StepPrices {
 public:
  __extension__ using Wide = __int128;

  StepPrices(const LevelProgram& program, Bytes budget);

  /// Subgradient steps (Polyak 1969) towards the traffic of a choice that is `known`; keeps the
  /// best prices. O(rounds x operands).
  void improve(Bytes known, int rounds);

  /// No choice within the budget moves less.
  Wide bound() const { return bound_; }

  /// By how much a choice for operand `i` of step `at` is worse than what the bound has counted for
  /// it. Negative only for what is not allowed.
  Wide surplus(std::size_t at, std::size_t i, Arrival arrival, UseChoice choice) const;

  UseOption option(std::size_t at, std::size_t i, Arrival arrival, UseChoice choice) const;

  /// The same for bytes of the budget that stay empty at a step.
  Wide idle(std::size_t at, Bytes bytes) const { return Wide(prices_[at]) * bytes.count(); }

  static Wide units(Bytes bytes) { return Wide(bytes.count()) << kShift; }
  /// The least bytes that are not below `units`.
  static Bytes bytes(Wide units) {
    return Bytes(static_cast<std::int64_t>((units + (Wide(1) << kShift) - 1) >> kShift));
  }

 private:
  static constexpr int kShift = 20;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// An operand, of all steps in a row.
  struct Node {
    std::size_t at = 0;
    const OperandUse* use = nullptr;
    UseAhead ahead{};
    std::size_t next = kNone;         ///< The node that touches the buffer next.
    std::array<Wide, 3> toGo{};       ///< The least that is still paid, by arrival.
    std::array<UseChoice, 3> best{};  ///< How.
  };

  Wide paid(const Node& node, Arrival arrival, UseChoice choice) const;
  void evaluate();
  std::vector<std::int64_t> bytesWanted() const;

  const LevelProgram& program_;
  Bytes budget_;
  std::vector<std::int64_t> prices_;  ///< By step.
  std::vector<Wide> sums_;            ///< Of the prices before a step.
  std::vector<Node> nodes_;
  std::vector<std::size_t> firstOf_;      ///< By step: its first node.
  IdMap<BufferId, std::size_t> entries_;  ///< By buffer: its first node.
  Wide bound_ = 0;
};

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

/// The bytes that all buffers hold together, by step, when each has its way.
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

using Wide = StepPrices::Wide;
using Choices = std::vector<std::vector<UseChoice>>;

/// All traffic is a multiple of this.
Bytes granularity(const LevelProgram& program) {
  std::int64_t common = 0;
  for (const LevelBuffer& buffer : program.buffers) common = std::gcd(common, buffer.moved.count());
  for (const UseStep& step : program.steps) {
    for (const OperandUse& use : step.operands) {
      common = std::gcd(common, (use.read + use.written).count());
    }
  }
  return Bytes(std::max<std::int64_t>(common, 1));
}

/// Two bits for each buffer that may be held across some boundary; numbers are used again.
class Slots {
 public:
  explicit Slots(const LevelProgram& program) : of_(program.buffers.size()) {
    const auto ahead = usesAhead(program);
    std::vector<bool> seen(program.buffers.size());
    std::vector<std::size_t> free;
    for (std::size_t at = 0; at < program.steps.size(); ++at) {
      const auto& operands = program.steps[at].operands;
      for (const OperandUse& use : operands) {
        if (seen[use.buffer.index()]) continue;
        seen[use.buffer.index()] = true;
        if (free.empty()) free.push_back(count_++);
        of_[use.buffer] = free.back();
        free.pop_back();
      }
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (ahead[at][i].next == UseAhead::kNever) free.push_back(of_[operands[i].buffer]);
      }
    }
  }

  std::size_t words() const { return (count_ + 31) / 32; }
  Arrival get(std::span<const std::uint64_t> words, BufferId buffer) const {
    return static_cast<Arrival>(words[of_[buffer] / 32] >> of_[buffer] % 32 * 2 & 3U);
  }
  void set(std::span<std::uint64_t> words, BufferId buffer, Arrival arrival) const {
    const std::size_t shift = of_[buffer] % 32 * 2;
    std::uint64_t& word = words[of_[buffer] / 32];
    word = (word & ~(std::uint64_t{3} << shift)) | std::uint64_t(arrival) << shift;
  }

 private:
  IdMap<BufferId, std::size_t> of_;
  std::size_t count_ = 0;
};

/// The buffers held between two operands, and the choices that led there.
struct State {
  Wide paid = 0;    ///< The bound plus every surplus on the way.
  Bytes held{};     ///< Near at this step and after it.
  Bytes leaving{};  ///< Near at this step only.
  std::uint32_t parent = 0;
  UseChoice choice = UseChoice::place;
};

/// States with their slots.
struct Layer {
  std::vector<State> states{};
  std::vector<std::uint64_t> words{};

  std::span<const std::uint64_t> of(std::size_t state, std::size_t width) const {
    return std::span(words).subspan(state * width, width);
  }
};

class LayeredSearch {
 public:
  LayeredSearch(const LevelProgram& program, const StepPrices& prices, Bytes budget)
      : program_(program), prices_(prices), budget_(budget), slots_(program) {}

  /// Operands of all steps.
  std::size_t layers() const {
    std::size_t count = 0;
    for (const UseStep& step : program_.steps) count += step.operands.size();
    return count;
  }

  struct Answer {
    std::optional<Choices> choices{};
    Wide dropped = -1;  ///< The least that was paid where a layer was too wide; -1: nowhere.
    std::int64_t nodes = 0;
  };

  /// The cheapest way that pays at most `most`, with at most `width` states a layer.
  Answer run(Wide most, std::size_t width, const std::stop_token& stop) {
    answer_ = {};
    most_ = most;
    history_.clear();
    layer_ = {{State{.paid = prices_.bound()}}, std::vector<std::uint64_t>(slots_.words())};
    for (std::size_t at = 0; at < program_.steps.size(); ++at) {
      for (std::size_t i = 0; i < program_.steps[at].operands.size(); ++i) {
        expand(at, i);
        keep(width);
        if (layer_.states.empty() || stop.stop_requested()) return answer_;
      }
    }
    trace();
    return answer_;
  }

 private:
  void expand(std::size_t at, std::size_t i) {
    const OperandUse& use = program_.steps[at].operands[i];
    const Bytes size = program_.buffers[use.buffer].size;
    const bool last = i + 1 == program_.steps[at].operands.size();
    std::array<std::array<Wide, 3>, 3> surplus{};
    std::array<std::array<Arrival, 3>, 3> next{};
    for (const Arrival arrival : kArrivals) {
      for (const UseChoice choice : kUseChoices) {
        const auto [a, c] = std::pair(std::size_t(arrival), std::size_t(choice));
        surplus[a][c] = prices_.surplus(at, i, arrival, choice);
        next[a][c] = prices_.option(at, i, arrival, choice).next;
      }
    }
    Layer after;
    after.states.reserve(3 * layer_.states.size());
    after.words.reserve(3 * layer_.words.size());
    for (std::size_t from = 0; from < layer_.states.size(); ++from) {
      const auto words = layer_.of(from, slots_.words());
      const Arrival arrival = slots_.get(words, use.buffer);
      for (const UseChoice choice : kUseChoices) {
        const auto [a, c] = std::pair(std::size_t(arrival), std::size_t(choice));
        if (surplus[a][c] < 0) continue;
        State state = layer_.states[from];
        state.paid += surplus[a][c];
        if (arrival != Arrival::far) state.held -= size;
        if (choice == UseChoice::hold) state.held += size;
        if (choice == UseChoice::near) state.leaving += size;
        if (choice != UseChoice::place && state.held + state.leaving > budget_) continue;
        if (last) {
          state.paid += prices_.idle(at, budget_ - state.held - state.leaving);
          state.leaving = {};
        }
        if (state.paid > most_) continue;
        state.parent = static_cast<std::uint32_t>(from);
        state.choice = choice;
        after.states.push_back(state);
        after.words.insert(after.words.end(), words.begin(), words.end());
        const auto own = std::span(after.words).last(slots_.words());
        slots_.set(own, use.buffer, next[a][c]);
      }
    }
    answer_.nodes += static_cast<std::int64_t>(after.states.size());
    layer_ = std::move(after);
  }

  bool samePlace(std::uint32_t a, std::uint32_t b) const {
    return layer_.states[a].leaving == layer_.states[b].leaving &&
           std::ranges::equal(layer_.of(a, slots_.words()), layer_.of(b, slots_.words()));
  }

  std::uint64_t hashOf(std::uint32_t state) const {
    auto hash = static_cast<std::uint64_t>(layer_.states[state].leaving.count());
    for (const std::uint64_t word : layer_.of(state, slots_.words())) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 32;
    }
    return hash;
  }

  /// Of states in one place the cheapest, of equals the first; ascending. Most of the time goes
  /// here.
  std::vector<std::uint32_t> distinct() const {
    constexpr std::uint32_t kNobody = ~std::uint32_t{0};
    const auto count = static_cast<std::uint32_t>(layer_.states.size());
    std::vector<std::uint32_t> seen(std::bit_ceil(std::size_t{2} * count + 2), kNobody);
    std::vector<bool> beaten(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::size_t at = hashOf(i) & (seen.size() - 1);
      while (seen[at] != kNobody && !samePlace(seen[at], i)) at = (at + 1) & (seen.size() - 1);
      if (seen[at] == kNobody) {
        seen[at] = i;
      } else if (layer_.states[i].paid < layer_.states[seen[at]].paid) {
        beaten[std::exchange(seen[at], i)] = true;
      } else {
        beaten[i] = true;
      }
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!beaten[i]) order.push_back(i);
    }
    return order;
  }

  /// Of equals the cheapest; of too many the cheapest.
  void keep(std::size_t width) {
    const std::size_t words = slots_.words();
    std::vector<std::uint32_t> order = distinct();
    if (order.size() > width) {
      const auto paid = [&](std::uint32_t a) { return layer_.states[a].paid; };
      const auto cheaper = [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(paid(a), a) < std::tuple(paid(b), b);
      };
      const auto cut = order.begin() + static_cast<std::ptrdiff_t>(width);
      std::nth_element(order.begin(), cut, order.end(), cheaper);
      if (answer_.dropped < 0 || paid(*cut) < answer_.dropped) answer_.dropped = paid(*cut);
      order.erase(cut, order.end());
      std::ranges::sort(order);
    } else {
      std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        const auto left = layer_.of(a, words);
        const auto right = layer_.of(b, words);
        const auto differs = std::mismatch(left.begin(), left.end(), right.begin());
        if (differs.first != left.end()) return *differs.first < *differs.second;
        return layer_.states[a].leaving < layer_.states[b].leaving;
      });
    }
    Layer kept;
    std::vector<Origin> origins;
    for (const std::uint32_t i : order) {
      const auto own = layer_.of(i, words);
      kept.states.push_back(layer_.states[i]);
      kept.words.insert(kept.words.end(), own.begin(), own.end());
      origins.push_back({layer_.states[i].parent, layer_.states[i].choice});
    }
    layer_ = std::move(kept);
    history_.push_back(std::move(origins));
  }

  /// Follows the one state at the end back to the start.
  void trace() {
    Choices choices(program_.steps.size());
    std::size_t layer = history_.size();
    std::size_t state = 0;
    for (std::size_t at = program_.steps.size(); at-- > 0;) {
      choices[at].resize(program_.steps[at].operands.size());
      for (std::size_t i = choices[at].size(); i-- > 0;) {
        const Origin& origin = history_[--layer][state];
        choices[at][i] = origin.choice;
        state = origin.parent;
      }
    }
    answer_.choices = std::move(choices);
  }

  struct Origin {
    std::uint32_t parent = 0;
    UseChoice choice{};
  };

  const LevelProgram& program_;
  const StepPrices& prices_;
  Bytes budget_;
  Slots slots_;
  Wide most_ = 0;
  Layer layer_;
  std::vector<std::vector<Origin>> history_;  ///< By layer, by state.
  Answer answer_;
};

NearStays bestWalk(const LevelProgram& program, Bytes budget) {
  NearStays best = walkResidency(program, budget, LeavingRule::furthest);
  for (const LeavingRule rule : {LeavingRule::oldest, LeavingRule::all}) {
    NearStays other = walkResidency(program, budget, rule);
    if (other.farTraffic < best.farTraffic) best = std::move(other);
  }
  return best;
}

}  // namespace

NearStays exactResidency(const LevelProgram& program, Bytes budget, std::int64_t nodes,
                         std::stop_token stop) {
  constexpr int kRounds = 400;
  constexpr std::size_t kFirstWidth = 64;
  const Bytes unit = granularity(program);
  NearStays best = bestWalk(program, budget);
  StepPrices prices(program, budget);
  prices.improve(best.farTraffic, kRounds);
  const auto wholeUnits = [&](Wide paid) {
    return alignUp(std::max(StepPrices::bytes(paid), Bytes()), unit);
  };
  Bytes atLeast = std::min(wholeUnits(prices.bound()), best.farTraffic);
  LayeredSearch search(program, prices, budget);
  for (std::size_t width = kFirstWidth; atLeast < best.farTraffic; width *= 8) {
    const auto most = static_cast<std::int64_t>(width * search.layers());
    if (width > kFirstWidth && most > nodes) break;
    // Only what moves less than the best that is known is looked for.
    auto found = search.run(StepPrices::units(best.farTraffic - unit), width, stop);
    if (stop.stop_requested()) break;
    nodes -= found.nodes;
    if (found.choices) best = staysOf(program, *found.choices);
    const Bytes open = found.dropped < 0 ? best.farTraffic : wholeUnits(found.dropped);
    atLeast = std::max(atLeast, std::min(open, best.farTraffic));
  }
  best.atLeast = atLeast;
  return best;
}

}  // namespace hw
