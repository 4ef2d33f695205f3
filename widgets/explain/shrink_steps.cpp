#include "widgets/explain/shrink_steps.h"

#include <algorithm>

#include "core/report/explain/advice_report.h"
#include "core/report/explain/front_report.h"
#include "core/run/options.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

QString stepWords(const std::string& text) { return QString::fromStdString(text); }

class StepList {
 public:
  std::vector<ShrinkStep> of(const ShrinkFindings& findings) {
    if (findings.front) addFront(*findings.front);
    if (findings.advice) addAdvice(*findings.advice);
    std::ranges::stable_sort(steps_, [](const ShrinkStep& a, const ShrinkStep& b) {
      if (!a.run || !b.run) return a.run && !b.run;
      return a.leaves > b.leaves;
    });
    return std::move(steps_);
  }

 private:
  void addFront(const ShrinkFront& front) {
    for (const ShrinkTrial& trial : front.trials) {
      ShrinkStep step{.what = stepWords(shrinkStepText(trial)),
                      .why = stepWords(shrinkSaidText(trial)),
                      .run = trial.run,
                      .base = front.plain.run,
                      .bound = trial.bound,
                      .anyOrder = trial.anyOrder};
      if (trial.run) {
        step.options = stepWords(shrinkOptionsText(front, *trial.run));
        step.leaves = trial.peak.value_or(Bytes());
        step.saved = front.plain.peak - step.leaves;
      }
      const auto point = std::ranges::find(front.points, trial.run, &ShrinkPoint::run);
      if (point != front.points.end()) step.extraMacs = point->extraMacs;
      steps_.push_back(std::move(step));
    }
    for (const ShrinkPoint& point : front.points) {
      if (std::ranges::find(steps_, point.run, &ShrinkStep::run) != steps_.end()) continue;
      const Bytes to = point.run->request.tileTo;
      QString what = stepWords(shrinkStepText(point));
      if (to > Bytes()) what = tr("%1, for %2").arg(what, stepWords(formatBytes(to)));
      steps_.push_back({.what = what,
                        .options = stepWords(shrinkOptionsText(front, *point.run)),
                        .why = {},
                        .run = point.run,
                        .base = front.plain.run,
                        .leaves = point.peak,
                        .saved = front.plain.peak - point.peak,
                        .bound = point.bound,
                        .extraMacs = point.extraMacs});
    }
  }

  void addAdvice(const AdviceReport& report) {
    for (const Advice& advice : report.found) {
      QString options;
      for (const std::string& each : adviceOptions(*report.base, advice)) {
        if (!options.isEmpty()) options += QLatin1Char(' ');
        options += stepWords(each);
      }
      QString why = stepWords(adviceDetail(*report.base, advice));
      if (advice.makesFit) why = why.isEmpty() ? tr("it fits") : tr("it fits; %1").arg(why);
      steps_.push_back({.what = stepWords(adviceText(*report.base, advice)),
                        .options = options,
                        .why = why,
                        .run = advice.run,
                        .base = report.base,
                        .leaves = footprintOf(*advice.run),
                        .saved = advice.saved});
    }
  }

  std::vector<ShrinkStep> steps_;
};

}  // namespace

std::vector<ShrinkStep> shrinkSteps(const ShrinkFindings& findings) {
  return StepList().of(findings);
}

}  // namespace hw
