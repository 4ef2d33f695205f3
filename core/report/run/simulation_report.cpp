#include "core/report/run/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/insight/array_words.h"
#include "core/insight/latency_words.h"
#include "core/machine/platforms.h"
#include "core/plan/overlap_use.h"
#include "core/plan_file/activities_writer.h"
#include "core/report/text/text_table.h"
#include "core/run/figures.h"
#include "core/run/options.h"
#include "core/run/roofline.h"

namespace hw {
namespace {

Step stepOf(std::size_t row) { return Step(static_cast<std::int64_t>(row)); }

/// Columns of what the simulator says of an operator.
Columns<OpTiming> timingColumns(const Run& run) {
  using enum ColumnKind;
  using T = OpTiming;
  Columns<T> columns = {
      {"start_ps", "start", time, [](const T& op) { return op.time.begin; }},
      {"end_ps", "end", time, [](const T& op) { return op.time.end; }},
      {"time_ps", "time", time, [](const T& op) { return op.time.length(); },
       "From its start to its end, simulated"},
      {"share", "share", ratio,
       [whole = run.timing.makespan](const T& op) -> Value {
         if (whole == SimTime()) return {};
         return op.time.length().real() / whole.real();
       },
       "Of the time of all operators"},
      {"macs", "MACs", count, &T::macs, "Multiply-accumulates"},
      {"elements", "elements", count, &T::elements, "Of what it writes; its work without MACs"},
      {"compute_ps", "compute", time, &T::compute, "If memory cost no time"}};
  for (const PoolId pool : run.problem.pools.keys()) {
    const std::string& name = run.problem.pools[pool].name;
    columns.push_back({name + "_ps", name + " time", time, [pool](const T& op) {
                         return op.memory.contains(pool) ? op.memory[pool] : SimTime();
                       }});
    columns.push_back({name + "_bytes", name + " bytes", bytes, [pool](const T& op) {
                         return op.moved.contains(pool) ? op.moved[pool] : Bytes();
                       }});
  }
  columns.push_back({"latency_ps", "latency", time, &T::latency, "Of the first access"});
  columns.push_back({"limited_by", "limited by", text, [&pools = run.problem.pools](const T& op) {
                       return bottleneckName(op.bottleneck, pools);
                     }});
  return columns;
}

/// Columns of where an operator stands in the roofline. Rates are whole numbers.
Columns<RoofDot> roofColumns(const Run& run) {
  using enum ColumnKind;
  using T = RoofDot;
  return {{"macs_per_byte", "MACs a byte", count,
           [](const T& dot) { return dot.bytes == Bytes() ? Value() : Value(dot.intensity()); },
           "At the port that holds it up longest"},
          {"macs_per_s", "MACs a second", count,
           [](const T& dot) { return std::llround(dot.attained); }, "Attained, as simulated"},
          {"roof_macs_per_s", "roof, MACs/s", count,
           [](const T& dot) { return std::llround(dot.roof); },
           "MACs a second that the unit's peak and the port's bandwidth allow"},
          {"bound_by", "bound by", text, [&run](const T& dot) { return roofName(run, dot); },
           "What is that roof: compute, or a port"}};
}

}  // namespace

Columns<std::size_t> operatorColumns(const Run& run) {
  using enum ColumnKind;
  const auto id = [&run](std::size_t row) { return run.schedule.opAt(stepOf(row)); };
  const auto op = [&run, id](std::size_t row) -> const Op& { return run.graph().ops[id(row)]; };
  Columns<std::size_t> columns = {
      {"step", "step", step, [](std::size_t row) { return row; }},
      {"op", "operator", text,
       [&run, id](std::size_t row) { return displayName(run.graph(), id(row)); }},
      {"type", "type", text, [op](std::size_t row) { return op(row).type; }},
      {"reads", "reads", count,
       [&run, id](std::size_t row) { return run.graph().reads(id(row)).size(); }, "Tensors"},
      {"writes", "writes", count, [op](std::size_t row) { return op(row).outputs.size(); },
       "Tensors"},
      {"folded", "ahead of time", flag, [op](std::size_t row) { return op(row).folded; },
       "Computed before the model runs: does nothing here"}};
  const auto timing = columnsVia<std::size_t>(timingColumns(run), [&run](std::size_t row) {
    return row < run.timing.ops.size() ? &run.timing.ops[row] : nullptr;
  });
  columns.insert(columns.end(), timing.begin(), timing.end());
  const Columns<RoofDot> roofs = roofColumns(run);
  for (Column<std::size_t>& column : columnsVia<std::size_t>(
           roofs, [&run](std::size_t row) { return roofDot(run, stepOf(row)); })) {
    columns.push_back(std::move(column));
  }
  if (hasArrays(run.request.platform)) {
    columns.push_back({"array", "array", text,
                       [&run](std::size_t row) { return arrayWords(run, stepOf(row)); },
                       "Of its unit's array what is used, and what leaves most of it idle"});
  }
  return columns;
}

Column<std::size_t> liveColumn(const Run& run) {
  const auto live = std::make_shared<const StepFunction>(liveBytes(run.problem, run.plan));
  return {"live", "live", ColumnKind::bytes,
          [live](std::size_t row) { return live->at(stepOf(row)); }, "Bytes live at the step"};
}

std::string energyText(double picojoules) {
  return fmt::format("{:.3f} \u00b5J", picojoules * 1e-6);
}

Columns<PortCurve> portColumns(const Run& run) {
  using enum ColumnKind;
  using T = PortCurve;
  const auto rate = [](double bytesPerSecond) { return formatRate(bytesPerSecond, "B"); };
  const SimTime whole = run.timing.makespan;
  return {{"port", "port", text,
           [&run](const T& port) { return portName(run.timing.activities, port.port); }},
          {"bytes", "bytes", bytes, &T::bytes, "All that goes through it, in whole bursts"},
          {"mean", "mean", range, [=](const T& port) { return rate(port.mean(whole)); },
           "Over the whole run"},
          {"mean_share", "of the roof", ratio,
           [whole](const T& port) -> Value { return port.ofRoof(port.mean(whole)); }},
          {"peak", "peak", range, [=](const T& port) { return rate(port.peak()); },
           "The most at any time"},
          {"peak_share", "of the roof", ratio,
           [](const T& port) -> Value { return port.ofRoof(port.peak()); }},
          {"roof", "roof", range,
           [=](const T& port) {
             return port.roof == 0 ? std::string() : rate(static_cast<double>(port.roof));
           },
           "Its bandwidth; of two that differ, the greater"},
          {"needed", "needed", time,
           [&run](const T& port) { return run.timing.account.ports[port.port]; },
           "The time that all of it takes the port"}};
}

std::vector<std::string> poolKeys(const Run& run, std::string_view ending) {
  std::vector<std::string> keys;
  for (const ProblemPool& pool : run.problem.pools) keys.push_back(pool.name + std::string(ending));
  return keys;
}

namespace {

double part(SimTime time, SimTime whole) {
  if (whole == SimTime()) return 0;
  return time.real() / whole.real();
}

std::string timeOrDash(SimTime time) { return time == SimTime() ? "-" : formatTime(time); }

/// Of what an engine could have done, the part that it did.
double utilisation(const Run& run, std::size_t engine) {
  const LatencyAccount& account = run.timing.account;
  return part(account.engines[engine].busy, run.timing.makespan) /
         run.timing.activities.engines[engine].channels;
}

std::string enginesText(const Run& run, const Paint& paint) {
  const LatencyAccount& account = run.timing.account;
  const ActivityList& list = run.timing.activities;
  std::vector<TextTable::Column> columns = {
      {"engine"}, {"busy", TextTable::Align::right}, {"of the time", TextTable::Align::right}};
  std::vector<std::size_t> rules;
  for (std::size_t rule = 0; rule < kWaitRuleNames.size(); ++rule) {
    const bool any = std::ranges::any_of(account.engines, [&](const EngineAccount& engine) {
      return engine.stalls[rule] > SimTime();
    });
    if (!any) continue;
    rules.push_back(rule);
    columns.push_back({fmt::format("idle: {}", kWaitRuleNames[rule]), TextTable::Align::right});
  }
  TextTable table(columns);
  for (std::size_t i = 0; i < account.engines.size(); ++i) {
    std::vector<std::string> cells = {printable(list.engines[i].name),
                                      timeOrDash(account.engines[i].busy),
                                      fmt::format("{:.1f} %", utilisation(run, i) * 100)};
    for (const std::size_t rule : rules) {
      cells.push_back(timeOrDash(account.engines[i].stalls[rule]));
    }
    table.add(std::move(cells));
  }
  return "\n" + table.text(paint);
}

std::string pathText(const Run& run, const TextOptions& options) {
  TextTable table(
      {{"start", TextTable::Align::right}, {"took", TextTable::Align::right}, {""}, {""}});
  const auto& path = run.timing.account.criticalPath;
  for (const ActivityId id : firstOf(path, options.rows)) {
    const ActivityTime& time = run.timing.times[id];
    table.add({formatTime(time.start), formatTime(time.end - time.start), activityWords(run, id),
               causeWords(run, id)});
  }
  return section(options.paint, "critical path", path.size(), table.text(options.paint),
                 options.rows);
}

/// For buffers that lie far away all their lives beside an engine that could fetch them; else
/// nothing. Rules are not for what has no operators of its own, or a plan of its own.
std::optional<std::string> movingWords(const Run& run) {
  const RunRequest& request = run.request;
  const bool could = !run.model->problem && request.allocator.info->way != Way::embedded &&
                     std::ranges::any_of(run.timing.activities.engines,
                                         [](const Engine& engine) { return engine.dma; });
  const Bytes far = figuresOf(run).spilled.value_or(Bytes());
  if (!could || request.residency != ResidencyRule::wholeLife || far == Bytes()) return {};
  return fmt::format(
      "nothing: buffers of {} lie far from the units all their lives; --residency best lets "
      "them come and go",
      formatBytes(far));
}

Json boundJson(const LatencyBound& bound) {
  return {{"ps", bound.time.count()}, {"binds", bound.binds}};
}

/// Account of why the run takes so long, for people: engines and what they waited for, ports, the
/// critical path in words. Empty for a run that does one thing after the other, which has nothing
/// to tell.
std::string latencyText(const Run& run, const TextOptions& options) {
  const ActivityList& list = run.timing.activities;
  if (list.sequential()) return {};
  const LatencyAccount& account = run.timing.account;
  TextTable facts({{""}, {""}});
  facts.add({"at the least", boundWords(account)});
  facts.add({"reused bytes", reuseWords(account.reuse)});
  facts.add({"slowed",
             fmt::format("{} over all activities, by sharing ports", formatTime(account.slowed))});
  if (const auto words = movingWords(run)) facts.add({"moves", *words});
  return "\n" + facts.text(options.paint) + enginesText(run, options.paint) +
         pathText(run, options);
}

/// All ports of the list, and engines that are one; in steps, what they move over time.
Json portsJson(const Run& run) {
  const LatencyAccount& account = run.timing.account;
  const ActivityList& list = run.timing.activities;
  const std::vector<PortCurve> curves = portCurves(list, run.timing.times);
  Json json = Json::array();
  for (std::size_t i = 0; i < account.ports.size(); ++i) {
    const auto curve = std::ranges::find(curves, i, &PortCurve::port);
    const bool used = curve != curves.end();
    if (i >= list.ports.size() && !used) continue;
    Json port = {{"name", portName(list, i)},
                 {"needed_ps", account.ports[i].count()},
                 {"utilisation", part(account.ports[i], run.timing.makespan)},
                 {"bytes", used ? curve->bytes.count() : 0},
                 {"mean_bytes_per_s", used ? curve->mean(run.timing.makespan) : 0},
                 {"peak_bytes_per_s", used ? curve->peak() : 0},
                 {"roof_bytes_per_s", used && curve->roof > 0 ? Json(curve->roof) : Json()},
                 {"steps", Json::array()}};
    if (used) {
      for (const PortStep& step : curve->steps) {
        port["steps"].push_back({step.begin.count(), step.end.count(), step.bytes()});
      }
    }
    json.push_back(std::move(port));
  }
  return json;
}

/// Bounds, the price of reuse, engines, ports, the critical path and every activity.
Json latencyJson(const Run& run) {
  const LatencyAccount& account = run.timing.account;
  const ActivityList& list = run.timing.activities;
  Json json = {
      {"bounds", {{"plan", boundJson(account.ofPlan)}, {"order", boundJson(account.ofOrder)}}},
      {"reuse",
       {{"waits_ps", account.reuse.waits.count()},
        {"bound_ps", account.reuse.bound.count()},
        {"simulated_ps", account.reuse.simulated.count()}}},
      {"slowed_ps", account.slowed.count()}};
  json["engines"] = Json::array();
  for (std::size_t i = 0; i < account.engines.size(); ++i) {
    Json stalls = Json::object();
    for (std::size_t rule = 0; rule < kWaitRuleNames.size(); ++rule) {
      const SimTime stall = account.engines[i].stalls[rule];
      if (stall > SimTime()) stalls[std::string(kWaitRuleNames[rule])] = stall.count();
    }
    json["engines"].push_back({{"name", list.engines[i].name},
                               {"busy_ps", account.engines[i].busy.count()},
                               {"utilisation", utilisation(run, i)},
                               {"stalls_ps", stalls}});
  }
  json["ports"] = portsJson(run);
  json["critical_path"] = jsonList(account.criticalPath, [&](ActivityId id) -> Json {
    return {{"id", id.index()}, {"words", activityWords(run, id)}, {"cause", causeWords(run, id)}};
  });
  json["activities"] = jsonRows(activityColumns(run), list.activities.keys());
  return json;
}

double seconds(SimTime time) { return time.real() * 1e-12; }

std::string share(SimTime part, SimTime whole) {
  if (whole == SimTime()) return "-";
  return fmt::format("{:.1f} %", seconds(part) / seconds(whole) * 100);
}

std::string bytesOrDash(Bytes bytes) { return bytes == Bytes() ? "-" : groupDigits(bytes.count()); }

/// Runs or inferences a second: "250.0", "19,133".
std::string paceText(double rate) {
  return rate < 1000 ? fmt::format("{:.1f}", rate) : groupDigits(std::llround(rate));
}

/// The pace of several inferences, and what they and one alone need; nothing of one.
void addBatches(const Run& run, const Run* one, TextTable& facts) {
  const auto batches = batchFiguresOf(run);
  if (!batches) return;
  facts.add(
      {"inferences", fmt::format("{}, the first done after {}, then one each {}: {} a second",
                                 batches->ends.size(), formatTime(batches->ends.front()),
                                 formatTime(batches->interval), paceText(batches->perSecond()))});
  if (one == nullptr) return;
  facts.add(
      {"one alone", fmt::format("{}, peak {}; peak of {}: {}", formatTime(one->timing.makespan),
                                bytesText(figuresOf(*one).peak()), batches->ends.size(),
                                bytesText(figuresOf(run).peak()))});
}

std::string figuresText(const Run& run, const Run* one, const Paint& paint) {
  const Timing& timing = run.timing;
  TextTable facts({{""}, {""}});
  std::string latency = timing.ops.empty() ? std::string("none: no operators are known")
                                           : fmt::format("{} ({} ps)", formatTime(timing.makespan),
                                                         groupDigits(timing.makespan.count()));
  if (timing.makespan > SimTime() && batchesOf(run.graph()) == 1) {
    latency += fmt::format(", {} runs a second", paceText(1 / seconds(timing.makespan)));
  }
  facts.add({"latency", latency});
  addBatches(run, one, facts);
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
  facts.add({"energy of memory", energyText(timing.energyPicojoules)});
  facts.add({"digest", fmt::format("{:016x}", timing.digest)});
  return facts.text(paint);
}

/// Bytes each way times the energy of a byte, level by level.
std::vector<std::string> energyCells(const Run& run) {
  std::vector<std::string> cells = {"energy"};
  for (const PoolId pool : run.timing.traffic.keys()) {
    const Traffic& traffic = run.timing.traffic[pool];
    for (const auto* bytes : {&traffic.read, &traffic.written}) {
      const Bytes moved = std::accumulate(bytes->begin(), bytes->end(), Bytes());
      const double energy = run.timing.energyOf(pool, moved);
      cells.push_back(energy > 0 ? energyText(energy) : "-");
    }
  }
  return cells;
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
  if (run.timing.energyPicojoules > 0) table.add(energyCells(run));
  return "\n" + table.text(paint);
}

/// Rates of ports over the whole run; empty where nothing moves.
std::string portsText(const Run& run, const Paint& paint) {
  const auto columns = portColumns(run);
  TextTable table(columns);
  for (const PortCurve& curve : portCurves(run.timing.activities, run.timing.times)) {
    table.add(cellTexts(columns, curve, 32));
  }
  return table.empty() ? std::string() : "\n" + table.text(paint);
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
    table.add({std::string(bottleneckName(kind, run.problem.pools)), groupDigits(count),
               formatTime(time), share(time, run.timing.makespan)});
  }
  return table.empty() ? std::string() : "\n" + table.text(paint);
}

std::string operatorsText(const Run& run, const TextOptions& options) {
  const auto& ops = run.timing.ops;
  std::vector<std::size_t> order(ops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t step) { return ops[step].time.length(); });
  std::vector<std::string> keys = {"step", "op", "type", "time_ps", "share", "macs"};
  for (std::string& key : poolKeys(run, "_bytes")) keys.push_back(std::move(key));
  keys.emplace_back("limited_by");
  const bool arrays = hasArrays(run.request.platform);
  if (arrays) keys.emplace_back("array");
  const auto columns = pick(operatorColumns(run), keys);
  TextTable table(columns);
  for (const std::size_t step : firstOf(order, options.rows)) {
    auto cells = cellTexts(columns, step, 32);
    std::replace(cells.begin() + 1, cells.end(), std::string("0"), std::string("-"));
    if (arrays) cells.back() = arrayWords(run, stepOf(step));  // In full.
    table.add(std::move(cells));
  }
  return section(options.paint, "operators, slowest first", ops.size(), table.text(options.paint),
                 options.rows);
}

/// Words for the way that weights take to their operators, where that is not as usual.
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

std::string simulationText(const Run& run, const TextOptions& options, const Run* one) {
  const Paint& paint = options.paint;
  std::string text = paint.bold(printable(run.model->name)) + "  " + requestText(run) + "\n";
  text += fmt::format("  platform {}{}\n{}  plan {}\n\n",
                      printable(platformLabel(run.request.platform)), weightsText(run),
                      sourceText(run.request.platform), planLine(run));
  text += figuresText(run, one, paint);
  text += trafficText(run, paint);
  text += portsText(run, paint);
  text += bottlenecksText(run, paint);
  text += latencyText(run, options);
  text += operatorsText(run, options);
  return text +
         notesText(paint, {&run.graph().notes, &run.notes, &run.plan.notes, &run.timing.notes});
}

namespace {

const std::vector<std::string> kFirst = {"step",   "op",   "type",     "start_ps",
                                         "end_ps", "macs", "elements", "compute_ps"};
std::vector<std::string> lastKeys(const Run& run) {
  std::vector<std::string> keys = {"latency_ps", "limited_by",      "macs_per_byte",
                                   "macs_per_s", "roof_macs_per_s", "bound_by"};
  if (hasArrays(run.request.platform)) keys.emplace_back("array");
  return keys;
}

Json batchesJson(const BatchFigures& batches, const Run* one) {
  Json json = {{"count", batches.ends.size()},
               {"interval_ps", batches.interval.count()},
               {"per_second", batches.perSecond()}};
  json["ends_ps"] = jsonList(batches.ends, [&](SimTime end) { return end.count(); });
  if (one == nullptr) return json;
  json["one"] = {{"latency_ps", one->timing.makespan.count()},
                 {"peak", figuresOf(*one).peak().count()}};
  return json;
}

Json byClass(const std::array<Bytes, kTrafficClasses>& bytes, bool moves) {
  Json json = Json::object();
  for (const TrafficClass kind : kEveryTrafficClass) {
    if (!moves && isOfMoves(kind)) continue;
    json[std::string(trafficClassName(kind))] = bytes[static_cast<std::size_t>(kind)].count();
  }
  return json;
}

/// Nested by pool what is flat in CSV.
Json byPool(const Run& run, const OpTiming& timing, bool times) {
  Json json = Json::object();
  for (const PoolId pool : run.problem.pools.keys()) {
    const std::string& name = run.problem.pools[pool].name;
    if (times && timing.memory.contains(pool)) json[name] = timing.memory[pool].count();
    if (!times && timing.moved.contains(pool)) json[name] = timing.moved[pool].count();
  }
  return json;
}

Json opsJson(const Run& run) {
  const auto all = operatorColumns(run);
  const auto first = pick(all, kFirst);
  const auto last = pick(all, lastKeys(run));
  Json ops = Json::array();
  for (std::size_t step = 0; step < run.timing.ops.size(); ++step) {
    Json op = jsonRow(first, step);
    op["memory_ps"] = byPool(run, run.timing.ops[step], true);
    op["bytes"] = byPool(run, run.timing.ops[step], false);
    op.update(jsonRow(last, step));
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace

Json simulationJson(const Run& run, const Run* one) {
  const Timing& timing = run.timing;
  Json json = {{"model", {{"name", run.model->name}, {"sha256", run.model->sha256}}},
               {"allocator", run.request.allocator.text()},
               {"platform", platformText(run.request.platform)},
               {"weights", findOption("weights")->print(run.request).front()},
               {"status", std::string(statusName(run.plan.status))},
               {"lower_bound", run.metrics.lowerBound.count()}};
  json["pools"] = Json::array();
  const bool moves = !run.problem.moves.empty();
  for (const PoolId pool : run.problem.pools.keys()) {
    const auto& capacity = run.problem.pools[pool].capacity;
    Json entry = {{"name", run.problem.pools[pool].name},
                  {"capacity", capacity ? Json(capacity->count()) : Json(nullptr)},
                  {"peak", run.plan.footprint(pool).count()}};
    if (timing.traffic.contains(pool)) {
      entry["read"] = byClass(timing.traffic[pool].read, moves);
      entry["written"] = byClass(timing.traffic[pool].written, moves);
      entry["energy_pj"] = timing.energyOf(pool, timing.traffic[pool].total());
    }
    json["pools"].push_back(entry);
  }
  json["makespan_ps"] = timing.ops.empty() ? Json(nullptr) : Json(timing.makespan.count());
  if (const auto batches = batchFiguresOf(run)) json["batches"] = batchesJson(*batches, one);
  json["macs"] = timing.macs;
  json["compulsory_bytes"] = timing.compulsory.count();
  json["energy_pj"] = timing.energyPicojoules;
  json["digest"] = fmt::format("{:016x}", timing.digest);
  json["ops"] = opsJson(run);
  if (!timing.activities.activities.empty()) json.update(latencyJson(run));
  json["notes"] = Json::array();
  for (const auto* notes : {&run.graph().notes, &run.notes, &run.plan.notes, &timing.notes}) {
    for (const std::string& note : *notes) json["notes"].push_back(note);
  }
  return json;
}

std::string simulationCsv(const Run& run) {
  std::vector<std::string> keys = kFirst;
  for (const ProblemPool& pool : run.problem.pools) {
    keys.insert(keys.end(), {pool.name + "_ps", pool.name + "_bytes"});
  }
  for (std::string& key : lastKeys(run)) keys.push_back(std::move(key));
  const auto columns = pick(operatorColumns(run), keys);
  std::string text = csvHeader(columns);
  for (std::size_t step = 0; step < run.timing.ops.size(); ++step) text += csvRow(columns, step);
  return text;
}

}  // namespace hw
