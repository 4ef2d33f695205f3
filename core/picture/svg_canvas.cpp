#include "core/picture/svg_canvas.h"

#include <fmt/format.h>

namespace hw {

std::string escapeMarkup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string svgNumber(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string inkVariable(Ink ink) { return fmt::format("var(--k{})", static_cast<int>(ink)); }

std::string inkStyles() {
  const auto variables = [](const Palette& palette) {
    std::string text = ":root{";
    for (std::size_t ink = 0; ink < kInks; ++ink) {
      text += fmt::format("{}--k{}:#{:06x};", ink % 8 == 0 ? "\n" : "", ink,
                          palette[static_cast<Ink>(ink)]);
    }
    return text + "}";
  };
  return fmt::format("{}\n@media(prefers-color-scheme:dark){{{}}}\n", variables(Palette::light()),
                     variables(Palette::dark()));
}

double SvgCanvas::FixedRuler::width(std::string_view text, bool bold) const {
  const auto count = std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return static_cast<double>(count) * letters_ * (bold ? 0.68 : 0.62);
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view title, double letters,
                     const Palette* palette)
    : ruler_(letters), letters_(letters), palette_(palette) {
  // In a page a picture is as wide as there is room.
  const std::string size =
      palette ? fmt::format(R"(width="{}" height="{}" )", svgNumber(width), svgNumber(height))
              : std::string();
  text_ = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" {}viewBox="0 0 {} {}" role="img" )"
      R"(xml:space="preserve" font-family="DejaVu Sans,Helvetica,sans-serif" font-size="{}">)"
      "\n<title>{}</title>\n",
      size, svgNumber(width), svgNumber(height), svgNumber(letters), escapeMarkup(title));
}

std::string SvgCanvas::color(Ink ink) const {
  return palette_ ? fmt::format("#{:06x}", (*palette_)[ink]) : inkVariable(ink);
}

std::string SvgCanvas::attributes(const Look& look) const {
  std::string text = R"(fill="none")";
  if (look.fill) {
    text = fmt::format(R"(fill="{}")", color(look.fill->ink));
    if (look.fill->opacity < 1)
      text += fmt::format(R"( fill-opacity="{}")", svgNumber(look.fill->opacity));
  }
  if (!look.edge) return text;
  text += fmt::format(R"( stroke="{}" stroke-width="{}")", color(look.edge->ink),
                      svgNumber(look.edge->width));
  if (!look.edge->dashes.empty())
    text += fmt::format(R"( stroke-dasharray="{}")", look.edge->dashes);
  return text;
}

void SvgCanvas::rectangle(const Box& box, const Look& look, const Hint& hint) {
  text_ += fmt::format(R"(<rect {}{}{}x="{}" y="{}" width="{}" height="{}" {})",
                       hint.id.empty() ? "" : "id=\"", hint.id, hint.id.empty() ? "" : "\" ",
                       svgNumber(box.left), svgNumber(box.top), svgNumber(box.width),
                       svgNumber(box.height), attributes(look));
  text_ +=
      hint.tooltip.empty() ? "/>\n" : "><title>" + escapeMarkup(hint.tooltip) + "</title></rect>\n";
}

void SvgCanvas::line(Point from, Point to, const Stroke& stroke) {
  text_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", svgNumber(from.x),
                       svgNumber(from.y), svgNumber(to.x), svgNumber(to.y),
                       attributes({.edge = stroke}));
}

void SvgCanvas::text(Point at, std::string_view text, const Lettering& lettering) {
  static constexpr std::string_view kAnchors[] = {"", R"( text-anchor="middle")",
                                                  R"( text-anchor="end")"};
  const std::string x = svgNumber(at.x);
  const std::string y = svgNumber(at.y);
  text_ += fmt::format(R"(<text x="{}" y="{}" fill="{}"{}{})", x, y, color(lettering.ink),
                       kAnchors[static_cast<std::size_t>(lettering.anchor)],
                       lettering.bold ? R"( font-weight="bold")" : "");
  if (ruler_.letters() != letters_) {
    text_ += fmt::format(R"( font-size="{}")", svgNumber(ruler_.letters()));
  }
  if (lettering.upwards) text_ += fmt::format(R"svg( transform="rotate(-90 {} {})")svg", x, y);
  if (lettering.halo) {
    text_ += fmt::format(R"( paint-order="stroke" stroke="{}" stroke-width="3" )"
                         R"(stroke-linejoin="round")",
                         color(Ink::plot));
  }
  text_ += " pointer-events=\"none\">" + escapeMarkup(text) + "</text>\n";
}

void SvgCanvas::path(std::span<const Point> points, const Look& look) {
  std::string data;
  for (const Point& point : points) {
    data += data.empty() ? 'M' : 'L';
    data += svgNumber(point.x) + ' ' + svgNumber(point.y);
  }
  text_ += fmt::format("<path d=\"{}{}\" {}/>\n", data, look.fill ? "Z" : "", attributes(look));
}

void SvgCanvas::stairs(std::span<const Point> points, double floor, Fill fill) {
  if (points.empty()) return;
  std::vector<Point> outline{{points.front().x, floor}};
  outline.insert(outline.end(), points.begin(), points.end());
  outline.push_back({points.back().x, floor});
  path(outline, {.fill = fill});
}

void SvgCanvas::hatch(const Box& box, Fill fill) {
  const std::string name = fmt::format("hatch{}-{:.0f}{}", static_cast<int>(fill.ink),
                                       100 * fill.opacity, fill.leansBack ? "-back" : "");
  if (hatches_.insert(name).second) {
    text_ += fmt::format(
        R"svg(<pattern id="{}" width="7" height="7" patternUnits="userSpaceOnUse">)svg"
        "<path d=\"{}\" stroke=\"{}\" stroke-opacity=\"{}\"/></pattern>\n",
        name, fill.leansBack ? "M0 0L7 7" : "M0 7L7 0", color(fill.ink), svgNumber(fill.opacity));
  }
  text_ += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
      "fill=\"url(#{})\" pointer-events=\"none\"/>\n",
      svgNumber(box.left), svgNumber(box.top), svgNumber(box.width), svgNumber(box.height), name);
}

std::string SvgCanvas::finish() { return std::move(text_) + "</svg>\n"; }

}  // namespace hw
