#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/report/run/latency_report.h"
#include "core/report/run/operator_columns.h"
#include "core/report/run/simulation_report.h"
#include "core/report/text/text_parts.h"
#include "core/run/options.h"

namespace hw {
namespace {

double seconds(SimTime time) { return static_cast<double>(time.count()) * 1e-12; }

std::string share(SimTime part, SimTime whole) {
  if (whole == SimTime()) return "-";
  return fmt::format("{:.1f} %", seconds(part) / seconds(whole) * 100);
}

std::string bytesOrDash(Bytes bytes) { return bytes == Bytes() ? "-" : groupDigits(bytes.count()); }

std::string figuresText(const Run& run, const Paint& paint) {
  const Timing& timing = run.timing;
  TextTable facts({{""}, {""}});
  std::string latency = timing.ops.empty() ? std::string("none: no operators are known")
                                           : fmt::format("{} ({} ps)", formatTime(timing.makespan),
                                                         groupDigits(timing.makespan.count()));
  if (timing.makespan > SimTime()) {
    const double rate = 1 / seconds(timing.makespan);
    latency += rate < 1000 ? fmt::format(", {:.1f} runs a second", rate)
                           : fmt::format(", {} runs a second", groupDigits(std::llround(rate)));
  }
  facts.add({"latency", latency});
  std::string macs = groupDigits(timing.macs);
  if (timing.makespan > SimTime() && timing.macs > 0) {
    macs += fmt::format(", {:.1f} G a second",
                        static_cast<double>(timing.macs) / seconds(timing.makespan) * 1e-9);
  }
  facts.add({"MACs", macs});
  Bytes moved;
  for (const Traffic& traffic : timing.traffic) moved += traffic.total();
  facts.add({"bytes moved", fmt::format("{}; at the least {}: inputs, outputs and weights once",
                                        bytesText(moved), bytesText(timing.compulsory))});
  facts.add({"energy of memory", fmt::format("{:.3f} \u00b5J", timing.energyPicojoules * 1e-6)});
  facts.add({"digest", fmt::format("{:016x}", timing.digest)});
  return facts.text(paint);
}

std::string trafficText(const Run& run, const Paint& paint) {
  std::vector<TextTable::Column> columns = {{"bytes"}};
  for (const PoolId pool : run.timing.traffic.keys()) {
    const std::string name = printable(run.problem.pools[pool].name);
    columns.push_back({name + " read", TextTable::Align::right});
    columns.push_back({name + " written", TextTable::Align::right});
  }
  TextTable table(columns);
  const auto add = [&](const std::string& title, auto&& read, auto&& written) {
    std::vector<std::string> cells = {title};
    for (const Traffic& traffic : run.timing.traffic) {
      cells.push_back(bytesOrDash(read(traffic)));
      cells.push_back(bytesOrDash(written(traffic)));
    }
    table.add(std::move(cells));
  };
  for (const TrafficClass kind : kEveryTrafficClass) {
    if (isOfMoves(kind) && run.problem.moves.empty()) continue;
    const auto index = static_cast<std::size_t>(kind);
    add(
        std::string(trafficClassName(kind)), [&](const Traffic& t) { return t.read[index]; },
        [&](const Traffic& t) { return t.written[index]; });
  }
  const auto sum = [](const auto& parts) {
    return std::accumulate(parts.begin(), parts.end(), Bytes());
  };
  add(
      "total", [&](const Traffic& t) { return sum(t.read); },
      [&](const Traffic& t) { return sum(t.written); });
  return "\n" + table.text(paint);
}

std::string bottlenecksText(const Run& run, const Paint& paint) {
  TextTable table({{"limited by"},
                   {"operators", TextTable::Align::right},
                   {"time", TextTable::Align::right},
                   {"share", TextTable::Align::right}});
  std::vector<Bottleneck> kinds = {{.kind = Bottleneck::Kind::compute}};
  for (const PoolId pool : run.problem.pools.keys()) {
    kinds.push_back({.kind = Bottleneck::Kind::memory, .pool = pool});
  }
  kinds.emplace_back();
  for (const Bottleneck kind : kinds) {
    std::size_t count = 0;
    SimTime time;
    for (const OpTiming& op : run.timing.ops) {
      if (op.bottleneck != kind) continue;
      ++count;
      time += op.time.length();
    }
    if (count == 0) continue;
    table.add({std::string(bottleneckName(kind, run.problem.pools)),
               groupDigits(static_cast<std::int64_t>(count)), formatTime(time),
               share(time, run.timing.makespan)});
  }
  return table.empty() ? std::string() : "\n" + table.text(paint);
}

std::string operatorsText(const Run& run, const PlanTextOptions& options) {
  const auto& ops = run.timing.ops;
  std::vector<std::size_t> order(ops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t step) { return ops[step].time.length(); });
  std::vector<std::string> keys = {"step", "op", "type", "time_ps", "share", "macs"};
  for (std::string& key : poolKeys(run, "_bytes")) keys.push_back(std::move(key));
  keys.emplace_back("limited_by");
  const auto columns = pick(operatorColumns(run), keys);
  TextTable table(columns);
  for (const std::size_t step : firstOf(order, options.rows)) {
    auto cells = cellTexts(columns, step, 32);
    std::replace(cells.begin() + 1, cells.end(), std::string("0"), std::string("-"));
    table.add(std::move(cells));
  }
  return section(options.paint, "operators, slowest first", ops.size(), table.text(options.paint),
                 options.rows);
}

/// How weights get to their operators, where that is not as usual.
std::string weightsText(const Run& run) {
  const RunOption& option = *findOption("weights");
  const std::string how = option.print(run.request).front();
  return how == option.standard ? "" : ", weights " + how;
}

/// Of a machine that is not ours: where its figures come from, and what was taken for granted.
std::string sourceText(const Platform& platform) {
  if (platform.file.empty() || platform.source.empty()) return "";
  return "  figures: " + printable(platform.source, 1000) + "\n";
}

}  // namespace

std::string simulationText(const Run& run, const PlanTextOptions& options) {
  const Paint& paint = options.paint;
  std::string text = paint.bold(printable(run.model->name)) + "  " + requestText(run) + "\n";
  text += fmt::format("  platform {}{}\n{}  plan {}\n\n",
                      printable(platformLabel(run.request.platform)), weightsText(run),
                      sourceText(run.request.platform), planLine(run));
  text += figuresText(run, paint);
  text += trafficText(run, paint);
  text += bottlenecksText(run, paint);
  text += latencyText(run, options);
  text += operatorsText(run, options);
  return text +
         notesText(paint, {&run.graph().notes, &run.notes, &run.plan.notes, &run.timing.notes});
}

}  // namespace hw
