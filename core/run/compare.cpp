#include "core/run/compare.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace hw {
namespace {

/// Hands out rows to threads and tells how many are done.
class Comparer {
 public:
  Comparer(Comparison& comparison, const RunConfig& config, const RunContext& context)
      : comparison_(comparison), config_(config), context_(context) {}

  void run(std::size_t threads) {
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < std::min(threads, comparison_.rows.size()); ++i) {
      workers.emplace_back([this] { work(); });
    }
    work();
  }

 private:
  void work() {
    for (std::size_t index = next_++; index < comparison_.rows.size(); index = next_++) {
      fill(comparison_.rows[index]);
    }
  }

  void fill(ComparisonRow& row) {
    RunConfig config = config_;
    config.allocator = row.allocator;
    config.threads = 1;  // One a row: they share the machine already.
    auto run = execute(comparison_.model, config, {.stop = context_.stop, .progress = {}});
    if (run) {
      row.run = std::move(*run);
    } else {
      row.error = run.error();
    }
    const std::lock_guard lock(mutex_);
    ++done_;
    if (!context_.progress) return;
    context_.progress(static_cast<double>(done_) / static_cast<double>(comparison_.rows.size()),
                      row.allocator.text());
  }

  Comparison& comparison_;
  const RunConfig& config_;
  const RunContext& context_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

}  // namespace

bool ComparisonRow::fits() const {
  return run &&
         (run->plan.status == PlanStatus::optimal || run->plan.status == PlanStatus::complete ||
          run->plan.status == PlanStatus::stopped);
}

Bytes ComparisonRow::peak() const {
  Bytes sum;
  if (!run) return sum;
  for (const PoolId pool : run->problem.pools.keys()) sum += run->plan.footprint(pool);
  return sum;
}

Result<Comparison> compareAllocators(std::shared_ptr<const Model> model, const RunConfig& config,
                                     const std::vector<AllocatorChoice>& choices,
                                     const RunContext& context) {
  Comparison comparison{.model = std::move(model)};
  for (const AllocatorChoice& choice : choices) comparison.rows.push_back({.allocator = choice});
  Comparer(comparison, config, context).run(static_cast<std::size_t>(std::max(config.threads, 1)));
  if (context.stop.stop_requested()) {
    return fail(ErrorCode::stopped, "the comparison was stopped");
  }
  // Peaks say nothing where something has no place, so those rows come after, errors last.
  const auto rank = [](const ComparisonRow& row) { return row.fits() ? 0 : row.run ? 1 : 2; };
  std::ranges::stable_sort(comparison.rows, [&](const auto& a, const auto& b) {
    return std::pair(rank(a), a.peak()) < std::pair(rank(b), b.peak());
  });
  return comparison;
}

}  // namespace hw
