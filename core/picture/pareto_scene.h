#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/picture/canvas.h"

namespace hw {

/// A plan among others.
struct ParetoPoint {
  std::string name{};
  Bytes peak{};
  SimTime latency{};
  std::size_t series = 0;  ///< Those of one number have one colour: a platform, for example.
  std::size_t row = 0;     ///< Of the table that it stands for: its dot is "plan-" and this.
  friend bool operator==(const ParetoPoint&, const ParetoPoint&) = default;
};

/// Peak against latency: to the right is slower, upwards takes more memory. Plain data, like a
/// MapScene.
struct ParetoScene {
  std::string title{};
  std::vector<ParetoPoint> points{};
  std::optional<Bytes> lowerBound{};      ///< A wall: no plan needs less.
  std::optional<SimTime> latencyBound{};  ///< A wall: no plan is faster.

  static constexpr std::string_view kWhat = "peak against latency";
  std::string heading() const { return title + "   " + std::string(kWhat); }
};

/// The points that no other undercuts in one of the two without exceeding it in the other, fastest
/// first; of equal ones the first. O(n log n).
std::vector<ParetoPoint> paretoFront(std::vector<ParetoPoint> points);

/// Points with their names, those of one place together under the id of the first; the front as
/// stairs; the walls.
void drawPareto(Canvas& canvas, const ParetoScene& scene, const Box& where);

}  // namespace hw
