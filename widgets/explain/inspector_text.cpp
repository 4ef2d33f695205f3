#include "widgets/explain/inspector_text.h"

#include <QGuiApplication>
#include <algorithm>

#include "core/base/text.h"
#include "core/insight/array_words.h"
#include "core/insight/latency_words.h"
#include "core/insight/moment.h"
#include "core/picture/canvas.h"
#include "core/picture/constraint_links.h"
#include "core/plan/overlap_use.h"
#include "widgets/base/html_page.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// A link "kind:index" around `html` that the inspector follows.
QString link(const char* kind, std::size_t index, const QString& html) {
  return QStringLiteral("<a href='%1:%2'>").arg(QLatin1String(kind)).arg(index) + html +
         QStringLiteral("</a>");
}

/// A name of one or two lines: of a longer one its end, with all of it as the tool tip.
QString nameHtml(const QString& name) {
  constexpr int kLetters = 40;
  const FontRuler ruler(QGuiApplication::font());
  const QString end = viewText(nameEnd(ruler, name.toStdString(), kLetters * ruler.width("n")));
  if (end == name) return name.toHtmlEscaped();
  return QStringLiteral("<span title=\"") + plainTip(name).toHtmlEscaped() + QStringLiteral("\">") +
         end.toHtmlEscaped() + QStringLiteral("</span>");
}

/// More links than this are summed up as a number.
constexpr std::size_t kMostLinks = 8;

QString stayLink(const Run& run, StayId stay) {
  return link("stay", stay.index(), nameHtml(stayText(run, stay)));
}

QString opLink(const Run& run, OpId op) {
  const QString type = QString::fromStdString(printable(run.graph().ops[op].type));
  return QStringLiteral("%1 (%2)").arg(link("op", op.index(), nameHtml(opNameText(run, op))),
                                       type.toHtmlEscaped());
}

template <class Ids, class Text>
QString joined(const Ids& ids, const Text& text) {
  QStringList parts;
  for (const auto id : ids) {
    if (static_cast<std::size_t>(parts.size()) == kMostLinks) {
      parts.append(tr("and %1 more").arg(ids.size() - kMostLinks));
      break;
    }
    parts.append(text(id));
  }
  return parts.join(QStringLiteral("<br>"));
}

QString shapeText(const Tensor& tensor) {
  QStringList dims;
  if (tensor.shape) {
    for (const std::int64_t dim : *tensor.shape) dims.append(QString::number(dim));
  }
  const std::string_view dtype = dtypeName(tensor.dtype);
  const QString type = QString::fromUtf8(dtype.data(), static_cast<qsizetype>(dtype.size()));
  return tensor.shape ? QStringLiteral("%1 [%2]").arg(type, dims.join(QStringLiteral(" \u00d7 ")))
                      : QString();
}

QString roleText(const Run& run, const Tensor& tensor) {
  if (run.model->problem) return tr("buffer of a planning problem");
  if (tensor.graphInput) return tr("graph input");
  if (tensor.graphOutput) return tr("graph output");
  return tr("intermediate tensor");
}

void addTensors(HtmlPage& page, const Run& run, StayId stay) {
  const Graph& graph = run.graph();
  const Buffer& buffer = run.storage.buffers[run.problem.stays[stay].buffer];
  const Tensor& root = graph.tensors[buffer.root];
  page.add(tr("Tensor"), shapeText(root));
  if (root.producer) page.addHtml(tr("Producer"), opLink(run, root.producer));
  std::vector<OpId> readers;
  for (const TensorId id : buffer.tensors) {
    const auto& more = graph.tensors[id].consumers;
    readers.insert(readers.end(), more.begin(), more.end());
  }
  std::ranges::sort(readers);
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  page.addHtml(tr("Readers"), joined(readers, [&](OpId op) { return opLink(run, op); }));
  if (buffer.tensors.size() < 2) return;
  page.addHtml(tr("Shared by"), joined(buffer.tensors, [&](TensorId id) {
                 const QString name = nameHtml(tensorText(run, id));
                 const auto& slot = run.storage.slots[id];
                 return slot && slot->offset > Bytes()
                            ? QStringLiteral("%1 at +%2").arg(name, sizeText(slot->offset))
                            : name;
               }));
}

/// The entry that gave `stay` its address; null when it has none.
const TimelineEntry* allocationOf(const Run& run, StayId stay) {
  for (const TimelineEntry& entry : run.timeline) {
    const bool allocation =
        entry.happening != Happening::release && entry.happening != Happening::merge;
    if (entry.stay == stay && allocation) return &entry;
  }
  return nullptr;
}

void addPlace(HtmlPage& page, const Run& run, StayId id) {
  const Stay& stay = run.problem.stays[id];
  page.add(tr("Size"), fullSizeText(stay.size));
  const auto& exact = run.graph().tensors[run.stayTensor(id)].bytes;
  if (exact && *exact != stay.size) {
    page.add(QString(), tr("%1 rounded up to a multiple of %2")
                            .arg(exactText(*exact), exactText(run.sharing.alignment)));
  }
  const auto& address = run.plan.addresses[id];
  if (!address) {
    page.add(tr("Address"), tr("not placed: the plan stopped before, or had no room"));
    return;
  }
  const Bytes flat = *run.plan.flatOffset(id);
  page.add(tr("Address"),
           tr("%1 of %2, first and last byte")
               .arg(addressesText({flat, flat + stay.size}), poolText(run, address->pool)));
  page.add(tr("Offset"), tr("%1, aligned to %2").arg(fullSizeText(flat), sizeText(stay.alignment)));
}

void addLifetime(HtmlPage& page, const Stay& stay) {
  const QString first = grouped(stay.steps.begin.count());
  const QString last = grouped(stay.steps.end.count() - 1);
  page.add(tr("Lifetime"),
           first == last ? tr("step %1").arg(first) : tr("steps %1 to %2").arg(first, last));
}

void addReason(HtmlPage& page, const Run& run, StayId stay) {
  const auto tenants = formerTenants(run, stay);
  page.addHtml(tr("Was home to"), joined(tenants, [&](StayId id) { return stayLink(run, id); }));
  const TimelineEntry* entry = allocationOf(run, stay);
  if (!entry) return;
  const std::string_view name = happeningName(entry->happening);
  page.add(tr("Arrives as"), QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
  page.add(tr("Story"), reasonText(run, *entry));
}

void addTiming(HtmlPage& page, const Run& run, Step step) {
  if (static_cast<std::size_t>(step.count()) >= run.timing.ops.size()) return;
  const OpTiming& timing = run.timing.ops[static_cast<std::size_t>(step.count())];
  page.add(tr("Time"), timeText(timing.time.length()));
  const std::string_view limit = bottleneckName(timing.bottleneck, run.problem.pools);
  page.add(tr("Limited by"), QString::fromUtf8(limit.data(), static_cast<qsizetype>(limit.size())));
  if (timing.macs > 0) page.add(tr("MACs"), QString::fromStdString(groupDigits(timing.macs)));
  const std::string array = arrayWords(run, step);
  if (!array.empty()) page.add(tr("Array"), QString::fromStdString(array));
  for (const PoolId pool : timing.moved.keys()) {
    const Bytes moved = timing.moved[pool];
    if (moved == Bytes() || !run.problem.pools.contains(pool)) continue;
    page.add(tr("%1 traffic").arg(poolText(run, pool)), fullSizeText(moved));
  }
}

QString tensorList(const Run& run, const std::vector<TensorId>& ids) {
  return joined(ids, [&](TensorId id) {
    const Tensor& tensor = run.graph().tensors[id];
    const QString name = nameHtml(tensorText(run, id));
    const QString size = tensor.bytes ? sizeText(*tensor.bytes) : tr("size unknown");
    return QStringLiteral("%1 %2").arg(name, size);
  });
}

}  // namespace

std::vector<StayId> formerTenants(const Run& run, StayId stay) {
  const auto& place = run.plan.addresses[stay];
  if (!place) return {};
  const Stay& wanted = run.problem.stays[stay];
  const Bytes end = place->offset + wanted.size;
  // Walk the allocations before it backwards in time until they have covered all of its bytes once.
  std::vector<Interval<Bytes>> open = {{place->offset, end}};
  std::vector<StayId> tenants;
  const auto entry = allocationOf(run, stay);
  const std::size_t first = entry ? entry->firstEvent : 0;
  for (std::size_t index = first; index > 0 && !open.empty(); --index) {
    const MemoryEvent& event = run.trace.event(index - 1);
    if (event.kind != EventKind::alloc || event.region != place->region) continue;
    if (event.poolId() != place->pool || event.stay == stay) continue;
    const Interval<Bytes> covered{event.offset, event.offset + event.size};
    std::vector<Interval<Bytes>> left;
    bool touched = false;
    for (const Interval<Bytes>& hole : open) {
      if (!hole.overlaps(covered)) {
        left.push_back(hole);
        continue;
      }
      touched = true;
      if (hole.begin < covered.begin) left.push_back({hole.begin, covered.begin});
      if (covered.end < hole.end) left.push_back({covered.end, hole.end});
    }
    open = std::move(left);
    if (touched) tenants.push_back(event.stay);
  }
  return tenants;
}

QString stayHead(const Run& run, StayId stay) {
  const TensorId root = run.stayTensor(stay);
  HtmlPage page(nameHtml(stayText(run, stay)), roleText(run, run.graph().tensors[root]));
  addPlace(page, run, stay);
  addLifetime(page, run.problem.stays[stay]);
  return page.finish();
}

QString stayStory(const Run& run, StayId stay) {
  HtmlPage page;
  addReason(page, run, stay);
  return page.finish();
}

QString stayTensors(const Run& run, StayId stay) {
  if (run.model->problem) return {};
  HtmlPage page;
  addTensors(page, run, stay);
  return page.finish();
}

namespace {

/// The partners of `links` that are of one of two kinds, penalties with what they cost.
QString partnersHtml(const Run& run, const std::vector<ConstraintLink>& links, LinkKind kind,
                     LinkKind other) {
  std::vector<ConstraintLink> those;
  std::ranges::copy_if(links, std::back_inserter(those), [&](const ConstraintLink& link) {
    return link.kind == kind || link.kind == other;
  });
  return joined(those, [&](const ConstraintLink& link) {
    const QString name = stayLink(run, link.partner);
    if (link.cost == 0) return name;
    if (link.kind == LinkKind::unpaid) return tr("%1 %2").arg(name, grouped(link.cost));
    return QStringLiteral("<font color='%1'>%2</font>")
        .arg(Theme::current().accent.name(), tr("%1 %2 (paid)").arg(name, grouped(link.cost)));
  });
}

}  // namespace

QString stayConstraints(const Run& run, StayId stay) {
  const auto links = linksOf(run.problem, run.plan, stay);
  const auto& allowed = run.problem.constraints.allowed;
  const bool restricted = !allowed.empty() && !allowed[stay].empty();
  if (links.empty() && !restricted) return {};
  HtmlPage page;
  const auto add = [&](const QString& key, LinkKind kind, LinkKind other) {
    page.addHtml(key, partnersHtml(run, links, kind, other));
  };
  add(tr("Apart from"), LinkKind::apart, LinkKind::apart);
  add(tr("Together with"), LinkKind::together, LinkKind::together);
  add(tr("Never there with"), LinkKind::exclusive, LinkKind::exclusive);
  add(tr("Penalties"), LinkKind::paid, LinkKind::unpaid);
  if (restricted) {
    QStringList pools;
    for (const PoolId pool : allowed[stay]) pools.append(poolText(run, pool));
    page.add(tr("Allowed in"), pools.join(QStringLiteral(", ")));
  }
  return page.finish();
}

namespace {

/// A row of the filling of a pool: tenants, or what nobody can have.
struct FillingRow {
  Bytes bytes{};
  QColor color{};
  QString text{};  ///< In HTML.
};

std::vector<FillingRow> fillingRows(const Run& run, const Moment& moment,
                                    const Coloring& coloring) {
  constexpr std::size_t kMostRows = 6;
  const Theme& theme = Theme::current();
  std::vector<FillingRow> rows;
  for (const Moment::Tenant& tenant : moment.tenants) {
    rows.push_back({tenant.bytes.length(), theme.classColor(coloring.of(run, tenant.stay)),
                    stayLink(run, tenant.stay)});
  }
  std::ranges::stable_sort(rows, std::greater(), &FillingRow::bytes);
  if (rows.size() > kMostRows) {
    FillingRow rest{.color = theme.mark, .text = tr("%1 more").arg(rows.size() - kMostRows)};
    for (std::size_t i = kMostRows; i < rows.size(); ++i) rest.bytes += rows[i].bytes;
    rows.resize(kMostRows);
    rows.push_back(rest);
  }
  const auto addFree = [&](Bytes bytes, const QString& text) {
    if (bytes > Bytes()) rows.push_back({bytes, theme.hatch, text});
  };
  addFree(moment.keptBytes, tr("kept in blocks"));
  addFree(moment.holeBytes, tr("holes"));
  return rows;
}

}  // namespace

QString fillingPart(const Run& run, PoolId pool, Step step, const Coloring& coloring) {
  const Moment moment = momentAt(run.problem, run.plan, pool, step);
  if (moment.top == Bytes()) return {};
  QString bar;
  QString lines;
  for (const FillingRow& row : fillingRows(run, moment, coloring)) {
    const double share =
        100.0 * static_cast<double>(row.bytes.count()) / static_cast<double>(moment.top.count());
    const QString color = row.color.name();
    // A share of 0 % would not be drawn.
    bar += QStringLiteral("<td width='%1%' bgcolor='%2' style='font-size:6pt'>&nbsp;</td>")
               .arg(std::max(1, qRound(share)))
               .arg(color);
    lines += QStringLiteral(
                 "<tr><td><font color='%1'>\u25a0</font> %2</td><td align='right'>%3</td></tr>")
                 .arg(color, row.text, sizeText(row.bytes).toHtmlEscaped());
  }
  return QStringLiteral(
             "<table width='100%' cellspacing='1' cellpadding='0'><tr>%1</tr></table>"
             "<table width='100%'>%2</table>")
      .arg(bar, lines);
}

QString stepPage(const Run& run, Step step) {
  if (step >= run.schedule.steps()) {
    HtmlPage page(tr("Step %1").arg(grouped(step.count())),
                  tr("Click a block to see what lies there and why."));
    page.add(tr("Live"), fullSizeText(liveBytesAt(run.problem, run.plan, step)));
    return page.finish();
  }
  const OpId id = run.schedule.opAt(step);
  const Op& op = run.graph().ops[id];
  const QString type = QString::fromStdString(printable(op.type));
  HtmlPage page(nameHtml(opNameText(run, id)),
                tr("%1 at step %2; click a block for more").arg(type, grouped(step.count())));
  std::vector<TensorId> outputs;
  std::ranges::copy_if(op.outputs, std::back_inserter(outputs),
                       [](TensorId tensor) { return static_cast<bool>(tensor); });
  page.addHtml(tr("Reads"), tensorList(run, run.graph().reads(id)));
  page.addHtml(tr("Writes"), tensorList(run, outputs));
  addTiming(page, run, step);
  return page.finish();
}

namespace {

QString capital(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

QString activityLink(const Run& run, ActivityId id) {
  return link("activity", id.index(), viewText(activityWords(run, id)).toHtmlEscaped());
}

QString staysHtml(const Run& run, const Activity& what) {
  QStringList parts;
  for (const StayId stay : {what.from, what.to}) {
    const PlacedStay* placed = stay ? &run.timing.activities.stays[stay] : nullptr;
    const QString pool = placed && placed->pool ? poolText(run, placed->pool) : tr("outside");
    parts.append(stay ? link("stay", stay.index(), pool) : pool);
  }
  return parts.join(QStringLiteral(" \u2192 "));
}

void addPath(HtmlPage& page, const Run& run, ActivityId activity) {
  const auto& path = run.timing.account.criticalPath;
  const auto own = std::ranges::find(path, activity);
  if (own == path.end()) {
    page.add(tr("Critical path"), tr("beside it"));
    return;
  }
  page.add(tr("Critical path"), tr("%1 of %2").arg(own - path.begin() + 1).arg(path.size()));
  if (own != path.begin()) page.addHtml(tr("Before it"), activityLink(run, *std::prev(own)));
  if (std::next(own) != path.end()) {
    page.addHtml(tr("After it"), activityLink(run, *std::next(own)));
  }
}

void addTimes(HtmlPage& page, const Activity& what, const ActivityTime& time) {
  page.add(tr("Start"), timeText(time.start));
  page.add(tr("End"), timeText(time.end));
  page.add(tr("Takes"), timeText(time.end - time.start));
  page.add(tr("Fixed part"), timeText(what.fixed));
  page.add(tr("Alone (T)"), timeText(time.flow));
  const SimTime slowed = time.end - time.start - what.fixed - time.flow;
  page.add(tr("Slowed"),
           slowed > SimTime() ? tr("%1, sharing ports").arg(timeText(slowed)) : tr("not at all"));
}

}  // namespace

QString activityPage(const Run& run, ActivityId activity) {
  const ActivityList& list = run.timing.activities;
  const Activity& what = list.activities[activity];
  const ActivityTime& time = run.timing.times[activity];
  const std::string_view kind = kActivityKindNames[static_cast<std::size_t>(what.kind)];
  const bool computes = what.kind == ActivityKind::compute;
  HtmlPage page(computes ? nameHtml(opNameText(run, what.op))
                         : capital(viewText(activityWords(run, activity))).toHtmlEscaped(),
                tr("%1 at step %2").arg(viewText(kind), grouped(what.step.count())));
  if (what.engine != Activity::kNoEngine) {
    page.add(tr("Engine"), viewText(list.engines[what.engine].name));
  }
  if (computes) {
    page.addHtml(tr("Operator"), opLink(run, what.op));
  } else {
    page.addHtml(tr("Moves"), staysHtml(run, what));
    page.add(tr("Bytes"), fullSizeText(what.bytes));
  }
  addTimes(page, what, time);
  QString html = page.finish();
  HtmlPage why;
  if (time.cause) {
    why.add(tr("Cause"), capital(viewText(causeWords(run, activity))));
    why.add(tr("Rule"), viewText(kWaitRuleNames[static_cast<std::size_t>(time.cause->rule)]));
    why.addHtml(tr("Waited for"), activityLink(run, time.cause->activity));
    if (time.ready < time.start) {
      why.add(tr("But for reused bytes"), tr("it would start at %1").arg(timeText(time.ready)));
    }
  } else {
    why.add(tr("Cause"), tr("Nothing: it starts with the run"));
  }
  addPath(why, run, activity);
  return html + QStringLiteral("<h4>%1</h4>").arg(tr("Why not earlier")) + why.finish();
}

namespace {

/// More candidates than this are summed up as a number.
constexpr std::size_t kMostCandidates = 12;

QString html(const std::string& text) {
  return QString::fromStdString(printable(text, 600)).toHtmlEscaped();
}

QString line(const QString& key, const std::string& text) {
  if (text.empty()) return {};
  return QStringLiteral("<tr><td class='key'>%1</td><td>%2</td></tr>")
      .arg(key.toHtmlEscaped(), html(text));
}

QString wallsHtml(const Run& run, const std::vector<StayId>& walls) {
  QStringList links;
  for (const StayId wall : walls) links.append(stayLink(run, wall));
  return links.join(QStringLiteral(" \u00b7 "));
}

/// The flat address, or the offset inside a block.
QString whereText(const Run& run, const Candidate& candidate, bool inside) {
  if (!candidate.address) return {};
  const auto [pool, region, offset] = *candidate.address;
  if (inside) return QStringLiteral("+") + exactText(offset);
  return addressText(run.plan.regionStart(pool, region) + offset);
}

/// Two lines a candidate: what it is and the verdict; why, and who bounds it.
QString candidateHtml(const Run& run, const Candidate& candidate, bool inside) {
  const bool chosen = candidate.verdict == Verdict::chosen;
  QString head = html(candidate.kind);
  const QString where = whereText(run, candidate, inside);
  if (!where.isEmpty()) head += QStringLiteral(" <tt>%1</tt>").arg(where);
  if (candidate.room) head += QStringLiteral(", ") + sizeText(*candidate.room).toHtmlEscaped();
  const QString verdict = verdictText(candidate.verdict).toHtmlEscaped();
  const QString walls = wallsHtml(run, candidate.because);
  QString body = html(candidate.reason);
  if (!walls.isEmpty()) body += QStringLiteral("<br>") + walls;
  const QString mark = chosen ? QStringLiteral("\u2714") : QStringLiteral("\u2013");
  return QStringLiteral(
             "<tr><td>%1&nbsp;</td><td><b>%2</b>: %3<br><span class='why'>%4</span></td></tr>")
      .arg(mark, verdict, head, body);
}

QString candidatesHtml(const Run& run, const Decision& decision, bool inside) {
  QString rows;
  std::size_t shown = 0;
  std::size_t hidden = decision.leftOut;
  for (const Candidate& candidate : decision.candidates) {
    if (shown < kMostCandidates || candidate.verdict == Verdict::chosen) {
      rows += candidateHtml(run, candidate, inside);
      ++shown;
    } else {
      ++hidden;
    }
  }
  if (rows.isEmpty()) return {};
  if (hidden > 0) {
    rows += QStringLiteral("<tr><td></td><td><span class='why'>%1</span></td></tr>")
                .arg(tr("and %1 more").arg(hidden));
  }
  return QStringLiteral("<table>%1</table>").arg(rows);
}

QString explanationHtml(const Run& run, const PlaceExplanation& found) {
  const Decision& decision = found.decision;
  QString page = QStringLiteral("<table>");
  page += line(tr("Decided"), decision.decided);
  page += line(tr("Turn"), decision.when);
  page += line(tr("Pool"), found.residency);
  page += line(tr("Block"), found.block);
  if (decision.fromPlan) {
    page += line(tr("Account"),
                 tr("judged from the finished plan: the allocator keeps none").toStdString());
  }
  page += QStringLiteral("</table>") + candidatesHtml(run, decision, false);
  if (!found.inside) return page;
  page += QStringLiteral("<h4>%1</h4><table>").arg(tr("Inside the block").toHtmlEscaped());
  page += line(tr("Decided"), found.inside->decided);
  return page + QStringLiteral("</table>") + candidatesHtml(run, *found.inside, true);
}

std::vector<Ghost> ghostsOf(const Stay& stay, const Decision& decision) {
  constexpr std::size_t kMost = 32;
  std::vector<Ghost> ghosts;
  for (const Candidate& candidate : decision.candidates) {
    const bool free = candidate.verdict != Verdict::chosen && candidate.verdict != Verdict::taken;
    // Ghosts are drawn at flat addresses, and only in the first region are offsets such.
    if (!free || !candidate.address || candidate.address->region != RegionId(0)) continue;
    const Bytes begin = candidate.address->offset;
    const Bytes room = std::min(candidate.room.value_or(stay.size), stay.size);
    if (room <= Bytes()) continue;
    ghosts.push_back({.pool = candidate.address->pool,
                      .bytes = {begin, begin + room},
                      .steps = stay.steps,
                      .verdict = candidate.verdict});
    if (ghosts.size() == kMost) break;
  }
  return ghosts;
}

}  // namespace

QString verdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::chosen:
      return tr("Chosen");
    case Verdict::tooSmall:
      return tr("Too small");
    case Verdict::taken:
      return tr("Taken");
    case Verdict::overCapacity:
      return tr("Over capacity");
    case Verdict::lessGood:
      return tr("Less good");
    case Verdict::notAllowed:
      break;
  }
  return tr("Not allowed");
}

WhyHere whyHere(const Run& run, StayId stay) {
  const PlaceExplanation found = explainPlace(run, stay);
  // A stay inside a block shares the decision of the block: the candidates are places of that, and
  // would be wrong as outlines of the stay.
  WhyHere why{.html = explanationHtml(run, found)};
  if (!found.inside) why.ghosts = ghostsOf(run.problem.stays[stay], found.decision);
  return why;
}

}  // namespace hw
