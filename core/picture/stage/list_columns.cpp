#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "core/picture/stage/memory.h"
#include "core/picture/stage/sketch.h"

namespace hw::stage {
namespace {

constexpr double kColumnGap = 14;
constexpr double kListGap = 8;
constexpr double kChipGap = 2;
constexpr double kLeastLetters = 29;
constexpr double kMarkLetters = 1.6;

std::size_t columnsIn(const Ruler& ruler, double width, std::size_t lists) {
  const double least = kLeastLetters * ruler.width("n") + kColumnGap;
  return std::clamp<std::size_t>(static_cast<std::size_t>((width + kColumnGap) / least), 1, lists);
}

class ListsDrawing {
 public:
  ListsDrawing(Sketch& sketch, const Stage& stage, const MethodPlayer& player, StayId selected)
      : sketch_(sketch), stage_(stage), player_(player), selected_(selected) {}

  void draw(const Box& where) const {
    const auto& lists = stage_.lists();
    if (lists.empty()) return;
    const std::size_t columns = columnsIn(sketch_.ruler(), where.width, lists.size());
    const std::size_t each = (lists.size() + columns - 1) / columns;
    const std::size_t filled = (lists.size() + each - 1) / each;
    const double width = (where.width + kColumnGap) / static_cast<double>(filled);
    for (std::size_t i = 0, column = 0; i < lists.size(); i += each, ++column) {
      const Box box{where.left + width * static_cast<double>(column), where.top, width - kColumnGap,
                    where.height};
      drawColumn(box, std::span(lists).subspan(i, std::min(each, lists.size() - i)));
    }
  }

 private:
  double chip() const { return sketch_.rowHeight() + kChipGap; }

  /// Lines of each list, so that none takes what another needs while itself it has room to spare.
  std::vector<std::size_t> sharedLines(std::span<const std::uint32_t> lists, double height) const {
    const double headings = static_cast<double>(lists.size()) * (sketch_.line() + 4 + kListGap);
    auto room = static_cast<std::size_t>(std::max(0.0, (height - headings + kListGap) / chip()));
    std::vector<std::size_t> lines(lists.size(), 0);
    for (bool any = true; room > 0 && any;) {
      any = false;
      for (std::size_t i = 0; i < lists.size() && room > 0; ++i) {
        // One line more, for a row that this tick takes out.
        if (lines[i] >= stage_.mostRows(lists[i]) + 1) continue;
        ++lines[i];
        --room;
        any = true;
      }
    }
    return lines;
  }

  void drawColumn(const Box& box, std::span<const std::uint32_t> lists) const {
    const std::vector<std::size_t> lines = sharedLines(lists, box.height);
    double top = box.top;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const double height = sketch_.line() + 4 + static_cast<double>(lines[i]) * chip();
      if (top + height > box.bottom() + 0.01) break;
      drawList({box.left, top, box.width, height}, lists[i], lines[i]);
      top += height + kListGap;
    }
  }

  void drawList(const Box& box, std::uint32_t number, std::size_t lines) const {
    const MethodList& list = stage_.record().lists[number];
    const bool stack = list.kind == MethodList::Kind::stack;
    std::vector<MarkedRow> rows = markedRows(stage_.record(), player_, number);
    const std::size_t count = player_.state()[number].size();
    // Candidates are replaced at every tick: those that have gone are not worth showing. Some are
    // no places in memory, but they have verdicts, too.
    if (list.role == MethodList::Role::candidates ||
        std::ranges::find(list.columns, "verdict") != list.columns.end()) {
      std::erase_if(rows, [](const MarkedRow& row) { return row.mark == Mark::gone; });
    }
    if (stack) std::ranges::reverse(rows);
    const std::vector<std::size_t> chosen = chosenRows(rows, lines);
    // A single line is a row's, and the heading says how many are left out.
    const bool single = lines == 1 && rows.size() > 1;
    const std::size_t shown = single && rows[chosen.front()].mark != Mark::gone ? 1 : 0;
    const Box heading{box.left, box.top, box.width, sketch_.line() + 2};
    drawHeading(heading, number, count, single ? shown : count);
    double top = heading.bottom() + 2;
    if (rows.empty() && lines > 0) {
      sketch_.words({box.left, top, box.width, sketch_.rowHeight()}, "empty", {.ink = Ink::muted});
      return;
    }
    std::size_t next = 0;
    for (const std::size_t row : chosen) {
      if (row > next && !single)
        top = drawElided({box.left, top, box.width, sketch_.rowHeight()}, number, row - next);
      drawChip({box.left, top, box.width, sketch_.rowHeight()}, number, rows[row]);
      top += chip();
      next = row + 1;
    }
    if (next < rows.size() && lines > 0 && !single) {
      drawElided({box.left, top, box.width, sketch_.rowHeight()}, number, rows.size() - next);
    }
  }

  /// The list's name, and how many rows it has; where only one of them is shown, that, too.
  void drawHeading(const Box& heading, std::uint32_t number, std::size_t count,
                   std::size_t shown) const {
    const MethodList& list = stage_.record().lists[number];
    std::string total = groupDigits(count);
    if (shown == 1 && count > 1) total = "1 of " + total;
    const double name = sketch_.ruler().width(list.name, true) + 8;
    const std::string order = "top first, " + total;
    const bool stack = list.kind == MethodList::Kind::stack && count > 1;
    if (stack && name + sketch_.ruler().width(order) <= heading.width) total = order;
    const double room = sketch_.ruler().width(total) + 8;
    sketch_.words({heading.left, heading.top, heading.width - room, heading.height}, list.name,
                  {.bold = true});
    const bool written = sketch_.words(heading, total, {.ink = Ink::muted, .anchor = Anchor::end},
                                       shown < count ? Part::elided : Part::around);
    if (!written || shown == count) return;
    sketch_.last().list = number;
    sketch_.last().row = static_cast<std::uint32_t>(count - shown);
  }

  double drawElided(const Box& box, std::uint32_t number, std::size_t count) const {
    const bool written = sketch_.words(box, fmt::format("… {} more …", groupDigits(count)),
                                       {.ink = Ink::muted, .anchor = Anchor::middle}, Part::elided);
    if (written) {
      sketch_.last().list = number;
      sketch_.last().row = static_cast<std::uint32_t>(count);
    }
    return box.top + chip();
  }

  void drawChip(const Box& box, std::uint32_t number, const MarkedRow& row) const {
    const MethodList& list = stage_.record().lists[number];
    const RowCells cells(row.row);
    const bool known = isStay(stage_.run(), cells.stay);
    const bool gone = row.mark == Mark::gone;
    const double edge = kMarkLetters * sketch_.ruler().width("n");
    const Box body{box.left + edge, box.top, box.width - edge, box.height};
    Look look{.fill = Fill{Ink::hole}, .edge = Stroke{Ink::grid}};
    Ink ink = Ink::text;
    if (known && !gone) {
      const BlockClass kind = stayClass(stage_.run(), cells.stay);
      look = Sketch::lookOf(kind);
      ink = Sketch::wordInk(kind);
    }
    // A recycled tensor is not live at the steps that are still to be planned: it looks like a
    // hole.
    const bool recycled =
        (list.role == MethodList::Role::upwards || list.role == MethodList::Role::downwards) &&
        !cells.texts.empty() && !cells.texts[0].empty();
    if (recycled) {
      look.fill = Fill{Ink::hole};
      ink = Ink::text;
    }
    if (gone) {
      look = {.edge = Stroke{Ink::muted, 1, kDashed}};
      ink = Ink::muted;
    } else if (row.mark != Mark::none) {
      look.edge = Stroke{Ink::selection, 2};
    }
    if (!gone && selected_ && cells.stay == selected_) look.edge = Stroke{Ink::selection, 3};
    RowWords words = wordsOf(stage_.run(), list, row.row);
    // The drawing of memory marks the candidate with the same number.
    if (list.role == MethodList::Role::candidates) {
      words.name = fmt::format("{} {}", row.at + 1, words.name);
    }
    StageItem& chip = sketch_.rectangle(
        body, gone ? Part::gone : Part::chip, look, known ? cells.stay : StayId(),
        words.rest.empty() ? words.name : fmt::format("{}: {}", words.name, words.rest));
    chip.list = number;
    if (!gone) chip.row = row.at;
    drawMark({box.left, box.top, edge, box.height}, row.mark);
    writeWords({body.left + 6, body.top, body.width - 12, body.height}, words, ink,
               row.mark == Mark::put || row.mark == Mark::changed);
  }

  /// A sign, for those who cannot tell the colours apart.
  void drawMark(const Box& box, Mark mark) const {
    static constexpr std::string_view kSigns[] = {"", "+", "±", "−"};
    sketch_.words(box, kSigns[static_cast<std::size_t>(mark)],
                  {.ink = mark == Mark::gone ? Ink::muted : Ink::selection, .bold = true});
  }

  /// The name first; the rest in what it leaves.
  void writeWords(const Box& box, const RowWords& words, Ink ink, bool bold) const {
    const Ruler& ruler = sketch_.ruler();
    const double gap = ruler.width("n");
    const double wanted = ruler.width(words.name, bold);
    const double rest = words.rest.empty() ? 0 : ruler.width(words.rest) + gap;
    const double name = std::min(
        wanted, wanted + rest <= box.width ? wanted : std::max(box.width * 0.45, box.width - rest));
    sketch_.words({box.left, box.top, name + 0.01, box.height}, words.name,
                  {.ink = ink, .bold = bold});
    sketch_.words({box.left + name + gap, box.top, box.width - name - gap, box.height}, words.rest,
                  {.ink = ink, .anchor = Anchor::end}, Part::around, 3, false);
  }

  Sketch& sketch_;
  const Stage& stage_;
  const MethodPlayer& player_;
  StayId selected_;
};

}  // namespace

void drawLists(Sketch& sketch, const Stage& stage, const MethodPlayer& player, const Box& where,
               StayId selected) {
  ListsDrawing(sketch, stage, player, selected).draw(where);
}

double listsHeight(const Ruler& ruler, const Stage& stage, double width) {
  const auto& lists = stage.lists();
  if (lists.empty()) return 0;
  const std::size_t columns = columnsIn(ruler, width, lists.size());
  const std::size_t each = (lists.size() + columns - 1) / columns;
  double most = 0;
  for (std::size_t i = 0; i < lists.size(); i += each) {
    double height = 0;
    for (std::size_t k = i; k < std::min(i + each, lists.size()); ++k) {
      const double rows = static_cast<double>(stage.mostRows(lists[k]) + 1);
      height += ruler.height() + 4 + kListGap + rows * (ruler.height() + 6 + kChipGap);
    }
    most = std::max(most, height);
  }
  return most;
}

namespace {

constexpr double kStepGap = 3;
constexpr double kStepLetters = 9;

std::string opName(const Run& run, Step step) {
  const Op& op = run.graph().ops[run.schedule.opAt(step)];
  return printable(op.name.empty() ? op.type : op.name, 60);
}

/// The steps that have room, and where each is.
struct Page {
  std::size_t first = 0;
  std::size_t count = 0;
  double left = 0;
  double each = 0;
  std::int64_t now = -1;  ///< The step that is looked at.

  /// The part of `steps` that is on the page; empty: none is.
  Box boxOf(const Interval<Step>& steps, const Box& row) const {
    const double from = std::max(0.0, at(steps.begin));
    const double to = std::min(static_cast<double>(count), at(steps.end));
    return {left + each * from, row.top, std::max(0.0, each * (to - from) - kStepGap), row.height};
  }
  bool isNow(const Interval<Step>& steps) const { return steps.contains(Step(now)); }

 private:
  double at(Step step) const { return step.real() - static_cast<double>(first); }
};

void drawRun(Sketch& sketch, const Page& page, const Box& row, const Interval<Step>& steps,
             Part part, const std::string& text, const std::string& tooltip) {
  const Box box = page.boxOf(steps, row);
  if (box.isEmpty()) return;
  const bool here = page.isNow(steps);
  sketch.rectangle(box, part,
                   {.fill = Fill{here ? Ink::live : Ink::hole},
                    .edge = Stroke{here ? Ink::selection : Ink::grid, here ? 2.0 : 1.0}},
                   {}, tooltip);
  sketch.words({box.left + 4, box.top, box.width - 8, box.height}, text,
               {.ink = here ? Ink::text : Ink::muted, .anchor = Anchor::middle, .bold = here},
               Part::around, 2);
}

/// Two rows: what is sent to a device at once, and what of it runs on one compute unit.
void drawDispatched(Sketch& sketch, const Run& run, const Page& page, Box row) {
  const std::vector<DeviceSpec>& devices = run.request.platform.devices;
  const auto label = [&](const char* text) {
    sketch.words({row.left, row.top, page.left - row.left, row.height}, text, {.ink = Ink::muted});
  };
  label("sub-functions");
  for (std::size_t i = 0; i < run.partition.subFunctions.size(); ++i) {
    const SubFunction& function = run.partition.subFunctions[i];
    drawRun(sketch, page, row, function.steps, Part::unit,
            fmt::format("{} on {}", i, printable(devices[function.device].name, 40)),
            fmt::format("sub-function {}: {} operators, sent to {}", i, function.ops.size(),
                        printable(devices[function.device].name, 40)));
  }
  row.top += row.height + 2;
  label("units");
  for (std::size_t i = 0; i < run.partition.units.size(); ++i) {
    const ExecutionUnit& unit = run.partition.units[i];
    drawRun(sketch, page, row, unit.steps, Part::unit,
            fmt::format("{} on {}", i, printable(devices[unit.device].units[unit.unit].name, 40)),
            fmt::format("execution unit {} of sub-function {}", i, unit.subFunction));
  }
}

}  // namespace

Box drawSchedule(Sketch& sketch, const Run& run, const MethodRecord& record, std::size_t ticks,
                 const Box& where) {
  const auto steps = static_cast<std::size_t>(run.schedule.steps().count());
  const double height = sketch.rowHeight();
  if (steps == 0 || where.height < 9 * height) return where;
  const Box row{where.left, where.bottom() - height, where.width, height};
  const bool dispatched = !run.partition.units.empty() && where.height >= 14 * height;
  const double label = sketch.ruler().width(dispatched ? "sub-functions" : "steps") + 8;
  sketch.words({row.left, row.top, label, height}, "steps", {.ink = Ink::muted});
  const double least = kStepLetters * sketch.ruler().width("n") + kStepGap;
  Page page{.left = row.left + label};
  page.count = std::min(
      steps, std::max<std::size_t>(1, static_cast<std::size_t>((row.width - label) / least)));
  page.each = (row.width - label + kStepGap) / static_cast<double>(page.count);
  page.now = ticks == 0 ? -1 : record.ticks[ticks - 1].step.count();
  // Pages instead of a middle that moves: boxes stay where they are as long as they can.
  const std::size_t number = page.now < 0 ? 0 : static_cast<std::size_t>(page.now) / page.count;
  page.first = std::min(number * page.count, steps - page.count);
  for (std::size_t i = 0; i < page.count; ++i) {
    const Step step(static_cast<std::int64_t>(page.first + i));
    drawRun(sketch, page, row, {step, step + Step(1)}, Part::step,
            fmt::format("{} {}", step.count(), opName(run, step)),
            fmt::format("step {}: {}", step.count(), opName(run, step)));
  }
  double above = height;
  if (dispatched) {
    above += 2 * (height + 2);
    drawDispatched(sketch, run, page, {row.left, where.bottom() - above, row.width, height});
  }
  return {where.left, where.top, where.width, where.height - above - 8};
}

}  // namespace hw::stage
