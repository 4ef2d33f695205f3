#include <QCoreApplication>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/run_text.h"

namespace hw {

namespace {

/// More of one kind than this are summed up.
constexpr std::size_t kMostOfAKind = 2'000;
/// Buffers named in the autopsy of a memory that ran out.
constexpr std::size_t kMostHolders = 6;

QString tr(const char* text) { return QCoreApplication::translate("hw::ProblemsPanel", text); }

/// The largest stays alive at `step`, for "who holds it".
QString holdersAt(const Run& run, PoolId pool, Step step) {
  std::vector<StayId> alive;
  for (const StayId id : run.problem.stays.keys()) {
    const auto& address = run.plan.addresses[id];
    if (address && address->pool == pool && run.problem.stays[id].steps.contains(step)) {
      alive.push_back(id);
    }
  }
  std::ranges::stable_sort(alive, std::greater{},
                           [&](StayId id) { return run.problem.stays[id].size; });
  QStringList names;
  for (const StayId id : alive) {
    if (static_cast<std::size_t>(names.size()) == kMostHolders) break;
    names.append(
        QStringLiteral("%1 %2").arg(stayText(run, id), sizeText(run.problem.stays[id].size)));
  }
  return names.join(QStringLiteral(", "));
}

void addAutopsy(const Run& run, std::vector<Finding>& findings) {
  if (!run.plan.outOfMemory) return;
  const OutOfMemory& end = *run.plan.outOfMemory;
  const QString kind = tr("out of memory");
  findings.push_back({.severity = Glyph::error,
                      .kind = kind,
                      .subject = stayText(run, end.stay),
                      .message = tr("step %1: no place for %2 in any pool")
                                     .arg(end.step.count())
                                     .arg(fullSizeText(end.wanted)),
                      .stay = end.stay});
  for (const OutOfMemory::PoolState& pool : end.pools) {
    const bool fragmented = pool.freeBytes >= end.wanted;
    const QString verdict = fragmented ? tr("fragmentation: enough is free, but not in one piece")
                                       : tr("exhaustion: less is free than is wanted");
    findings.push_back({.severity = Glyph::error,
                        .kind = kind,
                        .subject = poolText(run, pool.pool),
                        .message = tr("%1 of %2 live, %3 free, largest piece %4; %5. Held by %6")
                                       .arg(sizeText(pool.live), sizeText(pool.capacity),
                                            sizeText(pool.freeBytes), sizeText(pool.largestFree),
                                            verdict, holdersAt(run, pool.pool, end.step)),
                        .stay = end.stay});
  }
}

void addUnsized(const Run& run, std::vector<Finding>& findings) {
  std::size_t count = 0;
  for (const TensorId id : run.storage.unsized) {
    if (++count > kMostOfAKind) break;
    const Tensor& tensor = run.graph().tensors[id];
    findings.push_back(
        {.severity = Glyph::warning,
         .kind = tr("size unknown"),
         .subject = tensorText(run, id),
         .message = tr("left out of every total: %1")
                        .arg(QString::fromStdString(printable(tensor.unknownReason))),
         .op = tensor.producer});
  }
  if (count <= kMostOfAKind) return;
  findings.push_back({.severity = Glyph::warning,
                      .kind = tr("size unknown"),
                      .message = tr("and %1 more").arg(run.storage.unsized.size() - kMostOfAKind)});
}

void addCopies(const Run& run, std::vector<Finding>& findings) {
  for (const CopyNote& copy : run.storage.copies) {
    findings.push_back({.severity = Glyph::information,
                        .kind = tr("copy"),
                        .subject = opNameText(run, copy.op),
                        .message = tr("moves %1 of %2: %3")
                                       .arg(sizeText(copy.bytes), tensorText(run, copy.tensor),
                                            QString::fromStdString(printable(copy.reason))),
                        .op = copy.op});
  }
}

void addNotes(const std::vector<std::string>& notes, std::vector<Finding>& findings) {
  for (const std::string& note : notes) {
    const QString text = QString::fromStdString(printable(note, 1'000));
    const bool known = std::ranges::any_of(
        findings, [&](const Finding& finding) { return finding.message == text; });
    if (known) continue;
    findings.push_back({.severity = Glyph::information, .kind = tr("note"), .message = text});
  }
}

}  // namespace

std::vector<Finding> findingsOf(const Run& run, const std::vector<Violation>& violations) {
  std::vector<Finding> findings;
  for (const Violation& violation : violations) {
    findings.push_back({.severity = Glyph::error,
                        .kind = tr("invalid plan"),
                        .subject = violation.a ? stayText(run, violation.a) : QString(),
                        .message = QString::fromStdString(printable(violation.message, 1'000)),
                        .stay = violation.a});
  }
  addAutopsy(run, findings);
  if (run.plan.status == PlanStatus::overBudget && !run.plan.outOfMemory) {
    findings.push_back({.severity = Glyph::warning,
                        .kind = tr("does not fit"),
                        .message = tr("the plan needs more than the memory has")});
  }
  addUnsized(run, findings);
  addCopies(run, findings);
  addNotes(run.notes, findings);
  addNotes(run.plan.notes, findings);
  addNotes(run.graph().notes, findings);
  addNotes(run.timing.notes, findings);
  return findings;
}

}  // namespace hw
