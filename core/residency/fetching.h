#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/plan/problem.h"
#include "core/schedule/schedule.h"
#include "core/storage/aliasing.h"

namespace hw {

/// The places of weights when operators read them.
enum class WeightRule : std::uint8_t {
  stream,    ///< In the far pool: every op that reads them waits for them.
  prefetch,  ///< Near, from some steps before the op that reads them to its end.
  resident,  ///< Near for the whole run; loaded once, when it begins.
  free,      ///< Wherever they are needed: they take no bytes and no time.
};

inline constexpr std::string_view kWeightRuleNames[] = {"stream", "prefetch", "resident", "free"};

/// The rule that is asked for, and how many steps ahead.
struct WeightChoice {
  WeightRule rule = WeightRule::stream;
  std::int64_t ahead = 1;  ///< Steps by which `prefetch` begins a stay early, from 0.

  bool near() const { return rule == WeightRule::prefetch || rule == WeightRule::resident; }
  friend bool operator==(const WeightChoice&, const WeightChoice&) = default;
};

/// A constant, and the steps of the ops that read it.
struct WeightReads {
  TensorId tensor{};
  Bytes size{};               ///< Positive; exact.
  std::vector<Step> steps{};  ///< Ascending, distinct; not empty.
};

/// The constants that ops move, by their first reader, then by id.
std::vector<WeightReads> weightReads(const Graph& graph, const Schedule& schedule,
                                     const Storage& storage);

/// The root tensors of what got stays: of one buffer each, numbered on from those of the storage.
struct FetchedWeights {
  std::vector<TensorId> roots{};
  std::size_t reads = 0;  ///< How many find theirs in a near pool.
};

/// Which pools weights pass on their way to the ops that read them.
struct WeightWays {
  /// By device its pools, the nearest first; the far one, where weights lie, is last.
  std::vector<std::vector<PoolId>> pools{};
  std::vector<std::uint32_t> deviceAt{};  ///< By step; empty: all on the first.

  std::uint32_t deviceOf(Step step) const {
    return deviceAt.empty() ? 0 : deviceAt[static_cast<std::size_t>(step.count())];
  }
};
/// All `pools` of one device.
WeightWays wayOf(const IdMap<PoolId, ProblemPool>& pools);

/// Gives weights near stays where `problem`, whose pools are decided, has room for them: stays of
/// buffers from `first` on, behind those it has, loads from the far pool, and uses. Each device
/// that reads one gets its own.
///
/// A prefetched weight is near over [max(0, s - ahead), s + 1) for each step s at which it is read,
/// in the nearest pool that has room all the while; where none has, fewer steps ahead; without room
/// for the op itself it is streamed. What it still holds for the read before goes on. A resident
/// one is near over the whole run or not at all; what is read more often has the first choice. On
/// the way to a pool that is not next to the far one it stays in those between for the step of its
/// loads. `budgets`: what may be live in each pool, by live sums; nothing: unbounded. O(n log n) a
/// pool and step ahead.
FetchedWeights fetchWeights(Problem& problem, const std::vector<WeightReads>& weights,
                            const WeightChoice& choice, BufferId first, Bytes alignment,
                            const WeightWays& ways,
                            const IdMap<PoolId, std::optional<Bytes>>& budgets);

/// Lets the near stays of `inputs` begin with a load from the far pool.
void loadInputs(Problem& problem, const std::vector<BufferId>& inputs);

/// Lets the near stays of `outputs` be stored in the far pool after the last op that touches them.
void storeOutputs(Problem& problem, const std::vector<BufferId>& outputs);

/// `storage` with a buffer behind its own for each of `roots`: a weight that has stays.
Storage withWeights(Storage storage, const Graph& graph, const std::vector<WeightReads>& weights,
                    const std::vector<TensorId>& roots);

}  // namespace hw
