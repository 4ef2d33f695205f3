#include "core/picture/stage/sketch.h"

#include <algorithm>

namespace hw::stage {

StageItem& Sketch::rectangle(const Box& box, Part part, const Look& look, StayId stay,
                             std::string tooltip) {
  items_.push_back(
      {.part = part, .box = inside(box), .look = look, .text = std::move(tooltip), .stay = stay});
  return items_.back();
}

void Sketch::hatch(const Box& box, Part part, Fill fill) {
  const Box shown = inside(box);
  if (shown.width < 1 || shown.height < 1) return;
  items_.push_back(
      {.shape = StageItem::Shape::hatch, .part = part, .box = shown, .look = {.fill = fill}});
}

void Sketch::line(Point from, Point to, const Stroke& stroke) {
  items_.push_back({.shape = StageItem::Shape::line,
                    .box = inside(Box::between(from.x, from.y, to.x, to.y)),
                    .look = {.edge = stroke}});
}

/// Empty at the nearest edge when none of it is inside.
Box Sketch::inside(const Box& box) const {
  const auto clampedX = [&](double x) { return std::clamp(x, bounds_.left, bounds_.right()); };
  const auto clampedY = [&](double y) { return std::clamp(y, bounds_.top, bounds_.bottom()); };
  return Box::between(clampedX(box.left), clampedY(box.top), clampedX(box.right()),
                      clampedY(box.bottom()));
}

bool Sketch::isFree(const Box& box) const {
  return std::ranges::none_of(words_, [&](const Box& other) { return !box.cut(other).isEmpty(); });
}

bool Sketch::words(const Box& room, std::string_view text, const Lettering& lettering, Part part,
                   std::size_t least, bool middle) {
  if (room.height < ruler_.height() - 0.01 || room.width <= 0 || text.empty()) return false;
  const std::string shown = elided(ruler_, text, room.width, middle, lettering.bold);
  const auto letters = static_cast<std::size_t>(
      std::ranges::count_if(shown, [](char c) { return (c & 0xC0) != 0x80; }));
  // The ellipsis is no letter.
  if (shown != text && letters < least + 1) return false;
  const double width = ruler_.width(shown, lettering.bold);
  if (width > room.width) return false;
  const double left = lettering.anchor == Anchor::start    ? room.left
                      : lettering.anchor == Anchor::middle ? room.left + (room.width - width) / 2
                                                           : room.right() - width;
  const Box box{left, room.top + (room.height - ruler_.height()) / 2, width, ruler_.height()};
  const Box seen = inside(box);
  if (seen.height < box.height - 0.01 || seen.width < box.width - 0.01) return false;
  if (!isFree(box)) return false;
  words_.push_back(box);
  items_.push_back({.shape = StageItem::Shape::text,
                    .part = part,
                    .box = box,
                    .lettering = lettering,
                    .text = shown});
  return true;
}

bool Sketch::wordsAt(double x, const Box& room, std::string_view text, Ink ink) {
  const double width = std::min(room.width, ruler_.width(text));
  const double left =
      std::clamp(x - width / 2, room.left, std::max(room.left, room.right() - width));
  // A hair more than it takes: rounding must not cost a letter.
  return words({left, room.top, width + 0.01, room.height}, text, {.ink = ink});
}

Box columnOf(const Box& box, double from, double to) {
  return {box.left + box.width * from, box.top, box.width * (to - from), box.height};
}

}  // namespace hw::stage
