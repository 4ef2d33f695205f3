#include "core/import/plans/planned_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/import/plans/unknown_parts.h"
#include "core/rewrite/graph_builder.h"

namespace hw {
namespace {

Result<void> checkRows(const PlannedRows& plan) {
  for (const PlannedRow& row : plan.rows) {
    const auto refuse = [&](const std::string& what) {
      return fail(ErrorCode::malformed,
                  fmt::format("buffer '{}' {}", printable(row.name, 80), what));
    };
    if (row.first < 0 || row.last < row.first) {
      return refuse(fmt::format("is live from step {} to step {}", row.first, row.last));
    }
    if (row.last >= kMaxStep.count()) {
      return refuse(fmt::format("is live until step {}; at most {} are read", row.last,
                                groupDigits(kMaxStep.count())));
    }
    if (row.size < Bytes() || row.size > kMaxBytes ||
        (row.offset && (*row.offset < Bytes() || *row.offset > kMaxBytes))) {
      return refuse("has a size or an offset that cannot be");
    }
  }
  return {};
}

/// The steps of a plan that become operators: all, unless most are idle, because nothing begins or
/// ends at them and they have no name. Then only the others do, so that a graph grows with the
/// plan's rows and not with the numbers in them; who lives at the same time stays the same.
class KeptSteps {
 public:
  explicit KeptSteps(const PlannedRows& plan) {
    count_ = static_cast<std::int64_t>(std::max<std::size_t>(plan.steps.size(), 1));
    for (const PlannedRow& row : plan.rows) count_ = std::max(count_, row.last + 1);
    const std::size_t few = 1024 + plan.steps.size() + 4 * plan.rows.size();
    if (static_cast<std::size_t>(count_) <= few) return;
    kept_.resize(std::max<std::size_t>(plan.steps.size(), 1));
    std::iota(kept_.begin(), kept_.end(), std::int64_t{0});
    for (const PlannedRow& row : plan.rows) kept_.insert(kept_.end(), {row.first, row.last});
    std::ranges::sort(kept_);
    // Clang 14 cannot use the subrange that std::ranges::unique returns.
    kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
  }

  std::size_t size() const {
    return kept_.empty() ? static_cast<std::size_t>(count_) : kept_.size();
  }
  /// Of the plan, those left out included.
  std::int64_t all() const { return count_; }
  std::int64_t step(std::size_t place) const {
    return kept_.empty() ? static_cast<std::int64_t>(place) : kept_[place];
  }
  std::size_t place(std::int64_t step) const {
    if (kept_.empty()) return static_cast<std::size_t>(step);
    return static_cast<std::size_t>(std::ranges::lower_bound(kept_, step) - kept_.begin());
  }

 private:
  std::int64_t count_ = 0;
  std::vector<std::int64_t> kept_;  ///< Ascending; empty: all.
};

/// Of a plan, what it takes; of all else, what it says itself.
void noteWhatItIs(PlannedRows& plan, const KeptSteps& steps) {
  if (!plan.is.empty()) {
    plan.notes.insert(plan.notes.begin(), plan.is);
    return;
  }
  Bytes top;
  std::size_t placed = 0;
  for (const PlannedRow& row : plan.rows) {
    if (!row.offset) continue;
    top = std::max(top, *row.offset + row.size);
    ++placed;
  }
  plan.notes.insert(
      plan.notes.begin(),
      fmt::format("this is a plan of {} buffers over {} steps; it takes {} bytes, and --allocator "
                  "embedded follows it",
                  plan.rows.size(), groupDigits(steps.all()), groupDigits(top.count())));
  if (placed < plan.rows.size()) {
    plan.notes.push_back(fmt::format("{} buffers have no offset in it", plan.rows.size() - placed));
  }
}

void noteLeftOut(PlannedRows& plan, const KeptSteps& steps) {
  const std::int64_t idle = steps.all() - static_cast<std::int64_t>(steps.size());
  if (idle == 0) return;
  plan.notes.push_back(
      fmt::format("nothing begins or ends at {} of its steps, which are left out; the others are "
                  "named by their numbers",
                  groupDigits(idle)));
}

/// The operators that steps are parts of, and what goes between them.
class WholesBuilder {
 public:
  explicit WholesBuilder(const PlannedRows& plan) : builder_(plan.name, plan.format) {
    for (const PlannedWhole& whole : plan.wholes) addOp(whole);
    for (const PlannedStep& step : plan.steps) opOfStep_.push_back(step.of);
    for (const PlannedRow& row : plan.rows) {
      rows_.push_back(row.of.empty() ? GraphBuilder::kAbsent : handle(row.of));
      if (row.output && !row.of.empty()) outputs_.insert(rows_.back());
    }
  }

  /// `graph` has an operator for each step, and rows have these `ids`. Null where the names
  /// contradict each other: an operator would need what it makes, or two would make one tensor.
  std::shared_ptr<const Wholes> build(const Graph& graph, const std::vector<TensorId>& ids) && {
    for (Handle each = 0; each < builder_.tensorCount(); ++each) {
      if (!made_.contains(each)) builder_.addInput(each);
    }
    for (const Handle output : outputs_) builder_.addOutput(output);
    std::vector<TensorId> wholeIds;
    auto built = std::move(builder_).build(wholeIds);
    if (!built || graph.ops.size() != opOfStep_.size()) return nullptr;
    auto wholes = std::make_shared<Wholes>();
    wholes->graph = std::move(*built);
    wholes->opOf.resize(graph.ops.size());
    wholes->tensorOf.resize(graph.tensors.size());
    for (const OpId op : graph.ops.keys()) {
      const auto of = opOfStep_[op.index()];
      if (of) wholes->opOf[op] = wholes->graph.tensors[wholeIds[firsts_[*of]]].producer;
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (rows_[row] != GraphBuilder::kAbsent) wholes->tensorOf[ids[row]] = wholeIds[rows_[row]];
    }
    return wholes;
  }

 private:
  using Handle = GraphBuilder::Handle;

  Handle handle(const std::string& name) {
    const auto [known, added] = handles_.try_emplace(name, builder_.tensorCount());
    if (added) builder_.addTensor({.name = name, .unknownReason = "it is there in parts only"});
    return known->second;
  }

  void addOp(const PlannedWhole& whole) {
    GraphBuilder::OpParts parts{
        .op = {.name = whole.outputs.front(), .type = whole.type, .domain = whole.domain}};
    for (const std::string& input : whole.inputs) parts.inputs.push_back(handle(input));
    for (const std::string& output : whole.outputs) parts.outputs.push_back(handle(output));
    made_.insert(parts.outputs.begin(), parts.outputs.end());
    firsts_.push_back(parts.outputs.front());
    builder_.addOp(std::move(parts));
  }

  GraphBuilder builder_;
  std::map<std::string, Handle> handles_;
  std::set<Handle> made_;
  std::set<Handle> outputs_;
  std::vector<Handle> firsts_;  ///< What each operator makes, the first of it.
  std::vector<std::optional<std::size_t>> opOfStep_;
  std::vector<Handle> rows_;  ///< What each is of.
};

/// Makes the graph of a plan, which it takes apart: handles of the builder are rows.
class PlanGraph {
 public:
  PlanGraph(PlannedRows& plan, const KeptSteps& steps)
      : plan_(plan), steps_(steps), uses_(steps.size()), builder_(plan.name, plan.format) {}

  Result<Graph> build() && {
    std::optional<WholesBuilder> wholes;
    if (!plan_.wholes.empty()) wholes.emplace(plan_);
    builder_.reserve(plan_.rows.size(), uses_.size());
    for (PlannedRow& row : plan_.rows) addRow(std::move(row));
    std::exchange(plan_.rows, {});  // Assigning {} would keep the memory.
    for (std::size_t i = 0; i < uses_.size(); ++i) addStep(i);
    std::exchange(plan_.steps, {});
    std::vector<TensorId> ids;
    HW_TRY(graph, std::move(builder_).build(ids));
    if (wholes) graph.wholes = std::move(*wholes).build(graph, ids);
    if (plan_.isInParts && !graph.wholes) {
      plan_.notes.emplace_back("the operators that these are parts of are not told by their names");
    }
    // Steps are not operators: remarks on how they hang together mean nothing.
    graph.notes = plan_.notes;
    return std::move(graph);
  }

 private:
  struct Uses {
    std::vector<GraphBuilder::Handle> inputs{};
    std::vector<GraphBuilder::Handle> outputs{};
    std::vector<std::size_t> unknownLives{};  ///< Among its outputs.
  };

  void addStep(std::size_t place) {
    const std::string number = std::to_string(steps_.step(place));
    PlannedStep step{.name = number};
    if (place < plan_.steps.size()) step = std::move(plan_.steps[place]);
    GraphBuilder::OpParts parts{.op = {.name = std::move(step.name),
                                       .type = step.type.empty() ? "Step" : std::move(step.type),
                                       .domain = std::move(step.domain),
                                       .attributes = std::move(step.attributes)},
                                .inputs = std::move(uses_[place].inputs),
                                .outputs = std::move(uses_[place].outputs),
                                .where = "step " + number};
    for (const std::size_t output : uses_[place].unknownLives) markUnknownLife(parts.op, output);
    builder_.addOp(std::move(parts));
  }

  void addRow(PlannedRow row) {
    const GraphBuilder::Handle handle = builder_.addTensor({.name = std::move(row.name),
                                                            .dtype = row.dtype,
                                                            .shape = std::move(row.shape),
                                                            .bytes = row.size,
                                                            .origin = SizeOrigin::declared,
                                                            .plannedOffset = row.offset});
    const std::size_t first = steps_.place(row.first);
    const std::size_t last = steps_.place(row.last);
    const bool handedIn = row.input && first == 0;
    if (handedIn) builder_.addInput(handle);
    if (row.lifeUnknown && !handedIn) {
      uses_[first].unknownLives.push_back(uses_[first].outputs.size());
    }
    if (!handedIn) uses_[first].outputs.push_back(handle);
    if (handedIn || last > first) uses_[last].inputs.push_back(handle);
    if (row.output && last + 1 == uses_.size()) builder_.addOutput(handle);
  }

  PlannedRows& plan_;
  const KeptSteps& steps_;
  std::vector<Uses> uses_;  ///< By place of the step.
  GraphBuilder builder_;
};

std::string poolNames(const PlannedRows& plan) {
  return joinText(plan.pools, ", ", [](const ModelPart& pool) { return printable(pool.key, 80); });
}

}  // namespace

Result<Model> planModel(PlannedRows plan) {
  HW_DO(checkRows(plan));
  const KeptSteps steps(plan);
  noteWhatItIs(plan, steps);
  noteLeftOut(plan, steps);
  if (plan.pools.size() > 1) {
    plan.notes.push_back(fmt::format("this is memory {}; --subgraph chooses among {}",
                                     printable(plan.pools[plan.pool].key, 80), poolNames(plan)));
  }
  const auto guessed = std::ranges::count_if(plan.rows, &PlannedRow::lifeUnknown);
  if (guessed > 0) {
    plan.unknown.push_back(guessed == 1 ? "the life of 1 buffer"
                                        : fmt::format("the lives of {} buffers", guessed));
  }
  if (!plan.unknown.empty()) plan.notes.push_back(unknownNote(plan.unknown));
  HW_TRY(graph, PlanGraph(plan, steps).build());
  Model model{.name = plan.name};
  model.graph = std::make_shared<const Graph>(std::move(graph));
  if (plan.pools.size() > 1) {
    model.parts = std::move(plan.pools);
    model.part = plan.pool;
  }
  return model;
}

Result<std::size_t> choosePool(PlannedRows& plan, const std::string& wanted, std::size_t standard) {
  plan.pool = standard;
  if (wanted.empty()) return plan.pool;
  const auto found = std::ranges::find(plan.pools, wanted, &ModelPart::key);
  if (found != plan.pools.end()) {
    plan.pool = static_cast<std::size_t>(found - plan.pools.begin());
    return plan.pool;
  }
  return fail(ErrorCode::invalidArgument, fmt::format("the plan has no memory '{}'; it has {}",
                                                      printable(wanted, 80), poolNames(plan)));
}

}  // namespace hw
