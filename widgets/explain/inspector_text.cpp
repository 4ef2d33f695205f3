#include "widgets/explain/inspector_text.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/plan/overlap_use.h"
#include "widgets/explain/html_page.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// More links than this are summed up as a number.
constexpr std::size_t kMostLinks = 8;

QString stayLink(const Run& run, StayId stay) {
  return link("stay", stay.index(), stayText(run, stay));
}

QString opLink(const Run& run, OpId op) {
  const QString type = QString::fromStdString(printable(run.graph().ops[op].type));
  return QStringLiteral("%1 (%2)").arg(link("op", op.index(), opNameText(run, op)),
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
  readers.erase(std::ranges::unique(readers).begin(), readers.end());
  page.addHtml(tr("Readers"), joined(readers, [&](OpId op) { return opLink(run, op); }));
  if (buffer.tensors.size() < 2) return;
  page.addHtml(tr("Shared by"), joined(buffer.tensors, [&](TensorId id) {
                 const QString name = tensorText(run, id).toHtmlEscaped();
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
  page.add(tr("Offset"), fullSizeText(flat));
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
  for (const PoolId pool : timing.traffic.keys()) {
    const Bytes moved = timing.traffic[pool].total();
    if (moved == Bytes() || !run.problem.pools.contains(pool)) continue;
    page.add(tr("%1 traffic").arg(poolText(run, pool)), fullSizeText(moved));
  }
}

QString tensorList(const Run& run, const std::vector<TensorId>& ids) {
  return joined(ids, [&](TensorId id) {
    const Tensor& tensor = run.graph().tensors[id];
    const QString name = tensorText(run, id).toHtmlEscaped();
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
  HtmlPage page(stayText(run, stay), roleText(run, run.graph().tensors[root]));
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
  HtmlPage page(opNameText(run, id),
                tr("%1 at step %2; click a block for more").arg(type, grouped(step.count())));
  std::vector<TensorId> outputs;
  std::ranges::copy_if(op.outputs, std::back_inserter(outputs),
                       [](TensorId tensor) { return static_cast<bool>(tensor); });
  page.addHtml(tr("Reads"), tensorList(run, run.graph().reads(id)));
  page.addHtml(tr("Writes"), tensorList(run, outputs));
  addTiming(page, run, step);
  return page.finish();
}

}  // namespace hw
