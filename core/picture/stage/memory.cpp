#include "core/picture/stage/memory.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "core/picture/stage/row_words.h"

namespace hw::stage {
namespace {

using Role = MethodList::Role;

/// What is drawn on its own, one below the other, and how much room it wants.
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

std::vector<std::uint32_t> Moment::listsOf(Role role, PoolId pool) const {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t number : stage.lists()) {
    const MethodList& each = list(number);
    if (each.role == role && (!each.pool || each.pool == pool)) found.push_back(number);
  }
  return found;
}

std::uint32_t Moment::listOf(Role role, PoolId pool) const {
  const std::vector<std::uint32_t> found = listsOf(role, pool);
  return found.empty() ? StageItem::kNone : found.front();
}

const MethodTick* Moment::tick() const {
  return player.at() == 0 ? nullptr : &stage.record().ticks[player.at() - 1];
}

Look Moment::lookOf(StayId stay) const {
  if (!isStay(run(), stay)) return {.fill = Fill{Ink::hole}, .edge = Stroke{Ink::axis}};
  Look look = Sketch::lookOf(stayClass(run(), stay));
  if (tick() && tick()->stay == stay) look.edge = Stroke{Ink::accent, 2};
  if (selected && selected == stay) look.edge = Stroke{Ink::selection, 3};
  return look;
}

Ink Moment::inkOn(StayId stay) const {
  return isStay(run(), stay) ? Sketch::wordInk(stayClass(run(), stay)) : Ink::text;
}

std::string Moment::poolName(PoolId pool) const {
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
  const Moment moment{stage, player, selected};
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

}  // namespace hw::stage
