#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/picture/stage/stage_item.h"

namespace hw::stage {

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
  static Look lookOf(TensorClass kind) {
    return {.fill = Fill{blockInk(kind, BlockTime::live, BlockPart::fill)},
            .edge = Stroke{blockInk(kind, BlockTime::live, BlockPart::edge)}};
  }
  static Ink wordInk(TensorClass kind) { return blockInk(kind, BlockTime::live, BlockPart::word); }

  /// What was drawn last.
  StageItem& last() { return items_.back(); }
  std::vector<StageItem> take() { return std::move(items_); }

 private:
  bool isFree(const Box& box) const;
  Box inside(const Box& box) const;

  const Ruler& ruler_;
  Box bounds_;
  std::vector<StageItem> items_;
  std::vector<Box> words_;
};

/// The part of `box` between two shares of its width.
Box columnOf(const Box& box, double from, double to);

}  // namespace hw::stage
