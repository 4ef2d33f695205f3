#include "widgets/graph/graph_colors.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/ops/op_table.h"
#include "core/plan/overlap_use.h"
#include "widgets/map/map_colors.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

/// What kinds of ops are told apart: those of OpClass, and those nobody knows.
constexpr std::size_t kMixed = static_cast<std::size_t>(OpClass::body);
constexpr std::size_t kUnknown = kMixed + 1;

std::size_t classOfOp(const Op& op) {
  const OpInfo* info = findOp(op);
  return info != nullptr ? static_cast<std::size_t>(info->kind) : kUnknown;
}

std::array<LegendEntry, kUnknown + 1> classLegend() {
  const Theme& theme = Theme::current();
  const auto of = [&](TensorClass kind) { return theme.classColor(kind); };
  return {{{of(TensorClass::intermediate), tr("products: convolution, matrix product")},
           {of(TensorClass::output), tr("pooling and reductions")},
           {of(TensorClass::view), tr("data movement")},
           {of(TensorClass::input), tr("element by element")},
           {theme.hatch, tr("several kinds")},
           {mixColors(theme.hatch, theme.plot, 0.4), tr("not known")}}};
}

/// Devices in colours of the theme that are easiest to tell apart; more of them repeat.
QColor deviceColor(std::size_t device) {
  constexpr std::array kOrder = {TensorClass::intermediate, TensorClass::input, TensorClass::output,
                                 TensorClass::view, TensorClass::problem};
  return Theme::current().classColor(kOrder[device % kOrder.size()]);
}

QColor shareColor(double share) {
  const Theme& theme = Theme::current();
  return mixColors(theme.highWater, theme.plot, 0.08 + 0.92 * std::clamp(share, 0.0, 1.0));
}

}  // namespace

Bytes GraphColors::liveDuring(const Run& run, const GraphNode& node) const {
  Bytes most;
  for (const OpId op : node.runs) {
    if (!run.schedule.stepOf.contains(op)) continue;
    most = std::max(most, live_.at(run.schedule.stepOf[op]));
  }
  return most;
}

bool hasDevices(const Run& run) {
  return run.partition.deviceOf.size() == run.graph().ops.size() && !run.graph().ops.empty();
}

GraphColors::GraphColors(const Run& run, GraphColoring coloring)
    : coloring_(coloring), live_(liveBytes(run.problem, run.plan)), peak_(live_.max()) {
  if (coloring_ == GraphColoring::device && !hasDevices(run)) coloring_ = GraphColoring::opClass;
}

double GraphColors::liveShare(const Run& run, const GraphNode& node) const {
  if (peak_ == Bytes()) return 0;
  return static_cast<double>(liveDuring(run, node).count()) / static_cast<double>(peak_.count());
}

/// The class or device of all its ops; `kMixed` when they differ.
std::size_t GraphColors::classOf(const Run& run, const GraphNode& node) const {
  std::optional<std::size_t> common;
  for (const OpId op : node.runs) {
    const std::size_t one = coloring_ == GraphColoring::device ? run.partition.deviceOf[op]
                                                               : classOfOp(run.graph().ops[op]);
    if (common && *common != one) {
      return coloring_ == GraphColoring::device ? SIZE_MAX : kMixed;
    }
    common = one;
  }
  return common.value_or(kUnknown);
}

QColor GraphColors::of(const Run& run, const GraphNode& node) const {
  const Theme& theme = Theme::current();
  if (node.ops.size() == 0) return mixColors(theme.text, theme.plot, 0.08);
  switch (coloring_) {
    case GraphColoring::liveBytes:
      return shareColor(liveShare(run, node));
    case GraphColoring::device: {
      const std::size_t device = classOf(run, node);
      return device == SIZE_MAX ? theme.hatch : deviceColor(device);
    }
    case GraphColoring::opClass:
      break;
  }
  return classLegend()[classOf(run, node)].color;
}

std::vector<LegendEntry> GraphColors::legend(const Run& run, const ModelGraph& graph) const {
  std::vector<LegendEntry> legend;
  if (coloring_ == GraphColoring::liveBytes) {
    const auto share = [&](int percent) {
      const Bytes bytes(peak_.count() / 100 * percent);
      return QString::fromStdString(formatBytes(bytes));
    };
    for (const int percent : {0, 50, 100}) {
      legend.push_back({shareColor(percent / 100.0), tr("%1 live").arg(share(percent))});
    }
    return legend;
  }
  std::set<std::size_t> seen;
  for (const GraphNode& node : graph.nodes) {
    if (node.ops.size() > 0) seen.insert(classOf(run, node));
  }
  for (const std::size_t one : seen) {
    if (coloring_ == GraphColoring::opClass) {
      legend.push_back(classLegend()[one]);
    } else if (one == SIZE_MAX) {
      legend.push_back({Theme::current().hatch, tr("several devices")});
    } else {
      const auto& devices = run.request.platform.devices;
      const QString name = one < devices.size()
                               ? QString::fromStdString(printable(devices[one].name))
                               : QString::number(one);
      legend.push_back({deviceColor(one), name});
    }
  }
  return legend;
}

}  // namespace hw
