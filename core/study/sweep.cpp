#include "core/study/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include "core/base/task_queue.h"
#include "core/run/embedded.h"
#include "core/run/stages.h"

namespace hw {
namespace {

class Sweep {
 public:
  Sweep(std::shared_ptr<const Model> model, const StudySettings& settings,
        const std::vector<AllocatorChoice>& choices, const RunContext& context,
        const TakeComparison& take)
      : model_(std::move(model)),
        settings_(settings),
        choices_(choices.empty() ? allAllocators(*model_->graph) : choices),
        context_(context),
        take_(take),
        shared_{.stop = context.stop, .common = std::make_shared<CommonWork>()} {}

  std::size_t run(int threads) {
    // So many are begun that nobody has to wait for the slowest row of one.
    const auto atOnce = static_cast<std::size_t>(std::max(threads, 1));
    window_ = 2 + 4 * atOnce / std::max<std::size_t>(choices_.size(), 1);
    try {
      runTasks(settings_.size() * choices_.size(), threads,
               [this](std::size_t task) { fill(task / choices_.size(), task % choices_.size()); });
    } catch (const Ended&) {
      for (const auto& [index, begun] : begun_) {
        for (ComparisonRow& row : begun->comparison.rows) {
          if (!row.run && !row.error) fillRow(begun->comparison, row, shared_);
        }
        hand(*begun);
      }
    }
    return taken_;
  }

 private:
  /// A setting some of whose rows are being planned.
  struct Begun {
    StudySetting setting{};
    Comparison comparison{};
    std::size_t left = 0;  ///< Rows that are not done.
  };

  /// Thrown by a task so that no further one is begun.
  struct Ended {};

  void fill(std::size_t index, std::size_t row) {
    const std::shared_ptr<Begun> begun = begin(index);
    fillRow(begun->comparison, begun->comparison.rows[row], shared_);
    const std::lock_guard lock(mutex_);
    --begun->left;
    handOver();
  }

  /// Waits while too many that were begun before are not done.
  std::shared_ptr<Begun> begin(std::size_t index) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, context_.stop, [&] { return ended_ || index < next_ + window_; });
    const auto known = begun_.find(index);
    if (known != begun_.end()) return known->second;
    if (ended_ || context_.stop.stop_requested()) throw Ended();
    auto begun = std::make_shared<Begun>();
    begun->setting = settings_.at(index);
    std::vector<RunRequest> requests(choices_.size(), begun->setting.request);
    for (std::size_t i = 0; i < choices_.size(); ++i) requests[i].allocator = choices_[i];
    begun->comparison = openComparison(model_, requests);
    begun->left = requests.size();
    begun_.emplace(index, begun);
    return begun;
  }

  /// Hands over what is next and done.
  void handOver() {
    for (auto first = begun_.begin();
         first != begun_.end() && first->first == next_ && first->second->left == 0;
         first = begun_.begin()) {
      hand(*first->second);
      begun_.erase(first);
      ++next_;
      tell();
    }
    moved_.notify_all();
  }

  void hand(Begun& begun) {
    if (ended_) return;
    closeComparison(begun.comparison);
    ended_ = !take_(begun.setting, begun.comparison);
    ++taken_;
  }

  void tell() const {
    if (!context_.progress) return;
    context_.progress(static_cast<double>(next_) / static_cast<double>(settings_.size()),
                      fmt::format("{} of {} settings done", next_, settings_.size()));
  }

  std::shared_ptr<const Model> model_;
  const StudySettings& settings_;
  std::vector<AllocatorChoice> choices_;
  const RunContext& context_;
  const TakeComparison& take_;
  RunContext shared_;
  std::size_t window_ = 0;
  std::mutex mutex_;
  std::condition_variable_any moved_;
  std::map<std::size_t, std::shared_ptr<Begun>>
      begun_;             ///< By setting; the mutex is for all below.
  std::size_t next_ = 0;  ///< The setting to hand over next.
  std::size_t taken_ = 0;
  bool ended_ = false;
};

}  // namespace

std::size_t sweepSettings(std::shared_ptr<const Model> model, const StudySettings& settings,
                          const std::vector<AllocatorChoice>& choices, int threads,
                          const RunContext& context, const TakeComparison& take) {
  return Sweep(std::move(model), settings, choices, context, take).run(threads);
}

}  // namespace hw
