#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/picture/canvas.h"

namespace hw {

/// A plan in a picture of capacity against latency.
struct FrontDot {
  Bytes bytes{};
  SimTime latency{};
  std::string name{};
  bool ownStays = false;  ///< The walls do not hold for it: drawn hollow.
};

/// Capacity to the right, each doubling as wide, latency upwards, each doubling as high where there
/// are more than three of it: what was found as stairs, below it what is proved, the plans of
/// others as dots, and the two walls behind which nothing can be. Plain data.
struct FrontScene {
  std::string title{};
  std::string note{};              ///< At the right end of the title, where there is room.
  std::vector<FrontDot> found{};   ///< By bytes; from each on up to the next it holds.
  std::vector<FrontDot> bounds{};  ///< The same.
  std::vector<FrontDot> others{};
  /// The walls; at 0 there is none.
  Bytes leastBytes{};
  SimTime leastLatency{};
  /// Sizes to be held against, each a line from top to bottom with its name.
  struct Mark {
    Bytes bytes{};
    std::string name{};
  };
  std::vector<Mark> marks{};
  /// An arrow from one plan to another, with what it saves in words.
  struct Saving {
    FrontDot from{};
    FrontDot to{};
  };
  std::optional<Saving> saving{};
  /// Names of the stairs, of what is proved below them, of walls and hollow dots, in many words and
  /// in few. What has no words, or is not drawn, is not there.
  std::array<std::array<std::string_view, 4>, 2> legend = {
      {{"fastest plan found", "proved: nothing is faster within the capacity",
        "no plan is smaller, none is faster", "other stays: not so"},
       {"found", "proved", "walls", "other stays"}}};
};

/// Draws it inside `where`. Dots of one place share a label. Their ids are "found-0", "found-1", …
/// and "other-0", …, by their places in the scene.
void drawFront(Canvas& canvas, const FrontScene& scene, const Box& where);

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
