#include "core/report/study/study_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/front_scene.h"
#include "core/picture/svg_canvas.h"
#include "core/report/study/results.h"

namespace hw {
namespace {

constexpr std::size_t kMostDots = 2'000;

bool isInBytes(ColumnKind kind) { return kind == ColumnKind::bytes || kind == ColumnKind::amount; }

FrontDot dotOf(const Value& bytes, const Value& latency, std::string name) {
  return {.bytes = Bytes(bytes.whole().value_or(0)),
          .latency = SimTime(latency.whole().value_or(0)),
          .name = std::move(name)};
}

}  // namespace

Result<std::string> paretoPicture(const ResultScope& scope, const std::vector<std::string>& figures,
                                  const Palette& palette) {
  HW_TRY(table, paretoOf(scope, figures));
  const std::size_t last = table.columns.size() - 1;
  if (figures.size() != 2 || table.columns[last].key != "latency_ps" ||
      !isInBytes(table.columns[last - 1].kind)) {
    return fail(ErrorCode::invalidArgument,
                "a picture shows bytes against latency, as in peak,latency");
  }
  const auto isOther = [&](const auto& row) { return row.front() != table.rows.front().front(); };
  if (table.rows.empty() || std::ranges::any_of(table.rows, isOther)) {
    return fail(ErrorCode::invalidArgument,
                "a picture shows one model: name it, as in --where \"model = 'a.onnx'\"");
  }
  FrontScene scene{.legend = {{{"no row is better in both", "", "", ""}, {"front", "", "", ""}}}};
  for (const auto& row : table.rows) {
    scene.found.push_back(dotOf(row[last - 1], row[last], row[1].exact()));
  }
  HW_TRY(rows, pointsOf(scope, table.columns[last - 1].key, table.columns[last].key));
  const std::size_t step = (rows.size() + kMostDots - 1) / kMostDots;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    if (!rows[i][0].isNone() && !rows[i][1].isNone()) {
      scene.others.push_back(dotOf(rows[i][0], rows[i][1], ""));
    }
  }
  scene.title = fmt::format("{}: {} against latency", printable(table.rows.front().front().exact()),
                            pick(studyFigures(), {table.columns[last - 1].key}).front().title);
  scene.note = countText(rows.size(), "run");
  return svgOf(scene, scene.title, {0, 0, 1000, 560}, palette, drawFront);
}

}  // namespace hw
