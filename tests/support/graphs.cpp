#include "tests/support/graphs.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/rewrite/graph_builder.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"

namespace hw::test {
namespace {

/// "name: type a, b -> c, d axis=1".
struct OpText {
  std::string name;
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, AttributeValue> attributes;
};

OpText parseOp(std::string_view text) {
  OpText op;
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    op.name = trimText(text.substr(0, colon));
    text = text.substr(colon + 1);
  }
  std::istringstream words{std::string(text)};
  words >> op.type;
  bool output = false;
  for (std::string word; words >> word;) {
    if (word == "->") {
      output = true;
      continue;
    }
    if (const auto equals = word.find('='); equals != std::string::npos) {
      op.attributes[word.substr(0, equals)] = *parseInteger(word.substr(equals + 1));
      continue;
    }
    if (word.back() == ',') word.pop_back();
    (output ? op.outputs : op.inputs).push_back(word);
  }
  if (op.name.empty()) op.name = op.outputs.empty() ? op.type : op.outputs[0];
  return op;
}

std::shared_ptr<const Run> runModel(std::shared_ptr<const Model> model, const RunOptions& options) {
  RunRequest request;
  const auto choice = test::must(AllocatorChoice::parse(options.allocator));
  request.allocator = choice;
  request.platform = platformCatalog().front();
  const auto sizeOf = [](std::int64_t bytes) {
    return bytes < 0 ? PoolSize{PoolSize::Kind::unbounded, Bytes()}
                     : PoolSize{PoolSize::Kind::bytes, Bytes(bytes)};
  };
  request.l2 = sizeOf(options.l2);
  request.l3 = sizeOf(options.l3);
  request.alignment = Bytes(options.alignment);
  request.alias = options.alias;
  request.residency = options.residency;
  request.weights = options.weights;
  request.inputs = options.nearEnds ? InputPlace::near : options.inputs;
  if (options.nearEnds) request.outputs = OutputPlace::near;
  request.tile = options.tile;
  request.extraWork = options.extraWork;
  request.recompute = options.recompute;
  request.channelsLast = options.channelsLast;
  if (options.middle >= 0) {
    auto& pools = request.platform.devices.front().pools;
    pools.insert(pools.begin() + 1, pools.front());
    pools[1].name = "middle";
    pools[1].capacity = Bytes(options.middle);
    request.l3 = {};
  }
  return test::must(execute(std::move(model), request, {}));
}

}  // namespace

Graph drawnGraph(const DrawnGraph& drawn) {
  GraphBuilder builder("drawn", "test");
  std::map<std::string, GraphBuilder::Handle> handles;
  for (const DrawnTensor& each : drawn.tensors) {
    Tensor tensor;
    tensor.name = each.name;
    tensor.dtype = Dtype::int8;
    tensor.shape = Shape{1, each.bytes};
    tensor.bytes = Bytes(each.bytes);
    tensor.origin = SizeOrigin::declared;
    tensor.constant = std::ranges::count(drawn.constants, each.name) > 0;
    handles[each.name] = builder.addTensor(tensor);
  }
  for (const std::string& text : drawn.ops) {
    const OpText op = parseOp(text);
    GraphBuilder::OpParts parts;
    parts.op.name = op.name;
    parts.op.type = op.type;
    parts.op.attributes = op.attributes;
    for (const std::string& name : op.inputs) parts.inputs.push_back(handles.at(name));
    for (const std::string& name : op.outputs) parts.outputs.push_back(handles.at(name));
    builder.addOp(parts);
  }
  for (const std::string& name : drawn.inputs) builder.addInput(handles.at(name));
  for (const std::string& name : drawn.outputs) builder.addOutput(handles.at(name));
  return test::must(std::move(builder).build());
}

TensorId tensorOf(const Graph& graph, std::string_view name) {
  for (const TensorId id : graph.tensors.keys()) {
    if (graph.tensors[id].name == name) return id;
  }
  FAIL("no tensor " << name);
  return {};
}

Graph chainGraph() {
  return drawnGraph(
      {.tensors = {{"x", 4}, {"t0", 16}, {"t1", 10}, {"t2", 5}, {"y", 2}},
       .inputs = {"x"},
       .ops = {"g0: Op x -> t0", "g1: Op t0 -> t1", "g2: Op t1 -> t2", "g3: Op t2 -> y"},
       .outputs = {"y"}});
}

Graph residualGraph() {
  return drawnGraph({.tensors = {{"x", 12}, {"a", 32}, {"b", 16}, {"c", 32}, {"d", 32}, {"y", 1}},
                     .inputs = {"x"},
                     .ops = {"conv1: Op x -> a", "conv2: Op a -> b", "conv3: Op b -> c",
                             "add: Op a, c -> d", "fc: Op d -> y"},
                     .outputs = {"y"}});
}

Graph inceptionGraph() {
  return drawnGraph({.tensors = {{"x", 24},
                                 {"s", 48},
                                 {"p", 16},
                                 {"q", 24},
                                 {"r", 32},
                                 {"u", 8},
                                 {"v", 16},
                                 {"w", 64},
                                 {"y", 4}},
                     .inputs = {"x"},
                     .ops = {"stem: Op x -> s", "b1: Op s -> p", "b2a: Op s -> q", "b2b: Op q -> r",
                             "b3a: Op s -> u", "b3b: Op u -> v", "cat: Concat p, r, v -> w axis=1",
                             "head: Op w -> y"},
                     .outputs = {"y"}});
}

std::shared_ptr<const Model> modelOf(Graph graph) {
  auto model = std::make_shared<Model>();
  model->name = graph.name;
  model->format = "test";
  model->graph = std::make_shared<const Graph>(std::move(graph));
  return model;
}

std::shared_ptr<const Run> runGraph(Graph graph, const RunOptions& options) {
  return runModel(modelOf(std::move(graph)), options);
}

std::shared_ptr<const Run> runProblem(const Problem& problem, const RunOptions& options) {
  auto graph = std::make_shared<Graph>();
  for (const StayId id : problem.stays.keys()) {
    Tensor tensor;
    tensor.name = "s" + std::to_string(id.index());
    tensor.bytes = problem.stays[id].size;
    graph->tensors.add(tensor);
  }
  auto model = std::make_shared<Model>();
  model->name = "problem";
  model->format = "test";
  model->graph = graph;
  model->problem = problem;
  model->offsets.resize(problem.stays.size());
  return runModel(std::move(model), options);
}

Bytes offsetOf(const Run& run, std::string_view name) {
  const TensorId tensor = tensorOf(run.graph(), name);
  const auto& slot = run.storage.slots[tensor];
  REQUIRE(slot);
  for (const StayId id : run.problem.stays.keys()) {
    if (run.problem.stays[id].buffer != slot->buffer) continue;
    REQUIRE(run.plan.flatOffset(id));
    return *run.plan.flatOffset(id) + slot->offset;
  }
  FAIL("no stay for " << name);
  return {};
}

}  // namespace hw::test
