#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/stage/list_moment.h"
#include "core/picture/stage/memory.h"
#include "core/picture/stage/row_words.h"

namespace hw::stage {
namespace {

using Role = MethodList::Role;

/// Two stacks that grow away from an origin, down to the left and up to the right.
class SidesDrawing {
 public:
  SidesDrawing(Sketch& sketch, const Moment& moment, const Box& where)
      : sketch_(sketch), moment_(moment), where_(where) {
    const Interval<Bytes> bytes = moment.stage.extent({}).bytes;
    const double height = std::clamp(where.height - 5.2 * sketch.line(), 2.0, 4.5 * sketch.line());
    bar_ = {where.left + 2, where.top + 3.2 * sketch.line(), where.width - 4, height};
    scale_ = bar_.width / std::max(1.0, static_cast<double>(bytes.length().count()));
    origin_ = bar_.left - static_cast<double>(bytes.begin.count()) * scale_;
  }

  void draw() const {
    sketch_.words({where_.left, where_.top, where_.width, sketch_.line() + 2},
                  "two stacks around an origin", {.bold = true});
    for (const bool up : {false, true}) {
      for (const std::uint32_t list : moment_.listsOf(up ? Role::upwards : Role::downwards, {})) {
        drawStack(list, up);
      }
    }
    drawBoundaries();
    sketch_.line({origin_, bar_.top - 8}, {origin_, bar_.bottom() + 8}, {Ink::text, 2});
    sketch_.wordsAt(origin_,
                    {where_.left, bar_.top - 10 - sketch_.line(), where_.width, sketch_.line()},
                    "origin", Ink::text);
  }

 private:
  Box boxOf(const RowCells& cells, bool up) const {
    const double from = static_cast<double>(cells.byte(0).count()) * scale_;
    const double to = static_cast<double>(cells.byte(1).count()) * scale_;
    return up ? Box::between(origin_ + from, bar_.top, origin_ + to, bar_.bottom())
              : Box::between(origin_ - to, bar_.top, origin_ - from, bar_.bottom());
  }

  void drawStack(std::uint32_t list, bool up) const {
    for (const MarkedRow& each : markedRows(moment_.stage.record(), moment_.player, list)) {
      const RowCells cells(each.row);
      const Box box = boxOf(cells, up);
      if (each.mark == Mark::gone) {
        sketch_.rectangle({box.left + 2, box.top + 2, std::max(0.5, box.width - 4), box.height - 4},
                          Part::gone, {.edge = Stroke{Ink::muted, 1, kDashed}});
        writeInside(box, stayWord(moment_.run(), cells), "leaves", Ink::muted, false);
        continue;
      }
      const bool recycled = !cells.texts.empty() && !cells.texts[0].empty();
      Look look = moment_.lookOf(cells.stay);
      if (recycled) look.fill = Fill{Ink::hole};
      const std::string name = stayWord(moment_.run(), cells);
      sketch_.rectangle(box, Part::used, look, cells.stay,
                        fmt::format("{}: {} to {} {} the origin{}", name,
                                    formatBytes(cells.byte(0)), formatBytes(cells.byte(1)),
                                    up ? "above" : "below", recycled ? ", recycled" : ""));
      if (recycled) sketch_.hatch(box, Part::rest, {Ink::hatch, 0.9});
      writeInside(box, name, recycled ? "recycled" : formatBytes(cells.byte(1) - cells.byte(0)),
                  recycled ? Ink::text : moment_.inkOn(cells.stay), each.mark == Mark::put);
    }
  }

  void writeInside(const Box& box, const std::string& name, const std::string& more, Ink ink,
                   bool bold) const {
    const Box in{box.left + 2, box.top + 1, box.width - 4, box.height - 2};
    const bool two = in.height >= 2 * sketch_.line() && sketch_.ruler().width(more) <= in.width;
    const double half = in.height / 2;
    sketch_.words(two ? Box{in.left, in.top, in.width, half} : in, name,
                  {.ink = ink, .anchor = Anchor::middle, .bold = bold}, Part::around, 2);
    if (!two) return;
    sketch_.words({in.left, in.top + half, in.width, half}, more,
                  {.ink = ink, .anchor = Anchor::middle});
  }

  /// How far each side ever reached: its bytes are the plan's.
  void drawBoundaries() const {
    for (const std::uint32_t list : moment_.listsOf(Role::boundaries, {})) {
      const auto& rows = moment_.rows(list);
      for (std::size_t i = 0; i < rows.size() && i < 2; ++i) {
        const bool up = i == 0;
        const Bytes reach = RowCells(rows[i]).byte(0);
        const double x = origin_ + (up ? 1 : -1) * static_cast<double>(reach.count()) * scale_;
        sketch_.line({x, bar_.top - 4}, {x, bar_.bottom() + 6}, {Ink::highWater, 2, kDashed});
        const double width = where_.width / 2 - 4;
        const Box half{up ? where_.right() - width : where_.left, bar_.bottom() + 8, width,
                       sketch_.line() + 2};
        sketch_.wordsAt(x, half,
                        fmt::format("{} boundary {}", up ? "right" : "left", formatBytes(reach)),
                        Ink::highWater);
      }
    }
  }

  Sketch& sketch_;
  const Moment& moment_;
  Box where_;
  Box bar_;
  double scale_ = 1;
  double origin_ = 0;
};

}  // namespace

void drawSides(Sketch& sketch, const Moment& moment, const Box& where) {
  SidesDrawing(sketch, moment, where).draw();
}

}  // namespace hw::stage
