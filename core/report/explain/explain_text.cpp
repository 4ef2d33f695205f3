#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/insight/latency_words.h"
#include "core/plan_file/method_tables.h"
#include "core/report/explain/explain_report.h"
#include "core/report/plan/autopsy_text.h"
#include "core/report/plan/plan_text.h"
#include "core/report/text/text_parts.h"
#include "core/rewrite/recompute.h"

namespace hw {
namespace {

using enum TextTable::Align;

std::string stepsText(Interval<Step> steps) {
  return fmt::format("{}-{}", steps.begin.count(), steps.end.count() - 1);
}

std::string wallsText(const Run& run, const std::vector<StayId>& walls) {
  std::string text;
  for (std::size_t i = 0; i < walls.size() && i < 3; ++i) {
    text += (i == 0 ? "" : ", ") + cellName(run.stayName(walls[i]), 24);
  }
  if (walls.size() > 3) text += ", …";
  return text;
}

/// The address in the pool's flat space; inside a block as it is.
std::string offsetText(const Run& run, const Candidate& candidate, bool inside) {
  if (!candidate.address) return "-";
  const auto [pool, region, offset] = *candidate.address;
  if (inside) return "+" + groupDigits(offset.count());
  return groupDigits((run.plan.regionStart(pool, region) + offset).count());
}

/// Pool names are told only where there are several to choose from.
bool severalPools(const Decision& decision) {
  std::optional<PoolId> first;
  for (const Candidate& candidate : decision.candidates) {
    if (!candidate.address) continue;
    if (first && candidate.address->pool != *first) return true;
    first = candidate.address->pool;
  }
  return false;
}

std::string candidatesText(const Run& run, const Decision& decision, const ExplainOptions& options,
                           bool inside) {
  const bool pools = severalPools(decision) && !inside;
  std::vector<TextTable::Column> columns = {{""}, {"candidate"}};
  if (pools) columns.push_back({"pool"});
  columns.insert(columns.end(),
                 {{"offset", right}, {"room", right}, {"verdict"}, {"why"}, {"between"}});
  TextTable table(columns);
  std::size_t shown = 0;
  for (const Candidate& candidate : decision.candidates) {
    const bool chosen = candidate.verdict == Verdict::chosen;
    if (++shown > options.rows && !chosen) continue;
    std::vector<std::string> cells = {chosen ? "*" : "", candidate.kind};
    if (pools) {
      cells.push_back(candidate.address ? run.problem.pools[candidate.address->pool].name : "");
    }
    cells.push_back(offsetText(run, candidate, inside));
    cells.push_back(candidate.room ? groupDigits(candidate.room->count()) : "any");
    cells.emplace_back(verdictName(candidate.verdict));
    cells.push_back(candidate.reason);
    cells.push_back(wallsText(run, candidate.because));
    table.add(std::move(cells), chosen ? TextTable::Emphasis::good : TextTable::Emphasis::none);
  }
  return section(options.paint, inside ? "inside the block" : "candidates",
                 decision.candidates.size() + decision.leftOut, table.text(options.paint),
                 options.rows);
}

std::string placeText(const Run& run, StayId id) {
  const auto& address = run.plan.addresses[id];
  const Stay& stay = run.problem.stays[id];
  const std::string size = fmt::format("{}, steps {}", bytesText(stay.size), stepsText(stay.steps));
  if (!address) return size + ": no place";
  return fmt::format("{}: {} at offset {}", size, printable(run.problem.pools[address->pool].name),
                     groupDigits(run.plan.flatOffset(id)->count()));
}

void addLine(std::string& text, const char* what, const std::string& line) {
  if (!line.empty()) text += fmt::format("  {:<9} {}\n", what, line);
}

std::string explanationText(const Run& run, const PlaceExplanation& found,
                            const ExplainOptions& options) {
  const Decision& decision = found.decision;
  std::string text = "  " + placeText(run, found.stay) + "\n\n";
  addLine(text, "pool", found.residency);
  addLine(text, "block", found.block);
  addLine(text, "turn", decision.when);
  addLine(text, "decided", decision.decided);
  addLine(text, "waits", reuseWordsOf(run, found.stay));
  if (decision.fromPlan) {
    addLine(text, "account", "judged from the finished plan: the method itself keeps no account");
  }
  text += candidatesText(run, decision, options, false);
  if (found.inside) {
    text += candidatesText(run, *found.inside, options, true);
    text += fmt::format("  {}: {}\n", found.inside->when, found.inside->decided);
  }
  for (const MethodRecord& record : run.plan.records) {
    std::string lines;
    const auto ticks = std::ranges::count(record.ticks, found.stay, &MethodTick::stay);
    for (const auto& line : methodRecordLines(run, record, options.rows, found.stay)) {
      lines += "  " + line + "\n";
    }
    text += section(options.paint, "what " + record.name + " did with it",
                    static_cast<std::size_t>(ticks), lines, options.rows);
  }
  return text;
}

std::string aliasText(const Run& run, TensorId tensor, const AliasExplanation& found) {
  const auto name = [&](TensorId id) { return "'" + cellName(displayName(run.graph(), id)) + "'"; };
  std::string text;
  if (!found.share.empty()) text += fmt::format("  {}\n", found.share);
  if (found.root != tensor) {
    text += fmt::format("  shares the memory of {}, {} into it: {}\n", name(found.root),
                        countBytes(found.offset), found.reason);
  }
  if (found.others.empty()) return text;
  std::string others;
  for (const TensorId id : firstOf(found.others, 6)) {
    others += (others.empty() ? "" : ", ") + name(id);
  }
  if (found.others.size() > 6) others += fmt::format(" and {} more", found.others.size() - 6);
  return text + "  in the same memory: " + others + "\n";
}

std::string refusedText(const AliasExplanation& found, const Paint& paint) {
  std::string lines;
  for (const std::string& line : found.refused) lines += "  " + printable(line, 400) + "\n";
  return section(paint, "sharing refused", found.refused.size(), lines, found.refused.size());
}

std::string momentText(const Run& run, const Moment& moment, bool peak,
                       const ExplainOptions& options) {
  const Paint& paint = options.paint;
  const std::string& pool = run.problem.pools[moment.pool].name;
  std::string text = fmt::format(
      "\n{}\n", paint.bold(fmt::format("{} at step {}{}", printable(pool), moment.step.count(),
                                       peak ? ", its highest address" : "")));
  const auto line = [&](const char* what, Bytes bytes) {
    const double share =
        moment.footprint > Bytes()
            ? static_cast<double>(bytes.count()) / static_cast<double>(moment.footprint.count())
            : 0;
    text += fmt::format("  {:<14} {:>28} {:>6.1f} %\n", what, bytesText(bytes), share * 100);
  };
  line("live", moment.live);
  if (moment.keptBytes > Bytes()) line("kept", moment.keptBytes);
  line("holes", moment.holeBytes);
  line("above", moment.above);
  line("= footprint", moment.footprint);
  if (peak) {
    const PoolMetrics& metrics = run.metrics.pools[moment.pool];
    text += fmt::format("  live peak, the most bytes live at any step: {}, at step {}\n",
                        bytesText(metrics.peakLive), metrics.peakStep.count());
  }
  return text;
}

std::string tenantsText(const Run& run, const Moment& moment, const ExplainOptions& options) {
  std::vector<Moment::Tenant> tenants = moment.tenants;
  std::ranges::stable_sort(tenants, std::greater{},
                           [](const Moment::Tenant& tenant) { return tenant.bytes.length(); });
  TextTable table(
      {{"tensor"}, {"bytes", right}, {"share", right}, {"offset", right}, {"steps", right}});
  for (const Moment::Tenant& tenant : firstOf(tenants, options.rows)) {
    table.add({cellName(run.stayName(tenant.stay)), groupDigits(tenant.bytes.length().count()),
               fmt::format("{:.1f} %", tenant.share * 100), groupDigits(tenant.bytes.begin.count()),
               stepsText(tenant.steps)});
  }
  return section(options.paint, "live tensors", tenants.size(), table.text(options.paint),
                 options.rows);
}

/// What nobody lives in of blocks that are taken as a whole; nothing without them.
std::string keptText(const Run& run, const Moment& moment, const ExplainOptions& options) {
  if (moment.kept.empty()) return {};
  std::vector<Moment::Kept> kept = moment.kept;
  std::ranges::stable_sort(kept, std::greater{},
                           [](const Moment::Kept& each) { return each.bytes.length(); });
  TextTable table({{"offset", right}, {"bytes", right}, {"of the block of"}, {"until", right}});
  for (const Moment::Kept& each : firstOf(kept, options.rows)) {
    table.add({groupDigits(each.bytes.begin.count()), groupDigits(each.bytes.length().count()),
               each.block.empty() ? cellName(run.stayName(each.tenant)) : cellName(each.block),
               fmt::format("step {}", each.until.count() - 1)});
  }
  return section(options.paint, "kept: the rest of blocks that are taken, which nobody can have",
                 kept.size(), table.text(options.paint), options.rows);
}

std::string holesText(const Run& run, const Moment& moment, const ExplainOptions& options) {
  std::vector<Moment::Hole> holes = moment.holes;
  std::ranges::stable_sort(holes, std::greater{},
                           [](const Moment::Hole& hole) { return hole.bytes.length(); });
  TextTable table({{"offset", right}, {"bytes", right}, {"below"}, {"above"}, {"until", right}});
  for (const Moment::Hole& hole : firstOf(holes, options.rows)) {
    table.add({groupDigits(hole.bytes.begin.count()), groupDigits(hole.bytes.length().count()),
               hole.below ? cellName(run.stayName(hole.below)) : "the bottom",
               cellName(run.stayName(hole.above)), fmt::format("step {}", hole.until.count() - 1)});
  }
  return section(options.paint, "holes, with the tensors that wall them in", holes.size(),
                 table.text(options.paint), options.rows);
}

}  // namespace

std::string explainTensorText(const Run& run, TensorId tensor, const ExplainOptions& options) {
  std::string text = options.paint.bold(printable(displayName(run.graph(), tensor), 400)) + "  " +
                     requestText(run) + "\n";
  const AliasExplanation alias = explainAlias(run, tensor);
  text += aliasText(run, tensor, alias);
  if (const std::string again = repeatText(run.graph(), tensor); !again.empty()) {
    text += "  " + again + "\n";
  }
  for (const StayId stay : staysOf(run, tensor)) {
    text += explanationText(run, explainPlace(run, stay), options);
  }
  return text + refusedText(alias, options.paint);
}

std::string explainMomentText(const Run& run, std::optional<Step> step,
                              const ExplainOptions& options) {
  std::string text =
      options.paint.bold(printable(run.model->name)) + "  " + requestText(run) + "\n";
  for (const PoolId pool : run.problem.pools.keys()) {
    const PoolMetrics& metrics = run.metrics.pools[pool];
    if (metrics.stays == 0) {
      text += fmt::format("\n{}: nothing lives there\n", printable(run.problem.pools[pool].name));
      continue;
    }
    const Moment moment = momentAt(run.problem, run.plan, pool, step.value_or(metrics.atTop.step));
    text += momentText(run, moment, !step, options);
    text += tenantsText(run, moment, options);
    text += keptText(run, moment, options);
    text += holesText(run, moment, options);
  }
  if (const auto found = autopsy(run)) {
    text += "\n" + options.paint.bad(autopsyText(run, *found)) + "\n";
  }
  return text;
}

}  // namespace hw
