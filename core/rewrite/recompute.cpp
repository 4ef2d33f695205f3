#include "core/rewrite/recompute.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/load_sweep.h"
#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/ops/op_table.h"
#include "core/ops/work.h"
#include "core/rewrite/graph_rewriter.h"

namespace hw {
namespace {

class RepeatWriter {
 public:
  explicit RepeatWriter(std::shared_ptr<const Graph> graph)
      : graph_(*graph),
        to_(std::move(graph), Tiling::Kind::repeats),
        latest_(graph_.tensors.size(), GraphRewriter::kAbsent),
        times_(graph_.ops.size()) {}

  Result<Graph> write(std::span<const OpId> ops) {
    // Tensors without a producer come last, so weights keep their order.
    for (const TensorId id : graph_.tensors.keys()) {
      if (!graph_.tensors[id].producer) add(id, 0);
    }
    for (const TensorId input : graph_.inputs) to_.addInput(latest_[input]);
    for (const OpId op : ops) addOp(op);
    for (const TensorId output : graph_.outputs) to_.addOutput(latest_[output]);
    return std::move(to_).build();
  }

 private:
  static std::string againText(std::size_t times) {
    return times < 2 ? "again" : fmt::format("again {}", times);
  }

  /// `again`: how often it was made before.
  GraphRewriter::Handle add(TensorId id, std::size_t again) {
    if (again == 0) return latest_[id] = to_.addTensor(graph_.tensors[id], id);
    Tensor tensor = graph_.tensors[id];
    tensor.name = fmt::format("{} {}", displayName(graph_, id), againText(again));
    tensor.plannedOffset.reset();
    return latest_[id] = to_.addTensor(tensor, id);
  }

  void addOp(OpId id) {
    const Op& op = graph_.ops[id];
    const std::size_t again = times_[id]++;
    GraphRewriter::OpParts parts{.op = op};
    if (again > 0) parts.op.name = fmt::format("{} {}", displayName(graph_, id), againText(again));
    const auto latest = [&](TensorId tensor) {
      return tensor ? latest_[tensor] : GraphRewriter::kAbsent;
    };
    for (const TensorId in : op.inputs) parts.inputs.push_back(latest(in));
    for (const TensorId in : op.captures) parts.captures.push_back(latest(in));
    for (const TensorId out : op.outputs) {
      parts.outputs.push_back(out ? add(out, again) : GraphRewriter::kAbsent);
    }
    to_.addOp(std::move(parts), id);
  }

  const Graph& graph_;
  GraphRewriter to_;
  IdMap<TensorId, GraphRewriter::Handle> latest_;
  IdMap<OpId, std::size_t> times_;
};

/// Operators that all programs that a descent looks at may have together: half a second.
constexpr std::int64_t kMostLooks = 400'000;
/// Tensors that wait over a step, largest first, and operators that are repeated at once.
constexpr std::size_t kMostTensors = 32;
constexpr std::size_t kMostChain = 12;

bool drawsAtRandom(const Op& op) {
  static constexpr std::string_view kWords[] = {"Random",    "RANDOM",      "Dropout",
                                                "Bernoulli", "Multinomial", "MULTINOMIAL"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return op.type.find(word) != std::string::npos; });
}

/// A program with repeats, and what is live in it.
struct RepeatLook {
  std::vector<OpId> ops{};  ///< Of the program that came, in the order in which they run.
  Graph graph{};            ///< Number i of it is ops[i].
  IdMap<TensorId, Interval<Step>> lives{};
  std::vector<bool> planned{};   ///< By tensor.
  std::vector<Bytes> live{};     ///< By step.
  std::vector<Bytes> profile{};  ///< The same, most first.
  std::int64_t extra = 0;

  Bytes peak() const { return profile.empty() ? Bytes() : profile.front(); }
};

/// The figures by which programs with repeats are compared.
struct RepeatPrice {
  std::vector<Bytes> profile{};
  std::int64_t extra = 0;
};

/// The choice among programs that are better than the one before.
enum class RepeatTaste : std::uint8_t { lowest, cheapest };

class RepeatSearch {
 public:
  RepeatSearch(std::shared_ptr<const Graph> graph, const StorageOptions& options, double extraWork,
               const std::stop_token& stop)
      : graph_(std::move(graph)), options_(options), stop_(stop), work_(graph_->ops.size()) {
    for (const OpId op : graph_->ops.keys()) {
      const Work work = workOf(*graph_, op);
      work_[op] = std::max<std::int64_t>(work.macs > 0 ? work.macs : work.touched, 0);
      total_ = checkedAdd(total_, work_[op]).value_or(total_);
    }
    const double most = std::max(extraWork, 0.0) * static_cast<double>(total_);
    most_ = static_cast<std::int64_t>(std::min(most, 0x1p62));
  }

  Result<RepeatLook> search(const std::vector<OpId>& order) {
    HW_TRY(plain, look(order, true));
    RepeatLook best = plain;
    for (const RepeatTaste taste : {RepeatTaste::lowest, RepeatTaste::cheapest}) {
      HW_TRY(found, descend(order, taste));
      const bool better =
          found.peak() < best.peak() || (found.peak() == best.peak() && found.extra < best.extra);
      if (better) best = std::move(found);
    }
    return best;
  }

  std::int64_t total() const { return total_; }

 private:
  /// Storage is shared roughly while programs are compared with each other.
  Result<RepeatLook> look(std::vector<OpId> ops, bool exactly = false) {
    looks_ += static_cast<std::int64_t>(ops.size());
    RepeatLook look;
    HW_TRY(graph, repeatedGraph(graph_, ops));
    look.graph = std::move(graph);
    look.ops = std::move(ops);
    StorageOptions options = options_;
    options.roughly = !exactly;
    const Storage storage = shareStorage(look.graph, givenOrder(look.graph), options);
    LoadSweep sweep(look.ops.size());
    for (const Buffer& buffer : storage.buffers) {
      sweep.add(static_cast<std::size_t>(buffer.steps.begin.count()),
                static_cast<std::size_t>(buffer.steps.end.count()),
                alignUp(buffer.size, options_.alignment));
    }
    sweep.eachPlace([&](std::size_t, Bytes bytes) { look.live.push_back(bytes); });
    look.profile = look.live;
    std::ranges::sort(look.profile, std::greater());
    look.lives = storage.lifetimes;
    for (const TensorId id : look.graph.tensors.keys()) {
      look.planned.push_back(static_cast<bool>(storage.bufferOf(id)));
    }
    std::int64_t done = 0;
    for (const OpId op : look.ops) done = checkedAdd(done, work_[op]).value_or(done);
    look.extra = done - total_;
    return look;
  }

  bool exhausted() const { return looks_ > kMostLooks || stop_.stop_requested(); }

  /// Adds one repeat after the other, as long as the steps with the most bytes have fewer.
  Result<RepeatLook> descend(const std::vector<OpId>& order, RepeatTaste taste) {
    looks_ = 0;
    HW_TRY(plain, look(order));
    RepeatLook now = plain;
    while (!exhausted()) {
      const std::vector<OpId>* next = nullptr;
      const auto tried = candidates(now);
      for (const std::vector<OpId>& ops : tried) {
        if (exhausted()) break;
        HW_TRY(price, priceOf(ops));
        if (price->profile >= now.profile) continue;
        if (next == nullptr || prefers(taste, *price, prices_.at(*next))) next = &ops;
      }
      if (next == nullptr) break;
      HW_TRY(better, look(*next));
      looks_ -= static_cast<std::int64_t>(next->size());  // It was counted when it was tried.
      now = std::move(better);
    }
    if (now.peak() >= plain.peak()) return look(order, true);
    HW_TRY(least, pruned(std::move(now)));
    return look(std::move(least.ops), true);
  }

  /// The same of both descents, which begin alike.
  Result<const RepeatPrice*> priceOf(const std::vector<OpId>& ops) {
    if (const auto known = prices_.find(ops); known != prices_.end()) {
      looks_ += static_cast<std::int64_t>(ops.size());
      return &known->second;
    }
    HW_TRY(whole, look(ops));
    return &prices_.emplace(ops, RepeatPrice{std::move(whole.profile), whole.extra}).first->second;
  }

  static bool prefers(RepeatTaste taste, const RepeatPrice& a, const RepeatPrice& b) {
    if (taste == RepeatTaste::cheapest && a.extra != b.extra) return a.extra < b.extra;
    if (a.profile != b.profile) return a.profile < b.profile;
    return a.extra < b.extra;
  }

  /// Removes the repeats that the peak does not need.
  Result<RepeatLook> pruned(RepeatLook now) {
    std::vector<bool> seen(graph_->ops.size());
    std::vector<std::size_t> repeats;
    for (std::size_t at = 0; at < now.ops.size(); ++at) {
      if (seen[now.ops[at].index()]) repeats.push_back(at);
      seen[now.ops[at].index()] = true;
    }
    // From the last on, so that the numbers of the others stay.
    for (; !repeats.empty(); repeats.pop_back()) {
      std::vector<OpId> ops = now.ops;
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(repeats.back()));
      HW_TRY(without, look(std::move(ops)));
      if (without.peak() <= now.peak()) now = std::move(without);
    }
    return now;
  }

  /// The program with one more tensor made again: of those that wait over the first step with the
  /// most bytes, with as many ops before its own as may be repeated, too.
  std::vector<std::vector<OpId>> candidates(const RepeatLook& now) const {
    const auto peak =
        static_cast<std::size_t>(std::ranges::find(now.live, now.peak()) - now.live.begin());
    std::vector<TensorId> waiting;
    for (const TensorId id : now.graph.tensors.keys()) {
      if (waits(now, id, OpId(peak))) waiting.push_back(id);
    }
    std::ranges::stable_sort(waiting, std::greater(),
                             [&](TensorId id) { return *now.graph.tensors[id].bytes; });
    if (waiting.size() > kMostTensors) waiting.resize(kMostTensors);
    std::set<std::vector<OpId>> all;
    for (const TensorId id : waiting) addChains(now, id, peak, all);
    return {all.begin(), all.end()};
  }

  /// True for a tensor that is read before and behind the step, but not in it.
  static bool waits(const RepeatLook& now, TensorId id, OpId step) {
    const Tensor& tensor = now.graph.tensors[id];
    if (!now.planned[id.index()] || tensor.graphOutput || tensor.consumers.empty()) return false;
    if (!tensor.producer || !isRepeatable(now.graph, tensor.producer)) return false;
    return tensor.consumers.front() < step && tensor.consumers.back() > step &&
           std::ranges::count(tensor.consumers, step) == 0;
  }

  void addChains(const RepeatLook& now, TensorId id, std::size_t peak,
                 std::set<std::vector<OpId>>& all) const {
    const Graph& graph = now.graph;
    const auto reader = std::ranges::upper_bound(graph.tensors[id].consumers, OpId(peak));
    std::set<OpId> chain{graph.tensors[id].producer};
    std::int64_t extra = now.extra;
    for (std::set<OpId> added = chain; !added.empty();) {
      for (const OpId op : added)
        extra = checkedAdd(extra, work_[now.ops[op.index()]]).value_or(extra);
      if (extra > most_ || chain.size() > kMostChain) return;
      std::vector<OpId> ops(now.ops.begin(), now.ops.begin() + std::ptrdiff_t(reader->index()));
      for (const OpId op : chain) ops.push_back(now.ops[op.index()]);
      ops.insert(ops.end(), now.ops.begin() + std::ptrdiff_t(reader->index()), now.ops.end());
      all.insert(std::move(ops));
      std::set<OpId> before;
      for (const OpId op : added) addMakers(now, op, *reader, before);
      std::erase_if(before, [&](OpId op) { return chain.contains(op); });
      chain.insert(before.begin(), before.end());
      added = std::move(before);
    }
  }

  /// Adds the producers of inputs of `op` that are no longer live at the step of `reader`.
  void addMakers(const RepeatLook& now, OpId op, OpId reader, std::set<OpId>& makers) const {
    for (const TensorId in : now.graph.reads(op)) {
      const Tensor& tensor = now.graph.tensors[in];
      const bool there = now.lives[in].end > Step(static_cast<std::int64_t>(reader.index()));
      if (!now.planned[in.index()] || there || !tensor.producer) continue;
      if (isRepeatable(now.graph, tensor.producer)) makers.insert(tensor.producer);
    }
  }

  std::shared_ptr<const Graph> graph_;
  const StorageOptions& options_;
  const std::stop_token& stop_;
  IdMap<OpId, std::int64_t> work_;
  std::int64_t total_ = 0;
  std::int64_t most_ = 0;
  std::int64_t looks_ = 0;  ///< Of this descent.
  std::map<std::vector<OpId>, RepeatPrice> prices_;
};

/// The reason why no repeat helps: the op with the most bytes live.
std::string whyNothingRepeats(const RepeatLook& plain, double extraWork) {
  if (plain.ops.empty()) return "there are no operators";
  if (extraWork <= 0) return "no work may be done more than once";
  const auto peak = std::ranges::find(plain.live, plain.peak()) - plain.live.begin();
  return fmt::format(
      "while '{}' runs, which has the most bytes live, nothing waits that {:.4g} % more work could "
      "make again and leave fewer",
      printable(displayName(plain.graph, OpId(static_cast<std::size_t>(peak))), 80),
      extraWork * 100);
}

}  // namespace

Result<Graph> repeatedGraph(std::shared_ptr<const Graph> graph, std::span<const OpId> ops) {
  return RepeatWriter(std::move(graph)).write(ops);
}

bool isRepeatable(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  const OpInfo* info = findOp(op);
  if (info == nullptr || info->kind == OpClass::body || info->special != Special::none)
    return false;
  if (op.folded || !op.captures.empty() || drawsAtRandom(op)) return false;
  const auto keeps = [&](TensorId tensor) { return tensor && graph.tensors[tensor].persistent; };
  if (std::ranges::any_of(op.inputs, keeps) || std::ranges::any_of(op.outputs, keeps)) return false;
  const auto made = std::ranges::count_if(
      op.outputs, [&](TensorId out) { return out && !isScratch(graph, out); });
  return made == 1 && op.outputs[0] && !graph.tensors[op.outputs[0]].graphOutput;
}

Result<RecomputedProgram> recomputed(std::shared_ptr<const Graph> graph, Schedule schedule,
                                     const StorageOptions& options, double extraWork,
                                     const std::stop_token& stop) {
  RepeatSearch search(graph, options, extraWork, stop);
  HW_TRY(found, search.search(schedule.order));
  RecomputedProgram result{std::move(graph), std::move(schedule), {}};
  RecomputeAccount& account = result.account;
  account.whole = account.peak =
      livePeak(shareStorage(*result.graph, result.schedule, options), options.alignment);
  account.work = search.total();
  if (found.ops.size() == result.schedule.order.size()) {
    account.whyNot = whyNothingRepeats(found, extraWork);
    return result;
  }
  account.peak = found.peak();
  account.extra = found.extra;
  account.repeats = found.ops.size() - result.schedule.order.size();
  std::set<OpId> again;
  std::set<OpId> seen;
  for (const OpId op : found.ops) {
    if (!seen.insert(op).second) again.insert(op);
  }
  account.ops = again.size();
  result.graph = std::make_shared<const Graph>(std::move(found.graph));
  result.schedule = givenOrder(*result.graph);
  return result;
}

std::string repeatText(const Graph& graph, TensorId tensor) {
  if (!graph.tiling || !graph.tensors[tensor].producer || !graph.tiling->wholeOf[tensor]) return {};
  std::string makers;
  std::size_t times = 0;
  for (const TensorId id : graph.tensors.keys()) {
    const OpId maker = graph.tensors[id].producer;
    const bool same = graph.tiling->wholeOf[id] == graph.tiling->wholeOf[tensor] &&
                      batchOf(graph, id) == batchOf(graph, tensor);
    if (!maker || !same) continue;
    // Ops with repeats are in the order in which they run.
    makers += fmt::format("{} by '{}' at step {}", times++ == 0 ? "" : ",",
                          printable(displayName(graph, maker), 60), maker.index());
  }
  return times < 2 ? std::string() : fmt::format("made {} times:{}", times, makers);
}

std::string recomputeText(const RecomputeAccount& account) {
  if (account.repeats == 0) return "nothing runs again: " + account.whyNot;
  const std::string often = account.repeats == account.ops
                                ? ""
                                : fmt::format(", {} times in all", groupDigits(account.repeats));
  return fmt::format(
      "{} again{}: at most {} bytes are live at once, not {}; {:.2g} % more work is done",
      account.ops == 1 ? "1 operator runs" : fmt::format("{} operators run", account.ops), often,
      groupDigits(account.peak.count()), groupDigits(account.whole.count()),
      100.0 * static_cast<double>(account.extra) /
          static_cast<double>(std::max<std::int64_t>(account.work, 1)));
}

}  // namespace hw
