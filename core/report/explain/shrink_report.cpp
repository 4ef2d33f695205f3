#include "core/report/explain/shrink_report.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/picture/svg_canvas.h"
#include "core/report/plan/plan_text.h"
#include "core/run/options.h"

namespace hw {
namespace {

constexpr Box kShrinkPicture{0, 0, 960, 540};

double shareOf(Bytes bytes, Bytes whole) {
  return whole == Bytes() ? 1
                          : static_cast<double>(bytes.count()) / static_cast<double>(whole.count());
}

std::string percent(double part) {
  return part < 0.1 ? fmt::format("{:.1f} %", 100 * part) : fmt::format("{:.0f} %", 100 * part);
}

/// Line by line is how operators run in parts unless it says otherwise.
std::string withText(const Rewrites& rewrites, TileRule tile) {
  if (rewrites == Rewrites()) return "as it is";
  const std::string text = rewritesText(rewrites, " + ");
  return tile > TileRule::lines ? fmt::format("{} ({})", text, tileRuleName(tile)) : text;
}

Columns<ShrinkTrial> trialColumns(const ShrinkFront& front) {
  using enum ColumnKind;
  using T = ShrinkTrial;
  return {{"with", "with", text, [](const T& trial) { return Value(shrinkStepText(trial)); },
           "What is rewritten"},
          {"lower_bound", "lower bound", bytes, &T::bound, "No plan with that needs less"},
          {"bound_of", "of", text,
           [](const T& trial) -> Value {
             if (!trial.bound) return {};
             return trial.anyOrder ? "any order" : "this order";
           },
           "What the bound is one for"},
          {"peak", "peak", bytes, &T::peak, "What the plan needs"},
          {"part", "of it", ratio,
           [&front](const T& trial) -> Value {
             if (!trial.peak) return {};
             return shareOf(*trial.peak, front.plain.peak);
           },
           "Peak / peak of the plan as it is"}};
}

std::string trialsText(const ShrinkFront& front, const Paint& paint) {
  const auto columns = trialColumns(front);
  TextTable table(columns);
  std::string sentences;
  for (const ShrinkTrial& trial : front.trials) {
    table.add(cellTexts(columns, trial),
              trial.peak ? TextTable::Emphasis::none : TextTable::Emphasis::dim);
    if (!trial.said.empty()) {
      sentences += fmt::format("  {}: {}\n", shrinkStepText(trial), shrinkSaidText(trial));
    }
  }
  return table.text(paint) + (sentences.empty() ? "" : "\n" + sentences);
}

}  // namespace

std::string shrinkStepText(const ShrinkTrial& trial) { return withText(trial.with, trial.tile); }

std::string shrinkStepText(const ShrinkPoint& point) {
  return withText(point.with, point.run->request.tile);
}

std::string shrinkSaidText(const ShrinkTrial& trial) {
  std::string text;
  for (const std::string& sentence : trial.said) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

std::string shrinkOptionsText(const ShrinkFront& front, const Run& run) {
  return shellWords(optionWords(front.request, run.request));
}

Columns<ShrinkPoint> shrinkColumns(const ShrinkFront& front) {
  using enum ColumnKind;
  using P = ShrinkPoint;
  return {
      {"peak", "peak", bytes, &P::peak, "What the plan needs"},
      {"part", "of it", ratio,
       [&front](const P& point) -> Value { return shareOf(point.peak, front.plain.peak); },
       "Peak / peak of the plan as it is"},
      {"lower_bound", "lower bound", bytes, &P::bound, "No plan of the same program needs less"},
      {"extra_macs", "extra MACs", excess, &P::extraMacs,
       "Multiplications made again / those of the model"},
      {"latency_ps", "latency", time, &P::latency, "Simulated time of one run"},
      {"with", "with", text, [](const P& point) { return Value(shrinkStepText(point)); },
       "What is rewritten"},
      {"options", "options", text,
       [&front](const P& point) { return Value(shrinkOptionsText(front, *point.run)); },
       "What makes this plan, beside the options of the one as it is"},
      {"chosen", "chosen", flag,
       [&front](const P& point) -> Value { return &point == front.chosen(); },
       "The answer: within the budget the fastest, without one the smallest"}};
}

std::string shrinkSummary(const ShrinkFront& front) {
  const ShrinkPoint* chosen = front.chosen();
  const std::string plain = formatBytes(front.plain.peak);
  if (front.budget && chosen == nullptr) {
    return fmt::format("nothing fits {}: the least that was found is {}, as it is {}",
                       bytesText(*front.budget), bytesText(front.points.front().peak), plain);
  }
  if (!front.shrinks()) {
    return front.stopped ? fmt::format("nothing smaller than {} was found yet", plain)
                         : fmt::format("nothing is smaller than the plan as it is, {}", plain);
  }
  const std::string slower =
      front.plain.latency == SimTime() || chosen->latency == SimTime()
          ? ""
          : fmt::format(", {:.2f} times its latency",
                        static_cast<double>(chosen->latency.count()) /
                            static_cast<double>(front.plain.latency.count()));
  return fmt::format("{}, {} of the plan as it is ({}){}, with {}", bytesText(chosen->peak),
                     percent(shareOf(chosen->peak, front.plain.peak)), plain, slower,
                     shrinkStepText(*chosen));
}

std::string shrinkText(const ShrinkFront& front, const Paint& paint) {
  const std::string name = printable(front.plain.run->graph().name);
  std::string text = fmt::format(
      "{}  {}: {}; times on {}\n", paint.bold(name),
      front.budget ? "within " + bytesText(*front.budget) : std::string("as small as it can be"),
      requestText(*front.plain.run), front.request.platform.name);
  text += "  " + shrinkSummary(front) + "\n";
  text += "\nwhat each rewrite comes to\n" + trialsText(front, paint);
  const auto columns = pick(shrinkColumns(front),
                            {"peak", "part", "extra_macs", "latency_ps", "lower_bound", "options"});
  TextTable table(columns);
  for (const ShrinkPoint& point : front.points) {
    table.add(cellTexts(columns, point, 200),
              &point == front.chosen() ? TextTable::Emphasis::good : TextTable::Emphasis::none);
  }
  text +=
      fmt::format("\nthe front: of {} programs, those that no other is as good as\n", front.tried) +
      table.text(paint);
  if (front.stopped) text += "\nstopped: there would have been more\n";
  return text;
}

std::string shrinkCsv(const ShrinkFront& front, const std::string& file) {
  Columns<ShrinkPoint> columns = {
      {"model", "model", ColumnKind::text, [&](const ShrinkPoint&) { return Value(file); }, ""}};
  const auto own = shrinkColumns(front);
  columns.insert(columns.end(), own.begin(), own.end());
  std::string csv = csvHeader(columns);
  for (const ShrinkPoint& point : front.points) csv += csvRow(columns, point);
  return csv;
}

Json shrinkJson(const ShrinkFront& front, const std::string& file) {
  Json json = {{"format", "highwater-shrink"},
               {"version", 1},
               {"model", file},
               {"platform", front.request.platform.name},
               {"peak", front.plain.peak.count()},
               {"latency_ps", front.plain.latency.count()},
               {"shrinks", front.shrinks()},
               {"stopped", front.stopped}};
  if (front.budget) json["budget"] = front.budget->count();
  json["most_extra_macs"] = front.extraMacs;
  json["rewrites"] = Json::array();
  const auto columns = trialColumns(front);
  for (const ShrinkTrial& trial : front.trials) {
    json["rewrites"].push_back(jsonRow(columns, trial));
    json["rewrites"].back()["said"] = trial.said;
  }
  json["front"] = Json::array();
  for (const ShrinkPoint& point : front.points) {
    json["front"].push_back(jsonRow(shrinkColumns(front), point));
  }
  return json;
}

FrontScene shrinkScene(const ShrinkFront& front) {
  FrontScene scene{.title = printable(front.plain.run->graph().name) + ": bytes against latency",
                   .note = front.request.platform.name,
                   .legend = {{{"fastest program within so many bytes", "", "lower bounds"},
                               {"found", "", "bounds"}}}};
  for (const ShrinkPoint& point : front.points) {
    scene.found.push_back({point.peak, point.latency, shrinkStepText(point)});
  }
  scene.others.push_back({front.plain.peak, front.plain.latency, "as it is"});
  for (const ShrinkTrial& trial : front.trials) {
    const auto known = [&](const FrontScene::Mark& mark) { return mark.bytes == *trial.bound; };
    if (!trial.bound || std::ranges::any_of(scene.marks, known)) continue;
    scene.marks.push_back({*trial.bound, shrinkStepText(trial)});
  }
  std::ranges::sort(scene.marks, {}, &FrontScene::Mark::bytes);
  return scene;
}

std::string shrinkSvg(const ShrinkFront& front, const Palette& palette) {
  const FrontScene scene = shrinkScene(front);
  SvgCanvas canvas(kShrinkPicture.width, kShrinkPicture.height, scene.title, kDocumentLetters,
                   &palette);
  canvas.rectangle(kShrinkPicture, {.fill = Fill{Ink::window}});
  drawFront(canvas, scene, kShrinkPicture);
  return canvas.finish();
}

std::vector<ReportTable> shrinkTables(const ShrinkFront& front) {
  ReportTable rewrites =
      reportTable("What rewrites come to", trialColumns(front), front.trials, 1000);
  rewrites.caption = fmt::format("Each planned and simulated with {}: {}.",
                                 capacitiesText(*front.plain.run), shrinkSummary(front));
  rewrites.columns.push_back({"what came of it", false});
  for (std::size_t i = 0; i < front.trials.size(); ++i) {
    rewrites.rows[i].push_back(shrinkSaidText(front.trials[i]));
  }
  ReportTable points = reportTable(
      "Bytes against latency",
      pick(shrinkColumns(front), {"peak", "part", "extra_macs", "latency_ps", "with", "options"}),
      front.points, 1000);
  points.caption = "Programs that no other is as good as, in bytes, multiplications and latency.";
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    if (&front.points[i] == front.chosen()) points.marked.push_back(i);
  }
  return {std::move(rewrites), std::move(points)};
}

}  // namespace hw
