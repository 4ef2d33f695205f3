#include "core/picture/gantt_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/picture/value_axis.h"

namespace hw {
namespace {

/// An array that is used by more counts as full.
constexpr float kFullArray = 0.995F;

/// Adds what of a bar and of its stall lies before `to`.
void addPart(GanttStore::Sums& sums, const GanttBar& bar, double to) {
  const auto add = [&](std::size_t look, SimTime begin, SimTime end) {
    const double part = std::min(to, onAxis(end)) - onAxis(begin);
    if (part > 0) sums[look] += static_cast<std::int64_t>(part);
  };
  add(GanttLook::of(bar.kind, bar.critical), bar.begin, bar.end);
  if (bar.idle < bar.begin) add(GanttLook::of(bar.rule), bar.idle, bar.begin);
}

void addWhole(GanttStore::Sums& sums, const GanttBar& bar) {
  sums[GanttLook::of(bar.kind, bar.critical)] += (bar.end - bar.begin).count();
  if (bar.idle < bar.begin) sums[GanttLook::of(bar.rule)] += (bar.begin - bar.idle).count();
}

/// Puts the activities of one engine on its channels, and those without an engine on as many as
/// they need.
class EngineRows {
 public:
  explicit EngineRows(const Run& run) : run_(run) {
    const auto& path = run.timing.account.criticalPath;
    critical_.assign(run.timing.times.size(), false);
    for (const ActivityId id : path) critical_[id.index()] = true;
  }

  GanttStore store() {
    const ActivityList& list = run_.timing.activities;
    std::vector<std::vector<ActivityId>> byEngine(list.engines.size() + 1);
    for (const ActivityId id : list.activities.keys()) {
      byEngine[std::min<std::size_t>(list.activities[id].engine, list.engines.size())].push_back(
          id);
    }
    for (std::size_t engine = 0; engine < byEngine.size(); ++engine) {
      addEngine(engine, std::move(byEngine[engine]));
    }
    return {std::move(rows_), std::move(bars_)};
  }

 private:
  void addEngine(std::size_t engine, std::vector<ActivityId> activities) {
    const auto start = [&](ActivityId id) { return run_.timing.times[id].start; };
    std::ranges::stable_sort(activities, {}, start);
    const std::size_t first = bars_.size();
    for (const ActivityId id : activities) {
      std::size_t row = first;
      while (row < bars_.size() && bars_[row].back().end > start(id)) ++row;
      if (row == bars_.size()) bars_.emplace_back();
      bars_[row].push_back(barOf(id, bars_[row]));
    }
    for (std::size_t row = first; row < bars_.size(); ++row) {
      rows_.push_back(rowOf(engine, row - first, bars_.size() - first));
    }
  }

  GanttBar barOf(ActivityId id, const std::vector<GanttBar>& before) const {
    const ActivityTime& time = run_.timing.times[id];
    const SimTime free = before.empty() ? SimTime() : before.back().end;
    const Activity& what = run_.timing.activities.activities[id];
    // Without an engine there is nothing that could stand still.
    const bool stalls = time.cause.has_value() && what.engine != Activity::kNoEngine;
    return {.activity = id,
            .idle = stalls ? std::min(std::max(time.idle, free), time.start) : time.start,
            .begin = time.start,
            .end = time.end,
            .kind = what.kind,
            .rule = stalls ? time.cause->rule : WaitRule::data,
            .critical = critical_[id.index()],
            .used = usedBy(what)};
  }

  float usedBy(const Activity& what) const {
    if (what.kind != ActivityKind::compute) return 1;
    const OpTiming& timing = run_.timing.ops[static_cast<std::size_t>(what.step.count())];
    if (!timing.byModel) return 1;
    const UnitSpec& unit = run_.request.platform.devices[what.device].units[timing.unit];
    const double cycles =
        static_cast<double>(timing.compute.count()) * 1e-12 * static_cast<double>(unit.clock);
    return static_cast<float>(arrayShare(unit, timing.macs, cycles).value_or(1));
  }

  GanttRow rowOf(std::size_t engine, std::size_t channel, std::size_t channels) const {
    const ActivityList& list = run_.timing.activities;
    std::string name = "no engine";
    bool dma = true;
    if (engine < list.engines.size()) {
      const Engine& own = list.engines[engine];
      const bool several = list.devices.size() > 1;
      name = printable(several ? list.devices[own.device].name + "/" + own.name : own.name, 40);
      dma = own.dma;
    }
    if (channels > 1) name += fmt::format(" {}", channel + 1);
    return {std::move(name), dma};
  }

  const Run& run_;
  std::vector<bool> critical_;
  std::vector<GanttRow> rows_;
  std::vector<std::vector<GanttBar>> bars_;
};

}  // namespace

GanttStore::GanttStore(std::vector<GanttRow> rows, std::vector<std::vector<GanttBar>> bars)
    : rows_(std::move(rows)), bars_(std::move(bars)), zones_(bars_.size()) {
  for (std::size_t row = 0; row < bars_.size(); ++row) {
    Sums sums{};
    zones_[row].reserve(bars_[row].size() / kZone + 1);
    for (std::size_t i = 0; i < bars_[row].size(); ++i) {
      const GanttBar& bar = bars_[row][i];
      if (i % kZone == 0) zones_[row].push_back({bar.idle, sums});
      addWhole(sums, bar);
      leavesIdle_ |= bar.used < kFullArray;
    }
    for (std::size_t look = 0; look < sums.size(); ++look) total_[look] += sums[look];
  }
}

GanttStore GanttStore::of(const Run& run, GanttRows rows) {
  if (run.timing.times.empty()) return {};
  GanttStore store = EngineRows(run).store();
  if (rows == GanttRows::enginesAndPorts) store.ports_ = PortLane::of(run);
  return store;
}

std::span<const GanttBar> GanttStore::between(std::size_t row, double from, double to) const {
  const std::vector<GanttBar>& bars = bars_[row];
  const auto first =
      std::ranges::upper_bound(bars, from, {}, [](const GanttBar& bar) { return onAxis(bar.end); });
  const auto last =
      std::ranges::lower_bound(bars, to, {}, [](const GanttBar& bar) { return onAxis(bar.idle); });
  return first < last ? std::span(first, last) : std::span<const GanttBar>();
}

GanttStore::Sums GanttStore::until(std::size_t row, double to) const {
  const std::vector<Zone>& zones = zones_[row];
  const auto after =
      std::ranges::lower_bound(zones, to, {}, [](const Zone& zone) { return onAxis(zone.begin); });
  if (after == zones.begin()) return {};
  Sums sums = std::prev(after)->before;
  const auto first = static_cast<std::size_t>(after - zones.begin() - 1) * kZone;
  const std::size_t end = std::min(first + kZone, bars_[row].size());
  for (std::size_t i = first; i < end && onAxis(bars_[row][i].idle) < to; ++i) {
    addPart(sums, bars_[row][i], to);
  }
  return sums;
}

GanttStore::Sums GanttStore::sums(std::size_t row, double from, double to) const {
  Sums sums = until(row, to);
  const Sums before = until(row, from);
  for (std::size_t look = 0; look < sums.size(); ++look) sums[look] -= before[look];
  return sums;
}

std::optional<GanttStore::Position> GanttStore::find(ActivityId activity, SimTime begin) const {
  for (std::size_t row = 0; row < bars_.size(); ++row) {
    const std::vector<GanttBar>& bars = bars_[row];
    auto bar = std::ranges::lower_bound(bars, begin, {}, &GanttBar::begin);
    for (; bar != bars.end() && bar->begin == begin; ++bar) {
      if (bar->activity == activity)
        return Position{row, static_cast<std::size_t>(bar - bars.begin())};
    }
  }
  return {};
}

namespace {

/// More bars than this on screen are drawn by column of pixels.
constexpr std::size_t kMostBars = 3'000;
constexpr double kRowGap = 3;
constexpr double kRowLines = 1.5;  ///< Heights of a line of text.
constexpr double kPortRows = 1.5;  ///< Heights of a row of an engine.
constexpr double kSwatch = 12;
constexpr double kKeyGap = 12;
/// Stalls that are not due to reused bytes are strips of this part of the row's height.
constexpr double kStrip = 0.22;
constexpr double kLeastUnderlined = 3;
constexpr double kIdleHatch = 0.3;  ///< Opacity.

struct KeyEntry {
  std::string name;
  Ink ink = Ink::text;
  bool strip = false;
  bool hatched = false;
  double opacity = 1;  ///< Of its fill; of a hatched one 0.16.
  double lines = 0.9;  ///< Opacity of what it is hatched with.
};

/// Which colour an operator has is told by who shows blocks in the same.
std::vector<KeyEntry> keyOf(const GanttStore& store, const Coloring* coloring) {
  std::vector<KeyEntry> entries;
  for (std::size_t kind = 0; kind < kActivityKindNames.size(); ++kind) {
    const bool any = store.has(GanttLook::of(static_cast<ActivityKind>(kind), true)) ||
                     store.has(GanttLook::of(static_cast<ActivityKind>(kind), false));
    if (!any) continue;
    std::string name(kActivityKindNames[kind]);
    if (coloring && static_cast<ActivityKind>(kind) == ActivityKind::compute) {
      name += fmt::format(" by {}", kColorings[static_cast<std::size_t>(coloring->by())].title);
    }
    entries.push_back({std::move(name), activityInk(kind, true)});
  }
  if (store.leavesIdle()) {
    entries.push_back({"idle part of an array", Ink::text, false, true, 1, 2 * kIdleHatch});
  }
  for (std::size_t rule = 0; rule < kWaitRuleNames.size(); ++rule) {
    if (!store.has(GanttLook::of(static_cast<WaitRule>(rule)))) continue;
    const bool reuse = static_cast<WaitRule>(rule) == WaitRule::reuse;
    entries.push_back(
        {fmt::format("waits: {}", kWaitRuleNames[rule]), stallInk(rule), !reuse, reuse});
  }
  if (!store.ports().empty())
    entries.push_back({"bytes per second", kPortFill.ink, false, false, kPortFill.opacity});
  return entries;
}

Box strip(const Box& row) {
  const double height = std::max(2.0, std::round(row.height * kStrip));
  return {row.left, row.bottom() - height, row.width, height};
}

/// Rows of engines that all before `row` are as high as.
double rowsUntil(const GanttStore& store, std::size_t row) {
  const std::size_t engines = std::min(row, store.rows().size());
  return static_cast<double>(engines) + kPortRows * static_cast<double>(row - engines);
}

/// Ports that are drawn: all, or none where engines would have less than that with them.
std::size_t portsIn(const Box& plot, const GanttStore& store) {
  constexpr double kLeastRow = 14;
  const double all = rowsUntil(store, store.rows().size() + store.ports().size());
  return plot.height >= kLeastRow * all ? store.ports().size() : 0;
}

bool holds(const Box& box, Point point) {
  return point.y >= box.top && point.y < box.bottom() && point.x >= box.left &&
         point.x < box.right();
}

}  // namespace

GanttScene GanttScene::whole(std::shared_ptr<const Run> run, GanttRows rows) {
  GanttScene scene{.store = std::make_shared<const GanttStore>(GanttStore::of(*run, rows)),
                   .end = std::max(1.0, onAxis(run->timing.makespan)),
                   .now = {.playhead = -onAxis(run->timing.makespan)},
                   .coloring = Coloring::byType()};
  scene.run = std::move(run);
  return scene;
}

std::string GanttScene::heading() const {
  const SimTime waits = run->timing.account.reuse.waits;
  return fmt::format(
      "{}   {}, {}", title.empty() ? "Engines" : title, formatTime(run->timing.makespan),
      waits == SimTime{} ? "none of it waits for reused bytes"
                         : fmt::format("of which reused bytes make {} wait", formatTime(waits)));
}

GanttDrawing::GanttDrawing(Canvas& canvas, const GanttScene& scene, const Box& where)
    : canvas_(canvas),
      scene_(scene),
      frame_(PlotFrame::inside(where, canvas.ruler())),
      axis_{scene.begin, scene.end, frame_.plot.left, frame_.plot.width, AxisUnit::time} {}

Box ganttRow(const Box& plot, const GanttStore& store, std::size_t row) {
  const double all = std::max(1.0, rowsUntil(store, store.rows().size() + portsIn(plot, store)));
  const auto edge = [&](std::size_t i) {
    return std::floor(plot.top + plot.height * rowsUntil(store, i) / all);
  };
  return Box::between(plot.left, edge(row) + kRowGap, plot.right(), edge(row + 1));
}

const PortLane* portAt(const Box& plot, const GanttStore& store, Point point) {
  const std::vector<PortLane>& ports = store.ports();
  for (std::size_t port = 0; port < portsIn(plot, store); ++port) {
    if (holds(ganttRow(plot, store, store.rows().size() + port), point)) return &ports[port];
  }
  return nullptr;
}

Box GanttDrawing::boxOf(std::size_t row, const GanttBar& bar) const {
  const Box whole = rowBox(row);
  const double left = axis_.toX(onAxis(bar.begin));
  const double right = std::max(left + 1, axis_.toX(onAxis(bar.end)));
  return Box::between(left, whole.top, right, whole.bottom()).cut(whole);
}

const GanttBar* GanttDrawing::barAt(Point point) const {
  for (std::size_t row = 0; row < scene_.store->rows().size(); ++row) {
    if (!holds(rowBox(row), point)) continue;
    // Of what shares a pixel, what takes most of it.
    const GanttBar* best = nullptr;
    double most = -1;
    const double from = axis_.toPlace(point.x);
    const double to = axis_.toPlace(point.x + 1);
    for (const GanttBar& bar : scene_.store->between(row, from, to)) {
      const double part = std::min(to, onAxis(bar.end)) - std::max(from, onAxis(bar.begin));
      if (onAxis(bar.begin) < to && part > most) {
        most = part;
        best = &bar;
      }
    }
    return best;
  }
  return nullptr;
}

void GanttDrawing::drawStill() const {
  canvas_.rectangle(frame_.whole, {.fill = Fill{Ink::plot}});
  for (const AxisTick& tick : axis_.ticks(runTickSpacing(canvas_.ruler(), AxisUnit::time))) {
    const double x = std::floor(axis_.toX(tick.value));
    if (x >= frame_.plot.right()) continue;
    canvas_.line({x, frame_.plot.top}, {x, frame_.plot.bottom() - 1}, {Ink::grid});
  }
  for (std::size_t row = 0; row < scene_.store->rows().size(); ++row) drawRow(row);
  const std::size_t ports = portsIn(frame_.plot, *scene_.store);
  for (std::size_t port = 0; port < ports; ++port) drawPort(port);
  drawRunTicks(canvas_, frame_, axis_);
  drawHeading();
}

void GanttDrawing::drawRow(std::size_t row) const {
  const Box box = rowBox(row);
  canvas_.rectangle(box, {.fill = Fill{Ink::hole, 0.6}});
  if (scene_.store->between(row, scene_.begin, scene_.end).size() > kMostBars) {
    drawColumns(row);
  } else {
    drawBars(row);
  }
  drawName(box, scene_.store->rows()[row].name, Ink::text);
}

void GanttDrawing::drawPort(std::size_t port) const {
  const Box box = rowBox(scene_.store->rows().size() + port);
  const PortLane& lane = scene_.store->ports()[port];
  canvas_.rectangle(box, {.fill = Fill{Ink::hole, 0.6}});
  drawPortLane(canvas_, lane, box, axis_);
  const bool two = box.height >= 2 * canvas_.ruler().height() && lane.curve().roof > 0;
  const double half = std::floor(box.height / 2);
  drawName(two ? Box{box.left, box.top, box.width, half} : box, lane.name(), Ink::text);
  if (!two) return;
  const auto roof = static_cast<double>(lane.curve().roof);
  const ValueUnit unit = ValueUnit::of(roof, ColumnKind::count);
  drawName({box.left, box.top + half, box.width, half},
           fmt::format("{:.3g} {}B/s", roof / unit.one, unit.name), Ink::muted);
}

/// Left of the plot.
void GanttDrawing::drawName(const Box& row, const std::string& name, Ink ink) const {
  const Ruler& ruler = canvas_.ruler();
  const double room = frame_.plot.left - frame_.whole.left - 10;
  canvas_.text({frame_.plot.left - 6, baselineIn(row, ruler)}, elided(ruler, name, room, true),
               {.ink = ink, .anchor = Anchor::end});
}

void GanttDrawing::drawBars(std::size_t row) const {
  const Box box = rowBox(row);
  const auto bars = scene_.store->between(row, scene_.begin, scene_.end);
  for (const GanttBar& bar : bars) {
    if (bar.idle >= bar.begin) continue;
    const Box stall = Box::between(axis_.toX(onAxis(bar.idle)), box.top,
                                   axis_.toX(onAxis(bar.begin)), box.bottom())
                          .cut(box);
    if (stall.width < 0.5) continue;
    const Ink ink = stallInk(static_cast<std::size_t>(bar.rule));
    if (bar.rule != WaitRule::reuse) {
      canvas_.rectangle(strip(stall), {.fill = Fill{ink}});
      continue;
    }
    canvas_.rectangle(stall, {.fill = Fill{ink, 0.16}});
    canvas_.hatch(stall, {ink, 0.9});
  }
  const double leastName = canvas_.ruler().width("nnn") + 8;
  for (const GanttBar& bar : bars) drawBar(boxOf(row, bar), bar, leastName);
}

Ink GanttDrawing::inkOf(const GanttBar& bar, bool word) const {
  if (!scene_.coloring || bar.kind != ActivityKind::compute) {
    return activityInk(static_cast<std::size_t>(bar.kind), bar.critical, word);
  }
  const OpId op = scene_.run->timing.activities.activities[bar.activity].op;
  return blockInk(scene_.coloring->of(*scene_.run, op),
                  bar.critical ? BlockTime::live : BlockTime::future,
                  word ? BlockPart::word : BlockPart::fill);
}

void GanttDrawing::drawBar(const Box& box, const GanttBar& bar, double leastName) const {
  if (box.isEmpty()) return;
  const Ruler& ruler = canvas_.ruler();
  Hint hint;
  if (canvas_.keepsHints()) {
    hint = {
        fmt::format("activity-{}", bar.activity.index()),
        fmt::format(
            "{}, {} to {}{}", barName(*scene_.run, bar), formatTime(bar.begin), formatTime(bar.end),
            bar.used < kFullArray ? fmt::format(", {:.2g} % of the array", 100 * bar.used) : "")};
  }
  // A gap between neighbours, where there is room for one.
  const double gap = box.width >= 4 ? 1 : 0;
  canvas_.rectangle({box.left, box.top, box.width - gap, box.height},
                    {.fill = Fill{inkOf(bar, false)}}, hint);
  if (bar.used < kFullArray && box.width >= kLeastUnderlined) {
    const double idle = std::round(box.height * (1 - static_cast<double>(bar.used)));
    canvas_.hatch({box.left, box.top, box.width - gap, idle}, {inkOf(bar, true), kIdleHatch});
  }
  // Not by colour alone.
  if (bar.critical && box.width >= kLeastUnderlined) {
    canvas_.rectangle({box.left, box.bottom() - 2, box.width - gap, 2}, {.fill = Fill{Ink::text}});
  }
  if (box.width < leastName || box.height < ruler.height() * 0.9) return;
  const double room = box.width - 8;
  const std::string whole = barName(*scene_.run, bar);
  const std::string name = elided(ruler, whole, room, true);
  if (name.size() < 6 && name != whole) return;
  canvas_.text({box.left + 4, baselineIn(box, ruler) - 1}, name, {.ink = inkOf(bar, true)});
}

/// Draws bars narrower than pixels: each column is filled as far as its time is, from below by
/// kind, then by what it waits for. In whole pixels, and columns that look alike as one.
void GanttDrawing::drawColumns(std::size_t row) const {
  const Box box = rowBox(row);
  const double perPixel = (scene_.end - scene_.begin) / axis_.width;
  const auto fillOf = [](std::size_t look) {
    return look < GanttLook::kActivities ? Fill{activityInk(look / 2, look % 2 == 0)}
                                         : Fill{stallInk(look - GanttLook::kActivities), 0.45};
  };
  struct OpenColumn {
    double left = 0;
    double top = 0;
    double bottom = 0;  ///< At `top`: there is none.
  };
  std::array<OpenColumn, GanttLook::kCount> open{};
  const auto close = [&](std::size_t look, double right) {
    const OpenColumn& piece = open[look];
    if (piece.bottom <= piece.top) return;
    canvas_.rectangle(Box::between(piece.left, piece.top, right, piece.bottom),
                      {.fill = fillOf(look)});
  };
  double x = std::floor(box.left);
  GanttStore::Sums before = scene_.store->until(row, axis_.toPlace(x));
  while (x < box.right()) {
    const GanttStore::Sums sums = scene_.store->until(row, axis_.toPlace(x + 1));
    double height = 0;
    double bottom = box.bottom();
    for (std::size_t look = 0; look < sums.size(); ++look) {
      height += box.height * static_cast<double>(sums[look] - before[look]) / perPixel;
      const double top = std::max(box.top, box.bottom() - std::round(height));
      if (top != open[look].top || bottom != open[look].bottom) {
        close(look, x);
        open[look] = {x, top, bottom};
      }
      bottom = top;
    }
    before = sums;
    x += 1;
  }
  for (std::size_t look = 0; look < open.size(); ++look) close(look, x);
}

/// The title, and at its right end what each colour is: what does not fit is left out from the end,
/// the note about the critical path first.
void GanttDrawing::drawHeading() const {
  const Ruler& ruler = canvas_.ruler();
  const Box& title = frame_.title;
  const std::string brief = scene_.title.empty() ? "Engines" : scene_.title;
  const std::string full = scene_.heading();
  std::vector<KeyEntry> entries = keyOf(*scene_.store, scene_.coloring.get());
  const auto widthOf = [&](const KeyEntry& entry) {
    return ruler.width(entry.name) + kSwatch + 5 + kKeyGap;
  };
  const std::string note = "underlined: the critical path";
  const double noteWidth = ruler.width(note) + kKeyGap;
  double legend = 0;
  for (const KeyEntry& entry : entries) legend += widthOf(entry);
  const bool roomy = ruler.width(full, true) + kKeyGap + legend + noteWidth <= title.width;
  const std::string heading = roomy ? full : brief;
  drawTitle(canvas_, frame_, heading, {});
  const double room = title.width - ruler.width(heading, true) - kKeyGap;
  const bool noted = legend + noteWidth <= room;
  double used = legend + (noted ? noteWidth : 0);
  while (used > room && !entries.empty()) {
    used -= widthOf(entries.back());
    entries.pop_back();
  }
  double left = title.right() - used;
  const double baseline = baselineIn(title, ruler);
  for (const KeyEntry& entry : entries) {
    const Box swatch{left, std::floor(title.top + (title.height - 10) / 2), kSwatch, 10};
    if (entry.hatched) {
      canvas_.rectangle(swatch, {.fill = Fill{entry.ink, 0.16}});
      canvas_.hatch(swatch, {entry.ink, entry.lines});
    } else {
      canvas_.rectangle(entry.strip ? strip(swatch) : swatch,
                        {.fill = Fill{entry.ink, entry.opacity}});
    }
    canvas_.text({left + kSwatch + 5, baseline}, entry.name);
    left += widthOf(entry);
  }
  if (noted) canvas_.text({left, baseline}, note, {.ink = Ink::muted});
}

void GanttDrawing::drawOver() const {
  drawSelection();
  drawNow(canvas_, frame_, axis_, scene_.now);
}

/// An arrow from what is selected to what it waited for last, and the rule beside it.
void GanttDrawing::drawSelection() const {
  const auto& times = scene_.run->timing.times;
  if (!scene_.selected || !times.contains(scene_.selected)) return;
  const ActivityTime& own = times[scene_.selected];
  const auto place = scene_.store->find(scene_.selected, own.start);
  if (!place) return;
  const auto encircle = [&](const GanttStore::Position& of, std::string_view dashes) {
    const Box box = boxOf(of.row, scene_.store->bars(of.row)[of.bar]);
    if (!box.isEmpty()) {
      canvas_.rectangle({box.left - 1, box.top - 1, std::max(6.0, box.width + 2), box.height + 2},
                        {.edge = Stroke{Ink::selection, 2, dashes}});
    }
    return box;
  };
  const Box to = encircle(*place, {});
  if (!own.cause) return;
  const ActivityTime& cause = times[own.cause->activity];
  const auto causePlace = scene_.store->find(own.cause->activity, cause.start);
  if (!causePlace) return;
  const Box from = encircle(*causePlace, kDashed);
  if (to.isEmpty() || from.isEmpty()) return;
  const bool atStart = own.cause->rule == WaitRule::order;
  const Point tail{to.left + std::min(10.0, to.width / 2), to.top + to.height / 2};
  const double reach = std::min(10.0, from.width / 2);
  const Point head{atStart ? from.left + reach : from.right() - reach, from.top + from.height / 2};
  const double length = std::hypot(head.x - tail.x, head.y - tail.y);
  if (length < 4) return;
  const Point along{(head.x - tail.x) / length, (head.y - tail.y) / length};
  canvas_.line(tail, head, {Ink::plot, 5});
  canvas_.line(tail, head, {Ink::text, 2});
  const Point wings[] = {
      head,
      {head.x - 9 * along.x - 4.5 * along.y, head.y - 9 * along.y + 4.5 * along.x},
      {head.x - 9 * along.x + 4.5 * along.y, head.y - 9 * along.y - 4.5 * along.x}};
  canvas_.path(wings, {.fill = Fill{Ink::text}});
  const std::string_view rule = kWaitRuleNames[static_cast<std::size_t>(own.cause->rule)];
  const double width = canvas_.ruler().width(rule);
  const bool left = tail.x - width - 12 > frame_.plot.left;
  canvas_.text({left ? std::min(tail.x, head.x) - 8 : std::max(tail.x, head.x) + 8,
                (tail.y + head.y) / 2 + canvas_.ruler().ascent() / 2},
               rule, {.anchor = left ? Anchor::end : Anchor::start, .halo = true});
}

void drawGantt(Canvas& canvas, const GanttScene& scene, const Box& where) {
  const GanttDrawing drawing(canvas, scene, where);
  drawing.drawStill();
  drawing.drawOver();
}

double ganttHeight(const Ruler& ruler, const GanttStore& store) {
  const double row = std::ceil(ruler.height() * kRowLines) + kRowGap;
  const double rows = rowsUntil(store, store.rows().size() + store.ports().size());
  return std::ceil(row * std::max(1.0, rows)) + 2 * ruler.height() + 20;
}

std::string barName(const Run& run, const GanttBar& bar) {
  const Activity& activity = run.timing.activities.activities[bar.activity];
  if (bar.kind == ActivityKind::compute) {
    const Op& op = run.graph().ops[activity.op];
    return printable(op.name.empty() ? op.type : op.name, 60);
  }
  return printable(displayName(run.graph(), run.storage.rootOf(activity.buffer)), 60);
}

}  // namespace hw
