#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"

namespace hw {

/// Writes SVG text: numbers with at most two decimals, names escaped. Equal calls give equal bytes:
/// nothing is measured, nothing is dated. Colours are CSS classes or values of the caller's.
class SvgWriter {
 public:
  /// A picture of `width` by `height` user units, with its title for screen readers.
  SvgWriter(double width, double height, std::string_view title);

  /// `more`: further attributes, ready to write.
  void rectangle(double x, double y, double width, double height, std::string_view more,
                 std::string_view tooltip = {});
  void line(double x1, double y1, double x2, double y2, std::string_view more);
  void text(double x, double y, std::string_view text, std::string_view more);
  /// `points`: x and y in turn.
  void path(const std::vector<double>& points, std::string_view more);
  /// A line of SVG as it is.
  void raw(std::string_view text);

  /// Closes the picture; call once, last.
  std::string finish();

 private:
  std::string text_{};
};

/// `text` for the inside of an element, or of an attribute in double quotes, of XML or HTML.
std::string escapeMarkup(std::string_view text);

/// "12.5", "3", "0": at most two decimals, none that say nothing.
std::string svgNumber(double value);

/// A mark on an axis.
struct PlotTick {
  double value = 0;
  std::string label{};
};

/// Marks at round numbers of steps, at most `count` of them (at least 2), from 0 to `end`.
std::vector<PlotTick> stepTicks(double end, int count);

/// Marks at round numbers of bytes in one unit, at most `count` of them, from 0 to `high`.
std::vector<PlotTick> byteTicks(double high, int count);

}  // namespace hw
