#include "core/run/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/run/replay_contents.h"
#include "core/run/replay_stage.h"

namespace hw {
namespace {

/// A byte of two patterns is equal once in 256 times; of two patterns twice over, never mind.
constexpr std::uint64_t kSalts = 2;

/// A stay comes to life or dies. Deaths sort first: intervals are half-open.
struct Turn {
  Step step{};
  bool begins = false;
  StayId stay{};
  friend auto operator<=>(const Turn&, const Turn&) = default;
};

/// Plays a model: ops read and write tensors.
class GraphReplay {
 public:
  GraphReplay(const Run& run, ReplayStage& stage)
      : run_(run),
        stage_(stage),
        contents_(tensorContents(run.graph(), run.schedule, run.storage)),
        inPlace_(run.storage.inPlace.begin(), run.storage.inPlace.end()),
        spans_(run.graph().tensors.size()) {
    locateTensors();
    for (const StayId id : run.problem.stays.keys()) {
      turns_.push_back({run.problem.stays[id].steps.begin, true, id});
      turns_.push_back({run.problem.stays[id].steps.end, false, id});
    }
    std::ranges::sort(turns_);
  }

  /// Where tensors and their parts lie, for the edges of a sample.
  std::vector<ByteSpan> edges() const {
    std::vector<ByteSpan> edges;
    for (const TensorId id : spans_.keys()) {
      if (!spans_[id]) continue;
      for (const ContentPart& part : contents_[id]) {
        edges.push_back(spans_[id]->part(part.begin, part.length));
      }
    }
    return edges;
  }

  void play() {
    const Graph& graph = run_.graph();
    nextTurn_ = 0;
    takeTurns(Step());
    for (const TensorId id : graph.inputs) writeOwnParts(id, Step(), "the outside");
    for (const OpId op : run_.schedule.order) {
      const Step step = run_.schedule.stepOf[op];
      takeTurns(step);
      if (!graph.ops[op].folded) playOp(op, step);
      if (stage_.full()) return;
    }
    const Step last = std::max(Step(), run_.schedule.steps() - Step(1));
    for (const TensorId id : std::set(graph.outputs.begin(), graph.outputs.end())) {
      verifyTensor(id, last, "after the last op");
    }
  }

 private:
  void locateTensors() {
    IdMap<BufferId, StayId> stays(run_.storage.buffers.size());
    for (const StayId id : run_.problem.stays.keys()) {
      const BufferId buffer = run_.problem.stays[id].buffer;
      if (stays.contains(buffer)) stays[buffer] = id;
    }
    for (const TensorId id : spans_.keys()) {
      const auto& slot = run_.storage.slots[id];
      if (!slot) continue;
      const auto complain = [&](const char* what) {
        stage_.report(run_.storage.lifetimes[id].begin, fmt::format("'{}' {}", nameOf(id), what));
      };
      if (!stays.contains(slot->buffer) || !stays[slot->buffer]) {
        complain("has no stay");
        continue;
      }
      const auto& whole = stage_.span(stays[slot->buffer]);
      if (!whole) continue;
      const ByteSpan span = whole->part(slot->offset, *run_.graph().tensors[id].bytes);
      if (slot->offset >= Bytes() && span.bytes.end <= whole->bytes.end) {
        spans_[id] = span;
      } else {
        complain("reaches out of its buffer");
      }
    }
  }

  void takeTurns(Step step) {
    for (; nextTurn_ < turns_.size() && turns_[nextTurn_].step <= step; ++nextTurn_) {
      const Turn& turn = turns_[nextTurn_];
      stage_.scrub(turn.stay, turn.begins ? turn.step : turn.step - Step(1), turn.begins);
    }
  }

  void playOp(OpId id, Step step) {
    const Op& op = run_.graph().ops[id];
    const std::string author = fmt::format("op '{}'", displayName(run_.graph(), id));
    const std::vector<TensorId> reads = run_.graph().reads(id);
    // What is overwritten on purpose must be intact before; all else while the outputs are made.
    for (const TensorId in : reads) {
      if (isOverwritten(in, op)) verifyTensor(in, step, author);
    }
    for (const TensorId out : op.outputs) {
      if (out) writeOwnParts(out, step, author);
    }
    for (const TensorId in : reads) {
      if (!isOverwritten(in, op)) verifyTensor(in, step, author);
    }
    for (const TensorId out : op.outputs) {
      if (out) verifyTensor(out, step, author);
    }
  }

  /// An output takes over the place of `in`, or its beginning.
  bool isOverwritten(TensorId in, const Op& op) const {
    return std::ranges::any_of(op.outputs, [&](TensorId out) {
      return out && inPlace_.contains(out) && spans_[in] && spans_[out] &&
             spans_[in]->pool == spans_[out]->pool &&
             spans_[in]->bytes.begin == spans_[out]->bytes.begin &&
             spans_[in]->bytes.end >= spans_[out]->bytes.end;
    });
  }

  void writeOwnParts(TensorId id, Step step, const std::string& author) {
    if (!spans_[id]) return;
    for (const ContentPart& part : contents_[id]) {
      if (part.writer != id) continue;
      stage_.write(spans_[id]->part(part.begin, part.length),
                   stage_.pattern(id.index(), part.offset), step,
                   fmt::format("{} wrote '{}'", author, nameOf(id)));
    }
  }

  void verifyTensor(TensorId id, Step step, const std::string& reader) {
    if (!id || !spans_[id]) return;
    for (const ContentPart& part : contents_[id]) {
      std::string name = nameOf(id);
      if (part.writer != id) name += "', alias of '" + nameOf(part.writer);
      stage_.verify(spans_[id]->part(part.begin, part.length),
                    stage_.pattern(part.writer.index(), part.offset), step, reader, name);
    }
  }

  std::string nameOf(TensorId id) const { return displayName(run_.graph(), id); }

  const Run& run_;
  ReplayStage& stage_;
  IdMap<TensorId, std::vector<ContentPart>> contents_;
  std::set<TensorId> inPlace_;
  IdMap<TensorId, std::optional<ByteSpan>> spans_;
  std::vector<Turn> turns_;
  std::size_t nextTurn_ = 0;
};

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

template <class Replay>
void playSalted(Replay& replay, ReplayStage& stage) {
  for (std::uint64_t salt = 1; salt <= kSalts && stage.clean(); ++salt) {
    stage.salt(salt);
    replay.play();
  }
}

}  // namespace

std::vector<Corruption> replayBytes(const Run& run, Bytes maxArena, std::size_t limit) {
  ReplayStage stage(run, limit);
  if (run.model->problem) {
    ProblemReplay replay(run, stage);
    stage.allocate(maxArena, {});
    playSalted(replay, stage);
  } else {
    GraphReplay replay(run, stage);
    stage.allocate(maxArena, replay.edges());
    playSalted(replay, stage);
  }
  return stage.takeFindings();
}

}  // namespace hw
