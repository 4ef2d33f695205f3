#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/insight/advice.h"
#include "core/report/run/run_report.h"
#include "core/report/text/text_table.h"

namespace hw {

/// Words for what a piece of advice says to do: "run op 41 (conv_5) before op 38 (pool_2)".
std::string adviceText(const Run& base, const Advice& advice);

/// Its consequences in a sentence: which operators copy nothing any more, which bytes the caller
/// has to provide. May be empty.
std::string adviceDetail(const Run& base, const Advice& advice);

/// Its cost: "+3.1 %" of the latency or of what the memories beyond the first of each device
/// move, "same", "-" where there is none. All memories together would not tell: what no longer
/// fits near is moved as often, but far away.
std::string latencyChange(const Run& base, const Run& run);
std::string trafficChange(const Run& base, const Run& run);
std::optional<Bytes> farTraffic(const Run& run);

/// The options of the command line that carry it out, besides those of the base; they replace
/// options of the same name, except for --move, which is added.
std::vector<std::string> adviceOptions(const Run& base, const Advice& advice);

/// "5 of 23 changes help" or why there is none.
std::string adviceSummary(const AdviceReport& report);

/// For people; docs/formats/explain.md has the JSON, which begins like every explanation.
std::string adviceReportText(const AdviceReport& report, const TextOptions& options);
Json adviceJson(const AdviceReport& report);

/// For documents.
ReportTable adviceTable(const AdviceReport& report);

}  // namespace hw
