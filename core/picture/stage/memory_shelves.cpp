#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/stage/list_moment.h"
#include "core/picture/stage/memory.h"
#include "core/picture/stage/row_words.h"

namespace hw::stage {
namespace {

using Role = MethodList::Role;

/// Blocks that several stays have one after the other, all dealt out before anything runs: shelves
/// one above the other, steps to the right. Who has a block has it from its start on.
class ShelvesDrawing {
 public:
  ShelvesDrawing(Sketch& sketch, const Moment& moment, std::uint32_t list, const Box& where)
      : sketch_(sketch),
        moment_(moment),
        list_(list),
        pool_(moment.list(list).pool),
        where_(where) {
    const double left = sketch.ruler().width("object 00, 1,000 KiB") + 6;
    const double top = where.top + sketch.line() + 8;
    plot_ = Box::between(where.left + std::min(left, where.width / 3), top, where.right() - 2,
                         std::max(top + 4, where.bottom() - sketch.line() - 6));
    steps_ = std::max(1.0, static_cast<double>(moment.run().problem.steps.count()));
    scale_ = plot_.height /
             std::max(1.0, static_cast<double>(moment.stage.extent(pool_).allBlocks.count()));
  }

  void draw() const {
    const std::string pool = moment_.poolName(pool_);
    const std::string& word = moment_.list(list_).columns.front();
    const Box title{where_.left, where_.top, where_.width, sketch_.line() + 2};
    sketch_.words(title, fmt::format("{}s{}", word, pool.empty() ? "" : " in " + pool),
                  {.bold = true});
    sketch_.words(title, totals(), {.ink = Ink::muted, .anchor = Anchor::end});
    sketch_.rectangle(plot_, Part::around, {.fill = Fill{Ink::plot}, .edge = Stroke{Ink::axis}});
    Bytes base;
    for (const MarkedRow& row : markedRows(moment_.stage.record(), moment_.player, list_)) {
      if (row.mark == Mark::gone) continue;
      drawShelf(row, base, word);
      base += RowCells(row.row).byte(0);
    }
    sketch_.words(below(), "step 0", {.ink = Ink::muted});
    sketch_.words(below(),
                  fmt::format("step {}", groupDigits(moment_.run().problem.steps.count() - 1)),
                  {.ink = Ink::muted, .anchor = Anchor::end});
  }

 private:
  double y(Bytes at) const { return plot_.bottom() - static_cast<double>(at.count()) * scale_; }
  double x(Step step) const {
    return plot_.left + plot_.width * static_cast<double>(step.count()) / steps_;
  }
  Box below() const { return {plot_.left, plot_.bottom() + 3, plot_.width, sketch_.line()}; }

  void drawShelf(const MarkedRow& row, Bytes base, const std::string& word) const {
    const RowCells cells(row.row);
    const Bytes capacity = cells.byte(0);
    const Box shelf = Box::between(plot_.left, y(base + capacity), plot_.right(), y(base));
    for (const std::uint32_t list : moment_.listsOf(Role::mapping, pool_)) {
      for (const MethodRow& each : moment_.rows(list)) {
        const RowCells tenant(each);
        if (tenant.number(0) != cells.number(0) || !isOurs(tenant.stay)) continue;
        drawTenant(tenant.stay, shelf, capacity);
      }
    }
    const bool marked = row.mark != Mark::none;
    const std::string name = fmt::format("{} {}, {}", word, cells.number(0), formatBytes(capacity));
    sketch_.rectangle(
        shelf, Part::frame,
        {.edge = Stroke{marked ? Ink::accent : Ink::axis, marked ? 2.0 : 1.0, kDashed}}, {}, name);
    sketch_.words({where_.left, shelf.top, plot_.left - where_.left - 6, shelf.height}, name,
                  {.ink = marked ? Ink::accent : Ink::muted, .anchor = Anchor::end});
  }

  /// The mapping is of all pools together.
  bool isOurs(StayId stay) const {
    return isStay(moment_.run(), stay) && (!pool_ || moment_.run().problem.poolOf(stay) == pool_);
  }

  void drawTenant(StayId stay, const Box& shelf, Bytes capacity) const {
    const Bytes size = moment_.sizeOf(stay);
    const double height = shelf.height * static_cast<double>(size.count()) /
                          std::max(1.0, static_cast<double>(capacity.count()));
    for (const Interval<Step>& steps : moment_.run().problem.liveSteps(stay)) {
      const Box whole = Box::between(x(steps.begin), shelf.top, x(steps.end), shelf.bottom());
      const Box used =
          Box::between(whole.left, shelf.bottom() - height, whole.right(), shelf.bottom());
      const Box rest = Box::between(whole.left, whole.top, whole.right(), used.top);
      if (rest.height > 0.5) sketch_.hatch(rest, Part::rest, {Ink::hatch, 0.9});
      sketch_.rectangle(used, Part::used, moment_.lookOf(stay), stay,
                        fmt::format("{}, {}", stayWord(moment_.run(), stay), formatBytes(size)));
      sketch_.words({used.left + 3, used.top, used.width - 6, used.height},
                    stayWord(moment_.run(), stay),
                    {.ink = moment_.inkOn(stay), .anchor = Anchor::middle}, Part::around, 2);
    }
  }

  std::string totals() const {
    Bytes all;
    for (const MethodRow& row : moment_.rows(list_)) all += RowCells(row).byte(0);
    Bytes stays;
    for (const std::uint32_t list : moment_.listsOf(Role::mapping, pool_)) {
      for (const MethodRow& row : moment_.rows(list)) {
        const RowCells cells(row);
        if (isOurs(cells.stay)) stays += moment_.sizeOf(cells.stay);
      }
    }
    return fmt::format("{} for tensors of {}", formatBytes(all), formatBytes(stays));
  }

  Sketch& sketch_;
  const Moment& moment_;
  std::uint32_t list_;
  PoolId pool_;
  Box where_;
  Box plot_;
  double steps_ = 1;
  double scale_ = 1;
};

}  // namespace

void drawShelves(Sketch& sketch, const Moment& moment, std::uint32_t list, const Box& where) {
  ShelvesDrawing(sketch, moment, list, where).draw();
}

}  // namespace hw::stage
