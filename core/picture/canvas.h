#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/picture/palette.h"

namespace hw {

/// Units of a picture are pixels of a screen, 1/96 inch on paper; y grows downwards.
struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  static Box between(double left, double top, double right, double bottom) {
    return {left, top, right - left, bottom - top};
  }
  double right() const { return left + width; }
  double bottom() const { return top + height; }
  bool isEmpty() const { return width <= 0 || height <= 0; }
  /// The part that lies in `other` too; empty when none does.
  Box cut(const Box& other) const {
    return between(std::max(left, other.left), std::max(top, other.top),
                   std::min(right(), other.right()), std::min(bottom(), other.bottom()));
  }
  /// True if all of `other` lies in it.
  bool holds(const Box& other) const {
    return other.left >= left && other.right() <= right() && other.top >= top &&
           other.bottom() <= bottom();
  }
  /// True if any of `others` has some area in common with it.
  bool meetsAny(std::span<const Box> others) const {
    return std::ranges::any_of(others, [&](const Box& other) { return !cut(other).isEmpty(); });
  }
  friend bool operator==(const Box&, const Box&) = default;
};

/// `dashes`: lengths of strokes and gaps in turn, "6 3", as SVG writes them; empty: none. The text
/// lives as long as the program.
struct Stroke {
  Ink ink = Ink::text;
  double width = 1;
  std::string_view dashes{};
};
inline constexpr std::string_view kDashed = "6 3";
inline constexpr std::string_view kDotted = "1 2";
inline constexpr std::string_view kDashDotted = "6 2 1 2";

struct Fill {
  Ink ink = Ink::text;
  double opacity = 1;
  bool leansBack = false;  ///< Of a hatch: so that two kinds differ without their colour.
};

/// Fill and outline of a shape, if it has them.
struct Look {
  std::optional<Fill> fill{};
  std::optional<Stroke> edge{};
};

/// Facts about a shape beyond its looks, for files; a screen ignores them.
struct Hint {
  std::string id{};
  std::string tooltip{};
};

enum class Anchor { start, middle, end };

struct Lettering {
  Ink ink = Ink::text;
  Anchor anchor = Anchor::start;
  bool bold = false;
  bool upwards = false;  ///< Turned left, so that it runs up.
  bool halo = false;     ///< Can be read over lines and blocks.
};

/// Says how large text is. A file's ruler estimates, so that its bytes depend on no font.
class Ruler {
 public:
  virtual ~Ruler() = default;
  virtual double width(std::string_view text, bool bold = false) const = 0;
  virtual double height() const = 0;  ///< Of a line.
  virtual double ascent() const = 0;  ///< Of the baseline from the line's top.
};

/// A surface that pictures are drawn on. Nothing is clipped: who draws keeps inside.
class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual const Ruler& ruler() const = 0;
  /// True if hints are of any use: where they are not, nobody needs to make them.
  virtual bool keepsHints() const { return false; }
  /// Text is `units` high from now on, and measured so.
  virtual void setLetters(double units) = 0;

  virtual void rectangle(const Box& box, const Look& look, const Hint& hint = {}) = 0;
  virtual void line(Point from, Point to, const Stroke& stroke) = 0;
  /// `at` is on the baseline.
  virtual void text(Point at, std::string_view text, const Lettering& lettering = {}) = 0;
  /// A line through `points`; closed when it is filled.
  virtual void path(std::span<const Point> points, const Look& look) = 0;
  /// Fills the area between a line of stairs, each point above or beside the one before, and
  /// `floor`.
  virtual void stairs(std::span<const Point> points, double floor, Fill fill) = 0;
  /// Oblique lines.
  virtual void hatch(const Box& box, Fill fill) = 0;
};

/// `text`, or as much of it as fits `width`, with an ellipsis at its end or in its middle.
std::string elided(const Ruler& ruler, std::string_view text, double width, bool middle = false,
                   bool bold = false);

/// The end of a name, which tells it from others, behind an ellipsis where all of it does not fit:
/// "…b1x1.relu". It begins after a dot or a slash if that leaves at least half of the letters that
/// fit, else with a letter; empty where not even three letters do.
std::string nameEnd(const Ruler& ruler, std::string_view name, double width);

/// `text` in lines no wider than `width`: broken between words, and inside those that are too long.
std::vector<std::string> brokenLines(const Ruler& ruler, std::string_view text, double width);

}  // namespace hw
