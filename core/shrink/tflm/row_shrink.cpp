#include "core/shrink/tflm/row_shrink.h"

#include <fmt/format.h>

namespace hw {
namespace {

std::string runsText(const std::vector<RowRun>& runs) {
  std::string text;
  for (const RowRun& run : runs) {
    const char* how = run.halo == RowHalo::loop   ? " (loop)"
                      : run.halo == RowHalo::copy ? " (borders copied)"
                                                  : "";
    text += fmt::format("{}{}-{} in {} parts{}", text.empty() ? "" : ", ", run.first, run.last,
                        run.parts, how);
  }
  return text;
}

}  // namespace

void RowShrinker::addOwn(RowWay way) {
  made_.ways.push_back(std::move(way));
  plans_.emplace_back();
}

void RowShrinker::addPlans(const RowModel& model) {
  const RowFront front = searchRows(model, options_);
  addPlan("whole operators", front.plain, model);
  if (options_.ascending) addPlan("outputs over inputs", front.overlap, model);
  for (const RowPlan& plan : front.points) {
    if (!plan.program->runs().empty()) addPlan("in parts", plan, model);
  }
  made_.stopped = front.stopped;
}

void RowShrinker::addPlan(std::string name, const RowPlan& plan, const RowModel& model) {
  RowWay way = measure(plan);
  way.name = std::move(name);
  const auto again = [](std::int64_t part, std::int64_t of) {
    return of > 0 ? static_cast<double>(part) / static_cast<double>(of) - 1 : 0.0;
  };
  std::int64_t weights = 0;
  for (const RowOp& op : model.ops) weights += op.weights;
  way.extraMacs = again(plan.program->macs(), model.macs);
  way.weightsAgain = again(plan.program->weights(), weights);
  way.runs = runsText(plan.program->runs());
  way.loops = plan.program->loop().has_value();
  made_.ways.push_back(std::move(way));
  plans_.emplace_back(plan);
}

RowShrink RowShrinker::finish() {
  made_.budget = options_.budget;
  const auto better = [&](const RowWay& a, const RowWay& b) {
    const bool fits = options_.budget && a.total() <= *options_.budget;
    const bool both = fits && b.total() <= *options_.budget;
    if (both && a.extraMacs != b.extraMacs) return a.extraMacs < b.extraMacs;
    return a.total() < b.total();
  };
  for (std::size_t i = 1; i < made_.ways.size(); ++i) {
    if (better(made_.ways[i], made_.best())) made_.chosen = i;
  }
  const auto& plan = plans_[made_.chosen];
  write(plan ? &*plan : nullptr, made_);
  return std::move(made_);
}

}  // namespace hw
