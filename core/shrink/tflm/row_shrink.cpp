#include "core/shrink/tflm/row_shrink.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace hw {
namespace {

std::string runsText(const std::vector<RowRun>& runs) {
  return joinText(runs, ", ", [](const RowRun& run) {
    const char* how = run.halo == RowHalo::loop   ? " (loop)"
                      : run.halo == RowHalo::copy ? " (borders copied)"
                                                  : "";
    return fmt::format("{}-{} in {} parts{}", run.first, run.last, run.parts, how);
  });
}

}  // namespace

void RowShrinker::addOwn(RuntimeWay way) {
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
  RuntimeWay way = measure(plan);
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

RuntimeShrink RowShrinker::finish() {
  made_.choose();
  const auto& plan = plans_[made_.chosen];
  write(plan ? &*plan : nullptr, made_);
  return std::move(made_);
}

}  // namespace hw
