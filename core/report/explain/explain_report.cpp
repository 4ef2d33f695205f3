#include "core/report/explain/explain_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/insight/constraint_changes.h"
#include "core/insight/latency_words.h"
#include "core/picture/constraint_links.h"
#include "core/plan_file/method_tables.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/tensor_names.h"
#include "core/report/plan/plan_text.h"
#include "core/rewrite/recompute.h"

namespace hw {

Result<TensorId> plannedTensor(const Run& run, std::string_view name) {
  const TensorNames names(run.graph());
  auto id = names.find(name);
  if (!id) id = names.findId(name);
  const auto refuse = [&](std::string message) {
    return fail(ErrorCode::invalidArgument, std::move(message));
  };
  const std::string shown = printable(name, 120);
  if (!id) {
    std::vector<std::string> candidates;
    for (const TensorId tensor : run.graph().tensors.keys()) candidates.push_back(names.of(tensor));
    const auto closest = closestWord(name, candidates);
    return refuse(fmt::format("there is no tensor '{}'{}", shown,
                              closest ? fmt::format("; did you mean '{}'?", printable(*closest))
                                      : "; 'highwater plan MODEL --all' lists them"));
  }
  if (run.storage.bufferOf(*id)) return *id;
  const Tensor& tensor = run.graph().tensors[*id];
  if (tensor.constant) {
    return refuse(fmt::format("'{}' is a weight: weights are not planned", shown));
  }
  if (!tensor.bytes) {
    return refuse(fmt::format("'{}' is not planned: its size is not known ({})", shown,
                              printable(tensor.unknownReason)));
  }
  if (*tensor.bytes == Bytes())
    return refuse(fmt::format("'{}' is empty: it needs no place", shown));
  return refuse(fmt::format("'{}' lives outside the arena: it is a graph {} and was not planned",
                            shown, tensor.graphInput ? "input" : "output"));
}

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

std::string candidatesText(const Run& run, const Decision& decision, const TextOptions& options,
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

/// The constraints of a stay with others; of what it pays to few, also what not paying would take.
std::string linksText(const Run& run, StayId stay, const TextOptions& options) {
  constexpr std::size_t kMostReplanned = 4;
  const std::vector<ConstraintLink> links = linksOf(run.problem, run.plan, stay);
  TextTable table({{"constraint"}, {"with"}, {"cost", right}, {"otherwise"}});
  std::size_t replanned = 0;
  for (const ConstraintLink& link : firstOf(links, options.rows)) {
    std::string otherwise;
    if (link.kind == LinkKind::paid && replanned++ < kMostReplanned) {
      const StayPair pair{std::min(stay, link.partner), std::max(stay, link.partner)};
      otherwise = notPayingText(run, {pair, link.cost});
    }
    table.add({std::string(linkName(link.kind)), cellName(run.stayName(link.partner), 24),
               link.cost > 0 ? groupDigits(link.cost) : "", std::move(otherwise)});
  }
  return section(options.paint, "constraints", links.size(), table.text(options.paint),
                 options.rows);
}

std::string explanationText(const Run& run, const PlaceExplanation& found,
                            const TextOptions& options) {
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
  if (!run.problem.constraints.empty()) text += linksText(run, found.stay, options);
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
  std::string others = joinText(firstOf(found.others, 6), ", ", name);
  if (found.others.size() > 6) others += fmt::format(" and {} more", found.others.size() - 6);
  return text + "  in the same memory: " + others + "\n";
}

std::string refusedText(const AliasExplanation& found, const Paint& paint) {
  std::string lines;
  for (const std::string& line : found.refused) lines += "  " + printable(line, 400) + "\n";
  return section(paint, "sharing refused", found.refused.size(), lines, found.refused.size());
}

std::string momentText(const Run& run, const Moment& moment, bool peak,
                       const TextOptions& options) {
  const Paint& paint = options.paint;
  const std::string& pool = run.problem.pools[moment.pool].name;
  std::string text = fmt::format(
      "\n{}\n", paint.bold(fmt::format("{} at step {}{}", printable(pool), moment.step.count(),
                                       peak ? ", its highest address" : "")));
  const auto line = [&](const char* what, Bytes bytes) {
    const double share = moment.footprint > Bytes() ? bytes.real() / moment.footprint.real() : 0;
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

std::string tenantsText(const Run& run, const Moment& moment, const TextOptions& options) {
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

/// Table of what nobody lives in of blocks that are taken as a whole; empty without them.
std::string keptText(const Run& run, const Moment& moment, const TextOptions& options) {
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

std::string holesText(const Run& run, const Moment& moment, const TextOptions& options) {
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

std::string explainTensorText(const Run& run, TensorId tensor, const TextOptions& options) {
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
                              const TextOptions& options) {
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

namespace {

/// Names for a run's stays that identify, as plan files have them.
class Writer {
 public:
  explicit Writer(const Run& run) : run_(run), names_(run.graph()) {}

  Json name(TensorId tensor) const { return names_.of(tensor); }
  Json name(StayId stay) const {
    return stay ? Json(names_.of(run_.stayTensor(stay))) : Json(nullptr);
  }
  Json pool(PoolId pool) const { return run_.problem.pools[pool].name; }

  Json candidate(const Candidate& candidate, bool inside) const {
    Json json = {{"candidate", candidate.kind}};
    json["pool"] = candidate.address && !inside ? pool(candidate.address->pool) : Json(nullptr);
    json["offset"] = nullptr;
    if (candidate.address) {
      const auto [id, region, offset] = *candidate.address;
      const Bytes start = inside ? Bytes() : run_.plan.regionStart(id, region);
      json["offset"] = (start + offset).count();
    }
    json["room"] = candidate.room ? Json(candidate.room->count()) : Json(nullptr);
    json["verdict"] = std::string(verdictName(candidate.verdict));
    json["reason"] = candidate.reason;
    json["between"] = jsonList(candidate.because, [&](StayId wall) { return name(wall); });
    return json;
  }

  Json decision(const Decision& decision, bool inside) const {
    Json json = {
        {"turn", decision.when}, {"decided", decision.decided}, {"from_plan", decision.fromPlan}};
    json["candidates"] = jsonList(decision.candidates,
                                  [&](const Candidate& each) { return candidate(each, inside); });
    json["left_out"] = decision.leftOut;
    return json;
  }

  Json place(StayId id) const {
    const PlaceExplanation found = explainPlace(run_, id);
    const Stay& stay = run_.problem.stays[id];
    const auto& address = run_.plan.addresses[id];
    Json json = {{"pool", address ? pool(address->pool) : Json(nullptr)},
                 {"offset", address ? Json(run_.plan.flatOffset(id)->count()) : Json(nullptr)},
                 {"size", stay.size.count()},
                 {"first", stay.steps.begin.count()},
                 {"last", stay.steps.end.count() - 1}};
    if (!found.residency.empty()) json["residency"] = found.residency;
    if (!found.block.empty()) json["block"] = found.block;
    json["decision"] = decision(found.decision, false);
    if (found.inside) json["inside"] = decision(*found.inside, true);
    for (const ConstraintLink& link : linksOf(run_.problem, run_.plan, id)) {
      Json& entry = json["constraints"].emplace_back();
      entry = {{"kind", std::string(linkName(link.kind))}, {"with", name(link.partner)}};
      if (link.cost > 0) entry["cost"] = link.cost;
    }
    return json;
  }

  Json moment(const Moment& moment) const {
    Json json = {{"pool", pool(moment.pool)},
                 {"step", moment.step.count()},
                 {"footprint", moment.footprint.count()},
                 {"live", moment.live.count()},
                 {"kept", moment.keptBytes.count()},
                 {"holes", moment.holeBytes.count()},
                 {"above", moment.above.count()}};
    json["tensors"] = jsonList(moment.tenants, [&](const Moment::Tenant& tenant) -> Json {
      return {{"tensor", name(tenant.stay)},           {"offset", tenant.bytes.begin.count()},
              {"size", tenant.bytes.length().count()}, {"share", tenant.share},
              {"first", tenant.steps.begin.count()},   {"last", tenant.steps.end.count() - 1}};
    });
    json["rests"] = jsonList(moment.kept, [&](const Moment::Kept& kept) -> Json {
      return {{"offset", kept.bytes.begin.count()},
              {"size", kept.bytes.length().count()},
              {"tensor", name(kept.tenant)},
              {"block", kept.block.empty() ? Json(nullptr) : Json(kept.block)},
              {"last", kept.until.count() - 1}};
    });
    json["gaps"] = jsonList(moment.holes, [&](const Moment::Hole& hole) -> Json {
      return {{"offset", hole.bytes.begin.count()},
              {"size", hole.bytes.length().count()},
              {"below", name(hole.below)},
              {"above", name(hole.above)},
              {"last", hole.until.count() - 1}};
    });
    return json;
  }

 private:
  const Run& run_;
  TensorNames names_;
};

}  // namespace

Json explanationHead(const Run& run) {
  return {{"format", "highwater-explanation"},
          {"version", 1},
          {"model", {{"name", run.model->name}, {"sha256", run.model->sha256}}},
          {"allocator", run.request.allocator.info->name},
          {"options", allocatorOptions(run.request.allocator)},
          {"alignment", run.sharing.alignment.count()},
          {"status", std::string(statusName(run.plan.status))}};
}

Json explainTensorJson(const Run& run, TensorId tensor) {
  const Writer writer(run);
  Json json = explanationHead(run);
  json["tensor"] = writer.name(tensor);
  const AliasExplanation alias = explainAlias(run, tensor);
  json["alias_of"] = alias.root == tensor ? Json(nullptr) : writer.name(alias.root);
  json["alias_offset"] = alias.offset.count();
  json["alias_share"] = alias.share.empty() ? Json(nullptr) : Json(alias.share);
  json["alias_reason"] = alias.reason.empty() ? Json(nullptr) : Json(alias.reason);
  json["shared_with"] = jsonList(alias.others, [&](TensorId other) { return writer.name(other); });
  json["sharing_refused"] = alias.refused;
  if (std::string again = repeatText(run.graph(), tensor); !again.empty()) {
    json["made_again"] = std::move(again);
  }
  json["placements"] = Json::array();
  for (const StayId stay : staysOf(run, tensor)) {
    Json& place = json["placements"].emplace_back(writer.place(stay));
    if (!run.plan.records.empty()) place["record"] = methodTicksJson(run, stay);
  }
  return json;
}

Json explainMomentJson(const Run& run, std::optional<Step> step) {
  const Writer writer(run);
  Json json = explanationHead(run);
  json["moments"] = Json::array();
  for (const PoolId pool : run.problem.pools.keys()) {
    const PoolMetrics& metrics = run.metrics.pools[pool];
    if (!step && metrics.stays == 0) continue;
    const Step at = step.value_or(metrics.atTop.step);
    json["moments"].push_back(writer.moment(momentAt(run.problem, run.plan, pool, at)));
  }
  const auto found = autopsy(run);
  json["failure"] = found ? autopsyJson(run, *found) : Json(nullptr);
  return json;
}

Json autopsyJson(const Run& run, const Autopsy& found) {
  const Writer writer(run);
  Json json = {{"cause", std::string(causeName(found.cause))},
               {"tensor", writer.name(found.stay)},
               {"step", found.step.count()},
               {"wanted", found.wanted.count()},
               {"lower_bound", found.lowerBound.count()}};
  json["pools"] = jsonList(found.pools, [&](const Autopsy::Pool& pool) -> Json {
    return {{"pool", writer.pool(pool.pool)},         {"capacity", pool.capacity.count()},
            {"lower_bound", pool.lowerBound.count()}, {"live", pool.moment.live.count()},
            {"free", pool.freeBytes.count()},         {"largest_free", pool.largestFree.count()},
            {"sufficient", pool.sufficient.count()}};
  });
  json["message"] = autopsyText(run, found);
  return json;
}

}  // namespace hw
