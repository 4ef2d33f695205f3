#include "core/report/explain/advice_report.h"
#include "core/report/explain/explain_report.h"

namespace hw {
namespace {

void addTimes(const Run& run, Json& json) {
  const RunFigures figures = figuresOf(run);
  json["latency_ps"] = figures.latency ? Json(figures.latency->count()) : Json(nullptr);
  json["moved_bytes"] = figures.moved ? Json(figures.moved->count()) : Json(nullptr);
}

}  // namespace

Json adviceJson(const AdviceReport& report) {
  const Run& base = *report.base;
  Json json = explanationHead(base);
  json["peak"] = footprintOf(base).count();
  json["lower_bound"] = base.metrics.lowerBound.count();
  json["fits"] = fits(base);
  addTimes(base, json);
  json["candidates"] = report.candidates;
  json["tried"] = report.tried;
  json["stopped"] = report.stopped;
  json["advice"] = Json::array();
  for (const Advice& advice : report.found) {
    json["advice"].push_back({{"kind", adviceKindName(advice.kind)},
                              {"what", adviceText(base, advice)},
                              {"detail", adviceDetail(base, advice)},
                              {"options", adviceOptions(base, advice)},
                              {"peak", footprintOf(*advice.run).count()},
                              {"saved", advice.saved.count()},
                              {"outside", advice.outside.count()},
                              {"makes_fit", advice.makesFit},
                              {"status", std::string(statusName(advice.run->plan.status))}});
    addTimes(*advice.run, json["advice"].back());
  }
  return json;
}

}  // namespace hw
