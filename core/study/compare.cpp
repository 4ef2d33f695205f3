#include "core/study/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "core/base/task_queue.h"
#include "core/machine/platforms.h"
#include "core/run/embedded.h"
#include "core/run/options.h"
#include "core/run/stages.h"

namespace hw {
namespace {

Result<std::shared_ptr<const Run>> stoppedEarly() {
  return fail(ErrorCode::stopped, "stopped before it had a plan");
}

Result<std::shared_ptr<const Run>> attempt(const Comparison& comparison, RunRequest request,
                                           const RunContext& context) {
  if (context.stop.stop_requested()) return stoppedEarly();
  request.threads = 1;  // One a row: they share the machine already.
  try {
    auto run = execute(comparison.model, request, {.stop = context.stop, .common = context.common});
    if (!run && run.error().code == ErrorCode::stopped) return stoppedEarly();
    return run;
  } catch (const std::bad_alloc&) {
    // The other rows may need less.
    return fail(ErrorCode::unsupported, "there is not enough memory to plan with it");
  }
}

/// Tells which rows are at work, and how many are done.
class RowTeller {
 public:
  RowTeller(const Comparison& comparison, const RunContext& context)
      : comparison_(comparison),
        severalPlatforms_(comparison.severalPlatforms()),
        context_(context),
        atWork_(comparison.rows.size(), false) {}

  void report(std::size_t index, bool begins) {
    const std::lock_guard lock(mutex_);
    atWork_[index] = begins;
    if (!begins) ++done_;
    if (!context_.progress) return;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < atWork_.size(); ++i) {
      if (atWork_[i]) names.push_back(nameOf(comparison_.rows[i]));
    }
    const std::size_t all = comparison_.rows.size();
    context_.progress(static_cast<double>(done_) / static_cast<double>(all),
                      fmt::format("{} of {} rows done{}{}", done_, all, names.empty() ? "" : "; ",
                                  fmt::join(names, ", ")));
  }

 private:
  std::string nameOf(const ComparisonRow& row) const {
    const std::string allocator = row.allocator.text();
    return severalPlatforms_ ? allocator + " on " + row.platform : allocator;
  }

  const Comparison& comparison_;
  bool severalPlatforms_ = false;
  const RunContext& context_;
  std::mutex mutex_;
  std::vector<bool> atWork_;
  std::size_t done_ = 0;
};

/// The figure that a row is ranked by; rows without it come last.
double rankedBy(const ComparisonRow& row, Ranking by) {
  const auto of = [](const auto& figure) { return figure ? figure->real() : HUGE_VAL; };
  const RunFigures& figures = row.figures;
  switch (by) {
    case Ranking::peak:
      break;
    case Ranking::latency:
      return of(figures.latency);
    case Ranking::traffic:
      return of(figures.moved);
    case Ranking::energy:
      return figures.energy.value_or(HUGE_VAL);
  }
  return row.peak().real();
}

/// Among equals in time, what moves less is better.
auto merit(const ComparisonRow& row, Ranking by) {
  const double second = by == Ranking::latency ? rankedBy(row, Ranking::traffic) : 0;
  return std::tuple(rankedBy(row, by), second, row.peak());
}

/// Figures say nothing where something has no place, so those rows come after, errors last.
void sortRows(std::vector<ComparisonRow>& rows, Ranking by) {
  const auto rank = [](const ComparisonRow& row) {
    return row.fits() ? 0 : row.run ? 1 : row.stopped() ? 3 : 2;
  };
  std::ranges::stable_sort(rows, [&](const auto& a, const auto& b) {
    const auto key = [&](const ComparisonRow& row) {
      const int group = rank(row);
      return std::pair(group, group == 0 ? merit(row, by) : merit(row, Ranking::peak));
    };
    return key(a) < key(b);
  });
}

void markBest(std::vector<ComparisonRow>& rows, Ranking by) {
  const auto plansAll = [](const ComparisonRow& row) {
    return row.fits() && row.figures.inputsOutside == Bytes();
  };
  const bool someDo = std::ranges::any_of(rows, plansAll);
  const auto key = [&](const ComparisonRow& row) { return merit(row, by); };
  const ComparisonRow* first = nullptr;
  for (const ComparisonRow& row : rows) {
    const bool counts = someDo ? plansAll(row) : row.fits();
    if (counts && (first == nullptr || key(row) < key(*first))) first = &row;
  }
  for (ComparisonRow& row : rows) {
    row.best = (someDo ? plansAll(row) : row.fits()) && key(row) == key(*first);
  }
}

/// It plans all that was asked for, on one device: its bound is one of every such plan.
bool boundsAll(const ComparisonRow& row) {
  return row.run && row.figures.inputsOutside == Bytes() && row.run->partition.deviceOf.empty();
}

/// Options that were asked for besides the allocator.
std::vector<std::string> askedOf(const ComparisonRow& row) {
  RunRequest request = row.request;
  request.allocator = defaultRequest().allocator;
  return optionWords(defaultRequest(), request);
}

/// Of rows that were asked for the same, the least bound holds: an allocator, or the model's own
/// plan, may share what others keep apart.
void shareBounds(std::vector<ComparisonRow>& rows) {
  std::map<std::vector<std::string>, std::vector<ComparisonRow*>> groups;
  for (ComparisonRow& row : rows) {
    if (boundsAll(row)) groups[askedOf(row)].push_back(&row);
  }
  for (const auto& [asked, group] : groups) {
    Bytes least = kMaxBytes;
    for (const ComparisonRow* row : group) least = std::min(least, row->figures.lowerBound);
    for (ComparisonRow* row : group) {
      row->figures.lowerBound = least;
      const PoolMetrics all{.peak = row->peak(), .lowerBound = least};
      if (row->figures.gap) row->figures.gap = all.gap();
    }
  }
}

Bytes lowerBoundOf(const std::vector<ComparisonRow>& rows) {
  std::optional<Bytes> least;
  std::optional<Bytes> typical;
  for (const ComparisonRow& row : rows) {
    if (!row.run) continue;
    if (boundsAll(row)) least = std::min(least.value_or(kMaxBytes), row.figures.lowerBound);
    if (!typical) typical = row.figures.lowerBound;
  }
  return least.value_or(typical.value_or(Bytes()));
}

}  // namespace

Ranking usualRanking(const RunRequest& request) {
  const PoolSize& near = request.l2;
  const bool machine = near.kind == PoolSize::Kind::platform && !request.platform.devices.empty() &&
                       request.platform.devices.front().pools.front().capacity.has_value();
  const bool bounded = machine || near.kind == PoolSize::Kind::bytes;
  return bounded ? Ranking::latency : Ranking::peak;
}

void Comparison::rank(Ranking ranking) {
  by = ranking;
  sortRows(rows, by);
  markBest(rows, by);
}

std::size_t Comparison::stopped() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows, &ComparisonRow::stopped));
}

bool Comparison::severalPlatforms() const {
  return std::ranges::any_of(rows, [&](const ComparisonRow& row) {
    return platformText(row.request.platform) != platformText(rows.front().request.platform);
  });
}

Comparison openComparison(std::shared_ptr<const Model> model,
                          const std::vector<RunRequest>& requests) {
  Comparison comparison{.model = std::move(model)};
  for (const RunRequest& request : requests) {
    comparison.rows.push_back({.allocator = request.allocator,
                               .platform = platformLabel(request.platform),
                               .request = request});
  }
  return comparison;
}

void fillRow(const Comparison& comparison, ComparisonRow& row, const RunContext& context) {
  auto run = attempt(comparison, row.request, context);
  if (!run) {
    row.error = run.error();
    return;
  }
  row.run = std::move(*run);
  row.figures = figuresOf(*row.run);
}

void closeComparison(Comparison& comparison) {
  shareBounds(comparison.rows);
  const bool empty = comparison.rows.empty();
  comparison.rank(empty ? Ranking::peak : usualRanking(comparison.rows.front().request));
  comparison.lowerBound = lowerBoundOf(comparison.rows);
}

Comparison compareRequests(std::shared_ptr<const Model> model,
                           const std::vector<RunRequest>& requests, int threads,
                           const RunContext& context) {
  Comparison comparison = openComparison(std::move(model), requests);
  RowTeller teller(comparison, context);
  RunContext shared{.stop = context.stop, .common = context.common};
  if (!shared.common) shared.common = std::make_shared<CommonWork>();
  runTasks(comparison.rows.size(), threads, [&](std::size_t index) {
    teller.report(index, true);
    fillRow(comparison, comparison.rows[index], shared);
    teller.report(index, false);
  });
  closeComparison(comparison);
  return comparison;
}

Comparison compareAllocators(std::shared_ptr<const Model> model, const RunRequest& request,
                             const std::vector<AllocatorChoice>& choices,
                             const RunContext& context) {
  std::vector<RunRequest> requests;
  for (const AllocatorChoice& choice : choices.empty() ? allAllocators(*model->graph) : choices) {
    requests.emplace_back(request).allocator = choice;
  }
  return compareRequests(std::move(model), requests, request.threads, context);
}

Comparison withRow(Comparison comparison, const std::shared_ptr<const Run>& run) {
  const Ranking by = comparison.rows.empty() ? usualRanking(run->request) : comparison.by;
  comparison.model = run->model;
  std::erase_if(comparison.rows, [&](const ComparisonRow& row) { return row.run == run; });
  comparison.rows.push_back({.allocator = run->request.allocator,
                             .platform = platformLabel(run->request.platform),
                             .request = run->request,
                             .run = run,
                             .figures = figuresOf(*run)});
  shareBounds(comparison.rows);
  comparison.rank(by);
  comparison.lowerBound = lowerBoundOf(comparison.rows);
  return comparison;
}

Comparison compareAgain(const Comparison& comparison, const RunRequest& request,
                        const RunContext& context) {
  std::vector<RunRequest> requests;
  bool same = true;
  for (const ComparisonRow& row : comparison.rows) {
    RunRequest& wanted = requests.emplace_back(request);
    wanted.allocator = row.allocator;
    if (comparison.severalPlatforms()) {
      wanted.platform = row.request.platform;
      wanted.l2 = row.request.l2;
      wanted.l3 = row.request.l3;
    }
    same = same && sameBut(wanted, row.request, {"model"});
  }
  return same ? comparison : compareRequests(comparison.model, requests, request.threads, context);
}

}  // namespace hw
