#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/picture/stage/list_moment.h"
#include "core/picture/stage/memory.h"
#include "core/picture/stage/row_words.h"

namespace hw::stage {
namespace {

using Role = MethodList::Role;

/// Who has which block, and what of it stays unused.
struct Tenants {
  std::map<std::int64_t, StayId> of{};
  std::set<std::int64_t> idle{};

  Tenants(const Moment& moment, PoolId pool) {
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
  BlocksDrawing(Sketch& sketch, const Moment& moment, std::uint32_t list)
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
                  {.ink = marked.mark == Mark::none ? Ink::text : Ink::accent,
                   .bold = marked.mark != Mark::none});
    const double end = sketch_.ruler().width("1,000 KiB, was 1,000 KiB") + 6;
    const double scale = std::max(1.0, box.width - name - end) /
                         std::max(1.0, bytesOf(moment_.stage.extent(pool_).largestBlock));
    const Box whole{box.left + name, box.top, std::max(1.0, bytesOf(capacity) * scale), box.height};
    const StayId stay = tenants_.tenant(number);
    drawInside(whole, stay, scale);
    const bool idle = tenants_.idle.contains(number);
    sketch_.rectangle(
        whole, Part::frame,
        {.edge = Stroke{marked.mark == Mark::none ? Ink::axis : Ink::accent,
                        marked.mark == Mark::none ? 1.0 : 2.0, kDashed}},
        {}, fmt::format("block {}, {}{}", number, formatBytes(capacity), idle ? ", idle" : ""));
    if (grows) {
      const double old = whole.left + bytesOf(RowCells(marked.before).byte(0)) * scale;
      sketch_.line({old, box.top - 2}, {old, box.bottom() + 2}, {Ink::accent, 2});
    }
    sketch_.words({whole.right() + 6, box.top, box.right() - whole.right() - 6, box.height},
                  grows ? fmt::format("{}, was {}", formatBytes(capacity),
                                      formatBytes(RowCells(marked.before).byte(0)))
                        : formatBytes(capacity),
                  {.ink = grows ? Ink::accent : Ink::muted});
  }

  /// The tenant at the start of its block, and what it leaves.
  void drawInside(const Box& whole, StayId stay, double scale) const {
    if (!stay) {
      sketch_.rectangle(whole, Part::hole, {.fill = Fill{Ink::hole}});
      sketch_.words(inner(whole), "idle", {.ink = Ink::muted, .anchor = Anchor::middle}, Part::hole,
                    4);
      return;
    }
    const double width = std::min(whole.width, bytesOf(moment_.sizeOf(stay)) * scale);
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
  static double bytesOf(Bytes bytes) { return static_cast<double>(bytes.count()); }

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
  const Moment& moment_;
  std::uint32_t list_;
  PoolId pool_;
  Tenants tenants_;
};

}  // namespace

void drawBlocks(Sketch& sketch, const Moment& moment, std::uint32_t list, const Box& where) {
  BlocksDrawing(sketch, moment, list).draw(where);
}

}  // namespace hw::stage
