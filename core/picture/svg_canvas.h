#pragma once

#include <set>
#include <string>

#include "core/picture/canvas.h"

namespace hw {

/// Height of letters in the pictures of documents, units.
inline constexpr double kDocumentLetters = 12;

/// Writes SVG text: numbers with at most two decimals, names escaped. Equal calls give equal bytes:
/// nothing is measured, nothing is dated.
class SvgCanvas final : public Canvas {
 public:
  /// A picture of `width` by `height` units, with its title for screen readers and letters
  /// `letters` units high. Without a palette colours are those of `inkStyles`, for a page that has
  /// them.
  SvgCanvas(double width, double height, std::string_view title, double letters,
            const Palette* palette);

  const Ruler& ruler() const override { return ruler_; }
  bool keepsHints() const override { return true; }
  void setLetters(double units) override { ruler_ = FixedRuler(units); }
  void rectangle(const Box& box, const Look& look, const Hint& hint = {}) override;
  void line(Point from, Point to, const Stroke& stroke) override;
  void text(Point at, std::string_view text, const Lettering& lettering = {}) override;
  void path(std::span<const Point> points, const Look& look) override;
  void stairs(std::span<const Point> points, double floor, Fill fill) override;
  void hatch(const Box& box, Fill fill) override;

  /// Closes the picture; call once, last.
  std::string finish();

 private:
  /// Every letter as wide as most are at the widest.
  class FixedRuler final : public Ruler {
   public:
    explicit FixedRuler(double letters) : letters_(letters) {}
    double letters() const { return letters_; }
    double width(std::string_view text, bool bold = false) const override;
    double height() const override { return 1.25 * letters_; }
    double ascent() const override { return 0.95 * letters_; }

   private:
    double letters_;
  };

  std::string color(Ink ink) const;
  std::string attributes(const Look& look) const;

  FixedRuler ruler_;
  double letters_;  ///< Those of text that says nothing else.
  const Palette* palette_;
  std::set<std::string> hatches_{};  ///< Names of the patterns that are defined already.
  std::string text_{};
};

/// `scene` as a file of its own: drawn by `draw` on a window as large as `where`.
template <class Scene>
std::string svgOf(const Scene& scene, std::string_view title, const Box& where,
                  const Palette& palette, void (*draw)(Canvas&, const Scene&, const Box&)) {
  SvgCanvas canvas(where.width, where.height, title, kDocumentLetters, &palette);
  canvas.rectangle(where, {.fill = Fill{Ink::window}});
  draw(canvas, scene, where);
  return canvas.finish();
}

/// The inks as CSS variables: the light palette, and the dark one where the reader's system is.
std::string inkStyles();
/// "var(--k4)", for style sheets beside `inkStyles`.
std::string inkVariable(Ink ink);

/// `text` for the inside of an element, or of an attribute in double quotes, of XML or HTML.
std::string escapeMarkup(std::string_view text);

/// "12.5", "3", "0": at most two decimals, none that say nothing.
std::string svgNumber(double value);

}  // namespace hw
