#include "core/insight/measured_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/insight/runtime_plan.h"
#include "core/ops/op_table.h"
#include "core/plan/overlap_use.h"
#include "core/run/figures.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

/// Operators by name, one without by that which it is shown with; none where several have it.
std::unordered_map<std::string, OpId> operatorNames(const Graph& graph) {
  std::unordered_map<std::string, OpId> names;
  for (const OpId id : graph.ops.keys()) {
    if (graph.ops[id].name.empty()) continue;
    const auto [at, isNew] = names.try_emplace(graph.ops[id].name, id);
    if (!isNew) at->second = OpId();
  }
  for (const OpId id : graph.ops.keys()) {
    if (graph.ops[id].name.empty()) names.try_emplace(displayName(graph, id), id);
  }
  return names;
}

/// Those that a runtime numbers, in the order of the file.
std::vector<OpId> numberedOperators(const Graph& graph) {
  std::vector<OpId> ids;
  for (const OpId id : graph.ops.keys()) {
    if (graph.ops[id].type != "Constant") ids.push_back(id);
  }
  return ids;
}

bool sameType(const Graph& graph, OpId id, const MeasuredOperator& op) {
  return op.type.empty() || graph.ops[id].type == op.type;
}

OpId numbered(const std::vector<OpId>& ids, const MeasuredOperator& op) {
  if (!op.index || *op.index < 0 || *op.index >= static_cast<std::int64_t>(ids.size())) return {};
  return ids[static_cast<std::size_t>(*op.index)];
}

/// Every order of a graph's operators in which what is needed comes first.
class NeededFirst {
 public:
  explicit NeededFirst(const Graph& graph) : graph_(graph), done_(graph.ops.size()) {}

  /// Runs `op`, before it all that it needs.
  void run(OpId op) {
    std::vector<OpId> waiting{op};
    while (!waiting.empty()) {
      const OpId next = waiting.back();
      if (done_[next]) {
        waiting.pop_back();
        continue;
      }
      bool ready = true;
      for (const TensorId in : graph_.reads(next)) {
        const OpId producer = graph_.tensors[in].producer;
        if (!producer || done_[producer]) continue;
        waiting.push_back(producer);
        ready = false;
      }
      if (!ready) continue;
      done_[next] = true;
      order_.push_back(next);
      waiting.pop_back();
    }
  }

  std::vector<OpId> order() && {
    for (const OpId id : graph_.ops.keys()) run(id);
    return std::move(order_);
  }

 private:
  const Graph& graph_;
  IdMap<OpId, bool> done_;
  std::vector<OpId> order_;
};

/// A longest common subsequence of what was measured and of the graph's operators by their classes.
std::vector<OpId> matchClasses(const Graph& graph, const OperatorProfile& profile) {
  constexpr std::size_t kMostPairs = 16'000'000;
  const std::vector<OpId> ids = numberedOperators(graph);
  const std::size_t rows = profile.ops.size();
  const std::size_t columns = ids.size();
  std::vector<OpId> matched(rows);
  if (rows * columns > kMostPairs) return matched;
  std::vector<OpClass> kinds;
  std::ranges::transform(ids, std::back_inserter(kinds), [&](OpId id) {
    const OpInfo* info = findOp(graph.ops[id]);
    return info == nullptr ? OpClass::elements : info->kind;
  });
  const auto same = [&](std::size_t row, std::size_t column) {
    return profile.ops[row].kind == kinds[column];
  };
  // How many are matched of those from a row and a column on.
  std::vector<std::uint32_t> most((rows + 1) * (columns + 1));
  const auto at = [&](std::size_t row, std::size_t column) -> std::uint32_t& {
    return most[row * (columns + 1) + column];
  };
  for (std::size_t row = rows; row-- > 0;) {
    for (std::size_t column = columns; column-- > 0;) {
      at(row, column) = same(row, column) ? at(row + 1, column + 1) + 1
                                          : std::max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (std::size_t row = 0, column = 0; row < rows && column < columns;) {
    if (same(row, column)) {
      matched[row++] = ids[column++];
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      ++row;
    } else {
      ++column;
    }
  }
  return matched;
}

}  // namespace

std::vector<OpId> matchOperators(const Graph& graph, const OperatorProfile& profile) {
  if (std::ranges::any_of(profile.ops, [](const auto& op) { return op.kind.has_value(); })) {
    return matchClasses(graph, profile);
  }
  const auto names = operatorNames(graph);
  const std::vector<OpId> ids = numberedOperators(graph);
  const bool numbersAgree = std::ranges::all_of(profile.ops, [&](const MeasuredOperator& op) {
    const OpId id = numbered(ids, op);
    return id && graph.ops[id].type == op.type;
  });
  // A number that stands for the name means that operator, whatever the others do.
  const auto byNumber = [&](const MeasuredOperator& op) {
    return numbersAgree || (op.index && op.name == std::to_string(*op.index));
  };
  IdMap<OpId, bool> taken(graph.ops.size());
  std::vector<OpId> matched;
  for (const MeasuredOperator& op : profile.ops) {
    const auto named = names.find(op.name);
    OpId id = named == names.end() ? OpId() : named->second;
    if (id && (taken[id] || !sameType(graph, id, op))) id = OpId();
    if (!id && byNumber(op)) id = numbered(ids, op);
    if (id && (taken[id] || !sameType(graph, id, op))) id = OpId();
    if (id) taken[id] = true;
    matched.push_back(id);
  }
  return matched;
}

std::optional<std::vector<OpMove>> measuredOrder(const Graph& graph,
                                                 const std::vector<OpId>& matched) {
  NeededFirst needed(graph);
  for (const OpId id : matched) {
    if (id) needed.run(id);
  }
  const std::vector<OpId> wanted = std::move(needed).order();
  // The operators still to come, in the order of the graph: all before are where they should be.
  std::vector<OpMove> moves;
  IdMap<OpId, bool> placed(graph.ops.size());
  std::size_t next = 0;
  for (const OpId id : wanted) {
    while (placed[OpId(next)]) ++next;
    if (id != OpId(next)) {
      if (moves.size() == kMostMoves) return std::nullopt;
      moves.push_back({.op = id, .anchor = OpId(next), .side = OpMove::Side::before});
    }
    placed[id] = true;
  }
  return moves;
}

AliasRules runtimeAlias() {
  AliasRules rules = AliasRules::none();
  rules.reshape = true;
  return rules;
}

Result<RunRequest> measuredRequest(const Graph& graph, const OperatorProfile& profile,
                                   RunRequest request) {
  if (request.order != OpOrder::given || !request.moves.empty()) {
    return fail(ErrorCode::invalidArgument,
                "beside a measurement operators run in the order that was measured; no other can "
                "be asked for");
  }
  if (request.recompute || request.tile != TileRule::off || request.inputs == InputPlace::rows ||
      request.channelsLast) {
    return fail(ErrorCode::invalidArgument,
                "beside a measurement every operator runs once, whole, and as the model has it; "
                "--recompute, --tile, --inputs rows and --layout nhwc cannot be asked for");
  }
  const std::vector<OpId> matched = matchOperators(graph, profile);
  if (std::ranges::none_of(matched, [](OpId id) { return bool(id); })) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("none of the {} operators that were measured is in the model",
                            groupDigits(matched.size())));
  }
  auto moves = measuredOrder(graph, matched);
  if (!moves) {
    return fail(ErrorCode::unsupported,
                fmt::format("operators were measured in an order more than {} moves from that of "
                            "the model",
                            groupDigits(kMostMoves)));
  }
  request.moves = std::move(*moves);
  return request;
}

namespace {

/// Bytes as an operator begins, while it runs, and behind it.
struct Passage {
  std::int64_t begin = 0, live = 0, end = 0;
  std::int64_t takes() const { return live - begin; }
  std::int64_t frees() const { return live - end; }
};

/// Bytes of some blocks that are live, step by step.
class SimulatedBytes {
 public:
  SimulatedBytes(const std::vector<RuntimeBlock>& blocks, Step end, StepFunction live)
      : live_(std::move(live)) {
    const auto steps = index(end);
    carried_.resize(steps + 1);
    ending_.resize(steps + 1);
    // Blocks that are there at a step and at the one before it.
    for (const RuntimeBlock& block : blocks) {
      carried_[index(block.steps.begin) + 1] += block.size.count();
      carried_[index(block.steps.end)] -= block.size.count();
      ending_[index(block.steps.end)].push_back(block.size.count());
    }
    for (std::size_t i = 1; i <= steps; ++i) carried_[i] += carried_[i - 1];
  }

  Passage at(Step step) const {
    return {carried_[index(step)], live_.at(step).count(), carried_[index(step) + 1]};
  }
  /// Sizes of what is last live at `step`.
  const std::vector<std::int64_t>& ending(Step step) const { return ending_[index(step) + 1]; }
  const StepFunction& live() const { return live_; }

 private:
  static std::size_t index(Step step) { return static_cast<std::size_t>(step.count()); }

  StepFunction live_;
  std::vector<std::int64_t> carried_;
  std::vector<std::vector<std::int64_t>> ending_;
};

constexpr std::array<std::string_view, 16> kReasonNames = {"",
                                                           "in place",
                                                           "takes over kept bytes",
                                                           "kept for a later one",
                                                           "given back later",
                                                           "nobody reads it, kept to the end",
                                                           "given back earlier",
                                                           "copied, simulated as shared",
                                                           "shared, simulated as a copy",
                                                           "scratch that is kept",
                                                           "temporaries",
                                                           "dynamic shape",
                                                           "other output size",
                                                           "constant folded",
                                                           "fused or eliminated",
                                                           "inserted or fused"};

/// The stays of a run as what a runtime would take.
std::vector<RuntimeBlock> blocksOf(const Problem& problem) {
  std::vector<RuntimeBlock> blocks;
  for (const Stay& stay : problem.stays) blocks.push_back({stay.steps, stay.size});
  return blocks;
}

RuntimePlan runtimePlan(const Run& run, const std::vector<OpId>& matched,
                        const RuntimeShapes& shapes) {
  const Graph& graph = run.graph();
  RuntimeProgram program{.graph = graph, .schedule = run.schedule, .shapes = shapes};
  program.ran.resize(graph.ops.size());
  for (const OpId id : matched) {
    if (id) program.ran[id] = true;
  }
  return planAsRuntime(program);
}

class Beside {
 public:
  Beside(const Run& run, const OperatorProfile& profile, const MeasuredBeside& beside)
      : run_(run),
        profile_(profile),
        graph_(run.graph()),
        asRuntime_(beside.asRuntime),
        matched_(matchOperators(graph_, profile)),
        runtime_(runtimePlan(run, matched_, beside.shapes)),
        expected_(liveBytes(runtime_.blocks, run.problem.steps)),
        simulated_(asRuntime_ ? runtime_.blocks : blocksOf(run.problem), run.problem.steps,
                   asRuntime_ ? expected_ : liveBytes(run.problem, run.plan)) {}

  MeasuredDiff diff() {
    diff_.memory = profile_.hasMemory();
    const std::vector<OpId>& matched = matched_;
    IdMap<OpId, std::optional<std::size_t>> events(graph_.ops.size());
    for (std::size_t i = 0; i < matched.size(); ++i) {
      if (matched[i]) events[matched[i]] = i;
    }
    std::size_t next = 0;  // Of the events that the model does not know.
    const auto insertBefore = [&](std::size_t end) {
      for (; next < end; ++next) {
        if (!matched[next]) addInserted(next);
      }
    };
    for (const OpId op : run_.schedule.order) {
      if (events[op]) insertBefore(*events[op]);
      addStep(op, events[op]);
    }
    insertBefore(matched.size());
    sum();
    addNotes();
    return std::move(diff_);
  }

 private:
  MeasuredRow& newRow(std::optional<std::size_t> event) {
    MeasuredRow& row = diff_.rows.emplace_back();
    row.event = event;
    if (!event) return row;
    const MeasuredOperator& op = profile_.ops[*event];
    row.op = op.name;
    row.type = op.type;
    row.measuredOutput = op.outputs;
    row.micros = op.micros;
    if (diff_.memory) row.measuredLive = profile_.liveAt(*event);
    if (op.inUse && op.after) row.rounding = std::max(Bytes(), *op.inUse - *op.after);
    if (*event == 0) return row;
    const MeasuredOperator& before = profile_.ops[*event - 1];
    if (op.peak && op.inUse && before.peak) {
      row.temporaries = std::max(Bytes(), *op.peak - std::max(*before.peak, *op.inUse));
    }
    return row;
  }

  /// Only where memory was recorded. Behind the last one nothing is known: `frees` is as simulated.
  Passage measured(std::size_t event, std::int64_t frees) const {
    const std::int64_t standing = profile_.standing().count();
    const std::int64_t live = profile_.liveAt(event).count();
    const bool last = event + 1 == profile_.ops.size();
    return {profile_.ops[event].before->count() - standing, live,
            last ? live - frees : profile_.ops[event + 1].before->count() - standing};
  }

  void addInserted(std::size_t event) {
    MeasuredRow& row = newRow(event);
    row.reason = MeasuredReason::inserted;
    if (!diff_.memory) return;
    const Passage theirs = measured(event, 0);
    row.takes = theirs.takes();
    row.keeps = -theirs.frees();
  }

  void addStep(OpId id, std::optional<std::size_t> event) {
    const Op& op = graph_.ops[id];
    MeasuredRow& row = newRow(event);
    const Step step = run_.schedule.stepOf[id];
    const Passage ours = simulated_.at(step);
    row.op = displayName(graph_, id);
    row.type = op.type;
    row.step = step;
    row.simulatedLive = Bytes(ours.live);
    row.simulatedOutput = outputBytes(op);
    if (!event) {
      row.reason = op.folded ? MeasuredReason::folded : MeasuredReason::eliminated;
      if (!diff_.memory) return;
      row.takes = -ours.takes();
      row.keeps = ours.frees();
      return;
    }
    ++diff_.matched;
    if (!diff_.memory) return addOutputs(op, row);
    const Passage theirs = measured(*event, ours.frees());
    row.takes = theirs.takes() - ours.takes();
    row.keeps = ours.frees() - theirs.frees();
    giveReason(id, row);
    if (row.reason != MeasuredReason::inPlace && row.reason != MeasuredReason::copied) {
      settleKept(id, row, diff_.rows.size() - 1);
    }
    const bool quiet = row.takes == 0 && row.keeps == 0;
    if (quiet && row.temporaries > Bytes()) row.reason = MeasuredReason::temporaries;
  }

  /// Nothing where one of them is not known.
  std::optional<Bytes> outputBytes(const Op& op) const {
    Bytes sum;
    for (const TensorId out : op.outputs) {
      if (!out) continue;
      const auto& bytes = graph_.tensors[out].bytes;
      if (!bytes) return std::nullopt;
      sum += *bytes;
    }
    return sum;
  }

  /// Compares outputs where only these are recorded.
  void addOutputs(const Op& op, MeasuredRow& row) const {
    if (!row.measuredOutput || !sizesDiffer(row)) return;
    row.takes = row.measuredOutput->count() - row.simulatedOutput.value_or(Bytes()).count();
    row.reason = sizeReason(op);
  }

  static bool sizesDiffer(const MeasuredRow& row) {
    return row.measuredOutput && row.measuredOutput != row.simulatedOutput;
  }

  MeasuredReason sizeReason(const Op& op) const {
    const auto isOpen = [&](TensorId out) {
      if (!out) return false;
      const SizeOrigin origin = graph_.tensors[out].origin;
      return origin == SizeOrigin::unknown || origin == SizeOrigin::assumed;
    };
    return std::ranges::any_of(op.outputs, isOpen) ? MeasuredReason::dynamicShape
                                                   : MeasuredReason::otherSize;
  }

  void giveReason(OpId id, MeasuredRow& row) {
    const Op& op = graph_.ops[id];
    if (row.takes == 0) return;
    if (sizesDiffer(row) && !op.folded) {
      row.reason = sizeReason(op);
    } else if (row.takes > 0) {
      row.reason = op.folded         ? MeasuredReason::folded
                   : sharesInput(op) ? MeasuredReason::copied
                                     : MeasuredReason::scratch;
    } else if (row.keeps == -row.takes && couldOverwrite(id, Bytes(row.keeps))) {
      row.reason = MeasuredReason::inPlace;
    } else if (const auto kept = kept_.find(-row.takes); kept != kept_.end()) {
      MeasuredRow& keeper = diff_.rows[kept->second];
      row.reason = MeasuredReason::takesOver;
      row.with = keeper.op;
      keeper.reason = MeasuredReason::kept;
      keeper.with = row.op;
      kept_.erase(kept);
    } else if (const OpInfo* info = findOp(op); info && info->view != ViewFamily::none) {
      row.reason = MeasuredReason::view;
      outside_.emplace(-row.takes, diff_.rows.size() - 1);
    }
    if (row.reason == MeasuredReason::none && couldOverwrite(id, Bytes(-row.takes))) {
      row.reason = MeasuredReason::inPlace;
    }
  }

  /// Bytes of outputs that nobody reads.
  Bytes unreadOf(OpId id) const {
    Bytes sum;
    for (const TensorId out : graph_.ops[id].outputs) {
      if (out && isUnread(graph_, out)) sum += graph_.tensors[out].bytes.value_or(Bytes());
    }
    return sum;
  }

  /// Finds what is kept behind it, or what earlier ones kept and goes now.
  void settleKept(OpId id, MeasuredRow& row, std::size_t at) {
    if (row.keeps > 0 && unreadOf(id) == Bytes(row.keeps)) {
      if (row.reason == MeasuredReason::none) row.reason = MeasuredReason::unread;
      return;
    }
    if (const auto owed = outside_.find(row.keeps); row.keeps > 0 && owed != outside_.end()) {
      if (row.reason == MeasuredReason::none) {
        row.reason = MeasuredReason::view;
        row.with = diff_.rows[owed->second].op;
      }
      outside_.erase(owed);
      return;
    }
    if (row.keeps > 0) {
      std::int64_t rest = row.keeps;
      for (const std::int64_t size : simulated_.ending(*row.step)) {
        if (size > rest) continue;
        kept_.emplace(size, at);
        rest -= size;
      }
      if (rest > 0) kept_.emplace(rest, at);
      if (row.reason == MeasuredReason::none) row.reason = MeasuredReason::keptLonger;
      return;
    }
    if (row.keeps == 0) return;
    const auto kept = kept_.find(-row.keeps);
    if (kept != kept_.end()) {
      MeasuredRow& keeper = diff_.rows[kept->second];
      if (keeper.reason == MeasuredReason::keptLonger) keeper.with = row.op;
      if (row.reason == MeasuredReason::none) {
        row.reason = MeasuredReason::keptLonger;
        row.with = keeper.op;
      }
      kept_.erase(kept);
    } else if (row.reason == MeasuredReason::none) {
      row.reason = MeasuredReason::earlier;
    }
  }

  bool sharesInput(const Op& op) const {
    const auto together = [&](TensorId a, TensorId b) {
      if (!a || !b) return false;
      if (asRuntime_) return runtime_.homes[a] == runtime_.homes[b];
      const BufferId buffer = run_.storage.bufferOf(a);
      return buffer && run_.storage.bufferOf(b) == buffer;
    };
    return std::ranges::any_of(op.outputs, [&](TensorId out) {
      return std::ranges::any_of(op.inputs, [&](TensorId in) { return together(in, out); });
    });
  }

  /// True if it could be written over an input of that size. Of what nobody knows, too.
  bool couldOverwrite(OpId id, Bytes size) const {
    const Op& op = graph_.ops[id];
    const auto inputs = findOp(op) == nullptr ? graph_.reads(id) : overwritable(graph_, op);
    return std::ranges::any_of(inputs, [&](TensorId in) {
      return in && !graph_.tensors[in].constant && graph_.tensors[in].bytes == size;
    });
  }

  void sum() {
    diff_.simulatedPeak = simulated_.live().max();
    const Step at = simulated_.live().argMax();
    for (std::size_t i = 0; i < diff_.rows.size(); ++i) {
      const MeasuredRow& row = diff_.rows[i];
      if (row.step == at) diff_.simulatedAt = i;
      if (row.measuredLive && *row.measuredLive > diff_.measuredPeak) {
        diff_.measuredPeak = *row.measuredLive;
        diff_.measuredAt = i;
      }
    }
    for (const MeasuredOperator& op : profile_.ops) {
      diff_.inUse = std::max(diff_.inUse, op.peak);
      diff_.held = std::max(diff_.held, op.held);
    }
    diff_.expectedPeak = expected_.max();
    diff_.planned = figuresOf(run_).peak();
    diff_.standing = profile_.standing();
  }

  void addNotes() {
    std::vector<std::string>& notes = diff_.notes;
    const auto count = [&](MeasuredReason reason, bool ran) {
      return std::ranges::count_if(diff_.rows, [&](const MeasuredRow& row) {
        return row.reason == reason && bool(row.event) == ran;
      });
    };
    const auto say = [&](std::int64_t number, const char* what) {
      if (number > 0) notes.push_back(groupDigits(number) + what);
    };
    say(count(MeasuredReason::eliminated, false),
        " operators of the model did not run: they were fused into others, or left out");
    say(count(MeasuredReason::folded, false),
        " operators are computed from weights before the model runs, in both");
    say(count(MeasuredReason::inserted, true),
        " operators ran that the model does not have: put in by the runtime, or several fused");
    if (!diff_.memory) {
      notes.emplace_back(
          "the profile does not tell what was asked for: only sizes of outputs are compared");
    }
    std::int64_t inside = 0;
    for (const MeasuredOperator& op : profile_.ops) inside += static_cast<std::int64_t>(op.inside);
    say(inside, " operators ran inside bodies and count for the operator around them");
    if (profile_.runs > 1) {
      notes.push_back(fmt::format("the profile has {} runs; this is the first", profile_.runs));
    }
    if (profile_.cutOff) notes.emplace_back("the profile ends before its list does");
    const std::size_t unsized = run_.storage.unsized.size();
    if (unsized > 0) {
      notes.push_back(fmt::format("{} tensors have no size in the simulation", unsized));
    }
  }

  const Run& run_;
  const OperatorProfile& profile_;
  const Graph& graph_;
  bool asRuntime_;
  std::vector<OpId> matched_;
  RuntimePlan runtime_;
  StepFunction expected_;
  SimulatedBytes simulated_;
  MeasuredDiff diff_;
  std::multimap<std::int64_t, std::size_t> kept_;  ///< Bytes that were kept, and by which row.
  /// Bytes that only the simulation takes, and by which row: when they go, nothing is measured.
  std::multimap<std::int64_t, std::size_t> outside_;
};

}  // namespace

std::string_view measuredReasonName(MeasuredReason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}

Bytes MeasuredRow::weight() const {
  return std::max({Bytes(std::abs(takes)), Bytes(std::abs(keeps)), temporaries});
}

std::vector<std::size_t> MeasuredDiff::largestFirst() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].differs()) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return rows[i].weight(); });
  return order;
}

bool MeasuredDiff::equal() const {
  return std::ranges::all_of(
      rows, [](const MeasuredRow& row) { return row.takes == 0 && row.keeps == 0; });
}

MeasuredDiff diffMeasured(const Run& run, const OperatorProfile& profile,
                          const MeasuredBeside& beside) {
  return Beside(run, profile, beside).diff();
}

}  // namespace hw
