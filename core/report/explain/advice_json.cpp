#include "core/report/explain/advice_report.h"
#include "core/report/explain/explain_report.h"

namespace hw {
namespace {

Json latency(const Run& run) {
  const auto time = figuresOf(run).latency;
  return time ? Json(time->count()) : Json(nullptr);
}

}  // namespace

Json adviceJson(const AdviceReport& report) {
  const Run& base = *report.base;
  Json json = explanationHead(base);
  json["peak"] = footprintOf(base).count();
  json["lower_bound"] = base.metrics.lowerBound.count();
  json["fits"] = fits(base);
  json["latency_ps"] = latency(base);
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
                              {"status", std::string(statusName(advice.run->plan.status))},
                              {"latency_ps", latency(*advice.run)}});
  }
  return json;
}

}  // namespace hw
