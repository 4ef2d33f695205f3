#include "core/picture/label_placer.h"

#include <algorithm>

namespace hw {
namespace {

constexpr double kFromDot = 4;            ///< Between a dot and its name.
constexpr double kFromEdge = 4;           ///< Between a name and the end of the area.
constexpr double kBetweenNames = 3;       ///< On a line: halos hide no letter.
constexpr std::size_t kLeastOfAName = 6;  ///< A shortened name says nothing below that.
constexpr int kLines[] = {0, -1, 1, -2, 2};

}  // namespace

void LabelPlacer::take(std::span<const Point> line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto [left, right] = std::minmax(line[i - 1].x, line[i].x);
    const auto [top, bottom] = std::minmax(line[i - 1].y, line[i].y);
    take(Box::between(left, top, right + 1, bottom + 1));
  }
}

void LabelPlacer::write(Point at, std::string_view text, Ink ink, Anchor anchor) {
  const Ruler& ruler = canvas_.ruler();
  canvas_.text(at, text, {.ink = ink, .anchor = anchor, .halo = true});
  const double width = ruler.width(text);
  const double left = anchor == Anchor::end ? at.x - width : at.x;
  take({left - kBetweenNames, at.y - ruler.ascent(), width + 2 * kBetweenNames, ruler.height()});
}

bool LabelPlacer::writeAtOne(std::span<const Spot> spots, std::string_view text, Ink ink) {
  const Ruler& ruler = canvas_.ruler();
  const double width = ruler.width(text);
  for (const Spot& spot : spots) {
    const Box box{spot.anchor == Anchor::end ? spot.at.x - width : spot.at.x,
                  spot.at.y - ruler.ascent(), width, ruler.height()};
    const bool inside = box.left >= area_.left && box.right() <= area_.right() &&
                        box.top >= area_.top && box.bottom() <= area_.bottom();
    if (!inside || !isFree(box)) continue;
    write(spot.at, text, ink, spot.anchor);
    return true;
  }
  return false;
}

bool LabelPlacer::isFree(const Box& box) const {
  return std::ranges::none_of(taken_, [&](const Box& other) { return !box.cut(other).isEmpty(); });
}

void LabelPlacer::name(const Box& dot, std::string_view name) {
  if (!nameBeside(dot, name, true)) nameBeside(dot, name, false);
}

/// False where there is no place for it: `whole`, or as much of it as there is room for.
bool LabelPlacer::nameBeside(const Box& dot, std::string_view name, bool whole) {
  const Ruler& ruler = canvas_.ruler();
  const double height = ruler.height();
  for (const int lines : kLines) {
    const double top = dot.top + (dot.height - height) / 2 + lines * height;
    if (top < area_.top || top + height > area_.bottom()) continue;
    for (const bool right : {true, false}) {
      const double room = right ? area_.right() - dot.right() : dot.left - area_.left;
      const std::string text = elided(ruler, name, room - kFromDot - kFromEdge);
      if (whole ? text != name : text.size() < kLeastOfAName) continue;
      const double width = ruler.width(text);
      const double left = right ? dot.right() + kFromDot : dot.left - kFromDot - width;
      const Box box{left, top, width, height};
      if (!isFree(box)) continue;
      if (lines != 0) {
        canvas_.line({right ? dot.right() : dot.left, dot.top + dot.height / 2},
                     {right ? left - 1 : left + width + 1, top + height / 2}, {Ink::muted, 1});
      }
      write({left, top + ruler.ascent()}, text, Ink::text, Anchor::start);
      return true;
    }
  }
  return false;
}

}  // namespace hw
