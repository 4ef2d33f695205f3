#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/check/replay_stage.h"
#include "core/run/run.h"

namespace hw {

/// Plays a bare planning problem: every stay is written where it begins, after each gap anew, and
/// read at the last step before it ends or goes into a gap.
class ProblemReplay {
 public:
  ProblemReplay(const Run& run, ReplayStage& stage) : run_(run), stage_(stage) {
    for (const StayId id : run.problem.stays.keys()) {
      for (const Interval<Step>& live : run.problem.liveSteps(id)) {
        turns_.push_back({live.begin, true, id});
        turns_.push_back({live.end, false, id});
      }
    }
    std::ranges::sort(turns_);
  }

  void play() {
    for (auto turn = turns_.begin(); turn != turns_.end() && !stage_.full();) {
      stage_.tell(static_cast<double>(turn - turns_.begin()) / static_cast<double>(turns_.size()));
      // All that end together are read before any of them is given up.
      const auto next = std::find_if(turn, turns_.end(), [&](const Turn& other) {
        return other.step != turn->step || other.begins != turn->begins;
      });
      for (auto each = turn; each != next; ++each) each->begins ? write(*each) : read(*each);
      for (auto each = turn; each != next && !each->begins; ++each) {
        stage_.scrub(each->stay, each->step - Step(1), false);
      }
      turn = next;
    }
  }

 private:
  /// A stay comes to life or dies. Deaths sort first: intervals are half-open.
  struct Turn {
    Step step{};
    bool begins = false;
    StayId stay{};
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };

  void write(const Turn& turn) {
    const auto& span = stage_.span(turn.stay);
    if (!span) return;
    stage_.write(*span, stage_.pattern(turn.stay.index()), turn.step,
                 fmt::format("'{}' was written", run_.stayName(turn.stay)));
  }

  void read(const Turn& turn) {
    const auto& span = stage_.span(turn.stay);
    if (!span) return;
    const std::string name = run_.stayName(turn.stay);
    stage_.verify(*span, stage_.pattern(turn.stay.index()), turn.step - Step(1),
                  fmt::format("'{}' at its last step", name), name);
  }

  const Run& run_;
  ReplayStage& stage_;
  std::vector<Turn> turns_;
};

}  // namespace hw
