#include "widgets/below/divergence.h"

#include "core/base/text.h"
#include "core/insight/plan_diff.h"
#include "core/plan_file/plan_story.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

DiffSide sideOf(const Run& run) {
  return {.name = run.request.allocator.info ? run.request.allocator.text() : std::string(),
          .plan = describePlan(run),
          .events = memoryEvents(run)};
}

/// "allocates conv1 at 0x0000_0400 of L2".
QString eventText(const std::optional<EventRow>& row) {
  if (!row) return tr("does nothing more");
  QString text = QStringLiteral("%1 %2").arg(QString::fromStdString(std::string(row->event)),
                                             QString::fromStdString(printable(row->tensor, 80)));
  if (row->offset) text = tr("%1 at %2").arg(text, addressText(*row->offset));
  if (!row->pool.empty()) text = tr("%1 of %2").arg(text, QString::fromStdString(row->pool));
  return text;
}

StayId stayCalled(const Run& run, const std::string& tensor) {
  for (const StayId stay : run.problem.stays.keys()) {
    if (run.stayName(stay) == tensor) return stay;
  }
  return {};
}

}  // namespace

std::optional<Divergence> firstDivergence(const Run& a, const Run& b, const QString& letter) {
  const PlanDiff diff = diffPlans(sideOf(a), sideOf(b));
  if (!diff.firstEvents) return {};
  const auto& [inA, inB] = *diff.firstEvents;
  // The runs part where the first of the two acts: the other does nothing there.
  const auto stepOf = [](const std::optional<EventRow>& row) {
    return row ? row->step : std::optional<Step>();
  };
  std::optional<Step> step = stepOf(inA);
  if (const auto other = stepOf(inB); other && (!step || *other < *step)) step = other;
  Divergence found;
  found.step = step.value_or(Step(0));
  if (inA) {
    const EventList events(a);
    found.stay = events.stay(inA->seq);
    if (inA->step == step) found.moment = events.moment(inA->seq);
  }
  if (!found.stay && inB) found.stay = stayCalled(a, inB->tensor);
  found.text = tr("Step %1: A: %2; %3: %4")
                   .arg(QString::fromStdString(groupDigits(found.step.count())), eventText(inA),
                        letter, eventText(inB));
  return found;
}

}  // namespace hw
