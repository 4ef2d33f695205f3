#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/run/run.h"

namespace hw::test {

/// A graph of about `ops` ops that does what real ones do and more: branches, joins, concats and
/// splits along outer and inner axes, reshapes of slices, several outputs, tensors nobody reads,
/// weights in concats, one tensor twice in a concat, graph inputs handed on as outputs.
Graph randomGraph(std::uint64_t seed, std::size_t ops);

/// A tensor of a drawn graph: a number of bytes, its shape being [1, bytes].
struct DrawnTensor {
  std::string name{};
  std::int64_t bytes = 0;
};

/// A drawn graph. Ops read "name: type a, b -> c, d"; the name may be left out. An attribute comes
/// last, as "axis=1". Constants are tensors that are in `constants`.
struct DrawnGraph {
  std::vector<DrawnTensor> tensors{};
  std::vector<std::string> inputs{};
  std::vector<std::string> ops{};
  std::vector<std::string> outputs{};
  std::vector<std::string> constants{};
};
Graph drawnGraph(const DrawnGraph& drawn);

/// The tensor called `name`; the test fails when there is none.
TensorId tensorOf(const Graph& graph, std::string_view name);

/// docs/methods.md, "worked examples".
Graph chainGraph();
Graph residualGraph();
Graph inceptionGraph();

/// How to run a graph in a test: nothing aliased, alignment 1 and no limits unless asked for.
struct RunOptions {
  std::string allocator = "greedy-by-size";
  std::int64_t alignment = 1;
  AliasRules alias = AliasRules::none();
  std::int64_t l2 = -1;  ///< Bytes; -1: unbounded.
  std::int64_t l3 = -1;
  ResidencyRule residency = ResidencyRule::wholeLife;
  WeightChoice weights{};
  InputPlace inputs = InputPlace::arena;
  bool nearEnds = false;  ///< Graph inputs and outputs may be near all the time.
  TileRule tile = TileRule::off;
  double extraWork = 0.1;
  bool recompute = false;
  bool channelsLast = false;
  std::int64_t middle = -1;  ///< Bytes of a memory between the two; -1: there is none.
};
std::shared_ptr<const Model> modelOf(Graph graph);
std::shared_ptr<const Run> runGraph(Graph graph, const RunOptions& options = {});
/// The same for a bare planning problem.
std::shared_ptr<const Run> runProblem(const Problem& problem, const RunOptions& options = {});

/// The offset of the tensor that `name` stands for, or of its buffer and its slot inside.
Bytes offsetOf(const Run& run, std::string_view name);

}  // namespace hw::test
