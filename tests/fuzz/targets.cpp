#include "tests/fuzz/targets.h"

#include <sstream>

#include "core/base/check.h"
#include "core/check/stated_run.h"
#include "core/exchange/tflm/arena.h"
#include "core/exchange/tflm/tflite_rewrite.h"
#include "core/import/formats.h"
#include "core/import/measured/operator_times.h"
#include "core/machine/foreign/machine_formats.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/check/audit_report.h"
#include "core/report/study/study_rules.h"
#include "core/storage/aliasing.h"
#include "core/study/study.h"

namespace hw::fuzz {
namespace {

/// What every graph promises, whatever file it came from.
void inspect(const Graph& graph) {
  for (const OpId id : graph.ops.keys()) {
    for (const TensorId in : graph.reads(id)) {
      check(graph.tensors.contains(in), "a tensor that exists");
      const OpId producer = graph.tensors[in].producer;
      check(!producer || producer < id, "an order that respects data flow");
    }
  }
  for (const Tensor& tensor : graph.tensors) {
    check(!tensor.bytes || (*tensor.bytes >= Bytes() && *tensor.bytes <= kMaxBytes),
          "sizes within limits");
  }
  const Schedule schedule = givenOrder(graph);
  if (graph.tensors.size() < 200) shareStorage(graph, schedule, {});
}

void inspect(const Result<Model>& model) {
  if (!model) {
    check(!model.error().message.empty(), "an error that says something");
    return;
  }
  check(model->graph != nullptr, "a model with a graph");
  if (!model->problem) return inspect(*model->graph);
  // A plan without addresses is judged for the problem's own faults only.
  Plan nothing;
  nothing.status = PlanStatus::stopped;
  nothing.addresses.resize(model->problem->stays.size());
  Problem problem = *model->problem;
  if (problem.pools.empty()) problem.pools.add({});
  check(validate(problem, nothing).empty(), "a sound problem");
  check(lowerBound(problem) <= kMaxBytes, "a bound within limits");
}

/// Graphs, and problems of dsa-solver, which can be written once more.
void readJson(std::string_view bytes) {
  inspect(readGraphJson(bytes, {}));
  if (!acceptsDsaProblem(bytes)) return;
  auto model = readDsaProblem(bytes, {});
  inspect(model);
  if (!model) return;
  model->dsa = nullptr;
  std::ostringstream out;
  check(writeDsaProblem(*model, {}, out).has_value(), "what they wrote can be written");
  if (!model->problem->stays.empty()) inspect(readDsaProblem(out.str(), {}).value());
}
void readModel(std::string_view bytes) { inspect(readOnnx(bytes, {})); }

/// A model that can be laid out for tflite-micro can be written with a plan, and opens again.
void writePlanned(std::string_view bytes) {
  const auto program = unlessRefused([&] { return tflmProgram(TfliteFile(bytes)); });
  if (!program) return check(!program.error().message.empty(), "an error that says something");
  const std::vector<std::int32_t> offsets(program->tensors.size(), 0);
  if (program->tensors.size() < 200) tflmArena(*program, offsets);
  const auto written = withOfflinePlan(bytes, offsets);
  if (!written) return check(!written.error().message.empty(), "an error that says something");
  const auto again = unlessRefused([&] { return tflmProgram(TfliteFile(*written)); });
  check(again && again->tensors.size() == offsets.size(), "the model as it was");
}

void readTfliteFile(std::string_view bytes) {
  if (acceptsTfliteBundle(bytes)) return inspect(readTfliteBundle(bytes, {}));
  inspect(readTflite(bytes, {}));
  // Bound, so that shapes are worked out and not only read.
  inspect(readTflite(bytes, {.dimensions = {{"batch", 3}}, .closedBodies = true}));
  writePlanned(bytes);
}

/// Plans of other tools: whoever recognises the bytes reads them.
void readForeign(std::string_view bytes) {
  if (bytes.size() >= 8 && acceptsExecutorch(bytes)) inspect(readExecutorch(bytes, {}));
  if (acceptsStNetwork(bytes)) inspect(readStNetwork(bytes, {}));
  if (acceptsTflmLog(bytes)) inspect(readTflmLog(bytes, {}));
  if (acceptsVelaLog(bytes)) inspect(readVelaLog(bytes, {}));
  if (acceptsXlaDump(bytes)) inspect(readXlaDump(bytes, {}));
  if (acceptsAi8x(bytes)) inspect(readAi8x(bytes, {.dimensions = {{"height", 9}, {"width", 9}}}));
}

/// Recordings: a pickle is a program, whatever its first bytes say.
void readMeasured(std::string_view bytes) {
  if (!bytes.empty()) inspect(readTorchSnapshot(bytes, {}));
  if (acceptsAllocLog(bytes)) inspect(readAllocLog(bytes, {}));
  if (acceptsOrtProfile(bytes)) inspect(readOrtProfile(bytes, {}));
  const auto times = readOperatorTimes(bytes);
  if (times) check(times->spans.size() == times->profile.ops.size(), "a time for each operator");
}

void readToml(std::string_view bytes) {
  const auto platform = parsePlatform(bytes);
  if (platform) check(!platform->devices.empty(), "a platform with a device");
}

/// Machines of other tools; the last line of the bytes may be ";choose CHOICE". What is read can be
/// written as a platform of ours.
void readMachine(std::string_view bytes) {
  constexpr std::string_view kChoose = "\n;choose ";
  const std::size_t at = bytes.rfind(kChoose);
  const std::string_view behind =
      at == std::string_view::npos ? "" : bytes.substr(at + kChoose.size());
  for (const MachineFormat& format : machineFormats()) {
    format.accepts(bytes);
    const auto platform = format.read(bytes, behind.substr(0, behind.find('\n')));
    if (!platform) {
      check(!platform.error().message.empty(), "an error that says something");
      continue;
    }
    const std::string toml = platformToml(*platform);
    const auto again = parsePlatform(toml);
    check(again && platformToml(*again) == toml, "a platform as a file of ours says it");
  }
}

/// What plans are held against: x -> a -> (b, c) -> y, with a reshape of a.
std::shared_ptr<const Model> audited() {
  constexpr std::string_view kGraph =
      R"({"format": "highwater-graph", "version": 1, "name": "small",
    "tensors": [{"name": "x", "bytes": 8}, {"name": "a", "bytes": 16}, {"name": "r", "bytes": 16},
                {"name": "b", "bytes": 4}, {"name": "c", "bytes": 12}, {"name": "y", "bytes": 4}],
    "inputs": ["x"], "outputs": ["y"],
    "ops": [{"type": "Conv", "inputs": ["x"], "outputs": ["a"]},
            {"type": "Reshape", "inputs": ["a"], "outputs": ["r"]},
            {"type": "Relu", "inputs": ["a"], "outputs": ["b"]},
            {"type": "Conv", "inputs": ["r"], "outputs": ["c"]},
            {"type": "Add", "inputs": ["b", "c"], "outputs": ["y"]}]})";
  static const auto kModel = std::make_shared<const Model>(readGraphJson(kGraph, {}).value());
  return kModel;
}

void readPlanFile(std::string_view bytes) {
  if (acceptsOwnPlan(bytes)) inspect(readOwnPlan(bytes, {}));
  const auto plan = readPlan(bytes);
  if (!plan) return check(!plan.error().message.empty(), "an error that says something");
  constexpr Bytes kLargestArena{1 << 16};
  AuditReport report{.model = audited(), .audit = auditPlan(audited(), *plan, {})};
  report.replay = replayAudited(report.audit, kLargestArena);
  const auto run = statedRun(audited(), *plan, "a file", defaultRequest());
  check(run ? validate((*run)->problem, (*run)->plan).empty() : !run.error().message.empty(),
        "a run that is valid");
  check(!auditText(report, {.rows = 100'000}).empty(), "an audit that says something");
}

void readStudy(std::string_view bytes) {
  const auto study = parseStudy(bytes);
  if (!study) return check(!study.error().message.empty(), "an error that says something");
  check(!study->models.empty(), "a list without holes");
  const auto rules = StudyRules::of(*study);
  check(rules || !rules.error().message.empty(), "an error that says something");
}

constexpr Target kTargets[] = {
    {"json", readJson},         {"csv", readProblem},     {"onnx", readModel},
    {"tflite", readTfliteFile}, {"toml", readToml},       {"plan", readPlanFile},
    {"study", readStudy},       {"foreign", readForeign}, {"measured", readMeasured},
    {"machine", readMachine},   {"serve", readServe},     {"minimalloc", readMinimalloc}};

}  // namespace

void readProblem(std::string_view bytes) {
  const auto model = readProblemCsv(bytes, {});
  inspect(model);
  if (!model) return;
  std::ostringstream out;
  check(writeProblemCsv(*model, {}, out).has_value(), "a problem can be written");
  const auto again = readProblemCsv(out.str(), {});
  check(again && again->problem->stays.size() == model->problem->stays.size(),
        "a problem as it was, written and read");
}

std::span<const Target> targets() { return kTargets; }

}  // namespace hw::fuzz
