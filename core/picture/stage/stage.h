#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/picture/canvas.h"
#include "core/plan/method_record.h"
#include "core/run/run.h"

namespace hw {

/// One shape of a stage: plain data, so that a screen, a file and a test see the same.
struct StageItem {
  enum class Shape : std::uint8_t { rectangle, hatch, line, text };
  /// Thing that it stands for.
  enum class Part : std::uint8_t {
    around,     ///< Titles, frames, scales, words.
    chip,       ///< A row of a list.
    gone,       ///< A row that this tick took out.
    elided,     ///< Says how many rows are not drawn.
    used,       ///< Bytes of a stay.
    hole,       ///< Bytes that nobody has and that can be had.
    rest,       ///< Bytes of a block that its tenant leaves unused: nobody can have them.
    frame,      ///< A block, whoever is in it.
    candidate,  ///< A place that was looked at.
    step,       ///< An op of the schedule.
    unit,       ///< Ops of it that run together: a sub-function, or an execution unit of one.
    sentence,   ///< What the tick did.
  };
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Shape shape = Shape::rectangle;
  Part part = Part::around;
  /// Of text: what its letters fill. Of a line: from its upper left to its lower right end.
  Box box{};
  Look look{};                 ///< Of a hatch the fill, of a line the edge.
  Lettering lettering{};       ///< Of text.
  std::string text{};          ///< Of text; of all others what a pointer over it is told.
  StayId stay{};               ///< Whom it is about; none: nobody alone.
  std::uint32_t list = kNone;  ///< Of chips and what is left out among them: the record's list.
  std::uint32_t row = kNone;   ///< Of chips its row, of those gone none; of `elided` how many.
};

/// Draws them in their order.
void drawStage(Canvas& canvas, std::span<const StageItem> items);

/// The last of them at `point` that a stay can be picked by; null where there is none.
const StageItem* stageItemAt(std::span<const StageItem> items, Point point);

namespace stage {
struct RowCells;
}

/// The stage on which a method plays: its lists on the left, memory as it knows it on the right,
/// below one sentence that says what happened. Any record can be played; lists with a role are
/// drawn in memory, too.
class Stage {
 public:
  /// Extents that hold for all ticks, so that nothing jumps between them.
  struct Extent {
    Interval<Bytes> bytes{};  ///< All addresses of a pool, or distances from an origin.
    Interval<Bytes> taken{};  ///< Of those the ones that are used, without mere candidates.
    Bytes largestBlock{};     ///< Of blocks that are one beside the other.
    Bytes allBlocks{};        ///< What those hold together in the end.
  };

  /// Of `run->plan.records[record]`. O(changes).
  Stage(std::shared_ptr<const Run> run, std::size_t record);

  const Run& run() const { return *run_; }
  const MethodRecord& record() const { return run_->plan.records[record_]; }
  /// The lists that are drawn: those that ever hold anything, by number.
  const std::vector<std::uint32_t>& lists() const { return lists_; }
  /// The most rows that a list ever has.
  std::size_t mostRows(std::uint32_t list) const { return mostRows_[list]; }
  /// Of a pool; of a list that names none, the pool none.
  Extent extent(PoolId pool) const;

  /// All shapes when `player`, of this stage's record, has come to its tick, in the order in which
  /// they are drawn, inside `where`. What `selected` has is framed. O(rows), and O(changes of the
  /// tick).
  std::vector<StageItem> items(const Ruler& ruler, const MethodPlayer& player, const Box& where,
                               StayId selected = {}) const;

  /// The height at which everything has room in a picture of that width, as far as pictures go.
  double wantedHeight(const Ruler& ruler, double width) const;

  /// "t0: takes idle block 2", what the last of `ticks` ticks did; before the first what is to
  /// come.
  std::string sentence(std::size_t ticks) const;

 private:
  void measure();
  void widen(const MethodList& list, const MethodRow& row);
  void widenByCandidate(PoolId pool, const stage::RowCells& cells, const MethodTick& tick);

  std::shared_ptr<const Run> run_;
  std::size_t record_;
  std::vector<std::uint32_t> lists_;
  std::vector<std::size_t> mostRows_;
  std::map<PoolId, Extent> extents_;
};

/// Form of a stage as SVG.
struct StagePicture {
  double width = 1160;
  double height = 0;  ///< 0: as much as all rows take, within limits.
  double letters = 12;
  const Palette* palette = nullptr;  ///< Null: light or dark as the reader's system is.
};

/// The stage after `ticks` ticks.
std::string stageSvg(const Stage& stage, std::size_t ticks, const StagePicture& picture);

/// More ticks than this make files that no browser likes: a film ends there, and says so.
inline constexpr std::size_t kMostFilmTicks = 600;
/// Seconds for which each tick is seen.
inline constexpr double kFilmTickSeconds = 1.6;

/// Number of ticks that the film of `stage` has.
std::size_t filmTicks(const Stage& stage);

/// All its ticks as one picture that plays by itself, over and over (SMIL, of SVG 1.1): what is
/// the same in several ticks is written once. Where nothing moves the last tick is seen.
/// `standalone`: with the colours; else for a page that has `inkStyles`.
std::string stageFilm(const Stage& stage, const StagePicture& picture, bool standalone);

}  // namespace hw
