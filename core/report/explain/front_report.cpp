#include "core/report/explain/front_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text.h"
#include "core/picture/svg_canvas.h"
#include "core/report/plan/plan_text.h"
#include "core/run/options.h"

namespace hw {
namespace {

constexpr Box kPicture{0, 0, 960, 540};

constexpr const char* kStopped = "\nstopped: there would have been more\n";

std::string nameOf(const Run& run) { return printable(run.graph().name); }

double excessOf(SimTime latency, SimTime bound) {
  return bound == SimTime() ? 0 : (latency - bound).real() / bound.real();
}

std::string tableOf(const std::vector<FrontPoint>& points, const std::vector<std::string>& keys,
                    const Paint& paint) {
  const auto good = [](const FrontPoint& point) { return point.proved(); };
  return textTable<FrontPoint>(pick(frontColumns(), keys), points, {.good = good}).text(paint);
}

double shareOf(Bytes bytes, Bytes whole) {
  return whole == Bytes() ? 1 : bytes.real() / whole.real();
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
  const auto dim = [](const ShrinkTrial& trial) { return !trial.peak; };
  std::string sentences;
  for (const ShrinkTrial& trial : front.trials) {
    if (trial.said.empty()) continue;
    sentences += fmt::format("  {}: {}\n", shrinkStepText(trial), shrinkSaidText(trial));
  }
  return textTable<ShrinkTrial>(trialColumns(front), front.trials, {.dim = dim}).text(paint) +
         (sentences.empty() ? "" : "\n" + sentences);
}

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
  std::string text =
      fmt::format("{}  {} against latency on '{}'\n", paint.bold(nameOf(*front.lowest)), near,
                  front.request.platform.name);
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
  return front.stopped ? text + kStopped : text;
}

std::string frontCsv(const Front& front, const std::string& file) {
  std::vector<FrontPoint> points = front.found;
  points.insert(points.end(), front.allocators.begin(), front.allocators.end());
  return csvTable(withModel(file, frontColumns()), points);
}

Json frontJson(const Front& front, const std::string& file) {
  return {{"format", "highwater-front"},
          {"version", 1},
          {"model", file},
          {"platform", front.request.platform.name},
          {"lower_bound", front.leastPeak.count()},
          {"latency_bound_ps", front.leastLatency.count()},
          {"stopped", front.stopped},
          {"search", jsonRows(frontColumns(), front.found)},
          {"allocators",
           jsonRows(pick(frontColumns(), {"peak", "latency_ps", "allocator", "own_stays"}),
                    front.allocators)}};
}

FrontScene frontScene(const Front& front) {
  FrontScene scene{.title = fmt::format("{}: {} against latency", nameOf(*front.lowest),
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
  return svgOf(scene, scene.title, kPicture, palette, drawFront);
}

std::string shrinkStepText(const ShrinkTrial& trial) { return withText(trial.with, trial.tile); }

std::string shrinkStepText(const ShrinkPoint& point) {
  return withText(point.with, point.run->request.tile);
}

std::string shrinkSaidText(const ShrinkTrial& trial) {
  return fmt::format("{}", fmt::join(trial.said, "; "));
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
  const std::string slower = front.plain.latency == SimTime() || chosen->latency == SimTime()
                                 ? ""
                                 : fmt::format(", {:.2f} times its latency",
                                               chosen->latency.real() / front.plain.latency.real());
  return fmt::format("{}, {} of the plan as it is ({}){}, with {}", bytesText(chosen->peak),
                     percent(shareOf(chosen->peak, front.plain.peak)), plain, slower,
                     shrinkStepText(*chosen));
}

std::string shrinkText(const ShrinkFront& front, const Paint& paint) {
  std::string text = fmt::format(
      "{}  {}: {}; times on {}\n", paint.bold(nameOf(*front.plain.run)),
      front.budget ? "within " + bytesText(*front.budget) : std::string("as small as it can be"),
      requestText(*front.plain.run), front.request.platform.name);
  text += "  " + shrinkSummary(front) + "\n";
  text += "\nwhat each rewrite comes to\n" + trialsText(front, paint);
  const auto columns = pick(shrinkColumns(front),
                            {"peak", "part", "extra_macs", "latency_ps", "lower_bound", "options"});
  const auto good = [&](const ShrinkPoint& point) { return &point == front.chosen(); };
  text +=
      fmt::format("\nthe front: of {} programs, those that no other is as good as\n", front.tried) +
      textTable<ShrinkPoint>(columns, front.points, {.width = 200, .good = good}).text(paint);
  return front.stopped ? text + kStopped : text;
}

std::string shrinkCsv(const ShrinkFront& front, const std::string& file) {
  return csvTable(withModel(file, shrinkColumns(front)), front.points);
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
  json["rewrites"] = jsonRows(trialColumns(front), front.trials);
  for (std::size_t i = 0; i < front.trials.size(); ++i) {
    json["rewrites"][i]["said"] = front.trials[i].said;
  }
  json["front"] = jsonRows(shrinkColumns(front), front.points);
  return json;
}

FrontScene shrinkScene(const ShrinkFront& front) {
  FrontScene scene{.title = nameOf(*front.plain.run) + ": bytes against latency",
                   .note = front.request.platform.name,
                   .legend = {{{"fastest program within so many bytes", "", "lower bounds"},
                               {"found", "", "bounds"}}}};
  for (const ShrinkPoint& point : front.points) {
    scene.found.push_back({point.peak, point.latency, shrinkStepText(point)});
  }
  scene.others.push_back({front.plain.peak, front.plain.latency, "as it is"});
  if (const ShrinkPoint* best = front.costless()) {
    scene.saving = {scene.others.front(), {best->peak, best->latency, {}}};
  }
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
  return svgOf(scene, scene.title, kPicture, palette, drawFront);
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
