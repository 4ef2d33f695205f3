#include "widgets/lanes/activity_text.h"

#include <algorithm>

#include "core/insight/latency_words.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

QStringList activityLines(const Run& run, ActivityId activity) {
  const ActivityTime& time = run.timing.times[activity];
  const Activity& what = run.timing.activities.activities[activity];
  QStringList lines{viewText(activityWords(run, activity))};
  lines.append(tr("%1 to %2 (%3)")
                   .arg(timeText(time.start), timeText(time.end), timeText(time.end - time.start)));
  if (what.engine != Activity::kNoEngine) {
    lines.append(tr("on %1").arg(viewText(run.timing.activities.engines[what.engine].name)));
  }
  const QString cause = viewText(causeWords(run, activity));
  if (!cause.isEmpty()) lines.append(cause);
  return lines;
}

ActivityId nextOnPath(const Run& run, ActivityId from) {
  const auto& path = run.timing.account.criticalPath;
  if (path.empty()) return {};
  if (!from) return path.front();
  const auto own = std::ranges::find(path, from);
  if (own != path.end()) return std::next(own) == path.end() ? ActivityId() : *std::next(own);
  const auto& times = run.timing.times;
  const auto later =
      std::ranges::find_if(path, [&](ActivityId id) { return times[id].start >= times[from].end; });
  return later == path.end() ? path.back() : *later;
}

}  // namespace hw
