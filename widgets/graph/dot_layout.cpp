#include <graphviz/gvc.h>

#include <mutex>
#include <string>

#include "widgets/graph/graph_layout.h"

namespace hw {
namespace {

/// Graphviz thinks in inches of 72 points; a point is a pixel here.
constexpr double kPointsPerInch = 72;

/// Graphviz never writes to these, but says so nowhere.
char* text(const char* constant) { return const_cast<char*>(constant); }

/// One graph inside Graphviz, freed whatever happens.
class DotGraph {
 public:
  DotGraph() : context_(gvContext()), graph_(agopen(text("model"), Agdirected, nullptr)) {
    agseterr(AGMAX);  // What fails is told by return values; nothing is written to the terminal.
    agattr(graph_, AGNODE, text("shape"), text("box"));
    agattr(graph_, AGNODE, text("fixedsize"), text("true"));
    agattr(graph_, AGNODE, text("label"), text(""));
    agattr(graph_, AGNODE, text("width"), text("1"));
    agattr(graph_, AGNODE, text("height"), text("1"));
    agattr(graph_, AGRAPH, text("nodesep"), text("0.25"));
    agattr(graph_, AGRAPH, text("ranksep"), text("0.35"));
    agattr(graph_, AGRAPH, text("splines"), text("true"));
    // Without limits its network simplex takes minutes over a few hundred boxes with long skips,
    // and what it gains after the first rounds nobody sees.
    agattr(graph_, AGRAPH, text("nslimit"), text("2"));
    agattr(graph_, AGRAPH, text("nslimit1"), text("2"));
    agattr(graph_, AGRAPH, text("mclimit"), text("0.5"));
    agattr(graph_, AGEDGE, text("arrowhead"), text("none"));
  }
  ~DotGraph() {
    if (laidOut_) gvFreeLayout(context_, graph_);
    agclose(graph_);
    gvFreeContext(context_);
  }
  DotGraph(const DotGraph&) = delete;
  DotGraph& operator=(const DotGraph&) = delete;

  void build(const LayoutInput& input) {
    for (std::size_t i = 0; i < input.boxes.size(); ++i) {
      nodes_.push_back(agnode(graph_, std::to_string(i).data(), 1));
      setInches("width", input.boxes[i].width());
      setInches("height", input.boxes[i].height());
    }
    for (const auto& [from, to] : input.edges) {
      edges_.push_back(agedge(graph_, nodes_[from], nodes_[to], nullptr, 1));
    }
  }

  bool layOut() {
    laidOut_ = gvLayout(context_, graph_, "dot") == 0;
    return laidOut_;
  }

  GraphLayout result(const LayoutInput& input) const {
    GraphLayout layout;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      layout.centres.push_back(flipped(ND_coord(nodes_[i])));
      layout.bounds |= QRectF(
          layout.centres[i] - QPointF(input.boxes[i].width() / 2, input.boxes[i].height() / 2),
          input.boxes[i]);
    }
    for (Agedge_t* edge : edges_) {
      layout.routes.push_back(routeOf(edge));
      layout.bounds |= layout.routes.back().boundingRect();
    }
    return layout;
  }

 private:
  void setInches(const char* name, double pixels) {
    // Graphviz reads numbers by the locale of the process; whole thousandths need no point in any.
    const long thousandths = std::lround(pixels / kPointsPerInch * 1000);
    std::string digits = std::to_string(thousandths % 1000);
    digits.insert(0, 3 - digits.size(), '0');
    const char point = decimalPoint();
    agset(nodes_.back(), text(name), (std::to_string(thousandths / 1000) + point + digits).data());
  }

  static char decimalPoint() { return std::to_string(0.5)[1]; }

  /// Graphviz counts upwards.
  static QPointF flipped(const pointf_s& point) { return {point.x, -point.y}; }

  static QPainterPath routeOf(Agedge_t* edge) {
    QPainterPath route;
    const auto* splines = ED_spl(edge);
    for (std::size_t s = 0; splines && s < static_cast<std::size_t>(splines->size); ++s) {
      const auto& curve = splines->list[s];
      route.moveTo(flipped(curve.list[0]));
      for (std::size_t i = 1; i + 2 < static_cast<std::size_t>(curve.size); i += 3) {
        route.cubicTo(flipped(curve.list[i]), flipped(curve.list[i + 1]),
                      flipped(curve.list[i + 2]));
      }
    }
    return route;
  }

  GVC_t* context_;
  Agraph_t* graph_;
  std::vector<Agnode_t*> nodes_;
  std::vector<Agedge_t*> edges_;
  bool laidOut_ = false;
};

}  // namespace

std::optional<GraphLayout> layOutWithDot(const LayoutInput& input) {
  static std::mutex oneAtATime;
  const std::lock_guard lock(oneAtATime);
  DotGraph graph;
  graph.build(input);
  if (!graph.layOut()) return {};
  return graph.result(input);
}

}  // namespace hw
