#include "core/study/capacity_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/run/planner.h"
#include "core/run/stages.h"

namespace hw {
namespace {

/// The first round divides what is needed without a limit into so many parts.
constexpr std::int64_t kCoarse = 8;

Bytes grained(Bytes bytes) { return alignUp(bytes, kCapacityGrain); }

/// Bytes that the largest first pool of a run takes.
Bytes largestFootprint(const Run& run) {
  Bytes largest;
  for (const PoolId pool : run.problem.pools.keys()) {
    if (run.problem.pools[pool].level == 0) largest = std::max(largest, run.plan.footprint(pool));
  }
  return largest;
}

/// Plans at capacities nobody has tried yet, and keeps what came out in order.
class Sweeper {
 public:
  Sweeper(std::shared_ptr<const Model> model, const RunRequest& request,
          const SweepOptions& options, const RunContext& context)
      : model_(std::move(model)), request_(request), options_(options), context_(context) {
    if (!context_.common) context_.common = std::make_shared<CommonWork>();
  }

  Result<std::vector<CapacityPoint>> run() {
    HW_TRY(top, needed());
    for (std::int64_t part = kCoarse - 1; part > 0; --part) {
      tryAt(grained(Bytes(top.count() / kCoarse * part)));
    }
    for (const std::int64_t part : {16, 64}) tryAt(grained(Bytes(top.count() / part)));
    if (const auto planned = plannedPools(request_, request_.platform.devices.front(),
                                          model_->problem ? &*model_->problem : nullptr)[PoolId(0)]
                                 .capacity) {
      if (*planned < top) tryAt(*planned);
    }
    while (points_.size() < options_.points) {
      const auto next = widest();
      if (!next || !tryAt(*next)) break;
    }
    return std::move(points_);
  }

 private:
  /// Of L2 without a limit; its figures are those of a capacity that large.
  Result<Bytes> needed() {
    RunRequest request = request_;
    request.l2 = {.kind = PoolSize::Kind::unbounded};
    HW_TRY(run, execute(model_, request, {.stop = context_.stop, .common = context_.common}));
    const Bytes top = grained(std::max(largestFootprint(*run), kCapacityGrain));
    add(pointOf(*run, top));
    return top;
  }

  /// False when nothing more can come: it was stopped, or planning fails.
  bool tryAt(Bytes capacity) {
    if (context_.stop.stop_requested()) return false;
    const bool known = std::ranges::any_of(
        points_, [&](const CapacityPoint& point) { return point.capacity == capacity; });
    if (known) return true;
    const auto point = planAtCapacity(model_, request_, capacity, context_);
    if (!point) return false;
    add(*point);
    return true;
  }

  void add(const CapacityPoint& point) {
    const auto at = std::ranges::lower_bound(points_, point.capacity, {}, &CapacityPoint::capacity);
    points_.insert(at, point);
    if (options_.report) options_.report(point);
    if (!context_.progress) return;
    context_.progress(static_cast<double>(points_.size()) / static_cast<double>(options_.points),
                      fmt::format("{} of {} capacities done", points_.size(), options_.points));
  }

  /// Halfway between the neighbours that are furthest apart; nothing when all are as close as they
  /// can be.
  std::optional<Bytes> widest() const {
    const auto traffic = [](const CapacityPoint& point) { return point.farTraffic.real(); };
    const double width = points_.back().capacity.real();
    const auto [least, most] = std::ranges::minmax(points_, {}, traffic);
    const double height = std::max(1.0, traffic(most) - traffic(least));
    std::optional<Bytes> best;
    double furthest = 0;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      const Bytes low = points_[i].capacity;
      const Bytes middle = grained(low + Bytes((points_[i + 1].capacity - low).count() / 2));
      if (middle <= low || middle >= points_[i + 1].capacity) continue;
      const double apart = (points_[i + 1].capacity - low).real() / width +
                           std::abs(traffic(points_[i + 1]) - traffic(points_[i])) / height;
      if (apart <= furthest) continue;
      furthest = apart;
      best = middle;
    }
    return best;
  }

  std::shared_ptr<const Model> model_;
  const RunRequest& request_;
  const SweepOptions& options_;
  RunContext context_;
  std::vector<CapacityPoint> points_;
};

}  // namespace

CapacityPoint pointOf(const Run& run, Bytes capacity) {
  CapacityPoint point{.capacity = capacity, .figures = figuresOf(run)};
  const auto& pools = run.problem.pools;
  for (const PoolId pool : run.timing.traffic.keys()) {
    if (pools.contains(pool) && pools[pool].level == 0) continue;
    point.farTraffic += run.timing.traffic[pool].total();
  }
  return point;
}

Result<CapacityPoint> planAtCapacity(const std::shared_ptr<const Model>& model, RunRequest request,
                                     Bytes capacity, const RunContext& context) {
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = capacity};
  HW_TRY(run, execute(model, request, {.stop = context.stop, .common = context.common}));
  return pointOf(*run, capacity);
}

Result<std::vector<CapacityPoint>> sweepCapacities(const std::shared_ptr<const Model>& model,
                                                   const RunRequest& request,
                                                   const SweepOptions& options,
                                                   const RunContext& context) {
  return Sweeper(model, request, options, context).run();
}

std::optional<Bytes> fitsFrom(const std::vector<CapacityPoint>& points) {
  std::optional<Bytes> from;
  for (std::size_t i = points.size(); i > 0 && points[i - 1].fitsInL2(); --i) {
    from = points[i - 1].capacity;
  }
  return from;
}

std::optional<Bytes> kneeOf(const std::vector<CapacityPoint>& points) {
  std::vector<std::pair<double, double>> curve;  // Capacity, least traffic up to there.
  const auto end = fitsFrom(points);
  for (const CapacityPoint& point : points) {
    if (!point.figures.fits || (end && point.capacity > *end)) continue;
    const auto traffic = point.farTraffic.real();
    curve.emplace_back(point.capacity.real(),
                       curve.empty() ? traffic : std::min(traffic, curve.back().second));
  }
  if (curve.size() < 3) return {};
  const auto [left, high] = curve.front();
  const auto [right, low] = curve.back();
  if (right <= left || high <= low) return {};
  std::optional<Bytes> knee;
  double furthest = kLeastBend;
  for (const auto& [capacity, traffic] : curve) {
    const double line = 1 - (capacity - left) / (right - left);
    const double below = line - (traffic - low) / (high - low);
    if (below <= furthest) continue;
    furthest = below;
    knee = Bytes(static_cast<std::int64_t>(capacity));
  }
  return knee;
}

}  // namespace hw
