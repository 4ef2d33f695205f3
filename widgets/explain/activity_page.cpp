#include "widgets/explain/activity_page.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/insight/latency_words.h"
#include "widgets/explain/html_page.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

QString capital(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

QString activityLink(const Run& run, ActivityId id) {
  return link("activity", id.index(), viewText(activityWords(run, id)));
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

}  // namespace

QString activityPage(const Run& run, ActivityId activity) {
  const ActivityList& list = run.timing.activities;
  const Activity& what = list.activities[activity];
  const ActivityTime& time = run.timing.times[activity];
  const std::string_view kind = kActivityKindNames[static_cast<std::size_t>(what.kind)];
  const bool computes = what.kind == ActivityKind::compute;
  HtmlPage page(
      computes ? opNameText(run, what.op) : capital(viewText(activityWords(run, activity))),
      tr("%1 at step %2").arg(viewText(kind), grouped(what.step.count())));
  if (what.engine != Activity::kNoEngine) {
    page.add(tr("Engine"), viewText(list.engines[what.engine].name));
  }
  if (computes) {
    page.addHtml(tr("Operator"), link("op", what.op.index(), opNameText(run, what.op)));
  } else {
    page.addHtml(tr("Moves"), staysHtml(run, what));
    page.add(tr("Bytes"), fullSizeText(what.bytes));
  }
  page.add(tr("Start"), timeText(time.start));
  page.add(tr("End"), timeText(time.end));
  page.add(tr("Takes"), timeText(time.end - time.start));
  page.add(tr("Fixed part"), timeText(what.fixed));
  page.add(tr("Alone (T)"), timeText(time.flow));
  const SimTime slowed = time.end - time.start - what.fixed - time.flow;
  page.add(tr("Slowed"),
           slowed > SimTime() ? tr("%1, sharing ports").arg(timeText(slowed)) : tr("not at all"));
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

}  // namespace hw
