#pragma once

#include <vector>

#include "core/plan/validate.h"
#include "core/solver/exact/exact.h"
#include "widgets/jobs/job.h"

namespace hw {

/// What planning brings back.
struct PlanOutcome {
  Result<std::shared_ptr<const Run>> run{};
  std::vector<Violation> violations{};  ///< What the independent check found in the plan.
};

/// Opens and plans. What to do is given as a function, so that this knows no files. Half a plan is
/// of no use: one that is stopped never reports.
class PlanJob : public Job {
  Q_OBJECT

 public:
  using Work = std::function<Result<std::shared_ptr<const Run>>(const RunContext&)>;

  explicit PlanJob(QObject* parent = nullptr);

  void start(Work work);

 Q_SIGNALS:
  /// Where the search for a pool stands; at most about thirty times a second, as progress is.
  void searched(const QString& pool, const hw::ExactProgress& now);
  void finished(const hw::PlanOutcome& outcome);

 private:
  RunContext listening(const JobContext& context);
  JobEnd accept(const PlanOutcome& outcome);
};

}  // namespace hw
