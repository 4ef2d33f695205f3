#include "core/solver/fast/peak_repair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/dice.h"
#include "core/solver/fast/fast_search.h"

namespace hw {
namespace {

/// Stays on each side of a place that is too high: at first, and at most.
constexpr std::uint32_t kFirstMargin = 256;
constexpr std::uint32_t kLastMargin = 16'384;
/// One place may cost this many packings of its window.
constexpr std::int64_t kPackings = 64;
/// Stays around a place, on both sides together, where windows are drawn by chance. Each so
/// many-th may cost more packings.
constexpr std::uint32_t kLeastAround = 16;
constexpr std::uint32_t kMostAround = 400;
constexpr int kLongTurn = 4;
constexpr std::int64_t kLongPackings = 6 * kPackings;

/// Stays of a window by begin, as rectangles with ranks of their own.
void arrange(const Rectangles& whole, Interval<std::uint32_t> steps, PackingWindow& window) {
  Rectangles& part = window.rectangles;
  part.steps.assign(whole.steps.begin() + steps.begin, whole.steps.begin() + steps.end + 1);
  for (const std::uint32_t position : window.positions) {
    part.take(whole, position,
              {whole.begin[position] - steps.begin, whole.end[position] - steps.begin});
  }
  part.countFirst();
  std::ranges::stable_sort(part.pins, {}, &Rectangles::Pin::begin);
}

/// The ranks from some stays before `high` to some after.
Interval<std::uint32_t> widened(const Rectangles& whole, Interval<std::uint32_t> high,
                                std::uint32_t before, std::uint32_t after) {
  const auto count = static_cast<std::uint32_t>(whole.count());
  const std::uint32_t first = whole.first[high.begin];
  const std::uint32_t last = whole.first[high.end];
  const auto end = static_cast<std::uint32_t>(whole.steps.size() - 1);
  return {first > before ? whole.begin[first - before] : 0,
          last + after < count ? std::max(high.end, whole.begin[last + after]) : end};
}

class Repair {
 public:
  Repair(const Rectangles& whole, const RepairOptions& options, std::vector<Bytes>& offsets)
      : whole_(whole), options_(options), offsets_(offsets) {}

  RepairResult repairPlaces() {
    const std::vector<std::uint32_t> high = tooHigh();
    // With more than that too high, it is the packing that is bad and not a place in it.
    if (high.size() * 50 <= whole_.count()) {
      for (const std::uint32_t position : high) {
        // An earlier window may have taken care of it.
        if (topOf(position) > options_.bound && !spent()) lower(position);
      }
    }
    return withPeak();
  }

  RepairResult search() {
    Dice dice(options_.seed);
    const auto upTo = [&](std::size_t most) {
      return static_cast<std::uint32_t>(dice.roll(0, static_cast<std::int64_t>(most)));
    };
    std::vector<std::uint32_t> high = tooHigh();
    for (int turn = 1; !high.empty() && !spent(); ++turn) {
      const std::uint32_t one = high[upTo(high.size() - 1)];
      // The logarithm of the width is uniform.
      const auto around = static_cast<std::uint32_t>(
          kLeastAround * std::pow(double{kMostAround} / kLeastAround, dice.fraction()));
      const std::uint32_t before = upTo(around);
      const PackingWindow window =
          cutWindow(whole_, offsets_, widened(whole_, lifeOf(one), before, around - before));
      const FastResult found = packed(window, turn % kLongTurn == 0 ? kLongPackings : kPackings,
                                      upTo(std::numeric_limits<std::int32_t>::max()));
      if (found.offsets.empty()) continue;
      std::vector<Bytes> now;
      for (const std::uint32_t position : window.positions) now.push_back(offsets_[position]);
      if (excess(window, found.offsets) > excess(window, now)) continue;
      put(window, found.offsets);
      high = tooHigh();
    }
    return withPeak();
  }

 private:
  Bytes topOf(std::uint32_t position) const { return offsets_[position] + whole_.size[position]; }
  bool spent() const {
    return result_.moves >= options_.moves || (options_.stopped && options_.stopped());
  }

  std::vector<std::uint32_t> tooHigh() const {
    std::vector<std::uint32_t> high;
    for (std::uint32_t i = 0; i < whole_.count(); ++i) {
      if (topOf(i) > options_.bound) high.push_back(i);
    }
    return high;
  }

  RepairResult withPeak() {
    for (std::uint32_t i = 0; i < whole_.count(); ++i) {
      result_.peak = std::max(result_.peak, topOf(i));
    }
    for (const auto& pin : whole_.pins) result_.peak = std::max(result_.peak, pin.top);
    return result_;
  }

  Interval<std::uint32_t> lifeOf(std::uint32_t position) const {
    return {whole_.begin[position], whole_.end[position]};
  }

  FastResult packed(const PackingWindow& window, std::int64_t packings, std::uint64_t seed) {
    const std::int64_t moves = packings * static_cast<std::int64_t>(window.positions.size());
    FastResult found =
        searchFast(window.rectangles, {.moves = std::min(moves, options_.moves - result_.moves),
                                       .seed = seed,
                                       .bound = options_.bound,
                                       .stopped = options_.stopped});
    result_.moves += found.moves;
    return found;
  }

  void put(const PackingWindow& window, const std::vector<Bytes>& offsets) {
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets_[window.positions[i]] = offsets[i];
  }

  /// By how much stays of a window end above the bound, all together.
  Bytes excess(const PackingWindow& window, const std::vector<Bytes>& offsets) const {
    Bytes sum;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      sum += std::max(Bytes(), offsets[i] + window.rectangles.size[i] - options_.bound);
    }
    return sum;
  }

  /// Searches wider and wider windows around one stay.
  void lower(std::uint32_t position) {
    for (std::uint32_t margin = kFirstMargin; margin <= kLastMargin && !spent(); margin *= 4) {
      const PackingWindow window =
          cutWindow(whole_, offsets_, widened(whole_, lifeOf(position), margin, margin));
      const FastResult found = packed(window, kPackings, options_.seed);
      if (found.offsets.empty()) return;
      if (found.peak < window.peak) put(window, found.offsets);
      if (found.peak <= options_.bound) return;
    }
  }

  const Rectangles& whole_;
  const RepairOptions& options_;
  std::vector<Bytes>& offsets_;
  RepairResult result_;
};

}  // namespace

/// A rectangle across an end of the window has to stay where it is: a pin.
PackingWindow cutWindow(const Rectangles& whole, const std::vector<Bytes>& offsets,
                        Interval<std::uint32_t> steps) {
  PackingWindow window;
  const auto pin = [&](Interval<std::uint32_t> life, Bytes bottom, Bytes top) {
    window.peak = std::max(window.peak, top);
    window.rectangles.pins.push_back({.begin = std::max(life.begin, steps.begin) - steps.begin,
                                      .end = std::min(life.end, steps.end) - steps.begin,
                                      .bottom = bottom,
                                      .top = top});
  };
  const std::uint32_t last = whole.first[steps.end];
  for (std::uint32_t i = 0; i < last; ++i) {
    if (whole.end[i] <= steps.begin) continue;
    const Bytes top = offsets[i] + whole.size[i];
    if (whole.begin[i] >= steps.begin && whole.end[i] <= steps.end) {
      window.positions.push_back(i);
      window.peak = std::max(window.peak, top);
    } else {
      pin({whole.begin[i], whole.end[i]}, offsets[i], top);
    }
  }
  for (const Rectangles::Pin& fixed : whole.pins) {
    if (fixed.begin < steps.end && steps.begin < fixed.end) {
      pin({fixed.begin, fixed.end}, fixed.bottom, fixed.top);
    }
  }
  arrange(whole, steps, window);
  return window;
}

RepairResult repairPeaks(const Rectangles& rectangles, const RepairOptions& options,
                         std::vector<Bytes>& offsets) {
  return Repair(rectangles, options, offsets).repairPlaces();
}

RepairResult lowerPeaks(const Rectangles& rectangles, const RepairOptions& options,
                        std::vector<Bytes>& offsets) {
  return Repair(rectangles, options, offsets).search();
}

}  // namespace hw
