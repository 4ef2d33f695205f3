#include "core/import/plans/planned_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/import/graph_builder.h"
#include "core/import/plans/unknown_parts.h"

namespace hw {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000;

Result<std::int64_t> stepsOf(const PlannedRows& plan) {
  auto steps = static_cast<std::int64_t>(std::max<std::size_t>(plan.steps.size(), 1));
  for (const PlannedRow& row : plan.rows) {
    const auto refuse = [&](const std::string& what) {
      return fail(ErrorCode::malformed,
                  fmt::format("buffer '{}' {}", printable(row.name, 80), what));
    };
    if (row.first < 0 || row.last < row.first) {
      return refuse(fmt::format("is live from step {} to step {}", row.first, row.last));
    }
    if (row.last >= kMostSteps) {
      return refuse(fmt::format("is live until step {}; at most {} are read", row.last,
                                groupDigits(kMostSteps)));
    }
    if (row.size < Bytes() || row.size > kMaxBytes ||
        (row.offset && (*row.offset < Bytes() || *row.offset > kMaxBytes))) {
      return refuse("has a size or an offset that cannot be");
    }
    steps = std::max(steps, row.last + 1);
  }
  return steps;
}

/// Of a plan, what it takes; of all else, what it says itself.
void noteWhatItIs(PlannedRows& plan, std::int64_t steps) {
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
                  plan.rows.size(), groupDigits(steps), groupDigits(top.count())));
  if (placed < plan.rows.size()) {
    plan.notes.push_back(fmt::format("{} buffers have no offset in it", plan.rows.size() - placed));
  }
}

/// Makes the graph: handles of the builder are rows.
class PlanGraph {
 public:
  PlanGraph(const PlannedRows& plan, std::int64_t steps)
      : plan_(plan), ops_(static_cast<std::size_t>(steps)), builder_(plan.name, plan.format) {}

  Result<Graph> build() && {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const bool named = i < plan_.steps.size();
      ops_[i].op.name = named ? plan_.steps[i].name : std::to_string(i);
      ops_[i].op.type = named && !plan_.steps[i].type.empty() ? plan_.steps[i].type : "Step";
      if (named) {
        ops_[i].op.domain = plan_.steps[i].domain;
        ops_[i].op.attributes = plan_.steps[i].attributes;
      }
      ops_[i].where = "step " + std::to_string(i);
    }
    for (const PlannedRow& row : plan_.rows) addRow(row);
    for (auto& op : ops_) builder_.addOp(std::move(op));
    HW_TRY(graph, std::move(builder_).build());
    // Steps are not operators: remarks on how they hang together mean nothing.
    graph.notes = plan_.notes;
    return std::move(graph);
  }

 private:
  void addRow(const PlannedRow& row) {
    const GraphBuilder::Handle handle = builder_.addTensor({.name = row.name,
                                                            .dtype = row.dtype,
                                                            .shape = row.shape,
                                                            .bytes = row.size,
                                                            .origin = SizeOrigin::declared,
                                                            .plannedOffset = row.offset});
    const auto first = static_cast<std::size_t>(row.first);
    const auto last = static_cast<std::size_t>(row.last);
    const bool handedIn = row.input && first == 0;
    if (handedIn) builder_.addInput(handle);
    if (!handedIn) ops_[first].outputs.push_back(handle);
    if (row.lifeUnknown && !handedIn)
      markUnknownLife(ops_[first].op, ops_[first].outputs.size() - 1);
    if (handedIn || last > first) ops_[last].inputs.push_back(handle);
    if (row.output && last + 1 == ops_.size()) builder_.addOutput(handle);
  }

  const PlannedRows& plan_;
  std::vector<GraphBuilder::OpParts> ops_;
  GraphBuilder builder_;
};

}  // namespace

Result<Model> planModel(PlannedRows plan) {
  HW_TRY(steps, stepsOf(plan));
  noteWhatItIs(plan, steps);
  if (plan.pools.size() > 1) {
    std::string names;
    for (const ModelPart& pool : plan.pools) {
      names += (names.empty() ? "" : ", ") + printable(pool.key, 80);
    }
    plan.notes.push_back(fmt::format("this is memory {}; --subgraph chooses among {}",
                                     printable(plan.pools[plan.pool].key, 80), names));
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
  std::string names;
  for (const ModelPart& pool : plan.pools) {
    names += (names.empty() ? "" : ", ") + printable(pool.key, 80);
  }
  return fail(ErrorCode::invalidArgument,
              fmt::format("the plan has no memory '{}'; it has {}", printable(wanted, 80), names));
}

}  // namespace hw
