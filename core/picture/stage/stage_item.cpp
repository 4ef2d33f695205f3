#include "core/picture/stage/stage_item.h"

namespace hw {

void drawStage(Canvas& canvas, std::span<const StageItem> items) {
  const double ascent = canvas.ruler().ascent();
  for (const StageItem& item : items) {
    const Box& box = item.box;
    switch (item.shape) {
      case StageItem::Shape::rectangle:
        canvas.rectangle(box, item.look, {.tooltip = item.text});
        break;
      case StageItem::Shape::hatch:
        canvas.hatch(box, *item.look.fill);
        break;
      case StageItem::Shape::line:
        canvas.line({box.left, box.top}, {box.right(), box.bottom()}, *item.look.edge);
        break;
      case StageItem::Shape::text: {
        const Anchor anchor = item.lettering.anchor;
        const double x = anchor == Anchor::start    ? box.left
                         : anchor == Anchor::middle ? box.left + box.width / 2
                                                    : box.right();
        canvas.text({x, box.top + ascent}, item.text, item.lettering);
        break;
      }
    }
  }
}

const StageItem* stageItemAt(std::span<const StageItem> items, Point point) {
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    const Box& box = item->box;
    const bool inside = point.x >= box.left && point.x < box.right() && point.y >= box.top &&
                        point.y < box.bottom();
    if (inside && item->stay && item->shape == StageItem::Shape::rectangle) return &*item;
  }
  return nullptr;
}

}  // namespace hw
