#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/allocators/heap.h"
#include "core/rewrite/graph_builder.h"
#include "core/sim/simulator.h"

namespace hw::test {

/// A small graph written by hand, with a plan that reuses nothing: every buffer has bytes of its
/// own in the pool it is sent to. Everything a simulation looks at, and no planner involved.
class PlannedGraph {
 public:
  GraphBuilder::Handle tensor(const std::string& name, const Shape& shape, bool constant = false) {
    Tensor tensor;
    tensor.name = name;
    tensor.dtype = Dtype::int8;
    tensor.shape = shape;
    tensor.bytes = packedSize(tensor.dtype, *elementCount(shape));
    tensor.origin = SizeOrigin::declared;
    tensor.constant = constant;
    return builder.addTensor(std::move(tensor));
  }

  void op(const std::string& type, std::vector<GraphBuilder::Handle> inputs,
          std::vector<GraphBuilder::Handle> outputs,
          std::map<std::string, AttributeValue> attributes = {}) {
    GraphBuilder::OpParts parts;
    parts.op.type = type;
    parts.op.attributes = std::move(attributes);
    parts.inputs = std::move(inputs);
    parts.outputs = std::move(outputs);
    builder.addOp(std::move(parts));
  }

  /// Builds the graph and plans it. `far` names the roots of buffers that live in the second pool.
  void plan(const AliasRules& alias, const std::vector<std::string>& far = {}) {
    graph = std::move(builder).build().value();
    schedule = givenOrder(graph);
    storage = shareStorage(graph, schedule, {.alias = alias, .alignment = Bytes(1)});
    problem.pools = {{.name = "L2"}, {.name = "L3"}};
    problem.steps = schedule.steps();
    decided.regions = IdMap<PoolId, IdMap<RegionId, Bytes>>(2, IdMap<RegionId, Bytes>(1));
    for (const BufferId id : storage.buffers.keys()) {
      const Buffer& buffer = storage.buffers[id];
      const std::string& name = graph.tensors[buffer.root].name;
      const PoolId pool(std::find(far.begin(), far.end(), name) == far.end() ? 0 : 1);
      problem.stays.add({.buffer = id,
                         .steps = buffer.steps,
                         .size = buffer.size,
                         .outlives = buffer.graphOutput});
      Bytes& top = decided.regions[pool][RegionId(0)];
      decided.addresses.add(Address{pool, RegionId(0), top});
      top += buffer.size;
    }
    decided.story = narrate(problem, decided);
  }

  Simulation simulate(const Platform& platform, bool streamWeights = true) const {
    return hw::simulate({.graph = graph,
                         .schedule = schedule,
                         .storage = storage,
                         .problem = problem,
                         .plan = decided,
                         .platform = platform,
                         .streamWeights = streamWeights});
  }

  GraphBuilder builder{"sample", "test"};
  Graph graph;
  Schedule schedule;
  Storage storage;
  Problem problem;
  Plan decided;
};

}  // namespace hw::test
