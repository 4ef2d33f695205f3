#pragma once

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace hw {

/// The input of a layout: boxes by size, and edges from a lower index to a higher one.
struct LayoutInput {
  std::vector<QSizeF> boxes{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{};
};

/// The places of everything, downwards along the edges; in pixels at scale 1.
struct GraphLayout {
  std::vector<QPointF> centres{};      ///< By box.
  std::vector<QPainterPath> routes{};  ///< By edge, from the lower side of one box to the upper
                                       ///< side of the other.
  QRectF bounds{};                     ///< Of all of it.
};

/// Asked now and then, from the thread that works: true means give up.
using StopAsked = std::function<bool()>;

/// Graphviz's `dot`: the tidiest there is, but its time grows with the square of the size and
/// nothing stops it. Nothing when it fails. Graphviz is not thread-safe: one caller at a time gets
/// in, the others wait.
std::optional<GraphLayout> layOutWithDot(const LayoutInput& input);

/// Layers by longest path, edges that skip layers through a dummy in each, orders by barycentre
/// sweeps, columns by least squares (Sugiyama, Tagawa and Toda 1981). O(sweeps x (n + e) log n).
/// Nothing when it was told to stop.
std::optional<GraphLayout> layOutInLayers(const LayoutInput& input, const StopAsked& stop);

/// True when `dot` answers within a second or two.
bool isSmallEnoughForDot(const LayoutInput& input);

/// With `dot` when that is small enough and works, else in layers.
std::optional<GraphLayout> layOut(const LayoutInput& input, const StopAsked& stop);

/// The places closest to `wanted`, by weighted squares, of which each is at least `gaps[i]` after
/// the one before: pool adjacent violators (Ayer et al. 1955). Weights are positive, `gaps` has one
/// fewer. O(n).
std::vector<double> placeApart(const std::vector<double>& wanted,
                               const std::vector<double>& weights, const std::vector<double>& gaps);

}  // namespace hw
