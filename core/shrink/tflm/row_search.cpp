#include "core/shrink/tflm/row_search.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "core/base/check.h"
#include "core/base/task_queue.h"

namespace hw {
namespace {

/// A program whose bound is known; not placed yet.
struct Outline {
  std::vector<RowRun> runs{};
  std::int64_t least = INT64_MAX;  ///< Bound of the head, and the tail. Largest: it cannot go so.
  std::int64_t macs = 0;
  std::int64_t weights = 0;
  std::size_t steps = 0;
};

/// Runs are no longer: the tail grows with them, and so do borders.
constexpr std::size_t kLongestRun = 48;
/// Of the runs around a moment so many are looked at, and beside other runs so many.
constexpr std::size_t kMostSpans = 600;
constexpr std::size_t kMostSpansBeside = 150;
/// Programs of a round that get one more run in the next.
constexpr std::size_t kKept = 4;
/// Outlines of a round that are placed.
constexpr std::size_t kPlaced = 16;
/// Programs that are placed again in the end.
constexpr std::size_t kSettled = 40;
constexpr std::size_t kFewTries = 1000;
constexpr std::size_t kManyTries = 30'000;
/// Runs of one program.
constexpr std::size_t kMostRuns = 4;
constexpr std::array<std::int64_t, 18> kParts = {2,  3,  4,  5,  6,  7,  8,  10, 12,
                                                 14, 16, 20, 24, 28, 32, 40, 48, 56};

class RowSearch {
 public:
  RowSearch(const RowModel& model, const RuntimeSearchOptions& options)
      : model_(model), options_(options) {}

  RowFront find() {
    front_.plain = planOf({}, false, kManyTries);
    front_.overlap = options_.ascending ? planOf({}, true, kManyTries) : front_.plain;
    if (front_.plain.total() < front_.overlap.total()) front_.overlap = front_.plain;
    enter(front_.overlap);
    tell(0);
    std::vector<double> limits = {options_.extraMacs};
    for (const double less : {0.3, 0.15, 0.05, 0.01}) {
      if (less < options_.extraMacs) limits.push_back(less);
    }
    for (std::size_t i = 0; i < limits.size(); ++i) {
      descend(limits[i]);
      tell(static_cast<double>(i + 1) / static_cast<double>(limits.size()));
    }
    settle();
    front_.stopped = options_.stop.stop_requested();
    return std::move(front_);
  }

 private:
  void tell(double done) const {
    if (options_.progress) options_.progress(done, front_.points.front().total());
  }
  bool stopping() const { return options_.stop.stop_requested(); }

  RowPlan planOf(std::vector<RowRun> runs, bool ascending, std::size_t tries) const {
    auto program = RowProgram::make(model_, std::move(runs));
    check(program.has_value(), "what is placed can be made");
    auto shapes = program->shapes(ascending);
    check(shapes.has_value(), "what is placed reads what was made");
    const RowPlacer placer(*shapes);
    return {.program = std::make_shared<const RowProgram>(*std::move(program)),
            .placement = placer.place(tries),
            .bound = Bytes(placer.bound())};
  }

  Outline outlineOf(std::vector<RowRun> runs) const {
    Outline outline{.runs = std::move(runs)};
    const auto program = RowProgram::make(model_, outline.runs);
    if (!program || !isWithin(program->macs(), options_.extraMacs)) return outline;
    const auto shapes = program->shapes(options_.ascending);
    if (!shapes) return outline;
    outline.least = rowBound(*shapes) + program->tail().count();
    outline.macs = program->macs();
    outline.weights = program->weights();
    outline.steps = program->steps().size();
    return outline;
  }

  bool isWithin(std::int64_t macs, double extra) const {
    return static_cast<double>(macs) <= static_cast<double>(model_.macs) * (1 + extra) + 0.5;
  }

  static bool covers(const RowPlan& a, const RowPlan& b) {
    return a.total() <= b.total() && a.program->macs() <= b.program->macs();
  }

  void enter(const RowPlan& plan) {
    auto& points = front_.points;
    if (std::ranges::any_of(points, [&](const RowPlan& each) { return covers(each, plan); }))
      return;
    std::erase_if(points, [&](const RowPlan& each) { return covers(plan, each); });
    points.insert(std::ranges::upper_bound(points, plan.total(), {}, &RowPlan::total), plan);
  }

  /// The operator that runs when most bytes are live.
  std::size_t hottest(const std::vector<RowRun>& runs) const {
    std::vector<std::size_t> ops;
    const auto program = RowProgram::make(model_, runs);
    const auto shapes = *program->shapes(options_.ascending, &ops);
    std::vector<std::int64_t> live(ops.size() + 2);
    for (const RowShape& shape : shapes) {
      for (const RowRect& rect : shape.rects) {
        live[static_cast<std::size_t>(rect.begin)] += rect.high - rect.low;
        live[static_cast<std::size_t>(rect.end)] -= rect.high - rect.low;
      }
    }
    for (std::size_t i = 1; i < live.size(); ++i) live[i] += live[i - 1];
    const auto most = static_cast<std::size_t>(std::ranges::max_element(live) - live.begin());
    return ops[std::min(most, ops.size() - 1)];
  }

  /// True if [first, last] can go in parts at all.
  bool isRun(std::size_t first, std::size_t last) const {
    return model_.whyNoRun(first, last).empty() &&
           model_.tensors[model_.ops[last].outputs[0]].rows > 1;
  }

  /// Bytes that a run cannot do without: about half of what it reads from outside, and its output.
  std::int64_t outsideOf(std::size_t first, std::size_t last) const {
    std::int64_t bytes = model_.tensors[model_.ops[last].outputs[0]].bytes();
    for (std::size_t op = first; op <= last; ++op) {
      for (const std::size_t input : model_.ops[op].inputs) {
        const auto maker = model_.tensors[input].maker;
        if (!maker || *maker < first) bytes += model_.tensors[input].bytes() / 2;
      }
    }
    return bytes;
  }

  std::vector<std::pair<std::size_t, std::size_t>> spansAround(std::size_t op,
                                                               std::size_t most) const {
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    for (std::size_t first = op + 1; first-- > 0 && op - first < kLongestRun;) {
      if (!model_.ops[first].geometry) break;
      for (std::size_t last = std::max(op, first); last < model_.ops.size(); ++last) {
        if (last - first >= kLongestRun || !model_.ops[last].geometry) break;
        if (isRun(first, last)) spans.emplace_back(first, last);
      }
    }
    std::ranges::stable_sort(spans, {},
                             [&](const auto& span) { return outsideOf(span.first, span.second); });
    if (spans.size() > most) spans.resize(most);
    return spans;
  }

  void addWays(std::vector<RowRun> rest, std::size_t first, std::size_t last,
               std::vector<std::vector<RowRun>>& ways) const {
    const std::int64_t height = model_.tensors[model_.ops[last].outputs[0]].rows;
    const auto add = [&](std::int64_t parts, RowHalo halo) {
      std::vector<RowRun> runs = rest;
      runs.push_back({first, last, parts, halo});
      std::ranges::sort(runs, {}, &RowRun::first);
      ways.push_back(std::move(runs));
    };
    for (const std::int64_t parts : kParts) {
      if (parts > height) break;
      add(parts, RowHalo::recompute);
      if (last > first) add(parts, RowHalo::copy);
    }
    const auto loops = [](const RowRun& run) { return run.halo == RowHalo::loop; };
    if (std::ranges::any_of(rest, loops)) return;
    for (std::int64_t parts = 4; parts <= height; ++parts) {
      if (height % parts == 0) add(parts, RowHalo::loop);
    }
  }

  /// All ways to run something around the fullest moment of a program in parts, too, beside those
  /// of its runs that this leaves alone.
  std::vector<std::vector<RowRun>> waysFrom(const std::vector<RowRun>& runs) const {
    std::vector<std::vector<RowRun>> ways;
    const std::size_t most = runs.empty() ? kMostSpans : kMostSpansBeside;
    for (const auto& [first, last] : spansAround(hottest(runs), most)) {
      std::vector<RowRun> rest;
      for (const RowRun& run : runs) {
        if (run.last < first || run.first > last) rest.push_back(run);
      }
      if (rest.size() < kMostRuns) addWays(std::move(rest), first, last, ways);
    }
    return ways;
  }

  /// Outlines of these ways that need less than `below` at best and make no more again, the lowest
  /// first, then those with the fewest multiplications.
  std::vector<Outline> outlinesOf(const std::vector<std::vector<RowRun>>& ways, Bytes below,
                                  double extra) {
    std::vector<Outline> outlines(ways.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto known = known_.find(ways[i]);
      if (known == known_.end()) {
        open.push_back(i);
      } else {
        outlines[i] = known->second;
      }
    }
    runTasks(open.size(), options_.threads, [&](std::size_t number) {
      const std::size_t i = open[number];
      if (!stopping()) outlines[i] = outlineOf(ways[i]);
    });
    for (const std::size_t i : open) {
      if (!outlines[i].runs.empty()) known_.emplace(ways[i], outlines[i]);
    }
    std::erase_if(outlines, [&](const Outline& each) {
      return each.least >= below.count() || !isWithin(each.macs, extra);
    });
    std::ranges::stable_sort(outlines, {}, [](const Outline& each) {
      return std::tuple(each.least, each.macs, each.weights, each.steps);
    });
    const auto same = [](const Outline& a, const Outline& b) { return a.runs == b.runs; };
    outlines.erase(std::unique(outlines.begin(), outlines.end(), same), outlines.end());
    return outlines;
  }

  /// Places the first of `outlines`, and makes the best one `best` where it needs less.
  bool improve(RowPlan& best, const std::vector<Outline>& outlines) {
    std::vector<RowPlan> plans(std::min(outlines.size(), kPlaced));
    runTasks(plans.size(), options_.threads, [&](std::size_t i) {
      if (stopping() || outlines[i].least >= best.total().count()) return;
      plans[i] = planOf(outlines[i].runs, options_.ascending, kFewTries);
    });
    bool better = false;
    for (RowPlan& plan : plans) {
      if (!plan.program) continue;
      enter(plan);
      const auto runsOf = [](const RowPlan& each) { return each.program->runs(); };
      const bool known = std::ranges::find(placed_, runsOf(plan), runsOf) != placed_.end();
      if (!known) placed_.push_back(plan);
      if (plan.total() >= best.total()) continue;
      best = std::move(plan);
      better = true;
    }
    return better;
  }

  /// Adds one run after the other; a few programs go on side by side, as two moments may be as full
  /// as each other and one run alone saves nothing. Then each run is looked for again beside the
  /// others, as long as that helps.
  void descend(double extra) {
    RowPlan best = front_.overlap;
    std::vector<std::vector<RowRun>> kept = {{}};
    for (std::size_t runs = 0; runs < kMostRuns && !kept.empty() && !stopping(); ++runs) {
      std::vector<std::vector<RowRun>> ways;
      for (const auto& each : kept) {
        const auto more = waysFrom(each);
        ways.insert(ways.end(), more.begin(), more.end());
      }
      // A run that only costs its tail may be the first of two that help.
      const Bytes below = best.total() + Bytes(best.tail().count() / 4);
      const auto outlines = outlinesOf(ways, below, extra);
      improve(best, outlines);
      kept.clear();
      for (std::size_t i = 0; i < outlines.size() && kept.size() < kKept; ++i) {
        kept.push_back(outlines[i].runs);
      }
      tell(0);
    }
    refine(best, extra);
  }

  void refine(RowPlan& best, double extra) {
    for (bool better = true; better && !stopping();) {
      better = false;
      const std::vector<RowRun> runs = best.program->runs();
      for (std::size_t without = 0; without < runs.size() && !better; ++without) {
        std::vector<RowRun> rest = runs;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(without));
        better = improve(best, outlinesOf(waysFrom(rest), best.total(), extra));
      }
    }
  }

  /// Places again, longer, what is on the front or came near it.
  void settle() {
    const auto excess = [&](const RowPlan& plan) {
      Bytes least = plan.total();
      for (const RowPlan& point : front_.points) {
        if (point.program->macs() <= plan.program->macs()) least = std::min(least, point.total());
      }
      return plan.total().real() / least.real();
    };
    std::ranges::stable_sort(placed_, {}, excess);
    if (placed_.size() > kSettled) placed_.resize(kSettled);
    runTasks(placed_.size(), options_.threads, [&](std::size_t i) {
      if (stopping()) return;
      placed_[i] = planOf(placed_[i].program->runs(), options_.ascending, kManyTries);
    });
    for (const RowPlan& plan : placed_) enter(plan);
  }

  const RowModel& model_;
  const RuntimeSearchOptions& options_;
  RowFront front_;
  std::map<std::vector<RowRun>, Outline> known_;
  std::vector<RowPlan> placed_;
};

}  // namespace

RowFront searchRows(const RowModel& model, const RuntimeSearchOptions& options) {
  return RowSearch(model, options).find();
}

}  // namespace hw
