#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/check/replay_contents.h"
#include "core/check/replay_stage.h"
#include "core/check/row_replay.h"

namespace hw {

/// Plays a model on bytes: ops read and write tensors wherever their buffers are at that step.
///
/// A buffer may be in several places: on two devices, in a far pool for a while, or twice at one
/// address with a gap between. Each such presence but the first is filled when it begins, from the
/// one that was there before:
///
/// A convolution that writes over its input runs channel by channel (`ChannelScript`). Where
/// another output shares bytes with its input, the op runs row by row (`RowScript`), from the end
/// that lets it: forwards where the output begins below.
///
///     A/L2   |-- written ------ read, copied -|
///     B/L2                     |- filled, read -----|     both live in the step of the copy
class GraphReplay {
 public:
  GraphReplay(const Run& run, ReplayStage& stage);

  /// Where tensors and their parts lie, for the edges of a sample.
  std::vector<ByteSpan> edges() const;

  void play();

 private:
  /// A stay without its gaps: one stretch of steps in which a buffer's bytes are in a place.
  struct Presence {
    StayId stay{};
    BufferId buffer{};
    Interval<Step> steps{};
  };
  /// A presence comes to life or ends. Ends sort first: intervals are half-open.
  struct Turn {
    Step step{};
    bool begins = false;
    std::size_t presence = 0;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };

  /// An op whose output shares bytes with the input that it is made of: it is played row by row.
  struct RowPlay {
    RowScript script{};
    std::size_t input = 0;  ///< Presences.
    std::size_t output = 0;
    bool forward = false;  ///< From the first row to the last: the output begins below.
  };

  void collectPresences();
  void findRowPlays();
  bool playRows(OpId id, Step step, const std::string& author);
  bool playChannels(OpId id, Step step, const std::string& author);
  void verifyBytes(TensorId id, const ByteSpan& span, Interval<Bytes> bytes, Step step,
                   const std::string& reader);
  void writeBytes(TensorId id, const ByteSpan& span, Interval<Bytes> bytes, Step step,
                  const std::string& author);
  void scrub(std::size_t presence, Step step, bool begins);
  void addRowEdges(std::vector<ByteSpan>& edges) const;
  void mapDevices();
  void checkTensors();
  void takeTurns(Step until);
  void takeTurnsOf(std::vector<Turn>::const_iterator first, std::vector<Turn>::const_iterator last);
  std::optional<std::size_t> sourceOf(std::size_t presence) const;
  bool isRefilled(const Presence& presence) const;
  std::vector<TensorId> heldAcross(BufferId buffer, Step step) const;
  void verifyHeld(const Presence& presence, Step step, const std::string& reader);
  void fill(const Presence& presence, Step step);
  void fillWith(const std::vector<TensorId>& held, const Presence& presence, Step step);

  bool hasMoves() const { return !run_.problem.moves.empty(); }
  void orderMoves();
  void playMoves(Step step, bool stores);
  void playMove(const Move& move, bool store);
  void writeInput(TensorId id);
  void writePartsAt(TensorId id, const Presence& presence, Step step, const std::string& author);
  void verifyEnds(TensorId id, Step last);

  void playOp(OpId id, Step step);
  void checkDevice(OpId id, Step step);
  bool isOverwritten(TensorId in, const Op& op) const;
  void writeOwnParts(TensorId id, Step step, const std::string& author);
  void verifyTensor(TensorId id, Step step, const std::string& reader);
  void verifyAt(TensorId id, const Presence& presence, Step step, const std::string& reader);

  /// Where `id` lies in a presence; nothing when the plan gave that no place.
  std::optional<ByteSpan> spanOf(TensorId id, const Presence& presence) const;
  /// Calls `visit(span, offset)` for each stretch of memory that holds some bytes of a tensor, and
  /// where in `part` they begin; for none when the plan gave that no place.
  void forEachSpan(TensorId id, const Presence& presence, const ContentPart& part,
                   const std::function<void(const ByteSpan& span, Bytes offset)>& visit) const;
  std::vector<const Presence*> presencesAt(TensorId id, Step step) const;
  std::vector<const Presence*> presencesUsedAt(TensorId id, Step step) const;
  std::string nameOf(TensorId id) const { return displayName(run_.graph(), id); }
  std::string placeOf(const Presence& presence) const;

  const Run& run_;
  ReplayStage& stage_;
  IdMap<TensorId, std::vector<ContentPart>> contents_;
  std::set<TensorId> inPlace_;
  std::vector<Presence> presences_;
  IdMap<BufferId, std::vector<std::size_t>> presencesOf_;  ///< By begin.
  std::map<OpId, RowPlay> rowPlays_;
  std::map<std::size_t, std::size_t> inputOf_;      ///< Presences that share bytes by rows,
  std::map<std::size_t, std::size_t> outputOf_;     ///< and the other way round.
  std::vector<std::vector<PoolId>> poolsOfDevice_;  ///< Empty when ops run on one device.
  std::vector<Turn> turns_;
  std::size_t nextTurn_ = 0;
  std::vector<Move> moves_;  ///< In program order.
  std::size_t nextMove_ = 0;
};

}  // namespace hw
