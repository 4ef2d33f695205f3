#include "core/report/study/study_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/machine/tuning.h"
#include "core/picture/svg_canvas.h"
#include "core/picture/value_axis.h"
#include "core/report/study/results.h"
#include "core/report/study/study_rules.h"

namespace hw {
namespace {

/// More curves are not told apart.
constexpr std::size_t kMostSeries = 8;
/// Dots of one cell of a grid with so many lines and columns over the plot look like one.
constexpr std::size_t kDotGrid = 200;

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

Point pointOf(const StudyTable& table, std::uint32_t row, std::size_t across, std::size_t figure) {
  return {table.figures[across].numbers[row], table.figures[figure].numbers[row]};
}

std::vector<Point> pointsOf(const StudyTable& table, const StudyRows& rows, std::size_t across,
                            std::size_t figure) {
  std::vector<Point> points;
  ValueSpan x;
  ValueSpan y;
  for (const std::uint32_t row : rows) {
    const Point at = pointOf(table, row, across, figure);
    if (std::isnan(at.x) || std::isnan(at.y)) continue;
    points.push_back(at);
    x.include(at.x);
    y.include(at.y);
  }
  // Axes as they are drawn.
  const auto right =
      ValueAxis::around(kindOf(table.figures[across].key), x, x.low >= 1, 0, kDotGrid);
  const auto up = ValueAxis::around(kindOf(table.figures[figure].key), y, false, 0, kDotGrid);
  std::vector<bool> seen((kDotGrid + 1) * (kDotGrid + 1));
  std::erase_if(points, [&](const Point& at) {
    const auto line = static_cast<std::size_t>(up.toPixel(at.y));
    const std::size_t cell = line * (kDotGrid + 1) + static_cast<std::size_t>(right.toPixel(at.x));
    const bool isTaken = seen[cell];
    seen[cell] = true;
    return isTaken;
  });
  return points;
}

}  // namespace

std::string modelName(const std::string& model) {
  const std::size_t at = model.find_last_of("/:");
  return printable(at == std::string::npos ? model : model.substr(at + 1), 60);
}

std::string axisWord(const std::string& name) {
  if (name.starts_with(kPartPath)) {  // "device.npu.L2.capacity": the part and its key.
    const auto words = splitText(name, '.');
    const std::size_t last = words.size() - 1;
    return printable(last > 2 ? fmt::format("{} {}", words[last - 1], words[last]) : words[last],
                     60);
  }
  constexpr std::pair<std::string_view, std::string_view> kWritten[] = {
      {"l2", "L2"}, {"l3", "L3"}, {"dma", "DMA"}, {"macs", "MACs"}};
  const auto found = std::ranges::find(kWritten, name, [](const auto& each) { return each.first; });
  return found == std::end(kWritten) ? name : std::string(found->second);
}

std::string axisTitle(const std::string& name) { return capital(axisWord(name)); }

std::string valueName(const std::string& value) {
  return value.empty() ? "default" : printable(value, 40);
}

std::string runName(const StudyTable& table, std::uint32_t row) {
  std::string text;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    const StudyTable::Axis& each = table.axes[axis];
    if (each.name == "model" || each.values.size() < 2) continue;
    const std::string value = valueName(table.valueOf(axis, row));
    text += (text.empty() ? "" : ", ") +
            (each.name == "allocator" ? "" : axisWord(each.name) + " ") + value;
  }
  return text;
}

DotsScene dotsScene(const StudyTable& table, const StudyRows& rows, const StudyRows& others,
                    std::size_t across, std::size_t figure) {
  const std::string& x = table.figures[across].key;
  const std::string& y = table.figures[figure].key;
  DotsScene scene{.title = capital(fmt::format("{} over {}", figureTitle(y), figureTitle(x))),
                  .across = kindOf(x),
                  .up = kindOf(y)};
  scene.faint = pointsOf(table, others, across, figure);
  scene.dots = pointsOf(table, rows, across, figure);
  const std::size_t model = table.axis("model");
  const auto at = [&](std::uint32_t row) { return pointOf(table, row, across, figure); };
  for (const std::uint32_t row : frontOf(table, rows, model, {across, figure})) {
    scene.front.push_back(
        {at(row), fmt::format("{}, {}: {}", valueText(at(row).x, scene.across),
                              valueText(at(row).y, scene.up), runName(table, row))});
  }
  for (const std::uint32_t row : frontOf(table, others, model, {across, figure})) {
    scene.otherFront.push_back(at(row));
  }
  return scene;
}

HeatScene heatScene(const StudyTable& table, const StudyPivot& cells, std::size_t down,
                    std::size_t across, std::size_t figure) {
  const ColumnKind kind = kindOf(table.figures[figure].key);
  double most = 0;
  for (const StudyPivot::Cell& cell : cells.cells) {
    if (cell.mean.count() > 0) most = std::max(most, cell.least);
  }
  const ValueUnit unit = ValueUnit::of(most, kind);
  HeatScene scene{
      .title = fmt::format("{} over {}", axisTitle(table.axes[down].name),
                           axisTitle(table.axes[across].name)),
      .note = fmt::format("least {}{}; stronger is more", figureTitle(table.figures[figure].key),
                          unit.name.empty() ? "" : ", " + unit.name)};
  for (const std::string& value : table.axes[down].values) scene.lines.push_back(valueName(value));
  for (const std::string& value : table.axes[across].values) {
    scene.columns.push_back(valueName(value));
  }
  for (const StudyPivot::Cell& cell : cells.cells) {
    auto& made = scene.cells.emplace_back();
    if (cell.mean.count() == 0) continue;
    made = HeatScene::Cell{
        cell.least, unit.text(cell.least),
        fmt::format("{}: {}; the least of {}", valueText(cell.least, kind),
                    runName(table, cell.best), countText(cell.mean.count(), "run"))};
  }
  return scene;
}

MultiplesScene multiplesScene(const StudyTable& table, const StudyRows& rows, std::size_t over,
                              std::size_t series, std::size_t figure) {
  const std::size_t model = table.axis("model");
  const ColumnKind kind = kindOf(table.figures[figure].key);
  const StudyTable::Axis& kinds = table.axes[series];
  MultiplesScene scene{
      .title = "All models",
      .note = fmt::format("least {} over {}, a line for each value of {}",
                          figureTitle(table.figures[figure].key), axisTitle(table.axes[over].name),
                          axisTitle(kinds.name))};
  for (const std::string& value : kinds.values) scene.series.push_back(valueName(value));
  std::vector<StudyRows> byModel(table.axes[model].values.size());
  for (const std::uint32_t row : rows) byModel[table.axes[model].codes[row]].push_back(row);
  for (std::size_t i = 0; i < byModel.size(); ++i) {
    MultiplesScene::Panel panel{.name = modelName(table.axes[model].values[i])};
    const StudyPivot cells = pivot(table, byModel[i], series, over, figure);
    ValueSpan span;
    for (std::size_t line = 0; line < kinds.values.size(); ++line) {
      auto& curve = panel.curves.emplace_back();
      for (std::size_t column = 0; column < cells.across; ++column) {
        const StudyPivot::Cell& cell = cells.at(line, column);
        auto& value = curve.emplace_back();
        if (cell.mean.count() == 0) continue;
        value = cell.least;
        span.include(cell.least);
      }
    }
    if (span.any) {
      const ValueUnit unit = ValueUnit::of(span.high, kind);
      panel.range = (span.low < span.high ? unit.text(span.low) + "\u2013" : "") +
                    unit.text(span.high) + (unit.name.empty() ? "" : " " + unit.name);
    }
    panel.toolTip =
        fmt::format("{}: {}, {}", panel.name, countText(byModel[i].size(), "run"), panel.range);
    scene.panels.push_back(std::move(panel));
  }
  return scene;
}

StudyLook lookOf(const StudyTable& table, const StudyRows& rows, std::size_t figure) {
  StudyLook look;
  const auto isPeak = [](const StudyTable::Figure& each) { return each.key == "peak"; };
  if (std::ranges::none_of(table.figures, isPeak)) look.across = table.figures[figure].key;
  for (const StudyTable::Figure& each : table.figures) {
    if (each.key != "capacity_l2") continue;
    std::set<double> capacities;
    for (const std::uint32_t row : rows) {
      if (!std::isnan(each.numbers[row])) capacities.insert(each.numbers[row]);
      if (capacities.size() > 1) break;
    }
    if (capacities.size() > 1) look.across = each.key;
  }
  const auto add = [&](std::size_t axis) {
    const bool known = std::ranges::find(look.axes, axis) != look.axes.end();
    const bool shown = table.axes[axis].name != "model" && !known &&
                       table.axes[axis].values.size() <= StudyLook::kMostValues;
    if (shown) look.axes.push_back(axis);
  };
  for (const AxisShare& share : sharesOf(table, rows, figure)) add(share.axis);
  // Of a figure of zeros nothing matters, but rows differ all the same.
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    const auto& codes = table.axes[axis].codes;
    const auto isOther = [&](std::uint32_t row) { return codes[row] != codes[rows.front()]; };
    if (std::ranges::any_of(rows, isOther)) add(axis);
  }
  if (look.axes.size() < 2) return look;
  const auto named = [&](std::string_view name, std::size_t otherwise) {
    const auto found = std::ranges::find_if(
        look.axes, [&](std::size_t axis) { return table.axes[axis].name == name; });
    return found == look.axes.end() ? otherwise : *found;
  };
  const std::size_t over = named("l2", look.axes[0]);
  const std::size_t other = look.axes[look.axes[0] == over ? 1 : 0];
  const std::size_t down = named("allocator", other);
  look.pair = StudyLook::Pair{down == over ? other : down, over};
  return look;
}

std::size_t StudyLook::seriesOf(const StudyTable& table, const Pair& shown) const {
  const auto isFree = [&](std::size_t axis) {
    return axis != shown.over && axis != shown.down &&
           table.axes[axis].values.size() <= kMostSeries;
  };
  const auto found = std::ranges::find_if(axes, isFree);
  return found == axes.end() ? shown.down : *found;
}

Result<std::string> paretoPicture(const ResultScope& scope, const std::vector<std::string>& figures,
                                  const Palette& palette) {
  if (figures.size() != 2) {
    return fail(ErrorCode::invalidArgument, "a picture shows two figures, as in peak,latency");
  }
  std::vector<std::string> columns;
  for (const std::string& name : figures) {
    HW_TRY(column, figureNamed(name));
    columns.push_back(column);
  }
  HW_TRY(axes, axesOf(scope.results));
  HW_TRY(table, readTable(scope, axes, columns));
  const auto& models = table.axes[table.axis("model")].values;
  if (models.size() != 1) {
    return fail(ErrorCode::invalidArgument,
                "a picture shows one model: name it, as in --where \"model = 'a.onnx'\"");
  }
  DotsScene scene = dotsScene(table, table.all(), {}, 0, 1);
  scene.title = printable(models.front()) + ": " + scene.title;
  scene.note = countText(table.size(), "run");
  return svgOf(scene, scene.title, {0, 0, 1000, 560}, palette, drawDots);
}

}  // namespace hw
