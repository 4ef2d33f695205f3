#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/picture/canvas.h"

namespace hw {

/// Writes words into a chart of dots so that they hide neither a dot nor each other. Remembers what
/// lies where; O(n) for each word, of which a chart has dozens.
class LabelPlacer {
 public:
  /// Names of dots stay inside `area`. The canvas outlives this.
  LabelPlacer(Canvas& canvas, const Box& area) : canvas_(canvas), area_(area) {}

  /// Something lies there.
  void take(const Box& box) { taken_.push_back(box); }
  /// A line of such, each part of which is level or upright.
  void take(std::span<const Point> line);
  /// Words that have a place of their own; `at` is on their baseline.
  void write(Point at, std::string_view text, Ink ink, Anchor anchor);

  /// Where words may begin, or with Anchor::end end, on their baseline.
  struct Spot {
    Point at{};
    Anchor anchor = Anchor::start;
  };
  /// Words at the first of `spots` where they lie inside the area and hide nothing; false, and
  /// nothing written, where there is none.
  bool writeAtOne(std::span<const Spot> spots, std::string_view text, Ink ink);
  /// The name of what lies in `dot`: beside it where nothing else is, else up to two lines higher
  /// or lower with a thin line to it, shortened if it fits nowhere as a whole. Says nothing where
  /// there is no room at all: a dot tells its name to the pointer, too.
  void name(const Box& dot, std::string_view name);

 private:
  bool nameBeside(const Box& dot, std::string_view name, bool whole);
  bool isFree(const Box& box) const;

  Canvas& canvas_;
  Box area_;
  std::vector<Box> taken_;
};

}  // namespace hw
