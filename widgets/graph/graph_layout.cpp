#include "widgets/graph/graph_layout.h"

#include <graphviz/gvc.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <numeric>
#include <string>

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
    agseterr(AGMAX);  // Failures are return values; the terminal gets nothing.
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

std::vector<double> placeApart(const std::vector<double>& wanted,
                               const std::vector<double>& weights,
                               const std::vector<double>& gaps) {
  // Less the gaps before it, a place only has to be no lower than the one to its left. That is
  // isotonic regression, done by pooling adjacent violators: neighbours that would cross form a
  // pool at their common mean, which takes in the pool to its left as long as that lies further
  // right.
  struct Pool {
    double place = 0;
    double weight = 0;
    std::size_t count = 0;
  };
  std::vector<double> offsets(wanted.size(), 0);
  for (std::size_t i = 1; i < wanted.size(); ++i) offsets[i] = offsets[i - 1] + gaps[i - 1];
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    pools.push_back({wanted[i] - offsets[i], weights[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].place > pools.back().place) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& into = pools.back();
      into.place =
          (into.place * into.weight + last.place * last.weight) / (into.weight + last.weight);
      into.weight += last.weight;
      into.count += last.count;
    }
  }
  std::vector<double> places;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      places.push_back(pool.place + offsets[places.size()]);
    }
  }
  return places;
}

namespace {

constexpr double kBetweenBoxes = 22;
constexpr double kBetweenLayers = 34;
constexpr double kDummyWidth = 4;
constexpr int kOrderSweeps = 8;
constexpr int kColumnSweeps = 8;
/// A dummy stands where an edge crosses a layer. It pulls harder than a box when columns are
/// placed, for an edge whose dummies stand below each other is a straight line.
constexpr double kDummyWeight = 6;
/// Long edges of a large model would need millions of dummies. From here on the longest get none:
/// they are drawn straight, through whatever is in their way.
constexpr std::size_t kMostDummies = 200'000;
/// Boxes and edges together from which on `dot` takes too long.
constexpr std::size_t kMostForDot = 2'600;
/// `dot` makes a vertex for each layer that an edge crosses, and its time grows with those too:
/// the 23,000 of DenseNet-121 take a second.
constexpr std::size_t kMostCrossed = 40'000;

/// A box, or the place where an edge crosses a layer.
struct Vertex {
  std::size_t layer = 0;
  double width = kDummyWidth;
  double x = 0;
  bool dummy = true;
  std::vector<std::uint32_t> above{}, below{};
};

class Layering {
 public:
  Layering(const LayoutInput& input, const StopAsked& stop) : input_(input), stop_(stop) {}

  std::optional<GraphLayout> run() {
    placeInLayers();
    threadEdges();
    if (!order() || !placeColumns()) return {};
    return result();
  }

 private:
  /// Layers count downwards; a box stands in the first one that is below everything it reads. That
  /// would be the top layer for all boxes that read nothing (inputs, constants), and their edges
  /// would cross the whole picture: these boxes move down to the layer above their first reader.
  void placeInLayers() {
    vertices_.resize(input_.boxes.size());
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      vertices_[i].width = input_.boxes[i].width();
      vertices_[i].dummy = false;
    }
    auto edges = input_.edges;
    std::ranges::sort(edges);
    for (const auto& [from, to] : edges) {
      vertices_[to].layer = std::max(vertices_[to].layer, vertices_[from].layer + 1);
    }
    std::vector<std::size_t> nearest(vertices_.size(), SIZE_MAX);
    std::vector<bool> fed(vertices_.size(), false);
    for (const auto& [from, to] : edges) {
      nearest[from] = std::min(nearest[from], vertices_[to].layer);
      fed[to] = true;
    }
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      if (!fed[i] && nearest[i] != SIZE_MAX) vertices_[i].layer = nearest[i] - 1;
    }
  }

  std::size_t spanOf(std::size_t edge) const {
    const auto& [from, to] = input_.edges[edge];
    return vertices_[to].layer - vertices_[from].layer;
  }

  /// Gives every edge a dummy in each layer it crosses, shortest edges first.
  void threadEdges() {
    chains_.resize(input_.edges.size());
    std::vector<std::size_t> order(input_.edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t edge) { return spanOf(edge); });
    std::size_t dummies = 0;
    for (const std::size_t edge : order) {
      const auto [from, to] = input_.edges[edge];
      const std::size_t span = spanOf(edge);
      chains_[edge].push_back(from);
      if (dummies + span <= kMostDummies) {
        for (std::size_t step = 1; step < span; ++step) {
          chains_[edge].push_back(static_cast<std::uint32_t>(vertices_.size()));
          vertices_.push_back({.layer = vertices_[from].layer + step});
        }
        dummies += span - 1;
      }
      chains_[edge].push_back(to);
      for (std::size_t i = 1; i < chains_[edge].size(); ++i) {
        vertices_[chains_[edge][i - 1]].below.push_back(chains_[edge][i]);
        vertices_[chains_[edge][i]].above.push_back(chains_[edge][i - 1]);
      }
    }
    for (std::uint32_t i = 0; i < vertices_.size(); ++i) {
      if (vertices_[i].layer >= layers_.size()) layers_.resize(vertices_[i].layer + 1);
      layers_[vertices_[i].layer].push_back(i);
    }
  }

  /// False when told to stop.
  bool order() {
    std::vector<double> place(vertices_.size());
    const auto number = [&](const std::vector<std::uint32_t>& layer) {
      for (std::size_t i = 0; i < layer.size(); ++i) {
        place[layer[i]] = static_cast<double>(i) - static_cast<double>(layer.size()) / 2;
      }
    };
    for (const auto& layer : layers_) number(layer);
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (stop_()) return false;
        auto& layer = layers_[down ? i : layers_.size() - 1 - i];
        std::vector<std::pair<double, std::uint32_t>> wanted;
        for (const std::uint32_t id : layer) {
          wanted.emplace_back(mean(place, neighbours(id, down), place[id]), id);
        }
        std::ranges::stable_sort(wanted, {}, &std::pair<double, std::uint32_t>::first);
        std::ranges::transform(wanted, layer.begin(), &std::pair<double, std::uint32_t>::second);
        number(layer);
      }
    }
    return true;
  }

  const std::vector<std::uint32_t>& neighbours(std::uint32_t id, bool above) const {
    return above ? vertices_[id].above : vertices_[id].below;
  }

  static double mean(const std::vector<double>& of, const std::vector<std::uint32_t>& ids,
                     double fallback) {
    if (ids.empty()) return fallback;
    double sum = 0;
    for (const std::uint32_t id : ids) sum += of[id];
    return sum / static_cast<double>(ids.size());
  }

  bool placeColumns() {
    std::vector<double> x(vertices_.size());
    for (int sweep = 0; sweep < kColumnSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (stop_()) return false;
        placeLayer(layers_[down ? i : layers_.size() - 1 - i], down, x);
      }
    }
    for (std::size_t i = 0; i < vertices_.size(); ++i) vertices_[i].x = x[i];
    return true;
  }

  /// Brings a layer as close to its neighbours as the order and the widths allow.
  void placeLayer(const std::vector<std::uint32_t>& layer, bool down, std::vector<double>& x) {
    std::vector<double> wanted, weights, gaps;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const Vertex& vertex = vertices_[layer[i]];
      wanted.push_back(mean(x, neighbours(layer[i], down), x[layer[i]]));
      weights.push_back(vertex.dummy ? kDummyWeight : 1);
      if (i == 0) continue;
      gaps.push_back((vertices_[layer[i - 1]].width + vertex.width) / 2 + kBetweenBoxes);
    }
    const auto placed = placeApart(wanted, weights, gaps);
    for (std::size_t i = 0; i < layer.size(); ++i) x[layer[i]] = placed[i];
  }

  GraphLayout result() const {
    std::vector<double> heights(layers_.size(), 0);
    for (std::size_t i = 0; i < input_.boxes.size(); ++i) {
      double& height = heights[vertices_[i].layer];
      height = std::max(height, input_.boxes[i].height());
    }
    std::vector<double> middles;
    double y = 0;
    for (const double height : heights) {
      middles.push_back(y + height / 2);
      y += height + kBetweenLayers;
    }
    GraphLayout layout;
    for (std::size_t i = 0; i < input_.boxes.size(); ++i) {
      layout.centres.emplace_back(vertices_[i].x, middles[vertices_[i].layer]);
      const QSizeF size = input_.boxes[i];
      layout.bounds |=
          QRectF(layout.centres[i] - QPointF(size.width() / 2, size.height() / 2), size);
    }
    for (std::size_t edge = 0; edge < chains_.size(); ++edge) {
      layout.routes.push_back(routeOf(edge, layout, middles));
      layout.bounds |= layout.routes.back().boundingRect();
    }
    return layout;
  }

  QPainterPath routeOf(std::size_t edge, const GraphLayout& layout,
                       const std::vector<double>& middles) const {
    const auto [from, to] = input_.edges[edge];
    QPainterPath route(layout.centres[from] + QPointF(0, input_.boxes[from].height() / 2));
    const auto& chain = chains_[edge];
    for (std::size_t i = 1; i < chain.size(); ++i) {
      const Vertex& vertex = vertices_[chain[i]];
      QPointF next(vertex.x, middles[vertex.layer]);
      if (i + 1 == chain.size()) next.ry() -= input_.boxes[to].height() / 2;
      const QPointF last = route.currentPosition();
      const double middle = (last.y() + next.y()) / 2;
      route.cubicTo({last.x(), middle}, {next.x(), middle}, next);
    }
    return route;
  }

  const LayoutInput& input_;
  const StopAsked& stop_;
  std::vector<Vertex> vertices_;  ///< Boxes first.
  std::vector<std::vector<std::uint32_t>> layers_;
  std::vector<std::vector<std::uint32_t>> chains_;  ///< By edge, ends included.
};

}  // namespace

std::optional<GraphLayout> layOutInLayers(const LayoutInput& input, const StopAsked& stop) {
  return Layering(input, stop).run();
}

namespace {

/// The number of layers that all edges together lead past, with every box in the first that it can
/// be in.
std::size_t crossedLayers(const LayoutInput& input) {
  auto edges = input.edges;
  std::ranges::sort(edges);
  std::vector<std::size_t> layer(input.boxes.size());
  for (const auto& [from, to] : edges) layer[to] = std::max(layer[to], layer[from] + 1);
  std::size_t crossed = 0;
  for (const auto& [from, to] : edges) crossed += layer[to] - layer[from] - 1;
  return crossed;
}

}  // namespace

bool isSmallEnoughForDot(const LayoutInput& input) {
  return input.boxes.size() + input.edges.size() <= kMostForDot &&
         crossedLayers(input) <= kMostCrossed;
}

std::optional<GraphLayout> layOut(const LayoutInput& input, const StopAsked& stop) {
  if (isSmallEnoughForDot(input)) {
    if (auto layout = layOutWithDot(input)) return layout;
  }
  return layOutInLayers(input, stop);
}

}  // namespace hw
