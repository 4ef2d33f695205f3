#include "core/report/check/audit_report.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace hw {
namespace {

std::string findingText(const Finding& finding) {
  return finding.where.empty() ? finding.message : finding.message + " (" + finding.where + ")";
}

std::string replayText(const ReplayResult& replay) {
  if (!replay.done) return "replay   not possible: the plan leaves open where every tensor is\n";
  if (replay.corruptions.empty()) return "replay   no corrupted byte\n";
  std::string text =
      fmt::format("replay   {} found\n", countText(replay.corruptions.size(), "corruption"));
  for (const Corruption& corruption : replay.corruptions) {
    text += fmt::format("  step {}: {}\n", corruption.step.count(),
                        printable(corruption.message, 1000));
  }
  return text;
}

}  // namespace

bool AuditReport::valid() const {
  const bool replayed = !replay || !replay->done || replay->corruptions.empty();
  return audit.findings.empty() && replayed;
}

std::string AuditReport::firstProblem() const {
  if (!audit.findings.empty()) {
    std::string text = findingText(audit.findings.front());
    const std::size_t more = audit.findings.size() - 1;
    return more == 0 ? text : text + "; and " + countText(more, "more finding");
  }
  if (!valid()) return replay->corruptions.front().message;
  return {};
}

ReplayResult replayAudited(const Audit& audit, Bytes maxArena,
                           const std::function<void(double)>& progress) {
  if (!audit.run) return {};
  constexpr std::size_t kTold = 20;
  return {.done = true, .corruptions = replayBytes(*audit.run, maxArena, kTold, progress)};
}

std::string auditText(const AuditReport& report, const TextOptions& options) {
  const Audit& audit = report.audit;
  const Paint& paint = options.paint;
  std::string text = report.valid() ? paint.good("valid") : paint.bad("not valid");
  text += fmt::format("    {}, {} to place", printable(report.model->name),
                      countText(audit.tensors, "tensor"));
  for (const AuditedPool& pool : audit.pools) {
    text += fmt::format("; {}: {} up to byte {}", printable(pool.name, 40),
                        countText(pool.placements, "placement"), groupDigits(pool.top.count()));
  }
  text += fmt::format("; at most {} live at once\n", bytesText(audit.lowerBound));
  if (report.replay) text += replayText(*report.replay);
  std::string findings;
  for (const Finding& finding : firstOf(audit.findings, options.rows)) {
    findings += "  " + printable(findingText(finding), 1000) + "\n";
  }
  text += section(paint, "wrong", audit.findings.size(), findings, options.rows);
  std::string remarks;
  for (const std::string& remark : firstOf(audit.remarks, options.rows)) {
    remarks += "  " + printable(remark, 1000) + "\n";
  }
  return text + section(paint, "odd, but not wrong", audit.remarks.size(), remarks, options.rows);
}

Json auditJson(const AuditReport& report) {
  const Audit& audit = report.audit;
  Json json = {{"model", {{"name", report.model->name}, {"sha256", report.model->sha256}}},
               {"valid", report.valid()},
               {"tensors", audit.tensors},
               {"peak_live", audit.lowerBound.count()}};
  json["pools"] = jsonList(audit.pools, [&](const AuditedPool& pool) -> Json {
    return {{"name", pool.name}, {"top", pool.top.count()}, {"placements", pool.placements}};
  });
  json["findings"] = jsonList(audit.findings, [&](const Finding& finding) -> Json {
    return {{"message", finding.message}, {"where", finding.where}};
  });
  json["remarks"] = audit.remarks;
  if (!report.replay) return json;
  json["replayed"] = report.replay->done;
  json["corruptions"] =
      jsonList(report.replay->corruptions, [&](const Corruption& corruption) -> Json {
        return {{"step", corruption.step.count()}, {"message", corruption.message}};
      });
  return json;
}

}  // namespace hw
