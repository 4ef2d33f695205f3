#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/cli/arguments.h"
#include "app/cli/minimalloc/request.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/plan/plan_text.h"
#include "core/run/run.h"

namespace hw::cli {
namespace {

Result<std::shared_ptr<const Run>> planned(const std::shared_ptr<const Model>& model,
                                           const MinimallocFlags& flags) {
  RunRequest request = planningRequest();
  request.model = flags.input;
  const bool unbounded = flags.minimise && flags.capacity == Bytes(0);
  request.l2 = unbounded ? PoolSize{.kind = PoolSize::Kind::unbounded}
                         : PoolSize{.kind = PoolSize::Kind::bytes, .bytes = flags.capacity};
  request.timeLimit = flags.timeout;
  HW_TRY(first, execute(model, request, {.simulate = false}));
  const bool open =
      first->plan.status == PlanStatus::overBudget || first->plan.status == PlanStatus::stopped;
  if (fits(*first) || !open || flags.timeout > 0) return first;
  // Nobody limits the time, so the search may go on until it knows.
  HW_TRY(patient, AllocatorChoice::parse("exact:nodes=1000000000"));
  request.allocator = patient;
  return execute(model, request, {.simulate = false});
}

/// The plan as a picture for LaTeX, 17 by 8.5 centimetres.
std::string tikz(const Run& run, Bytes capacity) {
  Step first = run.problem.steps;
  for (const Stay& stay : run.problem.stays) first = std::min(first, stay.steps.begin);
  const double length = static_cast<double>((run.problem.steps - first).count());
  const double x = 17.0 / std::max(1.0, length);
  const double y = 8.5 / static_cast<double>(std::max<std::int64_t>(1, capacity.count()));
  std::string text =
      "\n\\documentclass[tikz]{standalone}\n\\begin{document}\n\\begin{tikzpicture}\n";
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    const double bottom = y * static_cast<double>(run.plan.flatOffset(id)->count());
    const double top = bottom + y * static_cast<double>(stay.size.count());
    for (const Interval<Step>& steps : run.problem.liveSteps(id)) {
      text += fmt::format(
          "\\filldraw[fill=lightgray, draw=darkgray] ({:g},{:g}) rectangle ({:g},{:g});  % {}\n",
          x * static_cast<double>((steps.begin - first).count()), bottom,
          x * static_cast<double>((steps.end - first).count()), top,
          printable(run.stayName(id), 200));
    }
  }
  return text +
         fmt::format("\\draw[thick] (0,0) rectangle ({:g},{:g});\n", x * length,
                     y * static_cast<double>(capacity.count())) +
         "\\end{tikzpicture}\n\\end{document}\n";
}

Outcome<void> solve(const MinimallocFlags& flags) {
  const auto bytes = readFile(flags.input);
  if (!bytes) return failure(bytes.error(), flags.input);
  auto model = importModel(modernProblem(*bytes), flags.input, {});
  if (!model) return failure(model.error(), flags.input);
  if (!model->problem) return failure(ExitCode::badInput, flags.input, "not a planning problem");
  const auto shared = std::make_shared<const Model>(std::move(*model));
  const auto begun = std::chrono::steady_clock::now();
  const auto run = planned(shared, flags);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::string_view verdict;
  if (flags.validate && run && fits(**run)) {
    verdict = validate((*run)->problem, (*run)->plan).empty() ? "PASS" : "FAIL";
  }
  writeToErrors(fmt::format("{:.3f}{}\n", took.count(), verdict));
  if (!run) return failure(run.error(), flags.input);
  if (!fits(**run)) {
    return failure(ExitCode::answerIsNo, flags.input,
                   planFailure(**run).value_or("no plan was found"));
  }
  if (flags.print) {
    const Bytes peak = (*run)->metrics.pools[PoolId(0)].peak;
    HW_DO(writeOutput("-", [&](std::ostream& out) {
      out << tikz(**run, flags.capacity == Bytes(0) ? peak : flags.capacity);
    }));
  }
  return writeOutput(flags.output, [&](std::ostream& out) { writePlanCsv(**run, out); });
}

}  // namespace

ExitCode runAsMinimalloc(int argc, char** argv) {
  const auto flags = minimallocFlags(std::vector<std::string>(argv + 1, argv + argc));
  const auto done = flags ? solve(*flags) : failure(flags.error(), "");
  if (done) return ExitCode::done;
  printFailure(done.error());
  return ExitCode::answerIsNo;  // It has no other.
}

}  // namespace hw::cli
