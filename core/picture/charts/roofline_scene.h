#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/picture/canvas.h"
#include "core/picture/coloring.h"
#include "core/run/roofline.h"

namespace hw {

/// The most dots that a picture has: those of the operators that run longest.
inline constexpr std::size_t kMostRoofDots = 4'000;

/// Operators under the roofs of their machine: MACs per byte to the right, MACs per second upwards,
/// each doubling as long; a dot an operator, in its colour, at its port; a slanted line a port, a
/// level one a unit. Plain data, like a MapScene.
struct RooflineScene {
  std::shared_ptr<const Run> run{};   ///< Never null.
  std::vector<RoofDot> dots{};        ///< Of those that move bytes; at most kMostRoofDots, by step.
  std::size_t all = 0;                ///< Operators with MACs that move bytes.
  std::size_t bound = 0;              ///< Of them those whose roof is that of a port.
  std::optional<RoofDot> selected{};  ///< Its dot is encircled and named, with a line to its roof.
  std::shared_ptr<const Coloring> coloring{};  ///< Never null.

  static RooflineScene whole(std::shared_ptr<const Run> run);

  /// True where there is nothing to draw: no operator with MACs moves bytes.
  bool isEmpty() const { return all == 0; }
  std::string heading() const;
};

/// Dots have the ids "op-0", "op-1", …, by step.
void drawRoofline(Canvas& canvas, const RooflineScene& scene, const Box& where);

}  // namespace hw
