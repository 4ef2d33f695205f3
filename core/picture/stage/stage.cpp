#include "core/picture/stage/stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/stage/list_columns.h"
#include "core/picture/stage/memory.h"
#include "core/picture/stage/row_words.h"
#include "core/picture/stage/schedule_row.h"

namespace hw {
namespace {

using Role = MethodList::Role;

constexpr double kMargin = 10;
constexpr double kGap = 16;
/// Of the width, where lists and memory are side by side.
constexpr double kListsShare = 0.48;
constexpr double kLeastBeside = 62;  ///< In letters: below that they are one above the other.

}  // namespace

Stage::Stage(std::shared_ptr<const Run> run, std::size_t record)
    : run_(std::move(run)), record_(record) {
  measure();
}

Stage::Extent Stage::extent(PoolId pool) const {
  const auto found = extents_.find(pool);
  return found == extents_.end() ? Extent{} : found->second;
}

void Stage::measure() {
  const MethodRecord& all = record();
  mostRows_.assign(all.lists.size(), 0);
  std::vector<std::size_t> rows(all.lists.size(), 0);
  for (std::size_t tick = 0; tick < all.ticks.size(); ++tick) {
    for (const MethodChange& change : all.changesOf(tick)) {
      std::size_t& count = rows[change.list];
      count += change.before.empty() ? 1 : 0;
      count -= change.after.empty() ? 1 : 0;
      mostRows_[change.list] = std::max(mostRows_[change.list], count);
      if (!change.after.empty()) {
        widen(all.lists[change.list], change.after);
      }
    }
  }
  for (std::uint32_t list = 0; list < all.lists.size(); ++list) {
    if (mostRows_[list] > 0) lists_.push_back(list);
  }
  MethodPlayer player(all);
  player.seek(all.ticks.size());
  for (const std::uint32_t list : lists_) {
    if (all.lists[list].role != Role::blocks) continue;
    for (const MethodRow& row : player.state()[list]) {
      extents_[all.lists[list].pool].allBlocks += stage::RowCells(row).byte(0);
    }
  }
  for (std::size_t tick = 0; tick < all.ticks.size(); ++tick) {
    for (const MethodChange& change : all.changesOf(tick)) {
      const MethodList& list = all.lists[change.list];
      if (list.role == Role::candidates && !change.after.empty()) {
        widenByCandidate(list.pool, stage::RowCells(change.after), all.ticks[tick]);
      }
    }
  }
}

/// Places that nobody took have room as long as they are near: one at the end of a large memory
/// must not make all others too small to be seen.
void Stage::widenByCandidate(PoolId pool, const stage::RowCells& cells, const MethodTick& tick) {
  Extent& extent = extents_[pool];
  const Interval<Bytes> taken = extent.taken;
  const Bytes near = taken.length();
  const Bytes end = cells.byte(0) + stage::sizeOf(*run_, tick.stay, tick.part);
  if (!taken.empty() && (cells.byte(0) < taken.begin - near || end > taken.end + near)) return;
  std::optional<Interval<Bytes>> bytes;
  if (!extent.bytes.empty()) bytes = extent.bytes;
  stage::cover(bytes, {cells.byte(0), end});
  extent.bytes = *bytes;
}

void Stage::widen(const MethodList& list, const MethodRow& row) {
  const stage::RowCells cells(row);
  Extent& extent = extents_[list.pool];
  std::optional<Interval<Bytes>> bytes;
  if (!extent.bytes.empty()) bytes = extent.bytes;
  switch (list.role) {
    case Role::blocks:
      extent.largestBlock = std::max(extent.largestBlock, cells.byte(0));
      return;
    case Role::used:
    case Role::free:
    case Role::frames:
      stage::cover(bytes, {Bytes(), cells.byte(0) + cells.byte(1)});
      break;
    case Role::placed:
      if (!stage::isStay(*run_, cells.stay)) return;
      stage::cover(bytes,
                   {cells.byte(0), cells.byte(0) + stage::sizeOf(*run_, cells.stay, cells.part)});
      break;
    case Role::upwards:
      stage::cover(bytes, {Bytes(), cells.byte(1)});
      break;
    case Role::downwards:
      stage::cover(bytes, {Bytes() - cells.byte(1), Bytes()});
      break;
    default:
      return;
  }
  extent.bytes = *bytes;
  extent.taken = *bytes;
}

std::string Stage::sentence(std::size_t ticks) const {
  if (ticks == 0) return "Nothing is decided yet.";
  const MethodTick& tick = record().ticks[ticks - 1];
  const std::string what = printable(tick.what, 400);
  return stage::isStay(*run_, tick.stay) ? fmt::format("{}: {}", stage::stayWord(*run_, tick), what)
                                         : what;
}

double Stage::wantedHeight(const Ruler& ruler, double width) const {
  const double around = 6 * ruler.height() + 60;
  const bool beside = stage::hasMemory(*this) && width >= kLeastBeside * ruler.width("n");
  const double lists =
      stage::listsHeight(ruler, *this, (width - 2 * kMargin) * (beside ? kListsShare : 1));
  const double memory = stage::memoryHeight(ruler, *this);
  return around + (beside ? std::max(lists, memory) : lists + memory);
}

std::vector<StageItem> Stage::items(const Ruler& ruler, const MethodPlayer& player,
                                    const Box& where, StayId selected) const {
  stage::Sketch sketch(ruler, where);
  const double line = ruler.height();
  sketch.rectangle(where, StageItem::Part::around, {.fill = Fill{Ink::plot}});
  const Box inside = Box::between(where.left + kMargin, where.top + 6, where.right() - kMargin,
                                  where.bottom() - 6);
  const std::size_t at = player.at();
  const std::string place = at == 0
                                ? fmt::format("before the first of {} ticks", record().ticks.size())
                                : fmt::format("tick {} of {}, step {}", at, record().ticks.size(),
                                              record().ticks[at - 1].step.count());
  const Box title{inside.left, inside.top, inside.width, line + 4};
  const double placeRoom = std::min(title.width, ruler.width(place) + kGap);
  sketch.words({title.left, title.top, title.width - placeRoom, title.height}, record().name,
               {.bold = true});
  sketch.words(title, place, {.ink = Ink::muted, .anchor = Anchor::end});

  const std::vector<std::string> all = brokenLines(ruler, sentence(at), inside.width - 16);
  const std::size_t lines = std::clamp<std::size_t>(all.size(), 1, 2);
  const double saying = static_cast<double>(std::max<std::size_t>(lines, 2)) * line + 8;
  const Box said{inside.left, inside.bottom() - saying, inside.width, saying};
  sketch.rectangle(said, StageItem::Part::sentence, {.fill = Fill{Ink::window}});
  for (std::size_t i = 0; i < lines && i < all.size(); ++i) {
    std::string text = all[i];
    // What comes after the last line is said by an ellipsis.
    if (i + 1 == lines) {
      for (std::size_t rest = lines; rest < all.size(); ++rest) text += " " + all[rest];
    }
    sketch.words(
        {said.left + 8, said.top + 4 + line * static_cast<double>(i), said.width - 16, line},
        elided(ruler, text, said.width - 16), {}, StageItem::Part::sentence);
  }
  Box body = Box::between(inside.left, title.bottom() + 8, inside.right(), said.top - 8);
  body = stage::drawSchedule(sketch, *run_, record(), at, body);
  if (body.isEmpty()) return sketch.take();
  if (!stage::hasMemory(*this)) {
    stage::drawLists(sketch, *this, player, body, selected);
  } else if (body.width >= kLeastBeside * ruler.width("n")) {
    const double lists = body.width * kListsShare;
    stage::drawLists(sketch, *this, player, {body.left, body.top, lists, body.height}, selected);
    stage::drawMemory(sketch, *this, player,
                      {body.left + lists + kGap, body.top, body.width - lists - kGap, body.height},
                      selected);
  } else {
    const double memory = std::floor(body.height / 2);
    stage::drawMemory(sketch, *this, player, {body.left, body.top, body.width, memory}, selected);
    stage::drawLists(sketch, *this, player,
                     {body.left, body.top + memory + 8, body.width, body.height - memory - 8},
                     selected);
  }
  return sketch.take();
}

}  // namespace hw
