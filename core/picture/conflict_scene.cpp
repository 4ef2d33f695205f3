#include "core/picture/conflict_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/picture/map_scene.h"
#include "core/picture/plot.h"

namespace hw {
namespace {

constexpr std::size_t kMostDiscs = 200;
/// More lines than this are one grey disc.
constexpr std::size_t kMostConflictLines = 2'000;
/// Up to so many have lines of full width.
constexpr std::size_t kFewConflictLines = 300;
/// Names of more nodes than this lie on each other.
constexpr std::size_t kMostNamedNodes = 60;
constexpr double kLeastRadius = 2.5;
constexpr double kMostRadius = 22;
/// Units around the circle for names.
constexpr double kNameSide = 96;
/// The part of its way to the middle that a line is bent.
constexpr double kBend = 0.45;

/// The stays by size, and those that conflict with one before them; as many as can be told apart.
std::vector<StayId> largestOf(const Problem& problem) {
  std::vector<StayId> stays = problem.stays.keys().toVector();
  const std::size_t some = std::min(stays.size(), kMostDiscs);
  std::ranges::partial_sort(
      stays, stays.begin() + static_cast<std::ptrdiff_t>(some), [&](StayId a, StayId b) {
        return std::tuple(problem.stays[b].size, a) < std::tuple(problem.stays[a].size, b);
      });
  stays.resize(some);
  std::size_t edges = 0;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) edges += inConflict(problem, stays[k], stays[i]) ? 1 : 0;
    if (edges > kMostConflictLines) stays.resize(i);
  }
  std::ranges::sort(stays, {},
                    [&](StayId stay) { return std::tuple(problem.stays[stay].steps.begin, stay); });
  return stays;
}

void addConflicts(const Problem& problem, ConflictScene& scene) {
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
    for (std::size_t k = i + 1; k < scene.nodes.size(); ++k) {
      if (!inConflict(problem, scene.nodes[i].stay, scene.nodes[k].stay)) continue;
      scene.edges.push_back({i, k});
      ++scene.nodes[i].conflicts;
      ++scene.nodes[k].conflicts;
    }
  }
}

/// Groups, and penalties, those that are paid last.
void addOthers(const Run& run, ConflictScene& scene) {
  std::map<StayId, std::size_t> places;
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) places[scene.nodes[i].stay] = i;
  const auto add = [&](StayId a, StayId b, LinkKind kind, std::int64_t cost) {
    const auto from = places.find(a);
    const auto to = places.find(b);
    if (from == places.end() || to == places.end()) return;
    scene.edges.push_back({from->second, to->second, kind, cost});
  };
  const std::size_t first = scene.edges.size();
  for (const auto& group : run.problem.constraints.together) {
    for (std::size_t i = 1; i < group.size(); ++i) {
      add(group[i - 1], group[i], LinkKind::together, 0);
    }
  }
  const auto paid = paidPenalties(run.problem, run.plan);
  for (const ReusePenalty& each : run.problem.constraints.penalties) {
    const bool pays = std::ranges::binary_search(paid, each);
    add(each.pair.a, each.pair.b, pays ? LinkKind::paid : LinkKind::unpaid, each.cost);
  }
  const auto isPaid = [](const ConflictScene::Edge& edge) { return edge.kind == LinkKind::paid; };
  std::stable_partition(scene.edges.begin() + static_cast<std::ptrdiff_t>(first), scene.edges.end(),
                        std::not_fn(isPaid));
}

/// The places of title, circle and legend.
struct ConflictFrame {
  PlotFrame plot{};
  Box legend{};
  Point middle{};
  double radius = 0;
  double most = 0;  ///< Radius of the largest node.
};

ConflictFrame conflictFrame(const ConflictScene& scene, const Box& where, const Ruler& ruler) {
  ConflictFrame frame;
  const double line = std::ceil(ruler.height());
  frame.plot.whole = where;
  frame.plot.title = {where.left + 10, where.top + 3, std::max(1.0, where.width - 20), line + 2};
  frame.legend = {where.left + 10, where.bottom() - line - 6, frame.plot.title.width, line};
  frame.plot.plot =
      Box::between(where.left, frame.plot.title.bottom() + 4, where.right(), frame.legend.top - 4);
  const Box& area = frame.plot.plot;
  frame.middle = {area.left + area.width / 2, area.top + area.height / 2};
  const bool named = scene.nodes.size() <= kMostNamedNodes;
  const double side = named ? std::min(kNameSide, area.width / 5) : 4;
  const double room =
      std::max(10.0, std::min(area.width / 2 - side, area.height / 2 - (named ? line : 4)));
  const auto nodes = static_cast<double>(std::max<std::size_t>(scene.nodes.size(), 3));
  // The largest two may be neighbours, and do not touch.
  const double share = std::sin(std::numbers::pi / nodes) * 0.85;
  frame.most = std::clamp(room * share / (1 + share), kLeastRadius, kMostRadius);
  frame.radius = room - frame.most;
  return frame;
}

std::vector<Box> boxesIn(const ConflictScene& scene, const ConflictFrame& frame) {
  Bytes largest{1};
  for (const auto& node : scene.nodes) largest = std::max(largest, node.size);
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(scene.nodes.size()) -
        std::numbers::pi / 2;
    const double part = scene.nodes[i].size.real() / largest.real();
    const double radius = std::max(kLeastRadius, frame.most * std::sqrt(part));
    const Point at{frame.middle.x + frame.radius * std::cos(angle),
                   frame.middle.y + frame.radius * std::sin(angle)};
    boxes.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
  }
  return boxes;
}

Point middleOfBox(const Box& box) { return {box.left + box.width / 2, box.top + box.height / 2}; }

class ConflictDrawing {
 public:
  ConflictDrawing(Canvas& canvas, const ConflictScene& scene, const Box& where)
      : canvas_(canvas),
        scene_(scene),
        frame_(conflictFrame(scene, where, canvas.ruler())),
        boxes_(boxesIn(scene, frame_)) {
    for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
      const StayId stay = scene.nodes[i].stay;
      if (stay == scene.selected || (!scene.selected && stay == scene.hovered)) chosen_ = i;
    }
  }

  void draw() const {
    canvas_.rectangle(frame_.plot.whole, {.fill = Fill{Ink::plot}});
    for (const auto& edge : scene_.edges) drawEdge(edge, !chosen_);
    for (const auto& edge : scene_.edges) {
      if (chosen_ && (edge.from == *chosen_ || edge.to == *chosen_)) drawEdge(edge, true);
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) drawNode(i);
    writeNames();
    drawTitle(canvas_, frame_.plot, "Conflicts", scene_.note);
    drawLegend();
  }

 private:
  Stroke strokeFor(const ConflictScene::Edge& edge, bool strong) const {
    Stroke stroke = strokeOf(edge.kind);
    // Conflicts are the ground that all else stands on.
    if (edge.kind == LinkKind::apart && !chosen_) {
      return {Ink::hatch, scene_.edges.size() > kFewConflictLines ? 0.4 : 1.0};
    }
    if (!strong) return {edge.kind == LinkKind::paid ? stroke.ink : Ink::line, 1};
    return stroke;
  }

  /// Bent to the middle, so that lines between neighbours leave the circle.
  void drawEdge(const ConflictScene::Edge& edge, bool strong) const {
    constexpr int kPieces = 10;
    const Point a = middleOfBox(boxes_[edge.from]);
    const Point b = middleOfBox(boxes_[edge.to]);
    const auto bent = [](double from, double to, double middle) {
      return (from + to) / 2 * (1 - kBend) + middle * kBend;
    };
    const Point over{bent(a.x, b.x, frame_.middle.x), bent(a.y, b.y, frame_.middle.y)};
    std::vector<Point> points;
    for (int i = 0; i <= kPieces; ++i) {
      const double t = static_cast<double>(i) / kPieces;
      const auto curve = [t](double from, double by, double to) {
        return (1 - t) * (1 - t) * from + 2 * t * (1 - t) * by + t * t * to;
      };
      points.push_back({curve(a.x, over.x, b.x), curve(a.y, over.y, b.y)});
    }
    canvas_.path(points, {.edge = strokeFor(edge, strong)});
  }

  bool isNear(std::size_t node) const {
    if (!chosen_ || node == *chosen_) return true;
    return std::ranges::any_of(scene_.edges, [&](const ConflictScene::Edge& edge) {
      return (edge.from == *chosen_ && edge.to == node) ||
             (edge.to == *chosen_ && edge.from == node);
    });
  }

  void drawNode(std::size_t node) const {
    const Box& box = boxes_[node];
    const Point at = middleOfBox(box);
    const bool chosen = scene_.nodes[node].stay == scene_.selected;
    const BlockTime time = isNear(node) ? BlockTime::live : BlockTime::pale;
    const BlockClass kind = scene_.nodes[node].kind;
    if (chosen) drawDot(canvas_, at, box.width / 2 + 3, {Ink::selection});
    drawDot(canvas_, at, box.width / 2 + 1, {Ink::plot});
    drawDot(canvas_, at, box.width / 2, {blockInk(kind, time, BlockPart::edge)});
    drawDot(canvas_, at, std::max(1.0, box.width / 2 - 1), {blockInk(kind, time, BlockPart::fill)});
  }

  /// Outside the circle, the largest first; what would lie on another name is not told.
  void writeNames() const {
    std::vector<std::size_t> order(boxes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t node) { return scene_.nodes[node].size; });
    if (chosen_) {
      std::stable_partition(order.begin(), order.end(), [&](auto node) { return isNear(node); });
    }
    if (order.size() > kMostNamedNodes && !chosen_) return;
    std::vector<Box> taken = boxes_;
    for (const std::size_t node : order) {
      if (order.size() > kMostNamedNodes && !isNear(node)) break;
      writeName(node, taken);
    }
  }

  void writeName(std::size_t node, std::vector<Box>& taken) const {
    const Ruler& ruler = canvas_.ruler();
    const Box& box = boxes_[node];
    const Point at = middleOfBox(box);
    const double across = (at.x - frame_.middle.x) / std::max(1.0, frame_.radius);
    const bool beside = std::abs(across) > 0.35;
    const std::string name = elided(ruler, scene_.nodes[node].name, kNameSide - 6, true);
    const double width = ruler.width(name);
    Box place{at.x - width / 2, 0, width, ruler.height()};
    if (beside) place.left = across > 0 ? box.right() + 4 : box.left - 4 - width;
    const bool above = at.y < frame_.middle.y;
    place.top = beside  ? at.y - ruler.height() / 2
                : above ? box.top - ruler.height() - 1
                        : box.bottom() + 1;
    const bool inside =
        place.left >= frame_.plot.whole.left && place.right() <= frame_.plot.whole.right();
    if (!inside || place.meetsAny(taken)) return;
    taken.push_back(place);
    canvas_.text({place.left, place.top + ruler.ascent()}, name,
                 {.ink = isNear(node) ? Ink::text : Ink::muted});
  }

  /// The kinds of lines that there are, and how many of each.
  void drawLegend() const {
    constexpr LinkKind kOrder[] = {LinkKind::apart, LinkKind::together, LinkKind::paid,
                                   LinkKind::unpaid};
    const Ruler& ruler = canvas_.ruler();
    double x = frame_.legend.left;
    const double y = frame_.legend.top + ruler.ascent();
    for (const LinkKind kind : kOrder) {
      const auto count = std::ranges::count(scene_.edges, kind, &ConflictScene::Edge::kind);
      if (count == 0) continue;
      const std::string name = kind == LinkKind::apart ? "conflict" : std::string(linkName(kind));
      const std::string words = fmt::format("{}: {}", name, groupDigits(count));
      const double width = 22 + ruler.width(words) + 18;
      if (x + width > frame_.legend.right() + 18) return;
      const double level = frame_.legend.top + ruler.height() / 2;
      canvas_.line({x, level}, {x + 16, level}, strokeFor({.kind = kind}, true));
      canvas_.text({x + 22, y}, words, {.ink = Ink::muted});
      x += width;
    }
  }

  Canvas& canvas_;
  const ConflictScene& scene_;
  ConflictFrame frame_;
  std::vector<Box> boxes_;
  std::optional<std::size_t> chosen_{};
};

}  // namespace

bool hasConflicts(const Run& run) {
  const Constraints& rules = run.problem.constraints;
  return run.model->problem &&
         (rules.virtualTime || !rules.apart.empty() || !rules.exclusive.empty() ||
          !rules.together.empty() || !rules.penalties.empty());
}

ConflictScene ConflictScene::of(const Run& run, const Coloring& coloring) {
  ConflictScene scene;
  for (const StayId stay : largestOf(run.problem)) {
    scene.nodes.push_back(
        {stay, blockName(run, stay), run.problem.stays[stay].size, coloring.of(run, stay)});
  }
  addConflicts(run.problem, scene);
  addOthers(run, scene);
  if (scene.nodes.size() < run.problem.stays.size()) {
    scene.note = fmt::format("the {} largest of {} buffers", groupDigits(scene.nodes.size()),
                             groupDigits(run.problem.stays.size()));
  }
  return scene;
}

std::vector<Box> conflictBoxes(const ConflictScene& scene, const Box& where, const Ruler& ruler) {
  return boxesIn(scene, conflictFrame(scene, where, ruler));
}

void drawConflicts(Canvas& canvas, const ConflictScene& scene, const Box& where) {
  ConflictDrawing(canvas, scene, where).draw();
}

}  // namespace hw
