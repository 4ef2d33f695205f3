#include "core/shrink/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/ops/work.h"
#include "core/run/figures.h"
#include "core/run/stages.h"

namespace hw {
namespace {

/// One program that `shrink` looks at.
struct ShrinkAttempt {
  Rewrites with{};
  TileRule rule = TileRule::lines;  ///< How operators are cut, where they are,
  Bytes to{};                       ///< and down to which size.
  double extraWork = 0;             ///< What may be done more than once, where something may.
  /// The lower bound in bytes from which on it is not planned; nothing: always planned.
  std::optional<Bytes> below{};
};

/// Outcome of an attempt; empty where it is of no use, or was stopped.
struct ShrinkOutcome {
  std::shared_ptr<const Run> run{};
  std::optional<Error> error{};
};

RunRequest requestOf(const RunRequest& plain, const ShrinkAttempt& attempt) {
  RunRequest request = withRewrites(plain, attempt.with);
  if (attempt.with.recompute) request.extraWork = attempt.extraWork;
  if (!attempt.with.tile) return request;
  request.tile = attempt.rule;
  request.tileTo = attempt.to;
  if (attempt.rule == TileRule::any) request.extraWork = attempt.extraWork;
  return request;
}

/// No plan of the program is lower than `bytes`.
bool isNoLower(const Model& model, const RunRequest& request, Bytes bytes,
               const RunContext& context) {
  const auto program = rewrittenProgram(model, request, context);
  if (!program || !program->tiles) return true;
  return program->tiles->peak >= bytes &&
         std::ranges::all_of(program->otherWays,
                             [&](const Program& way) { return way.tiles->peak >= bytes; });
}

/// "trying in-place, tile (lines) for 256 KiB".
std::string textOf(const ShrinkAttempt& attempt) {
  std::string text = "trying " + rewritesText(attempt.with);
  if (!attempt.with.tile) return text;
  text += fmt::format(" ({})", tileRuleName(attempt.rule));
  return attempt.to > Bytes() ? text + " for " + formatBytes(attempt.to) : text;
}

/// `plain` with what is attempted, carried out.
ShrinkOutcome outcomeOf(const std::shared_ptr<const Model>& model, const RunRequest& plain,
                        const ShrinkAttempt& attempt, const RunContext& context) {
  const RunRequest request = requestOf(plain, attempt);
  if (context.stop.stop_requested()) return {};
  if (attempt.below && isNoLower(*model, request, *attempt.below, context)) return {};
  auto run = execute(model, request, context);
  if (run) return {.run = *std::move(run)};
  if (run.error().code == ErrorCode::stopped) return {};
  return {.error = run.error()};
}

std::int64_t macsOf(const Graph& graph) {
  std::int64_t sum = 0;
  for (const OpId op : graph.ops.keys()) sum += workOf(graph, op).macs;
  return sum;
}

ShrinkPoint shrinkPointOf(std::shared_ptr<const Run> run, const Rewrites& with, std::int64_t macs) {
  const RunFigures figures = figuresOf(*run);
  ShrinkPoint point{.with = with,
                    .peak = figures.peak(),
                    .bound = figures.lowerBound,
                    .latency = figures.latency.value_or(SimTime())};
  if (run->rewritten && macs > 0) {
    point.extraMacs =
        static_cast<double>(macsOf(*run->rewritten) - macs) / static_cast<double>(macs);
  }
  point.run = std::move(run);
  return point;
}

/// `a` is nowhere worse than `b`.
bool covers(const ShrinkPoint& a, const ShrinkPoint& b) {
  return a.peak <= b.peak && a.extraMacs <= b.extraMacs && a.latency <= b.latency;
}

class Shrinker {
 public:
  Shrinker(std::shared_ptr<const Model> model, const ShrinkOptions& options,
           const RunContext& context)
      : model_(std::move(model)),
        options_(options),
        context_(context),
        trying_{.stop = context.stop, .oneOfMany = true} {}

  Result<ShrinkFront> run(const RunRequest& request) {
    HW_DO(checkShrinks(request));
    front_.request = request;
    front_.request.l2 = {.kind = PoolSize::Kind::unbounded};
    front_.request.threads = 1;  // One a program: they share the machine already.
    threads_ = request.threads;
    trying_.common = std::make_shared<CommonWork>(threads_);
    front_.budget = options_.budget;
    front_.extraMacs = options_.extraMacs;
    macs_ = macsOf(*model_->graph);
    tell("the plan as it is");
    HW_TRY(plain, execute(model_, front_.request, trying_));
    ++front_.tried;
    front_.plain = shrinkPointOf(std::move(plain), {}, macs_);
    front_.trials.push_back(trialOf({}, front_.plain));
    enter(front_.plain);
    findOffered();
    tryWholes();
    tryParts();
    addTogether();
    front_.stopped = context_.stop.stop_requested();
    return std::move(front_);
  }

 private:
  Result<void> checkShrinks(const RunRequest& request) const {
    if (model_->problem || !model_->graph || model_->graph->ops.empty()) {
      return fail(ErrorCode::unsupported,
                  "it has no operators, and rewrites are about operators: a planning problem is as "
                  "large as it is");
    }
    if (model_->graph->tiling) {
      return fail(ErrorCode::unsupported, "its operators are parts of operators already");
    }
    if (request.allocator.info == nullptr || request.allocator.info->way != Way::direct) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("allocator '{}' plans what it is given, and nothing can be rewritten "
                              "for it; expected one that plans a graph on one device",
                              request.allocator.info ? request.allocator.info->name : "none"));
    }
    return {};
  }

  bool stopping() const { return context_.stop.stop_requested(); }

  void tell(const std::string& what) const {
    if (!context_.progress) return;
    const double planned = static_cast<double>(std::max(planned_, front_.tried + 1));
    context_.progress(static_cast<double>(front_.tried) / planned, what);
  }

  /// Offers what is allowed and not there yet, and says why the others are not tried.
  void findOffered() {
    for (const RewriteInfo& info : shrinkingRewrites()) {
      if (!(options_.allow.*(info.flag))) continue;
      const std::string why = whyNot(info);
      if (why.empty()) {
        offered_.*(info.flag) = true;
        continue;
      }
      ShrinkTrial trial{.said = {why}};
      trial.with.*(info.flag) = true;
      front_.trials.push_back(std::move(trial));
    }
    const std::size_t wholes = countOf(wholesOffered());
    const std::size_t without = (offered_.order ? 1 : 0) + (offered_.recompute ? 1 : 0);
    planned_ = 1 + wholes + (wholes > 1 ? 1 + without : 0) + partsPlanned();
  }

  std::size_t partsPlanned() const {
    if (!offered_.tile) return 0;
    return 4 + options_.sizes + 2 * (options_.sizes / 2);
  }

  std::string whyNot(const RewriteInfo& info) const {
    if (info.has(front_.request)) return "the plain plan has it already";
    return info.whyNot ? info.whyNot(front_.request) : std::string();
  }

  Rewrites wholesOffered() const {
    Rewrites wholes = offered_;
    wholes.tile = false;
    return wholes;
  }

  ShrinkTrial trialOf(const Rewrites& with, const ShrinkPoint& point) const {
    ShrinkTrial trial{.with = with,
                      .tile = point.run->request.tile,
                      .bound = point.bound,
                      .peak = point.peak,
                      .run = point.run};
    const Run& run = *point.run;
    if (with.order && !with.overlap && !with.tile && run.order && run.order->bound) {
      trial.bound = run.order->bound;
      trial.anyOrder = true;
    }
    if (!front_.plain.run) return trial;
    for (const std::string& note : run.notes) {
      const auto& known = front_.plain.run->notes;
      if (std::ranges::find(known, note) == known.end()) trial.said.push_back(note);
    }
    if (trial.said.empty() && point.peak >= front_.plain.peak && with != Rewrites()) {
      trial.said.emplace_back("nothing that it changes is where the most bytes are live");
    }
    return trial;
  }

  ShrinkAttempt attemptOf(const Rewrites& with, TileRule rule = TileRule::lines,
                          Bytes to = {}) const {
    return {.with = with, .rule = rule, .to = to, .extraWork = options_.extraMacs};
  }

  /// Plans each, as many at a time as there are threads, and enters them in the front in their
  /// order, as soon as all before are there. Nothing where it cannot be done.
  std::vector<std::optional<ShrinkPoint>> tryAll(const std::vector<ShrinkAttempt>& attempts) {
    std::vector<std::optional<ShrinkOutcome>> outcomes(attempts.size());
    std::vector<std::optional<ShrinkPoint>> points;
    std::mutex mutex;
    const std::vector<std::size_t> order = orderOf(attempts);
    trying_.common->workers().run(attempts.size(), [&](std::size_t turn) {
      const std::size_t number = order[turn];
      if (stopping()) return;
      {
        const std::lock_guard lock(mutex);
        tell(textOf(attempts[number]));
      }
      ShrinkOutcome outcome = outcomeOf(model_, front_.request, attempts[number], trying_);
      const std::lock_guard lock(mutex);
      outcomes[number] = std::move(outcome);
      while (points.size() < outcomes.size() && outcomes[points.size()]) {
        points.push_back(settle(attempts[points.size()], *outcomes[points.size()]));
      }
    });
    // After a stop some are missing, and others are there behind them.
    while (points.size() < outcomes.size()) {
      const std::size_t number = points.size();
      points.push_back(outcomes[number] ? settle(attempts[number], *outcomes[number])
                                        : std::nullopt);
    }
    return points;
  }

  /// The order in which threads take them: those in all ways, which take longest, first.
  std::vector<std::size_t> orderOf(const std::vector<ShrinkAttempt>& attempts) const {
    std::vector<std::size_t> order(attempts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (threads_ == 1) return order;
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t number) {
      return attempts[number].with.tile && attempts[number].rule == TileRule::any;
    });
    return order;
  }

  std::optional<ShrinkPoint> tryOne(const ShrinkAttempt& attempt) {
    return tryAll({attempt}).front();
  }

  std::optional<ShrinkPoint> settle(const ShrinkAttempt& attempt, ShrinkOutcome& outcome) {
    if (outcome.error) {
      front_.trials.push_back({.with = attempt.with, .said = {outcome.error->text()}});
    }
    if (!outcome.run) return std::nullopt;
    ++front_.tried;
    ShrinkPoint point = shrinkPointOf(std::move(outcome.run), attempt.with, macs_);
    enter(point);
    return point;
  }

  /// It does more again than was allowed.
  bool isOutside(const ShrinkPoint& point) const {
    return point.extraMacs > options_.extraMacs + 1e-9;
  }

  void enter(const ShrinkPoint& point) {
    const auto covered = [&](const ShrinkPoint& each) {
      // Of two that are the same, the one that takes less.
      return covers(each, point) &&
             (!covers(point, each) || countOf(each.with) <= countOf(point.with));
    };
    if (isOutside(point) || std::ranges::any_of(front_.points, covered)) return;
    std::erase_if(front_.points, [&](const ShrinkPoint& each) { return covers(point, each); });
    const auto place = std::ranges::upper_bound(front_.points, point.peak, {}, &ShrinkPoint::peak);
    front_.points.insert(place, point);
    if (options_.report) options_.report(front_);
  }

  /// All that leave operators whole together, each alone, and all but one.
  void tryWholes() {
    const Rewrites all = wholesOffered();
    std::vector<ShrinkAttempt> attempts;
    for (const RewriteInfo& info : shrinkingRewrites()) {
      if (!(all.*(info.flag))) continue;
      Rewrites one;
      one.*(info.flag) = true;
      attempts.push_back(attemptOf(one));
    }
    const bool several = attempts.size() > 1;
    if (several) attempts.insert(attempts.begin(), attemptOf(all));
    if (several && all.order) {
      // The program that is asked for next, made beside the longest attempt.
      attempts.push_back(attemptOf(all));
      attempts.back().with.order = false;
      attempts.back().below = Bytes();
    }
    const auto points = tryAll(attempts);
    if (!points.empty()) wholes_ = points.front();
    for (std::size_t i = several ? 1 : 0; i < points.size(); ++i) {
      if (points[i]) tellAlone(*points[i]);
    }
    if (!wholes_ || !several) return;
    // Rewrites that save nothing are left out where operators run in parts.
    if (all.order) orderHelps_ = helps(&Rewrites::order);
    if (all.recompute) againHelps_ = helps(&Rewrites::recompute);
  }

  void tellAlone(const ShrinkPoint& point) {
    front_.trials.push_back(trialOf(point.with, point));
    if (point.with.order && point.peak >= front_.plain.peak) orderHelps_ = false;
    const auto again = repeatedOps(point.run->graph());
    const bool repeats = std::ranges::any_of(again, [](OpId op) { return bool(op); });
    if (point.with.recompute && !repeats) againHelps_ = false;
  }

  /// Of the best that leaves operators whole: it is worse without. Where it is not, that is the
  /// best.
  bool helps(bool Rewrites::*flag) {
    Rewrites rest = wholes_->with;
    rest.*flag = false;
    const auto without = tryOne(attemptOf(rest));
    if (!without || wholes_->peak < without->peak) return true;
    wholes_ = without;
    return false;
  }

  /// In parts, with all that may be added to them: what is outside of them is written in place,
  /// too. Line by line, which makes nothing twice, by channels, and in all ways; then for sizes
  /// between.
  void tryParts() {
    if (!offered_.tile) return;
    Rewrites with{.inPlace = offered_.inPlace, .tile = true};
    with.order = offered_.order && orderHelps_;
    const auto lines =
        offered_.recompute && againHelps_ ? linesWithRecompute(with) : tryOne(attemptOf(with));
    if (!lines) return;
    with = lines->with;
    const Bytes most = wholes_ ? std::min(wholes_->peak, front_.plain.peak) : front_.plain.peak;
    std::vector<ShrinkAttempt> attempts = {attemptOf(with, TileRule::any),
                                           attemptOf(with, TileRule::channels)};
    addSizes(attempts, with, TileRule::lines, {lines->peak, most}, options_.sizes);
    const auto points = tryAll(attempts);
    for (const auto& point : {lines, points[1], points[0]}) {
      if (point) front_.trials.push_back(trialOf(with, *point));
    }
    trySizes(*lines, points[0], points[1], most);
  }

  /// For sizes below those of lines, and between those of channels and whole operators; and line by
  /// line without other rewrites.
  void trySizes(const ShrinkPoint& lines, const std::optional<ShrinkPoint>& any,
                const std::optional<ShrinkPoint>& channels, Bytes most) {
    const Rewrites& with = lines.with;
    std::vector<ShrinkAttempt> attempts;
    if (any) {
      addSizes(attempts, with, TileRule::any, {any->peak, lines.peak}, options_.sizes / 2);
      addWithin(attempts, *any);
    }
    if (channels) {
      addSizes(attempts, with, TileRule::channels, {channels->peak, most}, options_.sizes / 2);
    }
    // Work in place is decided operator by operator, and now and then costs more than it saves.
    const Rewrites bare{.tile = true};
    if (with != bare) {
      attempts.push_back(attemptOf(bare));
      attempts.back().below = front_.points.front().bound;
    }
    tryAll(attempts);
  }

  /// Line by line, with or without recompute, whichever is lower.
  std::optional<ShrinkPoint> linesWithRecompute(const Rewrites& without) {
    Rewrites with = without;
    with.recompute = true;
    const auto points = tryAll({attemptOf(without), attemptOf(with)});
    if (!points[0] || !points[1]) return points[points[0] ? 0 : 1];
    return points[points[1]->peak < points[0]->peak ? 1 : 0];
  }

  /// Work is more than multiplications: where all that is done again are these, they are a larger
  /// share. Then once more with so little work that they cannot be.
  void addWithin(std::vector<ShrinkAttempt>& attempts, const ShrinkPoint& any) const {
    if (!isOutside(any)) return;
    const Graph& graph = *model_->graph;
    std::int64_t work = 0;
    for (const OpId op : graph.ops.keys()) {
      const Work each = workOf(graph, op);
      work += each.macs > 0 ? each.macs : each.touched;
    }
    attempts.push_back(attemptOf(any.with, TileRule::any));
    attempts.back().extraWork *=
        static_cast<double>(macs_) / static_cast<double>(std::max(work, macs_));
  }

  void addSizes(std::vector<ShrinkAttempt>& attempts, const Rewrites& with, TileRule rule,
                Interval<Bytes> between, std::size_t count) const {
    for (const Bytes size : sizesBetween(between.begin, between.end, count)) {
      attempts.push_back(attemptOf(with, rule, size));
    }
  }

  /// Each so many times as large as the one before; the budget first, for that is what is asked.
  std::vector<Bytes> sizesBetween(Bytes least, Bytes most, std::size_t count) const {
    std::vector<Bytes> sizes;
    if (least == Bytes() || least >= most) return sizes;
    if (options_.budget && *options_.budget > least && *options_.budget < most) {
      sizes.push_back(*options_.budget);
    }
    const double ratio = most.real() / least.real();
    for (std::size_t i = 1; i <= count; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(count + 1);
      const double size = least.real() * std::pow(ratio, part);
      sizes.push_back(alignUp(Bytes(static_cast<std::int64_t>(size)), Bytes(64)));
    }
    return sizes;
  }

  /// Adds the trial of all rewrites that leave operators whole together.
  void addTogether() {
    if (wholes_ && countOf(wholes_->with) > 1) {
      front_.trials.push_back(trialOf(wholes_->with, *wholes_));
    }
    std::ranges::stable_sort(front_.trials, {},
                             [](const ShrinkTrial& trial) { return placeOf(trial.with); });
  }

  std::shared_ptr<const Model> model_;
  const ShrinkOptions& options_;
  const RunContext& context_;
  RunContext trying_;  ///< Of all runs.
  ShrinkFront front_;
  Rewrites offered_;
  std::optional<ShrinkPoint> wholes_;  ///< The best that leaves operators whole.
  bool orderHelps_ = true;
  bool againHelps_ = true;  ///< Running operators again does.
  std::int64_t macs_ = 0;   ///< Of the model.
  std::size_t planned_ = 1;
  int threads_ = 1;
};

}  // namespace

const ShrinkPoint* ShrinkFront::chosen() const {
  if (points.empty()) return nullptr;
  if (!budget) return &points.front();
  const ShrinkPoint* best = nullptr;
  for (const ShrinkPoint& point : points) {
    if (point.peak > *budget) break;
    if (best == nullptr || point.latency < best->latency) best = &point;
  }
  return best;
}

const ShrinkPoint* ShrinkFront::costless() const {
  constexpr double kSameLatency = 1.005;
  const auto most = kSameLatency * plain.latency.real();
  for (const ShrinkPoint& point : points) {
    if (point.peak >= plain.peak) break;
    if (point.latency.real() < most) return &point;
  }
  return nullptr;
}

Result<ShrinkFront> shrink(std::shared_ptr<const Model> model, const RunRequest& request,
                           const ShrinkOptions& options, const RunContext& context) {
  return Shrinker(std::move(model), options, context).run(request);
}

}  // namespace hw
