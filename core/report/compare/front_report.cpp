#include "core/report/compare/front_report.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/picture/svg_canvas.h"

namespace hw {
namespace {

constexpr Box kPicture{0, 0, 960, 540};

double excessOf(SimTime latency, SimTime bound) {
  return bound == SimTime()
             ? 0
             : static_cast<double>((latency - bound).count()) / static_cast<double>(bound.count());
}

std::string tableOf(const std::vector<FrontPoint>& points, const std::vector<std::string>& keys,
                    const Paint& paint) {
  const auto columns = pick(frontColumns(), keys);
  TextTable table(columns);
  for (const FrontPoint& point : points) {
    table.add(cellTexts(columns, point),
              point.proved() ? TextTable::Emphasis::good : TextTable::Emphasis::none);
  }
  return table.text(paint);
}

std::string nameOf(const Front& front) { return printable(front.lowest->graph().name); }

}  // namespace

const Columns<FrontPoint>& frontColumns() {
  using enum ColumnKind;
  using P = FrontPoint;
  static const Columns<P> kColumns = {
      {"capacity", "capacity", bytes, &P::capacity,
       "Of the near memory: what the search was given"},
      {"peak", "peak", bytes, &P::peak, "What the plan needs of it"},
      {"latency_ps", "latency", time, &P::latency, "Simulated time of one run"},
      {"bound_ps", "bound", time, &P::bound,
       "No plan of the same stays, moves and order within the capacity is faster"},
      {"above_bound", "above", excess,
       [](const P& point) -> Value {
         if (!point.bound) return {};
         return excessOf(point.latency, *point.bound);
       },
       "Latency / bound \u2212 1"},
      {"proved", "proved", flag,
       [](const P& point) -> Value {
         if (!point.bound) return {};
         return point.proved();
       },
       "No plan within the capacity is faster"},
      {"allocator", "allocator", text, [](const P& point) { return Value(point.choice.text()); },
       "Who plans so"},
      {"made_by", "made by", text, &P::made, "What found the plan"},
      {"own_stays", "own stays", flag,
       [](const P& point) -> Value {
         if (point.bound) return {};
         return point.ownStays;
       },
       "It keeps or moves other stays than the search, so that the bounds do not hold for it"}};
  return kColumns;
}

std::string frontText(const Front& front, const Paint& paint) {
  const std::string near = front.lowest->problem.pools[PoolId(0)].name;
  std::string text = fmt::format("{}  {} against latency on '{}'\n", paint.bold(nameOf(front)),
                                 near, front.request.platform.name);
  text +=
      fmt::format("  no plan of these stays needs less than {}; no addresses are faster than {}\n",
                  bytesText(front.leastPeak), formatTime(front.leastLatency));
  text +=
      "\nsearch for the least latency\n" +
      tableOf(front.found,
              {"capacity", "peak", "latency_ps", "bound_ps", "above_bound", "proved", "made_by"},
              paint);
  if (!front.allocators.empty()) {
    const bool own = std::ranges::any_of(front.allocators, &FrontPoint::ownStays);
    std::vector<std::string> keys = {"peak", "latency_ps", "allocator"};
    if (own) keys.emplace_back("own_stays");
    text += "\nallocators, each as low as it can\n" + tableOf(front.allocators, keys, paint);
    if (own)
      text += "  own stays: other bytes are kept or moved, so the bounds do not hold there\n";
  }
  if (front.stopped) text += "\nstopped: there would have been more\n";
  return text;
}

std::string frontCsv(const Front& front, const std::string& file) {
  Columns<FrontPoint> columns = {
      {"model", "model", ColumnKind::text, [&](const FrontPoint&) { return Value(file); }, ""}};
  columns.insert(columns.end(), frontColumns().begin(), frontColumns().end());
  std::string csv = csvHeader(columns);
  for (const FrontPoint& point : front.found) csv += csvRow(columns, point);
  for (const FrontPoint& point : front.allocators) csv += csvRow(columns, point);
  return csv;
}

Json frontJson(const Front& front, const std::string& file) {
  Json json = {{"format", "highwater-front"},
               {"version", 1},
               {"model", file},
               {"platform", front.request.platform.name},
               {"lower_bound", front.leastPeak.count()},
               {"latency_bound_ps", front.leastLatency.count()},
               {"stopped", front.stopped}};
  json["search"] = Json::array();
  for (const FrontPoint& point : front.found)
    json["search"].push_back(jsonRow(frontColumns(), point));
  json["allocators"] = Json::array();
  const auto columns = pick(frontColumns(), {"peak", "latency_ps", "allocator", "own_stays"});
  for (const FrontPoint& point : front.allocators) {
    json["allocators"].push_back(jsonRow(columns, point));
  }
  return json;
}

FrontScene frontScene(const Front& front) {
  FrontScene scene{.title = fmt::format("{}: {} against latency", nameOf(front),
                                        front.lowest->problem.pools[PoolId(0)].name),
                   .note = front.request.platform.name,
                   .leastBytes = front.leastPeak,
                   .leastLatency = front.leastLatency};
  for (const FrontPoint& point : front.found) {
    scene.found.push_back({*point.capacity, point.latency, point.choice.text()});
    scene.bounds.push_back({*point.capacity, *point.bound, "bound"});
  }
  for (const FrontPoint& point : front.allocators) {
    scene.others.push_back({point.peak, point.latency, point.made, point.ownStays});
  }
  return scene;
}

std::string frontSvg(const Front& front, const Palette& palette) {
  const FrontScene scene = frontScene(front);
  SvgCanvas canvas(kPicture.width, kPicture.height, scene.title, kDocumentLetters, &palette);
  canvas.rectangle(kPicture, {.fill = Fill{Ink::window}});
  drawFront(canvas, scene, kPicture);
  return canvas.finish();
}

}  // namespace hw
