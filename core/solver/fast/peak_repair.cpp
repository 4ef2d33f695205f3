#include "core/solver/fast/peak_repair.h"

#include <algorithm>

#include "core/solver/fast/fast_search.h"

namespace hw {
namespace {

/// Stays on each side of a place that is too high: at first, and at most.
constexpr std::uint32_t kFirstMargin = 256;
constexpr std::uint32_t kLastMargin = 16'384;
/// One place may cost this many packings of its window.
constexpr std::int64_t kPackings = 64;

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
                                std::uint32_t margin) {
  const auto count = static_cast<std::uint32_t>(whole.count());
  const std::uint32_t first = whole.first[high.begin];
  const std::uint32_t last = whole.first[high.end];
  const auto end = static_cast<std::uint32_t>(whole.steps.size() - 1);
  return {first > margin ? whole.begin[first - margin] : 0,
          last + margin < count ? std::max(high.end, whole.begin[last + margin]) : end};
}

class Repair {
 public:
  Repair(const Rectangles& whole, const RepairOptions& options, std::vector<Bytes>& offsets)
      : whole_(whole), options_(options), offsets_(offsets) {}

  RepairResult run() {
    std::vector<std::uint32_t> high = tooHigh();
    // With more than that too high, it is the packing that is bad and not a place in it.
    if (high.size() * 50 <= whole_.count()) {
      for (const std::uint32_t position : high) {
        // An earlier window may have taken care of it.
        if (topOf(position) > options_.bound && !spent()) lower(position);
      }
    }
    for (std::size_t i = 0; i < whole_.count(); ++i) {
      result_.peak = std::max(result_.peak, topOf(static_cast<std::uint32_t>(i)));
    }
    for (const auto& pin : whole_.pins) result_.peak = std::max(result_.peak, pin.top);
    return result_;
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

  /// Searches wider and wider windows around one stay.
  void lower(std::uint32_t position) {
    const Interval<std::uint32_t> high{whole_.begin[position], whole_.end[position]};
    for (std::uint32_t margin = kFirstMargin; margin <= kLastMargin && !spent(); margin *= 4) {
      PackingWindow window = cutWindow(whole_, offsets_, widened(whole_, high, margin));
      const auto count = static_cast<std::int64_t>(window.positions.size());
      const FastResult found = searchFast(
          window.rectangles, {.moves = std::min(kPackings * count, options_.moves - result_.moves),
                              .seed = options_.seed,
                              .bound = options_.bound,
                              .stopped = options_.stopped});
      result_.moves += found.moves;
      if (found.offsets.empty()) return;
      if (found.peak < window.peak) {
        for (std::size_t i = 0; i < window.positions.size(); ++i) {
          offsets_[window.positions[i]] = found.offsets[i];
        }
      }
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
  return Repair(rectangles, options, offsets).run();
}

}  // namespace hw
