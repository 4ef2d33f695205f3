#pragma once

#include <QColor>
#include <QString>
#include <vector>

#include "core/plan/metrics.h"
#include "widgets/graph/model_graph.h"

namespace hw {

/// What the colour of a box says.
enum class GraphColoring { opClass, device, liveBytes };

/// One colour and what it stands for.
struct LegendEntry {
  QColor color{};
  QString text{};
};

/// Colours the boxes of a run's graph in the theme in force.
class GraphColors {
 public:
  GraphColors() = default;
  GraphColors(const Run& run, GraphColoring coloring);

  /// Most bytes live while an op of the box runs; 0 for inputs and outputs.
  Bytes liveDuring(const Run& run, const GraphNode& node) const;

  QColor of(const Run& run, const GraphNode& node) const;
  /// What the colours of `graph` mean, only those that occur.
  std::vector<LegendEntry> legend(const Run& run, const ModelGraph& graph) const;

 private:
  std::size_t classOf(const Run& run, const GraphNode& node) const;
  double liveShare(const Run& run, const GraphNode& node) const;

  GraphColoring coloring_ = GraphColoring::opClass;
  StepFunction live_;
  Bytes peak_{};
};

/// True when the run knows which device runs an op: it is spread over several.
bool hasDevices(const Run& run);

}  // namespace hw
