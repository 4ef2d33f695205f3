#include "core/report/run/latency_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/insight/latency_words.h"
#include "core/plan_file/activities_writer.h"
#include "core/report/text/text_parts.h"
#include "core/run/figures.h"

namespace hw {
namespace {

double part(SimTime time, SimTime whole) {
  if (whole == SimTime()) return 0;
  return static_cast<double>(time.count()) / static_cast<double>(whole.count());
}

std::string timeOrDash(SimTime time) { return time == SimTime() ? "-" : formatTime(time); }

/// Of what an engine could have done, the part that it did.
double utilisation(const Run& run, std::size_t engine) {
  const LatencyAccount& account = run.timing.account;
  return part(account.engines[engine].busy, run.timing.makespan) /
         run.timing.activities.engines[engine].channels;
}

std::string portName(const ActivityList& list, std::size_t port) {
  return port < list.ports.size() ? list.ports[port].name
                                  : list.engines[port - list.ports.size()].name;
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

std::string portsText(const Run& run, const Paint& paint) {
  const LatencyAccount& account = run.timing.account;
  TextTable table(
      {{"port"}, {"needed", TextTable::Align::right}, {"of the time", TextTable::Align::right}});
  for (std::size_t i = 0; i < account.ports.size(); ++i) {
    if (account.ports[i] == SimTime()) continue;
    table.add({printable(portName(run.timing.activities, i)), formatTime(account.ports[i]),
               fmt::format("{:.1f} %", part(account.ports[i], run.timing.makespan) * 100)});
  }
  return table.empty() ? std::string() : "\n" + table.text(paint);
}

std::string pathText(const Run& run, const PlanTextOptions& options) {
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

}  // namespace

std::string latencyText(const Run& run, const PlanTextOptions& options) {
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
         portsText(run, options.paint) + pathText(run, options);
}

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
  json["ports"] = Json::array();
  for (std::size_t i = 0; i < account.ports.size(); ++i) {
    if (i >= list.ports.size() && account.ports[i] == SimTime()) continue;
    json["ports"].push_back({{"name", portName(list, i)},
                             {"needed_ps", account.ports[i].count()},
                             {"utilisation", part(account.ports[i], run.timing.makespan)}});
  }
  json["critical_path"] = Json::array();
  for (const ActivityId id : account.criticalPath) {
    json["critical_path"].push_back(
        {{"id", id.index()}, {"words", activityWords(run, id)}, {"cause", causeWords(run, id)}});
  }
  json["activities"] = Json::array();
  const auto columns = activityColumns(run);
  for (const ActivityId id : list.activities.keys()) {
    json["activities"].push_back(jsonRow(columns, id));
  }
  return json;
}

}  // namespace hw
