#include "core/picture/stage/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/picture/stage/memory.h"
#include "core/picture/stage/sketch.h"
#include "core/picture/svg_canvas.h"

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
      if (!change.after.empty()) widen(all.lists[change.list], change.after);
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
    // An ellipsis says that there is more after the last line.
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

namespace {

constexpr double kLeastHeight = 300;
constexpr double kMostHeight = 620;

std::string titleOf(const Stage& stage) { return "How " + stage.record().name + " plans"; }

std::string drawn(const Stage& stage, const MethodPlayer& player, const StagePicture& picture) {
  double height = picture.height;
  if (height == 0) {
    const SvgCanvas ruler(1, 1, "", picture.letters, nullptr);
    height = std::clamp(std::ceil(stage.wantedHeight(ruler.ruler(), picture.width)), kLeastHeight,
                        kMostHeight);
  }
  SvgCanvas canvas(picture.width, height, titleOf(stage), picture.letters, picture.palette);
  drawStage(canvas, stage.items(canvas.ruler(), player, {0, 0, picture.width, height}));
  return canvas.finish();
}

/// A line of SVG, and the ticks in which it is seen.
struct FilmLine {
  std::string markup{};
  std::vector<std::uint32_t> ticks{};
};

/// Pieces of all ticks in one order in which each tick's own come as they were drawn.
class Film {
 public:
  /// `lines` of tick `tick`, of which there is none later yet.
  void add(std::uint32_t tick, std::vector<std::string_view> lines) {
    std::vector<std::size_t> next;  // The new order, by index into `pieces_`.
    std::size_t cursor = 0;
    for (const std::string_view line : lines) {
      const auto found =
          std::find_if(order_.begin() + static_cast<std::ptrdiff_t>(cursor), order_.end(),
                       [&](std::size_t piece) { return pieces_[piece].markup == line; });
      if (found != order_.end()) {
        const auto at = static_cast<std::size_t>(found - order_.begin());
        next.insert(next.end(), order_.begin() + static_cast<std::ptrdiff_t>(cursor), found + 1);
        cursor = at + 1;
        pieces_[*found].ticks.push_back(tick);
        continue;
      }
      pieces_.push_back({std::string(line), {tick}});
      next.push_back(pieces_.size() - 1);
    }
    next.insert(next.end(), order_.begin() + static_cast<std::ptrdiff_t>(cursor), order_.end());
    order_ = std::move(next);
  }

  std::string markup(std::uint32_t ticks) const {
    std::string text;
    for (std::size_t i = 0; i < order_.size();) {
      const FilmLine& first = pieces_[order_[i]];
      std::string group;
      for (; i < order_.size() && pieces_[order_[i]].ticks == first.ticks; ++i) {
        group += pieces_[order_[i]].markup + "\n";
      }
      text += first.ticks.size() == ticks ? group : played(first.ticks, ticks, group);
    }
    return text;
  }

 private:
  static std::string played(const std::vector<std::uint32_t>& seen, std::uint32_t ticks,
                            const std::string& group) {
    std::string values = seen.front() == 0 ? "visible" : "hidden";
    std::string times = "0";
    const auto turn = [&](std::uint32_t tick, bool visible) {
      if (tick == 0 || tick >= ticks) return;
      values += visible ? ";visible" : ";hidden";
      times += fmt::format(";{:.6g}", static_cast<double>(tick) / ticks);
    };
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i == 0 || seen[i - 1] + 1 != seen[i]) turn(seen[i], true);
      if (i + 1 == seen.size() || seen[i] + 1 != seen[i + 1]) turn(seen[i] + 1, false);
    }
    return fmt::format(
        "<g{}><animate attributeName=\"visibility\" calcMode=\"discrete\" values=\"{}\" "
        "keyTimes=\"{}\" dur=\"{}s\" repeatCount=\"indefinite\"/>\n{}</g>\n",
        seen.back() + 1 == ticks ? "" : " visibility=\"hidden\"", values, times,
        svgNumber(ticks * kFilmTickSeconds), group);
  }

  std::vector<FilmLine> pieces_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::string stageSvg(const Stage& stage, std::size_t ticks, const StagePicture& picture) {
  MethodPlayer player(stage.record());
  player.seek(ticks);
  std::string svg = drawn(stage, player, picture);
  if (!picture.palette) svg.insert(svg.find('\n') + 1, "<style>" + inkStyles() + "</style>\n");
  return svg;
}

std::size_t filmTicks(const Stage& stage) {
  return std::min(stage.record().ticks.size(), kMostFilmTicks);
}

std::string stageFilm(const Stage& stage, const StagePicture& picture, bool standalone) {
  StagePicture colourless = picture;
  colourless.palette = nullptr;
  const auto ticks = static_cast<std::uint32_t>(filmTicks(stage) + 1);
  MethodPlayer player(stage.record());
  Film film;
  std::string head;
  std::map<std::string, bool, std::less<>> patterns;
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    player.seek(tick);
    const std::string svg = drawn(stage, player, colourless);
    std::vector<std::string_view> lines = splitText(svg, '\n');
    head = std::string(lines[0]);
    // The element, its title, the shapes, and what closes it.
    lines.erase(lines.begin(), lines.begin() + 2);
    while (!lines.empty() && (lines.back().empty() || lines.back() == "</svg>")) lines.pop_back();
    std::erase_if(lines, [&](std::string_view line) {
      if (!line.starts_with("<pattern")) return false;
      patterns.emplace(line, true);
      return true;
    });
    film.add(tick, std::move(lines));
  }
  std::string text = head + "\n<title>" + escapeMarkup(titleOf(stage)) + "</title>\n";
  if (standalone) text += "<style>" + inkStyles() + "</style>\n";
  for (const auto& [pattern, seen] : patterns) text += pattern + "\n";
  return text + film.markup(ticks) + "</svg>\n";
}

}  // namespace hw
