#include "tests/fuzz/targets.h"

#include "core/base/check.h"
#include "core/import/formats.h"
#include "core/memory/platforms.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/storage/aliasing.h"

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

void readJson(std::string_view bytes) { inspect(readGraphJson(bytes, {})); }
void readCsv(std::string_view bytes) { inspect(readProblemCsv(bytes, {})); }
void readModel(std::string_view bytes) { inspect(readOnnx(bytes, {})); }

void readTfliteFile(std::string_view bytes) {
  if (acceptsTfliteBundle(bytes)) return inspect(readTfliteBundle(bytes, {}));
  inspect(readTflite(bytes, {}));
  // Bound, so that shapes are worked out and not only read.
  inspect(readTflite(bytes, {.dimensions = {{"batch", 3}}, .closedBodies = true}));
}

void readToml(std::string_view bytes) {
  const auto platform = parsePlatform(bytes);
  if (platform) check(!platform->devices.empty(), "a platform with a device");
}

constexpr Target kTargets[] = {{"json", readJson},
                               {"csv", readCsv},
                               {"onnx", readModel},
                               {"tflite", readTfliteFile},
                               {"toml", readToml}};

}  // namespace

std::span<const Target> targets() { return kTargets; }

}  // namespace hw::fuzz
