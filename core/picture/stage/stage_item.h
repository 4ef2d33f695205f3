#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/picture/canvas.h"

namespace hw {

/// One shape of a stage: plain data, so that a screen, a file and a test see the same.
struct StageItem {
  enum class Shape : std::uint8_t { rectangle, hatch, line, text };
  /// What it stands for.
  enum class Part : std::uint8_t {
    around,     ///< Titles, frames, scales, words.
    chip,       ///< A row of a list.
    gone,       ///< A row that this tick took out.
    elided,     ///< Says how many rows are not drawn.
    used,       ///< Bytes of a stay.
    hole,       ///< Bytes that nobody has and that can be had.
    rest,       ///< Bytes of a block that its tenant leaves unused: nobody can have them.
    frame,      ///< A block, whoever is in it.
    candidate,  ///< A place that was looked at.
    step,       ///< An op of the schedule.
    unit,       ///< Ops of it that run together: a sub-function, or an execution unit of one.
    sentence,   ///< What the tick did.
  };
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Shape shape = Shape::rectangle;
  Part part = Part::around;
  /// Of text: what its letters fill. Of a line: from its upper left to its lower right end.
  Box box{};
  Look look{};                 ///< Of a hatch the fill, of a line the edge.
  Lettering lettering{};       ///< Of text.
  std::string text{};          ///< Of text; of all others what a pointer over it is told.
  StayId stay{};               ///< Whom it is about; none: nobody alone.
  std::uint32_t list = kNone;  ///< Of chips and what is left out among them: the record's list.
  std::uint32_t row = kNone;   ///< Of chips its row, of those gone none; of `elided` how many.
};

/// Draws them in their order.
void drawStage(Canvas& canvas, std::span<const StageItem> items);

/// The last of them at `point` that a stay can be picked by; null where there is none.
const StageItem* stageItemAt(std::span<const StageItem> items, Point point);

}  // namespace hw
