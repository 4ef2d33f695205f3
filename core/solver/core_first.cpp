#include "core/solver/core_first.h"

#include <algorithm>
#include <array>

#include "core/base/load_sweep.h"
#include "core/solver/orders.h"
#include "core/solver/placer.h"

namespace hw {
namespace {

/// Of the most bytes live, in thousandths: who is live at a step with so much is of that level.
constexpr std::array<std::int64_t, 9> kLevels{980, 950, 900, 800, 650, 500, 350, 200, 0};
/// A core is of one of the first levels, has at most one of so many stays, and may cost one of so
/// many moves.
constexpr std::size_t kCoreLevels = 5;
constexpr std::size_t kCoreShare = 2;
constexpr std::int64_t kShareOfMoves = 8;

class CorePacker {
 public:
  CorePacker(const Problem& problem, PoolId pool, const Rectangles& whole,
             const CoreFirstOptions& options)
      : problem_(problem), whole_(whole), options_(options), placer_(problem, pool) {
    result_.peak = options.below;
    findLevels();
    fullestFirst_ = sizeOrder(problem, pool);
    std::ranges::stable_sort(fullestFirst_, {}, [&](StayId id) { return level_[id]; });
  }

  CoreFirst run() {
    std::size_t last = 0;
    for (std::size_t level = 0; level < kCoreLevels; ++level) {
      const Rectangles core = coreOf(level);
      if (core.count() > whole_.count() / kCoreShare) break;
      if (core.count() == last) continue;
      last = core.count();
      if (result_.moves >= options_.moves || stopped()) break;
      tryCore(core, level);
      if (result_.peak <= options_.bound) break;
    }
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stopped && options_.stopped(); }

  void findLevels() {
    LoadSweep load(whole_.steps.size());
    for (std::size_t i = 0; i < whole_.count(); ++i) {
      load.add(whole_.begin[i], whole_.end[i], whole_.size[i]);
    }
    for (const Rectangles::Pin& pin : whole_.pins)
      load.add(pin.begin, pin.end, pin.top - pin.bottom);
    const std::int64_t most = load.most().bytes.count();
    level_ = IdMap<StayId, std::size_t>(problem_.stays.size());
    std::vector<std::uint32_t> before(whole_.steps.size() + 1);  // By rank: how many full ones.
    for (std::size_t level = kLevels.size(); level-- > 0;) {
      const Bytes full(most / 1000 * kLevels[level] + most % 1000 * kLevels[level] / 1000);
      load.eachPlace([&](std::size_t rank, Bytes live) {
        before[rank + 1] = before[rank] + (live >= full ? 1 : 0);
      });
      for (std::size_t i = 0; i < whole_.count(); ++i) {
        if (before[whole_.begin[i]] < before[whole_.end[i]]) level_[whole_.stays[i]] = level;
      }
    }
  }

  /// Those of a level and of all that are fuller, with their whole lives.
  Rectangles coreOf(std::size_t level) const {
    Rectangles core{.steps = whole_.steps, .pins = whole_.pins};
    for (std::size_t i = 0; i < whole_.count(); ++i) {
      if (level_[whole_.stays[i]] <= level) core.take(whole_, i, {whole_.begin[i], whole_.end[i]});
    }
    core.countFirst();
    return core;
  }

  void tryCore(const Rectangles& core, std::size_t level) {
    const FastResult packed = searchFast(core, {.moves = options_.moves / kShareOfMoves,
                                                .seed = options_.seed,
                                                .bound = options_.bound,
                                                .stopped = options_.stopped});
    result_.moves += packed.moves;
    if (packed.offsets.empty() || packed.peak >= result_.peak) return;
    placer_.clear();
    for (std::size_t i = 0; i < core.count(); ++i) {
      placer_.fix(core.stays[i], packed.offsets[i]);
    }
    const auto isOther = [&](StayId id) { return level_[id] > level; };
    const auto others = std::ranges::find_if(fullestFirst_, isOther);
    const auto stop = [this] { return stopped(); };
    if (!placeInOrder(placer_, problem_, {others, fullestFirst_.end()}, FitRule::best, stop))
      return;
    if (placer_.peak() >= result_.peak) return;
    result_.peak = placer_.peak();
    result_.offsets = IdMap<StayId, Bytes>(problem_.stays.size());
    for (const StayId id : whole_.stays) result_.offsets[id] = placer_.offsetOf(id);
  }

  const Problem& problem_;
  const Rectangles& whole_;
  const CoreFirstOptions& options_;
  Placer placer_;
  IdMap<StayId, std::size_t> level_;
  std::vector<StayId> fullestFirst_;  ///< By level, then the largest first.
  CoreFirst result_;
};

}  // namespace

CoreFirst packCoreFirst(const Problem& problem, PoolId pool, const Rectangles& rectangles,
                        const CoreFirstOptions& options) {
  if (rectangles.count() == 0) return {.peak = options.below};
  return CorePacker(problem, pool, rectangles, options).run();
}

}  // namespace hw
