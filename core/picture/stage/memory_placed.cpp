#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/stage/list_moment.h"
#include "core/picture/stage/memory.h"
#include "core/picture/stage/row_words.h"

namespace hw::stage {
namespace {

using Role = MethodList::Role;

/// Placements as a map of their own: steps to the right, addresses upwards.
class PlacedDrawing {
 public:
  PlacedDrawing(Sketch& sketch, const Moment& moment, std::uint32_t list, const Box& where)
      : sketch_(sketch),
        moment_(moment),
        list_(list),
        pool_(moment.list(list).pool),
        where_(where) {
    const double left = sketch.ruler().width("1,000 KiB") + 6;
    const double top = where.top + sketch.line() + 8;
    plot_ = Box::between(where.left + left, top, where.right() - 2,
                         std::max(top + 4, where.bottom() - sketch.line() - 6));
    bytes_ = moment.stage.extent(pool_).bytes;
    steps_ = std::max(1.0, static_cast<double>(moment.run().problem.steps.count()));
    scale_ = plot_.height / std::max(1.0, static_cast<double>(bytes_.length().count()));
  }

  void draw() const {
    const std::string pool = moment_.poolName(pool_);
    sketch_.words({where_.left, where_.top, where_.width, sketch_.line() + 2},
                  pool.empty() ? "placements" : "placements in " + pool, {.bold = true});
    sketch_.rectangle(plot_, Part::around, {.fill = Fill{Ink::plot}, .edge = Stroke{Ink::axis}});
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
  double y(Bytes at) const {
    return plot_.bottom() - static_cast<double>((at - bytes_.begin).count()) * scale_;
  }
  double x(Step step) const {
    return plot_.left + plot_.width * static_cast<double>(step.count()) / steps_;
  }
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
        sketch_.rectangle(box, Part::candidate, {.edge = Stroke{Ink::accent, 1.5, kDashed}});
        // In a corner, for the name is in the middle.
        const bool taken = isAt(*tick, offset);
        sketch_.words({box.left + 3, box.top + 1, box.width - 6, sketch_.line()},
                      fmt::format("{}", number),
                      {.ink = taken ? moment_.inkOn(tick->stay) : Ink::accent, .halo = !taken});
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

  void drawScale() const {
    const Box line{plot_.left, plot_.bottom() + 3, plot_.width, sketch_.line()};
    sketch_.words(line, "step 0", {.ink = Ink::muted});
    sketch_.words(line,
                  fmt::format("step {}", groupDigits(moment_.run().problem.steps.count() - 1)),
                  {.ink = Ink::muted, .anchor = Anchor::end});
  }

  Sketch& sketch_;
  const Moment& moment_;
  std::uint32_t list_;
  PoolId pool_;
  Box where_;
  Box plot_;
  Interval<Bytes> bytes_;
  double steps_ = 1;
  double scale_ = 1;
};

}  // namespace

void drawPlaced(Sketch& sketch, const Moment& moment, std::uint32_t list, const Box& where) {
  PlacedDrawing(sketch, moment, list, where).draw();
}

}  // namespace hw::stage
