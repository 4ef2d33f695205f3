#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/base/yaml.h"
#include "core/import/ai8x/network.h"
#include "core/import/formats.h"
#include "core/import/stated_rules.h"

// Networks of ai8x-synthesis as planning problems that bring their plan: docs/formats/ai8x.md.

namespace hw {
namespace {

constexpr std::size_t kAi8xMemories = 16;

/// One map, or several that are written into each other's gaps.
struct Ai8xBuffer {
  std::string name{};
  Interval<Bytes> bytes{};  ///< In each of its memories.
  Interval<Step> steps{};
  std::uint32_t memories = 0;
};

/// The maps of a network that have places, as buffers.
class Ai8xLives {
 public:
  explicit Ai8xLives(const Ai8xNetwork& network)
      : network_(network), leader_(network.maps.size()), lives_(network.maps.size()) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
  }

  std::vector<Ai8xBuffer> buffers() {
    findLives();
    for (const Ai8xStep& step : network_.steps) joinWoven(step);
    std::map<std::size_t, Ai8xBuffer> joined;
    for (std::size_t map = 0; map < leader_.size(); ++map) {
      const Ai8xMap& each = network_.maps[map];
      if (each.streamed || !lives_[map]) continue;
      add(each, *lives_[map], joined[leaderOf(map)]);
    }
    std::vector<Ai8xBuffer> buffers;
    buffers.reserve(joined.size());
    for (auto& [map, buffer] : joined) buffers.push_back(std::move(buffer));
    return buffers;
  }

 private:
  /// From the step that writes a map, or of layers that stream from the first of these, to the last
  /// that reads it.
  void findLives() {
    const Step all = network_.end();
    lives_[0] = {Step(), Step(1)};
    std::optional<Step> stream;
    for (std::size_t at = 0; at < network_.steps.size(); ++at) {
      const Ai8xStep& step = network_.steps[at];
      const Step now = Ai8xNetwork::stepOf(at);
      if (step.streaming && !stream) stream = now;
      auto& written = lives_[step.writes];
      const Step from = step.streaming ? *stream : now;
      if (!written) written = {from, from};
      for (const std::size_t read : step.reads) {
        if (lives_[read]) lives_[read]->end = now + Step(1);
      }
    }
    for (std::size_t map = 0; map < lives_.size(); ++map) {
      auto& life = lives_[map];
      const Ai8xMap& each = network_.maps[map];
      if (each.always) life = {Step(), all};
      if (life && (each.output || life->end <= life->begin)) life->end = all;
    }
  }

  std::size_t leaderOf(std::size_t map) {
    while (leader_[map] != map) map = leader_[map] = leader_[leader_[map]];
    return map;
  }

  /// Operands of one layer that lie in each other's gaps.
  void joinWoven(const Ai8xStep& step) {
    const std::size_t first = step.reads.front();
    const Ai8xMap& a = network_.maps[first];
    for (const std::size_t read : step.reads) {
      const Ai8xMap& b = network_.maps[read];
      const bool woven = a.gap > 0 && b.gap > 0 && !a.streamed && !b.streamed;
      const Bytes apart = a.offset < b.offset ? b.offset - a.offset : a.offset - b.offset;
      if (!woven || a.memories() != b.memories() || apart >= a.pitch()) continue;
      leader_[std::max(leaderOf(first), leaderOf(read))] =
          std::min(leaderOf(first), leaderOf(read));
    }
  }

  static void add(const Ai8xMap& map, const Interval<Step>& life, Ai8xBuffer& buffer) {
    const Interval<Bytes> bytes = {map.offset, map.offset + map.size()};
    if (buffer.name.empty()) {
      buffer = {map.name, bytes, life, map.memories()};
      return;
    }
    buffer.name += " + " + map.name;
    buffer.bytes = {std::min(buffer.bytes.begin, bytes.begin),
                    std::max(buffer.bytes.end, bytes.end)};
    buffer.steps = {std::min(buffer.steps.begin, life.begin), std::max(buffer.steps.end, life.end)};
  }

  const Ai8xNetwork& network_;
  std::vector<std::size_t> leader_;  ///< Of those that are one buffer, the first.
  std::vector<std::optional<Interval<Step>>> lives_;
};

/// "0-3,8", from bits.
std::string memoriesText(std::uint32_t memories) {
  std::string text;
  for (std::size_t at = 0; at < kAi8xMemories; ++at) {
    if ((memories >> at & 1U) == 0) continue;
    std::size_t last = at;
    while (last + 1 < kAi8xMemories && (memories >> (last + 1) & 1U) != 0) ++last;
    if (!text.empty()) text += ",";
    text += last > at ? fmt::format("{}-{}", at, last) : std::to_string(at);
    at = last;
  }
  return text;
}

/// Memories that the same buffers lie in are one pool: addresses in them are the same.
class Ai8xProblem {
 public:
  Ai8xProblem(std::vector<Ai8xBuffer> buffers, const Ai8xNetwork& network)
      : buffers_(std::move(buffers)), network_(network) {}

  Result<Model> model() && {
    addPools();
    problem_.steps = network_.end();
    StatedRules rules(
        problem_, [&](StayId id) { return graph_.tensors[TensorId(id.index())].name; },
        [](PairRule, std::size_t) { return "layers"; });
    for (const Ai8xBuffer& buffer : buffers_) add(buffer, rules);
    graph_.format = "ai8x";
    graph_.notes = network_.notes;
    HW_TRY(notes, std::move(rules).apply());
    graph_.notes.insert(graph_.notes.end(), notes.begin(), notes.end());
    problem_.ownPools = true;
    Model model{.name = network_.arch, .offsets = std::move(offsets_)};
    model.graph = std::make_shared<const Graph>(std::move(graph_));
    model.problem = std::move(problem_);
    return model;
  }

 private:
  void addPools() {
    std::vector<std::uint32_t> pools = {(std::uint32_t{1} << kAi8xMemories) - 1};
    for (const Ai8xBuffer& buffer : buffers_) {
      std::vector<std::uint32_t> split;
      for (const std::uint32_t pool : pools) {
        for (const std::uint32_t part : {pool & buffer.memories, pool & ~buffer.memories}) {
          if (part != 0) split.push_back(part);
        }
      }
      pools = std::move(split);
    }
    std::ranges::sort(pools, {}, [](std::uint32_t pool) { return pool & ~(pool - 1); });
    for (const std::uint32_t pool : pools) {
      const bool used = std::ranges::any_of(
          buffers_, [&](const Ai8xBuffer& buffer) { return (buffer.memories & pool) != 0; });
      if (!used) continue;
      pools_.push_back(pool);
      problem_.pools.add({.name = "memory " + memoriesText(pool), .capacity = network_.memory});
    }
  }

  /// A stay in each of its pools, which begin at one offset.
  void add(const Ai8xBuffer& buffer, StatedRules& rules) {
    StayId first;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      if ((pools_[pool] & buffer.memories) == 0) continue;
      const bool whole = (buffer.memories & ~pools_[pool]) == 0;
      const std::string name =
          whole ? buffer.name : fmt::format("{} [{}]", buffer.name, memoriesText(pools_[pool]));
      const TensorId tensor = graph_.tensors.add(
          {.name = name, .bytes = buffer.bytes.length(), .origin = SizeOrigin::declared});
      const StayId stay = problem_.stays.add({.buffer = BufferId(tensor.index()),
                                              .steps = buffer.steps,
                                              .size = buffer.bytes.length(),
                                              .alignment = Bytes(4),
                                              .pool = PoolId(pool)});
      offsets_.add(buffer.bytes.begin);
      if (first) rules.add(PairRule::together, first, stay, 0);
      if (!first) first = stay;
    }
  }

  std::vector<Ai8xBuffer> buffers_;
  const Ai8xNetwork& network_;
  std::vector<std::uint32_t> pools_;  ///< Memories by bit.
  Graph graph_;
  Problem problem_;
  IdMap<StayId, std::optional<Bytes>> offsets_;
};

}  // namespace

bool acceptsAi8x(std::string_view bytes) {
  constexpr std::size_t kLookedAt = std::size_t{1} << 20;
  const std::string_view text = withoutByteOrderMark(bytes).substr(0, kLookedAt);
  return hasLine(text, "layers:") && hasLine(text, "arch:") &&
         text.find("processors:") != std::string_view::npos;
}

Result<Model> readAi8x(std::string_view bytes, const ImportOptions& options) {
  HW_TRY(document, parseYaml(withoutByteOrderMark(bytes)));
  return unlessRefused([&]() -> Result<Model> {
    const Ai8xNetwork network = readAi8xNetwork(document, options);
    auto buffers = Ai8xLives(network).buffers();
    if (buffers.empty()) return fail(ErrorCode::unsupported, "no map has a place: all are streams");
    return Ai8xProblem(std::move(buffers), network).model();
  });
}

}  // namespace hw
