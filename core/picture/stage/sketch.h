#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/picture/stage/stage.h"
#include "core/plan/method_record.h"
#include "core/run/run.h"

namespace hw::stage {

/// The cells of a row by their types, each in its order: what roles speak of.
struct RowCells {
  StayId stay{};
  std::optional<StayPart> part{};  ///< Where the row tells of a part of `stay`.
  std::vector<Bytes> bytes{};
  std::vector<std::int64_t> numbers{};
  std::vector<std::string> texts{};

  explicit RowCells(const MethodRow& row);
  Bytes byte(std::size_t at) const { return at < bytes.size() ? bytes[at] : Bytes(); }
  std::int64_t number(std::size_t at) const { return at < numbers.size() ? numbers[at] : 0; }
};

/// Words on a chip: the name at its left end, the rest at its right.
struct RowWords {
  std::string name{};
  std::string rest{};
};
RowWords wordsOf(const Run& run, const MethodList& list, const MethodRow& row);

/// "1 use", "2 uses".
std::string usesText(std::int64_t uses);

/// A stay's name as it may be printed; "-" for none.
std::string stayWord(const Run& run, StayId stay);

/// The same of whom a row or a tick is about.
std::string stayWord(const Run& run, const RowCells& cells);
std::string stayWord(const Run& run, const MethodTick& tick);

/// Size and life of the stay that they are about; nothing of none.
Bytes sizeOf(const Run& run, StayId stay, const std::optional<StayPart>& part);
Interval<Step> stepsOf(const Run& run, StayId stay, const std::optional<StayPart>& part);

/// True if the stay is one of the run's: records of parts name only those.
bool isStay(const Run& run, StayId stay);

/// Widens `all` as far as it takes to hold `bytes`, too.
void cover(std::optional<Interval<Bytes>>& all, Interval<Bytes> bytes);

/// Mark of what a tick did to a row.
enum class Mark : std::uint8_t { none, put, changed, gone };

struct MarkedRow {
  MethodRow row{};
  Mark mark = Mark::none;
  std::uint32_t at = 0;  ///< In the list; of one that is gone, where it would be now.
  MethodRow before{};    ///< Of one that is changed.
};

/// The rows of list `list` when `player` has come to its tick, those that this tick took out among
/// them at their places. What it took out and put in again as it was is as it was.
std::vector<MarkedRow> markedRows(const MethodRecord& record, const MethodPlayer& player,
                                  std::uint32_t list);

/// Which rows to draw where there is room for `room` lines and each run of rows left out takes one:
/// the candidate that was chosen and marked ones first, then from both ends. A line that is the
/// only one is a row's. Ascending. All where they fit.
std::vector<std::size_t> chosenRows(const std::vector<MarkedRow>& rows, std::size_t room);

/// True if the row is the candidate that was taken.
bool isChosen(const MethodRow& row);

using Part = StageItem::Part;

/// Collects the shapes of a stage. Words never cover one another: those that have no room are
/// shortened, or left out where they say nothing then.
class Sketch {
 public:
  /// Nothing is drawn outside of `bounds`: what has no room there is cut, words are left out.
  Sketch(const Ruler& ruler, const Box& bounds) : ruler_(ruler), bounds_(bounds) {}

  const Ruler& ruler() const { return ruler_; }
  double line() const { return ruler_.height(); }
  /// A chip, or a row of words with air around it.
  double rowHeight() const { return ruler_.height() + 6; }

  StageItem& rectangle(const Box& box, Part part, const Look& look, StayId stay = {},
                       std::string tooltip = {});
  void hatch(const Box& box, Part part, Fill fill);
  void line(Point from, Point to, const Stroke& stroke);

  /// One line of words in `room`, in the middle of its height, shortened to its width; nothing
  /// where less than `least` letters would be left or other words are in the way. Returns whether
  /// it was written.
  bool words(const Box& room, std::string_view text, const Lettering& lettering = {},
             Part part = Part::around, std::size_t least = 1, bool middle = true);
  /// The same around `x`, moved as far as it takes to stay within `room`.
  bool wordsAt(double x, const Box& room, std::string_view text, Ink ink = Ink::muted);

  /// A stay's bytes, or a row of a list that names one, in its colour.
  static Look lookOf(BlockClass kind) {
    return {.fill = Fill{blockInk(kind, BlockTime::live, BlockPart::fill)},
            .edge = Stroke{blockInk(kind, BlockTime::live, BlockPart::edge)}};
  }
  static Ink wordInk(BlockClass kind) { return blockInk(kind, BlockTime::live, BlockPart::word); }

  /// The shape that was drawn last.
  StageItem& last() { return items_.back(); }
  std::vector<StageItem> take() { return std::move(items_); }

 private:
  Box inside(const Box& box) const;

  const Ruler& ruler_;
  Box bounds_;
  std::vector<StageItem> items_;
  std::vector<Box> words_;
};

/// The part of `box` between two shares of its width.
Box columnOf(const Box& box, double from, double to);

}  // namespace hw::stage
