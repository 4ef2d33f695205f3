#pragma once

#include <string>
#include <vector>

#include "core/base/quantity.h"
#include "core/picture/canvas.h"

namespace hw {

/// A plan in a picture of capacity against latency.
struct FrontDot {
  Bytes bytes{};
  SimTime latency{};
  std::string name{};
};

/// Capacity to the right, each doubling as wide, latency upwards: what was found as stairs, below
/// it what is proved, the plans of others as dots, and the two walls behind which nothing can be.
/// Plain data.
struct FrontScene {
  std::string title{};
  std::string note{};              ///< At the right end of the title, where there is room.
  std::vector<FrontDot> found{};   ///< By bytes; from each on up to the next it holds.
  std::vector<FrontDot> bounds{};  ///< The same.
  std::vector<FrontDot> others{};
  Bytes leastBytes{};
  SimTime leastLatency{};
};

/// Draws it inside `where`. Dots of one place share a label. Their ids are "found-0", "found-1", …
/// and "other-0", …, by their places in the scene.
void drawFront(Canvas& canvas, const FrontScene& scene, const Box& where);

}  // namespace hw
