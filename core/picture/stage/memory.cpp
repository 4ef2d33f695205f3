#include "core/picture/stage/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/block_store.h"

namespace hw::stage {
namespace {

using Role = MethodList::Role;

/// Drawings one below the other, each on its own.
struct Panel {
  enum class Kind { blocks, shelves, strip, sides, placed };
  Kind kind{};
  std::uint32_t list = 0;
  PoolId pool{};
};

std::vector<Panel> panelsOf(const Stage& stage) {
  std::vector<Panel> panels;
  const auto add = [&](const Panel& panel) {
    // A row of memory has several lists.
    const bool there = std::ranges::any_of(panels, [&](const Panel& other) {
      return other.kind == panel.kind && other.pool == panel.pool &&
             (panel.kind == Panel::Kind::strip || panel.kind == Panel::Kind::sides);
    });
    if (!there) panels.push_back(panel);
  };
  const bool givesBack = std::ranges::find(stage.record().lists, Role::idle, &MethodList::role) !=
                         stage.record().lists.end();
  for (const std::uint32_t number : stage.lists()) {
    const MethodList& list = stage.record().lists[number];
    switch (list.role) {
      case Role::blocks:
        add({givesBack ? Panel::Kind::blocks : Panel::Kind::shelves, number, list.pool});
        break;
      case Role::used:
      case Role::free:
      case Role::frames:
        add({Panel::Kind::strip, number, list.pool});
        break;
      case Role::upwards:
      case Role::downwards:
        add({Panel::Kind::sides, number, list.pool});
        break;
      case Role::placed:
        add({Panel::Kind::placed, number, list.pool});
        break;
      default:
        break;
    }
  }
  return panels;
}

constexpr double kPanelGap = 12;

}  // namespace

std::vector<std::uint32_t> StageMoment::listsOf(Role role, PoolId pool) const {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t number : stage.lists()) {
    const MethodList& each = list(number);
    if (each.role == role && (!each.pool || each.pool == pool)) found.push_back(number);
  }
  return found;
}

std::uint32_t StageMoment::listOf(Role role, PoolId pool) const {
  const std::vector<std::uint32_t> found = listsOf(role, pool);
  return found.empty() ? StageItem::kNone : found.front();
}

const MethodTick* StageMoment::tick() const {
  return player.at() == 0 ? nullptr : &stage.record().ticks[player.at() - 1];
}

Look StageMoment::lookOf(StayId stay) const {
  if (!isStay(run(), stay)) return {.fill = Fill{Ink::hole}, .edge = Stroke{Ink::axis}};
  Look look = Sketch::lookOf(stayClass(run(), stay));
  if (tick() && tick()->stay == stay) look.edge = Stroke{Ink::selection, 2};
  if (selected && selected == stay) look.edge = Stroke{Ink::selection, 3};
  return look;
}

Ink StageMoment::inkOn(StayId stay) const {
  return isStay(run(), stay) ? Sketch::wordInk(stayClass(run(), stay)) : Ink::text;
}

std::string StageMoment::poolName(PoolId pool) const {
  return pool && run().problem.pools.contains(pool) ? printable(run().problem.pools[pool].name)
                                                    : std::string();
}

bool hasMemory(const Stage& stage) { return !panelsOf(stage).empty(); }

double memoryHeight(const Ruler& ruler, const Stage& stage) {
  double height = 0;
  for (const Panel& panel : panelsOf(stage)) {
    const double line = ruler.height();
    const auto rows = [&](Role role) {
      std::size_t most = 0;
      for (const std::uint32_t list : stage.lists()) {
        const MethodList& each = stage.record().lists[list];
        if (each.role == role && (!each.pool || each.pool == panel.pool)) {
          most = std::max(most, stage.mostRows(list));
        }
      }
      return static_cast<double>(most);
    };
    height += kPanelGap;
    switch (panel.kind) {
      case Panel::Kind::blocks:
        height += 3 * line + (rows(Role::blocks) + 1) * (line + 10);
        break;
      case Panel::Kind::strip:
        height += 7 * line + rows(Role::candidates) * (line + 6);
        break;
      case Panel::Kind::sides:
        height += 11 * line;
        break;
      case Panel::Kind::shelves:
      case Panel::Kind::placed:
        height += 24 * line;
        break;
    }
  }
  return height;
}

void drawMemory(Sketch& sketch, const Stage& stage, const MethodPlayer& player, const Box& where,
                StayId selected) {
  const std::vector<Panel> panels = panelsOf(stage);
  if (panels.empty()) return;
  const StageMoment moment{stage, player, selected};
  const double least = 5 * sketch.line();
  const auto count = std::min(
      panels.size(), std::max<std::size_t>(1, static_cast<std::size_t>((where.height + kPanelGap) /
                                                                       (least + kPanelGap))));
  const double each = (where.height + kPanelGap) / static_cast<double>(count) - kPanelGap;
  double top = where.top;
  for (std::size_t i = 0; i < count; ++i, top += each + kPanelGap) {
    const Box box{where.left, top, where.width, each};
    switch (panels[i].kind) {
      case Panel::Kind::blocks:
        drawBlocks(sketch, moment, panels[i].list, box);
        break;
      case Panel::Kind::shelves:
        drawShelves(sketch, moment, panels[i].list, box);
        break;
      case Panel::Kind::strip:
        drawStrip(sketch, moment, panels[i].pool, box);
        break;
      case Panel::Kind::sides:
        drawSides(sketch, moment, box);
        break;
      case Panel::Kind::placed:
        drawPlaced(sketch, moment, panels[i].list, box);
        break;
    }
  }
}

namespace {

using Role = MethodList::Role;

class StripDrawing {
 public:
  StripDrawing(Sketch& sketch, const StageMoment& moment, PoolId pool, const Box& where)
      : sketch_(sketch), moment_(moment), pool_(pool), where_(where) {
    const double height = std::min(3.2 * sketch.line(), where.height - 2 * sketch.line() - 8);
    bar_ = {where.left + 2, where.top + sketch.line() + 6, where.width - 4, std::max(4.0, height)};
    const Stage::Extent extent = moment.stage.extent(pool);
    low_ = extent.bytes.begin.real();
    scale_ = bar_.width / std::max(1.0, extent.bytes.length().real());
  }

  void draw() {
    drawHeading();
    drawBetweenFrames();
    for (const std::uint32_t list : moment_.listsOf(Role::free, pool_)) drawHoles(list);
    for (const std::uint32_t list : moment_.listsOf(Role::used, pool_)) drawUsed(list);
    for (const std::uint32_t list : moment_.listsOf(Role::frames, pool_)) drawFrames(list);
    sketch_.rectangle(bar_, Part::around, {.edge = Stroke{Ink::axis}});
    // Blocks that go as a whole leave nothing behind them.
    if (moment_.listsOf(Role::frames, pool_).empty()) drawFrontier();
    const double top = bar_.bottom() + sketch_.line() + 12;
    for (const std::uint32_t list : moment_.listsOf(Role::candidates, pool_)) {
      drawCandidates(list, Box::between(where_.left, top, where_.right(), where_.bottom()));
    }
  }

 private:
  double x(Bytes at) const { return bar_.left + (at.real() - low_) * scale_; }
  Box boxOf(Bytes at, Bytes size) const {
    return Box::between(x(at), bar_.top, x(at + size), bar_.bottom());
  }
  static Box inner(const Box& box) { return {box.left + 2, box.top, box.width - 4, box.height}; }

  void drawHeading() const {
    Bytes used;
    Bytes free;
    for (const std::uint32_t list : moment_.listsOf(Role::used, pool_)) {
      for (const MethodRow& row : moment_.rows(list)) used += RowCells(row).byte(1);
    }
    for (const std::uint32_t list : moment_.listsOf(Role::free, pool_)) {
      for (const MethodRow& row : moment_.rows(list)) free += RowCells(row).byte(1);
    }
    std::string text = fmt::format("{} in use, {} free", formatBytes(used), formatBytes(free));
    if (const auto frames = frameBytes(); hasFrames()) {
      Bytes taken;
      for (const Interval<Bytes>& each : frames) taken += each.length();
      text = fmt::format("{} in use, {} kept by blocks, {} free", formatBytes(used),
                         formatBytes(taken - std::min(used, taken)),
                         formatBytes(moment_.stage.extent(pool_).bytes.end - taken));
    }
    const Box line{where_.left, where_.top, where_.width, sketch_.line() + 2};
    const std::string name = moment_.poolName(pool_);
    const std::string heading = name.empty() ? "memory" : name;
    sketch_.words(line, heading, {.bold = true});
    const double said = sketch_.ruler().width(heading, true) + 10;
    sketch_.words({line.left + said, line.top, line.width - said, line.height}, text,
                  {.ink = Ink::muted, .anchor = Anchor::end});
  }

  bool hasFrames() const { return !moment_.listsOf(Role::frames, pool_).empty(); }

  /// Of the blocks that are there, ascending.
  std::vector<Interval<Bytes>> frameBytes() const {
    std::vector<Interval<Bytes>> frames;
    for (const std::uint32_t list : moment_.listsOf(Role::frames, pool_)) {
      for (const MethodRow& row : moment_.rows(list)) {
        const RowCells cells(row);
        frames.push_back({cells.byte(0), cells.byte(0) + cells.byte(1)});
      }
    }
    std::ranges::sort(frames, {}, &Interval<Bytes>::begin);
    return frames;
  }

  /// Draws what lies between blocks that take memory, and what they keep for those to come.
  void drawBetweenFrames() const {
    if (!hasFrames()) return;
    std::vector<Interval<Bytes>> frames = frameBytes();
    const Bytes end = moment_.stage.extent(pool_).bytes.end;
    frames.push_back({end, end});
    Bytes from;
    for (const Interval<Bytes>& each : frames) {
      if (from < each.begin) drawHole(from, each.begin - from, false);
      const Box box = boxOf(each.begin, each.length());
      if (!each.empty()) sketch_.hatch(box, Part::rest, {Ink::hatch, 0.9});
      from = std::max(from, each.end);
    }
  }

  void drawHole(Bytes at, Bytes size, bool marked) const {
    const Box box = boxOf(at, size);
    sketch_.rectangle(box, Part::hole, {.fill = Fill{Ink::hole}}, {},
                      fmt::format("free: {} at {}", formatBytes(size), formatBytes(at)));
    sketch_.hatch(box, Part::hole, {Ink::hatch, 0.7});
    if (marked) sketch_.rectangle(box, Part::around, {.edge = Stroke{Ink::selection, 2}});
    sketch_.words(inner(box), formatBytes(size),
                  {.ink = Ink::text, .anchor = Anchor::middle, .halo = true}, Part::around, 99);
  }

  void drawHoles(std::uint32_t list) const {
    for (const MarkedRow& each : markedRows(moment_.stage.record(), moment_.player, list)) {
      if (each.mark == Mark::gone) continue;
      const RowCells cells(each.row);
      drawHole(cells.byte(0), cells.byte(1), each.mark != Mark::none);
    }
  }

  void drawUsed(std::uint32_t list) const {
    const auto rows = markedRows(moment_.stage.record(), moment_.player, list);
    for (const MarkedRow& each : rows) {
      const RowCells cells(each.row);
      const Box box = boxOf(cells.byte(0), cells.byte(1));
      if (each.mark == Mark::gone) {
        sketch_.rectangle({box.left + 2, box.top + 3, std::max(0.5, box.width - 4), box.height - 6},
                          Part::gone, {.edge = Stroke{Ink::muted, 1, kDashed}});
        continue;
      }
      const std::string name = stayWord(moment_.run(), cells);
      sketch_.rectangle(box, Part::used, moment_.lookOf(cells.stay), cells.stay,
                        fmt::format("{}: {} at {}", name, formatBytes(cells.byte(1)),
                                    formatBytes(cells.byte(0))));
      writeTenant(box, cells, name, each.mark == Mark::put);
    }
  }

  void writeTenant(const Box& box, const RowCells& cells, const std::string& name,
                   bool bold) const {
    const Lettering lettering{
        .ink = moment_.inkOn(cells.stay), .anchor = Anchor::middle, .bold = bold};
    const Box in = inner(box);
    const bool two = in.height >= 2 * sketch_.line() + 2 &&
                     sketch_.ruler().width(formatBytes(cells.byte(1))) <= in.width;
    const double half = in.height / 2;
    sketch_.words(two ? Box{in.left, in.top, in.width, half} : in, name, lettering, Part::around,
                  2);
    if (two) {
      sketch_.words({in.left, in.top + half, in.width, half}, formatBytes(cells.byte(1)),
                    {.ink = lettering.ink, .anchor = Anchor::middle});
    }
  }

  /// Blocks that keep their bytes until their use count is 0, whoever lives in them.
  void drawFrames(std::uint32_t list) const {
    for (const MarkedRow& each : markedRows(moment_.stage.record(), moment_.player, list)) {
      if (each.mark == Mark::gone) continue;
      const RowCells cells(each.row);
      const Box box = boxOf(cells.byte(0), cells.byte(1));
      const bool fresh = each.mark != Mark::none;
      const std::string name = cells.texts.empty() ? std::string() : printable(cells.texts[0], 60);
      sketch_.rectangle(box, Part::frame,
                        {.edge = Stroke{fresh ? Ink::selection : Ink::text, 2, kDashed}}, {},
                        fmt::format("{}: {} at {}, use count {}", name, formatBytes(cells.byte(1)),
                                    formatBytes(cells.byte(0)), cells.number(0)));
      const std::string text = fmt::format("{}: {}", name, usesText(cells.number(0)));
      const Ink ink = fresh ? Ink::selection : Ink::muted;
      const double middle = box.left + box.width / 2;
      const double top = bar_.bottom() + 2;
      if (!sketch_.wordsAt(middle, {where_.left, top, where_.width, sketch_.line()}, text, ink)) {
        sketch_.wordsAt(middle, {box.left, top, box.width, sketch_.line()}, text, ink);
      }
    }
  }

  /// The end of what was ever used: of all that has a row.
  void drawFrontier() const {
    Bytes end;
    for (const Role role : {Role::used, Role::free, Role::frames}) {
      for (const std::uint32_t list : moment_.listsOf(role, pool_)) {
        for (const MethodRow& row : moment_.rows(list)) {
          const RowCells cells(row);
          end = std::max(end, cells.byte(0) + cells.byte(1));
        }
      }
    }
    const double at = x(end);
    sketch_.line({at, bar_.top - 4}, {at, bar_.bottom() + 4}, {Ink::highWater, 2});
    sketch_.wordsAt(at, {where_.left, bar_.bottom() + 4, where_.width, sketch_.line() + 2},
                    fmt::format("frontier {}", formatBytes(end)), Ink::highWater);
  }

  /// Draws places of the tick's stay, one below the other in the order they were looked at,
  /// each as large as the stay: what is too small is seen to be.
  void drawCandidates(std::uint32_t list, const Box& where) const {
    const MethodTick* tick = moment_.tick();
    if (!tick || !isStay(moment_.run(), tick->stay) || !isAboutPlacing(list)) return;
    const Bytes size = sizeOf(moment_.run(), tick->stay, tick->part);
    const auto rows = markedRows(moment_.stage.record(), moment_.player, list);
    std::vector<MarkedRow> there;
    for (const MarkedRow& row : rows) {
      if (row.mark != Mark::gone) there.push_back(row);
    }
    const double each = sketch_.rowHeight();
    const auto lines = static_cast<std::size_t>(std::max(0.0, where.height / each));
    double top = where.top;
    std::size_t next = 0;
    for (const std::size_t row : chosenRows(there, lines)) {
      if (row > next && lines > 1) {
        sketch_.words({where.left, top, where.width, each}, fmt::format("… {} more …", row - next),
                      {.ink = Ink::muted, .anchor = Anchor::middle}, Part::elided);
        top += each;
      }
      drawCandidate({where.left, top, where.width, each}, row + 1, RowCells(there[row].row), size);
      top += each;
      next = row + 1;
    }
  }

  /// The list changed with this tick: else it tells of an earlier one.
  bool isAboutPlacing(std::uint32_t list) const {
    return std::ranges::any_of(moment_.stage.record().changesOf(moment_.player.at() - 1),
                               [&](const MethodChange& change) { return change.list == list; });
  }

  void drawCandidate(const Box& line, std::size_t number, const RowCells& cells, Bytes size) const {
    const bool chosen = std::ranges::find(cells.texts, "chosen") != cells.texts.end();
    const Box full = boxOf(cells.byte(0), size);
    const Box box = Box{full.left, line.top + 2, std::max(2.0, full.width), line.height - 4}.cut(
        {where_.left, line.top, where_.width, line.height});
    const Ink ink = chosen ? Ink::selection : Ink::muted;
    sketch_.rectangle(
        box, Part::candidate,
        {.edge = Stroke{ink, chosen ? 2.0 : 1.0, chosen ? std::string_view() : kDashed}});
    std::string why = fmt::format("{}", number);
    for (std::size_t i = 1; i < cells.texts.size(); ++i) {
      why += (i == 1 ? " " : ": ") + printable(cells.texts[i]);
    }
    const double right = line.right() - box.right() - 6;
    const double left = box.left - line.left - 6;
    const Lettering lettering{.ink = ink, .bold = chosen};
    // Inside, or on the side that has more room.
    if (sketch_.ruler().width(why, chosen) <= std::max(right, left) ||
        box.width < std::max(right, left)) {
      const bool after = right >= left;
      Lettering beside = lettering;
      beside.anchor = after ? Anchor::start : Anchor::end;
      sketch_.words(after ? Box{box.right() + 6, line.top, right, line.height}
                          : Box{line.left, line.top, left, line.height},
                    why, beside, Part::around, 3);
    } else {
      sketch_.words(inner(box), why, lettering, Part::around, 3);
    }
  }

  Sketch& sketch_;
  const StageMoment& moment_;
  PoolId pool_;
  Box where_;
  Box bar_;
  double low_ = 0;
  double scale_ = 1;
};

}  // namespace

void drawStrip(Sketch& sketch, const StageMoment& moment, PoolId pool, const Box& where) {
  StripDrawing(sketch, moment, pool, where).draw();
}

}  // namespace hw::stage
