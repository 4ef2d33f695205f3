#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/picture/stage/memory.h"
#include "core/picture/stage/sketch.h"

namespace hw::stage {
namespace {

using Role = MethodList::Role;

/// Tenants of blocks, and the blocks that are idle.
struct Tenants {
  std::map<std::int64_t, StayId> of{};
  std::set<std::int64_t> idle{};

  Tenants(const StageMoment& moment, PoolId pool) {
    for (const std::uint32_t list : moment.listsOf(Role::mapping, pool)) {
      for (const MethodRow& row : moment.rows(list)) {
        const RowCells cells(row);
        if (!isStay(moment.run(), cells.stay)) continue;
        // The mapping is of all pools together.
        if (pool && moment.run().problem.poolOf(cells.stay) != pool) continue;
        of[cells.number(0)] = cells.stay;
      }
    }
    for (const std::uint32_t list : moment.listsOf(Role::idle, pool)) {
      for (const MethodRow& row : moment.rows(list)) idle.insert(RowCells(row).number(0));
    }
  }

  StayId tenant(std::int64_t block) const {
    const auto found = of.find(block);
    return found == of.end() || idle.contains(block) ? StayId() : found->second;
  }
};

class BlocksDrawing {
 public:
  BlocksDrawing(Sketch& sketch, const StageMoment& moment, std::uint32_t list)
      : sketch_(sketch),
        moment_(moment),
        list_(list),
        pool_(moment.list(list).pool),
        tenants_(moment, pool_) {}

  void draw(const Box& where) const {
    const std::string pool = moment_.poolName(pool_);
    sketch_.words({where.left, where.top, where.width, sketch_.line() + 2},
                  pool.empty() ? "blocks" : "blocks in " + pool, {.bold = true});
    const double row = sketch_.rowHeight() + 4;
    const double top = where.top + sketch_.line() + 6;
    const double bottom = where.bottom() - sketch_.line() - 4;
    const auto rows = markedRows(moment_.stage.record(), moment_.player, list_);
    const auto lines = static_cast<std::size_t>(std::max(0.0, (bottom - top) / row));
    const double name = sketch_.ruler().width("block 000") + 6;
    std::size_t next = 0;
    double y = top;
    const auto leftOut = [&](std::size_t count) {
      if (count == 0 || y + sketch_.rowHeight() > bottom + 0.01) return;
      sketch_.words({where.left + name, y, where.width - name, sketch_.rowHeight()},
                    fmt::format("… {} more …", count), {.ink = Ink::muted}, Part::elided);
      y += row;
    };
    for (const std::size_t each : chosenRows(rows, lines)) {
      if (lines > 1) leftOut(each - next);
      drawBlock({where.left, y, where.width, sketch_.rowHeight()}, name, rows[each]);
      y += row;
      next = each + 1;
    }
    leftOut(rows.size() - next);
    sketch_.words({where.left, bottom + 2, where.width, sketch_.line() + 2}, totals(),
                  {.ink = Ink::muted});
  }

 private:
  void drawBlock(const Box& box, double name, const MarkedRow& marked) const {
    const RowCells cells(marked.row);
    const std::int64_t number = cells.number(0);
    const Bytes capacity = cells.byte(0);
    const bool grows = marked.mark == Mark::changed;
    sketch_.words({box.left, box.top, name, box.height}, fmt::format("block {}", number),
                  {.ink = marked.mark == Mark::none ? Ink::text : Ink::selection,
                   .bold = marked.mark != Mark::none});
    const double end = sketch_.ruler().width("1,000 KiB, was 1,000 KiB") + 6;
    const double scale = std::max(1.0, box.width - name - end) /
                         std::max(1.0, moment_.stage.extent(pool_).largestBlock.real());
    const Box whole{box.left + name, box.top, std::max(1.0, capacity.real() * scale), box.height};
    const StayId stay = tenants_.tenant(number);
    drawInside(whole, stay, scale);
    const bool idle = tenants_.idle.contains(number);
    sketch_.rectangle(
        whole, Part::frame,
        {.edge = Stroke{marked.mark == Mark::none ? Ink::axis : Ink::selection,
                        marked.mark == Mark::none ? 1.0 : 2.0, kDashed}},
        {}, fmt::format("block {}, {}{}", number, formatBytes(capacity), idle ? ", idle" : ""));
    if (grows) {
      const double old = whole.left + RowCells(marked.before).byte(0).real() * scale;
      sketch_.line({old, box.top - 2}, {old, box.bottom() + 2}, {Ink::selection, 2});
    }
    sketch_.words({whole.right() + 6, box.top, box.right() - whole.right() - 6, box.height},
                  grows ? fmt::format("{}, was {}", formatBytes(capacity),
                                      formatBytes(RowCells(marked.before).byte(0)))
                        : formatBytes(capacity),
                  {.ink = grows ? Ink::selection : Ink::muted});
  }

  /// The tenant at the start of its block, and what it leaves.
  void drawInside(const Box& whole, StayId stay, double scale) const {
    if (!stay) {
      sketch_.rectangle(whole, Part::hole, {.fill = Fill{Ink::hole}});
      sketch_.words(inner(whole), "idle", {.ink = Ink::muted, .anchor = Anchor::middle}, Part::hole,
                    4);
      return;
    }
    const double width = std::min(whole.width, moment_.sizeOf(stay).real() * scale);
    const Box used{whole.left, whole.top, width, whole.height};
    const Box rest = Box::between(used.right(), whole.top, whole.right(), whole.bottom());
    if (rest.width > 0.5) {
      sketch_.hatch(rest, Part::rest, {Ink::hatch, 0.9});
      sketch_.words(inner(rest), "unused", {.ink = Ink::muted, .anchor = Anchor::middle},
                    Part::rest, 6);
    }
    sketch_.rectangle(
        used, Part::used, moment_.lookOf(stay), stay,
        fmt::format("{}, {}", stayWord(moment_.run(), stay), formatBytes(moment_.sizeOf(stay))));
    sketch_.words(inner(used), stayWord(moment_.run(), stay),
                  {.ink = moment_.inkOn(stay), .anchor = Anchor::middle}, Part::around, 2);
  }

  static Box inner(const Box& box) { return {box.left + 3, box.top, box.width - 6, box.height}; }

  /// Unused ends are no free bytes: nothing can be given them before their block falls idle.
  std::string totals() const {
    Bytes all;
    Bytes idle;
    Bytes used;
    for (const MethodRow& row : moment_.rows(list_)) {
      const RowCells cells(row);
      all += cells.byte(0);
      const StayId stay = tenants_.tenant(cells.number(0));
      (stay ? used : idle) += stay ? moment_.sizeOf(stay) : cells.byte(0);
    }
    return fmt::format("{} in all: {} in use, {} idle, {} unused", formatBytes(all),
                       formatBytes(used), formatBytes(idle), formatBytes(all - used - idle));
  }

  Sketch& sketch_;
  const StageMoment& moment_;
  std::uint32_t list_;
  PoolId pool_;
  Tenants tenants_;
};

}  // namespace

void drawBlocks(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where) {
  BlocksDrawing(sketch, moment, list).draw(where);
}

namespace {

using Role = MethodList::Role;

/// A drawing of a list over the steps of a run: a title, a plot beside names that are `left` wide,
/// and the ends of the axis below it.
class StepsDrawing {
 protected:
  StepsDrawing(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where,
               double left)
      : sketch_(sketch),
        moment_(moment),
        list_(list),
        pool_(moment.list(list).pool),
        where_(where) {
    const double top = where.top + sketch.line() + 8;
    plot_ = Box::between(where.left + left, top, where.right() - 2,
                         std::max(top + 4, where.bottom() - sketch.line() - 6));
    steps_ = std::max(1.0, moment.run().problem.steps.real());
  }

  double x(Step step) const { return plot_.left + plot_.width * step.real() / steps_; }
  /// Units of the plot for a byte where it is `bytes` high.
  double unitsOf(Bytes bytes) const { return plot_.height / std::max(1.0, bytes.real()); }

  void drawTitle(const std::string& what) const {
    const std::string pool = moment_.poolName(pool_);
    sketch_.words({where_.left, where_.top, where_.width, sketch_.line() + 2},
                  pool.empty() ? what : what + " in " + pool, {.bold = true});
  }
  void drawPlot() const {
    sketch_.rectangle(plot_, Part::around, {.fill = Fill{Ink::plot}, .edge = Stroke{Ink::axis}});
  }
  void drawScale() const {
    const Box line{plot_.left, plot_.bottom() + 3, plot_.width, sketch_.line()};
    sketch_.words(line, "step 0", {.ink = Ink::muted});
    sketch_.words(line,
                  fmt::format("step {}", groupDigits(moment_.run().problem.steps.count() - 1)),
                  {.ink = Ink::muted, .anchor = Anchor::end});
  }

  Sketch& sketch_;
  const StageMoment& moment_;
  std::uint32_t list_;
  PoolId pool_;
  Box where_;
  Box plot_;
  double steps_ = 1;
};

/// Blocks that several stays have one after the other, all dealt out before anything runs: shelves
/// one above the other, steps to the right. Who has a block has it from its start on.
class ShelvesDrawing : StepsDrawing {
 public:
  ShelvesDrawing(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where)
      : StepsDrawing(sketch, moment, list, where,
                     std::min(sketch.ruler().width("object 00, 1,000 KiB") + 6, where.width / 3)),
        scale_(unitsOf(moment.stage.extent(pool_).allBlocks)) {}

  void draw() const {
    const std::string& word = moment_.list(list_).columns.front();
    drawTitle(word + "s");
    sketch_.words({where_.left, where_.top, where_.width, sketch_.line() + 2}, totals(),
                  {.ink = Ink::muted, .anchor = Anchor::end});
    drawPlot();
    Bytes base;
    for (const MarkedRow& row : markedRows(moment_.stage.record(), moment_.player, list_)) {
      if (row.mark == Mark::gone) continue;
      drawShelf(row, base, word);
      base += RowCells(row.row).byte(0);
    }
    drawScale();
  }

 private:
  double y(Bytes at) const { return plot_.bottom() - at.real() * scale_; }

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
        {.edge = Stroke{marked ? Ink::selection : Ink::axis, marked ? 2.0 : 1.0, kDashed}}, {},
        name);
    sketch_.words({where_.left, shelf.top, plot_.left - where_.left - 6, shelf.height}, name,
                  {.ink = marked ? Ink::selection : Ink::muted, .anchor = Anchor::end});
  }

  /// The mapping is of all pools together.
  bool isOurs(StayId stay) const {
    return isStay(moment_.run(), stay) && (!pool_ || moment_.run().problem.poolOf(stay) == pool_);
  }

  void drawTenant(StayId stay, const Box& shelf, Bytes capacity) const {
    const Bytes size = moment_.sizeOf(stay);
    const double height = shelf.height * size.real() / std::max(1.0, capacity.real());
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

  double scale_ = 1;
};

}  // namespace

void drawShelves(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where) {
  ShelvesDrawing(sketch, moment, list, where).draw();
}

namespace {

using Role = MethodList::Role;

/// Placements as a map of their own: steps to the right, addresses upwards.
class PlacedDrawing : StepsDrawing {
 public:
  PlacedDrawing(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where)
      : StepsDrawing(sketch, moment, list, where, sketch.ruler().width("1,000 KiB") + 6),
        bytes_(moment.stage.extent(pool_).bytes),
        scale_(unitsOf(bytes_.length())) {}

  void draw() const {
    drawTitle("placements");
    drawPlot();
    drawNow();
    // Words of those that come last must not be hidden: all shapes, then all words.
    const auto rows = markedRows(moment_.stage.record(), moment_.player, list_);
    for (const MarkedRow& each : rows) drawRow(each);
    drawCandidates();
    drawArea();
    for (auto each = rows.rbegin(); each != rows.rend(); ++each) nameRow(*each);
    drawScale();
  }

 private:
  double y(Bytes at) const { return plot_.bottom() - (at - bytes_.begin).real() * scale_; }
  Box boxOf(StayId stay, const std::optional<StayPart>& part, Bytes offset) const {
    const Interval<Step> steps = stepsOf(moment_.run(), stay, part);
    const Bytes size = sizeOf(moment_.run(), stay, part);
    return Box::between(x(steps.begin), y(offset + size), x(steps.end), y(offset));
  }
  Box boxOf(const RowCells& cells) const { return boxOf(cells.stay, cells.part, cells.byte(0)); }

  void drawNow() const {
    const MethodTick* tick = moment_.tick();
    if (!tick || tick->step < Step() || tick->step >= moment_.run().problem.steps) return;
    sketch_.rectangle(
        Box::between(x(tick->step), plot_.top, x(tick->step + Step(1)), plot_.bottom()),
        Part::around, {.fill = Fill{Ink::hole}});
  }

  void drawRow(const MarkedRow& each) const {
    const RowCells cells(each.row);
    if (!isStay(moment_.run(), cells.stay)) return;
    const Box box = boxOf(cells).cut(plot_);
    if (each.mark == Mark::gone) {
      sketch_.rectangle(box, Part::gone, {.edge = Stroke{Ink::muted, 1, kDotted}});
      return;
    }
    sketch_.rectangle(box, Part::used, moment_.lookOf(cells.stay), cells.stay,
                      fmt::format("{}: {} at {}", stayWord(moment_.run(), cells),
                                  formatBytes(moment_.sizeOf(cells)), formatBytes(cells.byte(0))));
  }

  void nameRow(const MarkedRow& each) const {
    const RowCells cells(each.row);
    if (each.mark == Mark::gone || !isStay(moment_.run(), cells.stay)) return;
    const Box box = boxOf(cells).cut(plot_);
    sketch_.words({box.left + 2, box.top, box.width - 4, box.height},
                  stayWord(moment_.run(), cells),
                  {.ink = moment_.inkOn(cells.stay),
                   .anchor = Anchor::middle,
                   .bold = each.mark == Mark::put},
                  Part::around, 2);
  }

  /// The other places that the tick's stay could have had, by their numbers in the list.
  void drawCandidates() const {
    const MethodTick* tick = moment_.tick();
    if (!tick || !isStay(moment_.run(), tick->stay)) return;
    for (const std::uint32_t list : moment_.listsOf(Role::candidates, pool_)) {
      const auto changed = moment_.stage.record().changesOf(moment_.player.at() - 1);
      if (std::ranges::none_of(changed,
                               [&](const MethodChange& each) { return each.list == list; })) {
        continue;
      }
      std::size_t number = 0;
      for (const MethodRow& row : moment_.rows(list)) {
        const Bytes offset = RowCells(row).byte(0);
        const Box box = boxOf(tick->stay, tick->part, offset).cut(plot_);
        ++number;
        if (box.isEmpty()) continue;
        sketch_.rectangle(box, Part::candidate, {.edge = Stroke{Ink::selection, 1.5, kDashed}});
        // In a corner, for the name is in the middle.
        const bool taken = isAt(*tick, offset);
        sketch_.words({box.left + 3, box.top + 1, box.width - 6, sketch_.line()},
                      fmt::format("{}", number),
                      {.ink = taken ? moment_.inkOn(tick->stay) : Ink::selection, .halo = !taken});
      }
    }
  }

  bool isAt(const MethodTick& tick, Bytes offset) const {
    return std::ranges::any_of(moment_.rows(list_), [&](const MethodRow& row) {
      const RowCells cells(row);
      return cells.stay == tick.stay && cells.part == tick.part && cells.byte(0) == offset;
    });
  }

  /// From the lowest to the highest byte that is placed.
  void drawArea() const {
    std::optional<Interval<Bytes>> area;
    for (const MethodRow& row : moment_.rows(list_)) {
      const RowCells cells(row);
      if (!isStay(moment_.run(), cells.stay)) continue;
      const Bytes low = cells.byte(0);
      cover(area, {low, low + moment_.sizeOf(cells)});
    }
    if (!area) return;
    for (const Bytes at : {area->begin, area->end}) {
      sketch_.line({plot_.left, y(at)}, {plot_.right(), y(at)}, {Ink::highWater, 1.5, kDashed});
    }
    const double middle = (y(area->begin) + y(area->end)) / 2;
    const double line = sketch_.line();
    const Box beside{where_.left, 0, plot_.left - where_.left - 6, line};
    const auto write = [&](double at, const std::string& text) {
      sketch_.words(
          {beside.left, std::clamp(at - line / 2, where_.top + line + 2, plot_.bottom() - line),
           beside.width, line},
          text, {.ink = Ink::highWater, .anchor = Anchor::end});
    };
    write(y(area->end), formatBytes(area->end));
    write(y(area->begin), formatBytes(area->begin));
    write(middle, "area");
    write(middle + line, formatBytes(area->length()));
  }

  Interval<Bytes> bytes_;
  double scale_ = 1;
};

}  // namespace

void drawPlaced(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where) {
  PlacedDrawing(sketch, moment, list, where).draw();
}

namespace {

using Role = MethodList::Role;

/// Two stacks that grow away from an origin, down to the left and up to the right.
class SidesDrawing {
 public:
  SidesDrawing(Sketch& sketch, const StageMoment& moment, const Box& where)
      : sketch_(sketch), moment_(moment), where_(where) {
    const Interval<Bytes> bytes = moment.stage.extent({}).bytes;
    const double height = std::clamp(where.height - 5.2 * sketch.line(), 2.0, 4.5 * sketch.line());
    bar_ = {where.left + 2, where.top + 3.2 * sketch.line(), where.width - 4, height};
    scale_ = bar_.width / std::max(1.0, bytes.length().real());
    origin_ = bar_.left - bytes.begin.real() * scale_;
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
    const double from = cells.byte(0).real() * scale_;
    const double to = cells.byte(1).real() * scale_;
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

  /// Draws how far each side ever reached: its bytes are the plan's.
  void drawBoundaries() const {
    for (const std::uint32_t list : moment_.listsOf(Role::boundaries, {})) {
      const auto& rows = moment_.rows(list);
      for (std::size_t i = 0; i < rows.size() && i < 2; ++i) {
        const bool up = i == 0;
        const Bytes reach = RowCells(rows[i]).byte(0);
        const double x = origin_ + (up ? 1 : -1) * reach.real() * scale_;
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
  const StageMoment& moment_;
  Box where_;
  Box bar_;
  double scale_ = 1;
  double origin_ = 0;
};

}  // namespace

void drawSides(Sketch& sketch, const StageMoment& moment, const Box& where) {
  SidesDrawing(sketch, moment, where).draw();
}

}  // namespace hw::stage
