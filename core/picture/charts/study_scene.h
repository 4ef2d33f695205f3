#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/columns.h"
#include "core/picture/canvas.h"

namespace hw {

// Pictures of many runs of a study. Plain data; numbers are values of figures.

/// Runs as dots over two figures, of both of which less is better.
struct DotsScene {
  std::string title{};
  std::string note{};  ///< At the right end of the title, where there is room.
  ColumnKind across = ColumnKind::bytes;
  ColumnKind up = ColumnKind::time;
  std::vector<Point> faint{};  ///< Other runs, told for comparison.
  std::vector<Point> dots{};
  /// Those that no other is as good as, ascending, as stairs; each with what it is, in words.
  struct Best {
    Point at{};
    std::string name{};
  };
  std::vector<Best> front{};
  std::vector<Point> otherFront{};  ///< Of the faint ones, dashed.
};
/// Ids are "front-0", "front-1", …
void drawDots(Canvas& canvas, const DotsScene& scene, const Box& where);

/// A figure over two axes: the higher, the stronger the colour.
struct HeatScene {
  std::string title{};
  std::string note{};
  std::vector<std::string> lines{};
  std::vector<std::string> columns{};
  struct Cell {
    double value = 0;
    std::string text{};     ///< In the cell.
    std::string toolTip{};  ///< The whole.
  };
  std::vector<std::optional<Cell>> cells{};  ///< Line by line; nothing: no run.
};
/// Ids are "cell-0", …, by their places in the scene. Texts are left out where they do not fit.
void drawHeat(Canvas& canvas, const HeatScene& scene, const Box& where);

/// A small picture of each model: a figure over the values of an axis, evenly apart, as stairs, for
/// each value of another axis.
struct MultiplesScene {
  std::string title{};
  std::string note{};
  std::vector<std::string> series{};  ///< Names of the curves; of one, none is told.
  struct Panel {
    std::string name{};
    std::string range{};  ///< From the least to the most, in words, where there is room for it.
    std::vector<std::vector<std::optional<double>>> curves{};  ///< By series.
    bool chosen = false;
    std::string toolTip{};
  };
  std::vector<Panel> panels{};
};
/// Ids are "panel-0", …
void drawMultiples(Canvas& canvas, const MultiplesScene& scene, const Box& where);

}  // namespace hw
