#include "widgets/canvas/map_svg.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"
#include "core/report/run_report.h"
#include "core/report/svg_writer.h"
#include "widgets/canvas/reference_lines.h"

namespace hw {

namespace {

constexpr double kFontSize = 12;
/// Wide enough for most letters of a sans serif font; nothing is measured, see the header.
constexpr double kLetter = 0.62 * kFontSize;
constexpr double kLeft = 84;
constexpr double kRight = 16;
constexpr double kTop = 32;
constexpr double kBottom = 32;
constexpr double kFooterSize = 10;

std::string utf8(const QString& text) { return escapeMarkup(text.toStdString()); }

/// `text` in lines of about `width` units at the footer's size, broken between words.
std::vector<std::string> footerLines(const std::string& text, double width) {
  const auto most = static_cast<std::size_t>(std::max(20.0, width / (0.62 * kFooterSize)));
  std::vector<std::string> lines(1);
  for (const std::string_view word : splitText(text, ' ')) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string color(const QColor& value) { return value.name().toStdString(); }

class SvgMap {
 public:
  SvgMap(const MapScene& scene, const Theme& theme, const QSize& size, bool footer)
      : scene_(scene),
        theme_(theme),
        width_(size.width()),
        height_(size.height()),
        footer_(footer ? footerLines(provenanceText(*scene.run), width_ - kLeft - kRight)
                       : std::vector<std::string>()),
        x_{scene.window.beginStep, scene.window.endStep, kLeft,
           std::max(1.0, width_ - kLeft - kRight)},
        y_{scene.window.lowByte, scene.window.highByte, height_ - below(),
           -std::max(1.0, height_ - kTop - below())} {}

  std::string write() {
    head();
    grid();
    line("<g clip-path=\"url(#plot)\">");
    blocks();
    labels();
    ghosts();
    references();
    line("</g>");
    ticks();
    marks();
    playhead();
    footer();
    line("</svg>");
    return std::move(text_);
  }

 private:
  struct Box {
    double x, y, width, height;
  };

  void line(std::string_view text) {
    text_ += text;
    text_ += '\n';
  }

  double top() const { return kTop; }
  /// Units below the plot.
  double below() const { return kBottom + 1.3 * kFooterSize * static_cast<double>(footer_.size()); }
  double bottom() const { return y_.start; }
  double right() const { return kLeft + x_.width; }

  void head() {
    line(fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" )"
                     R"(viewBox="0 0 {0} {1}" font-family="DejaVu Sans,Helvetica,sans-serif" )"
                     R"(font-size="{2}">)",
                     svgNumber(width_), svgNumber(height_), svgNumber(kFontSize)));
    const std::string title = utf8(scene_.heading());
    line(fmt::format("<title>{}: {}</title>", escapeMarkup(scene_.run->model->name), title));
    styles();
    if (scene_.moved) hatch();
    line(fmt::format(R"(<clipPath id="plot"><rect x="{}" y="{}" width="{}" height="{}"/>)"
                     "</clipPath>",
                     svgNumber(kLeft), svgNumber(top()), svgNumber(x_.width),
                     svgNumber(bottom() - top())));
    line(fmt::format(R"(<rect width="100%" height="100%" fill="{}"/>)", color(theme_.plot)));
    write(kLeft, 20, "start", theme_.text, title, R"( font-weight="bold")");
  }

  void styles() {
    const MapColors colors = MapColors::of(theme_);
    line("<style>");
    for (std::size_t i = 0; i < colors.past.size(); ++i) {
      const auto rule = [&](char time, const BlockShade& shade) {
        line(fmt::format(".{}{}{{fill:{};stroke:{}}}", time, i, color(QColor(shade.fill)),
                         color(QColor(shade.edge))));
      };
      rule('p', colors.past[i]);
      rule('f', colors.future[i]);
      rule('l', colors.live[i]);
      if (scene_.filter) rule('q', colors.pale[i]);
    }
    line(".f0,.f1,.f2,.f3,.f4{stroke-dasharray:1 1}");
    line(fmt::format(".s{{stroke:{};stroke-width:3}}", color(theme_.selection)));
    line("</style>");
  }

  void hatch() {
    line(R"(<pattern id="moved" width="7" height="7" patternUnits="userSpaceOnUse">)");
    line(fmt::format(R"(<path d="M0 7L7 0" stroke="{}" stroke-opacity="0.5"/></pattern>)",
                     color(theme_.text)));
  }

  void write(double x, double y, std::string_view anchor, const QColor& fill, std::string_view text,
             std::string_view more = {}) {
    line(fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" fill="{}"{}>{}</text>)", svgNumber(x),
                     svgNumber(y), anchor, color(fill), more, text));
  }

  void stroke(double x1, double y1, double x2, double y2, const LineStyle& style) {
    std::string_view dashes;
    if (style.dashes == Qt::DashLine) dashes = R"( stroke-dasharray="6 3")";
    if (style.dashes == Qt::DotLine) dashes = R"( stroke-dasharray="1 2")";
    if (style.dashes == Qt::DashDotLine) dashes = R"( stroke-dasharray="6 2 1 2")";
    line(fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}"{}/>)",
                     svgNumber(x1), svgNumber(y1), svgNumber(x2), svgNumber(y2), color(style.color),
                     svgNumber(style.width), dashes));
  }

  std::vector<AxisTick> stepTicks() const { return x_.ticks(7 * kLetter); }
  std::vector<AxisTick> byteTicks() const { return y_.ticks(2.5 * kFontSize); }

  void grid() {
    for (const AxisTick& tick : stepTicks()) {
      stroke(x_.toX(tick.value), top(), x_.toX(tick.value), bottom(), {theme_.grid});
    }
    for (const AxisTick& tick : byteTicks()) {
      const double y = y_.toPixel(tick.value);
      stroke(kLeft, y, right(), y, {theme_.grid});
    }
  }

  Box boxOf(const Block& block) const {
    const double left = x_.toX(static_cast<double>(block.steps.begin.count()));
    const double end = x_.toX(static_cast<double>(block.steps.end.count()));
    const double high = y_.toPixel(static_cast<double>(block.bytes.end.count()));
    const double low = y_.toPixel(static_cast<double>(block.bytes.begin.count()));
    return {left, high, end - left, low - high};
  }

  char timeOf(const Block& block) const {
    if (scene_.isPale(block.stay)) return 'q';
    if (!scene_.started) return 'p';
    if (block.steps.contains(scene_.step)) return 'l';
    return block.steps.begin > scene_.step ? 'f' : 'p';
  }

  void blocks() {
    scene_.blocks->visit(scene_.window, [&](std::size_t index) {
      const Block block = scene_.blocks->block(index);
      const Box box = boxOf(block);
      const auto parts = scene_.blocks->blocksOf(block.stay);
      const auto part = std::ranges::find(parts, index) - parts.begin();
      std::string id = fmt::format("stay-{}", block.stay.index());
      if (part > 0) id += fmt::format("-{}", part);
      line(fmt::format(R"(<rect id="{}" class="{}{}{}" x="{}" y="{}" width="{}" height="{}">)"
                       "<title>{}</title></rect>",
                       id, timeOf(block), static_cast<int>(block.kind),
                       scene_.isSelected(block.stay) ? " s" : "", svgNumber(box.x),
                       svgNumber(box.y), svgNumber(box.width), svgNumber(box.height),
                       tooltip(block)));
      if (!scene_.moved || !scene_.moved->contains(index)) return;
      line(fmt::format(R"svg(<rect fill="url(#moved)" pointer-events="none" x="{}" y="{}" )svg"
                       R"(width="{}" height="{}"/>)",
                       svgNumber(box.x), svgNumber(box.y), svgNumber(box.width),
                       svgNumber(box.height)));
    });
  }

  std::string tooltip(const Block& block) const {
    return escapeMarkup(fmt::format(
        "{}: {} B at {:#x}, steps {} to {}", printable(scene_.run->stayName(block.stay)),
        groupDigits(block.bytes.length().count()), block.bytes.begin.count(),
        block.steps.begin.count(), block.steps.end.count() - 1));
  }

  /// After all blocks, so that none covers a name.
  void labels() {
    scene_.blocks->visit(scene_.window, [&](std::size_t index) {
      const Block block = scene_.blocks->block(index);
      const Box box = boxOf(block);
      const std::string name = printable(scene_.run->stayName(block.stay), 80);
      if (box.height < kFontSize * 1.2 || scene_.isPale(block.stay)) return;
      const double wanted = static_cast<double>(name.size()) * kLetter + 8;
      if (box.x < kLeft || box.width < wanted) return;
      const bool live = timeOf(block) == 'l';
      const QColor fill = live ? readableOn(theme_.classColor(block.kind)) : QColor(theme_.text);
      write(box.x + 4, box.y + box.height / 2 + kFontSize * 0.35, "start", fill,
            escapeMarkup(name));
    });
  }

  void references() {
    const std::vector<ReferenceLine> marks = referenceLines(*scene_.run, scene_.pool);
    for (const ReferenceLine& mark : marks) {
      const double y = y_.toPixel(static_cast<double>(mark.bytes.count()));
      if (y < top() || y > bottom()) continue;
      stroke(kLeft, y, right(), y, lineStyle(mark.kind, theme_));
    }
    const std::string halo =
        fmt::format(R"( paint-order="stroke" stroke="{}" stroke-width="3" stroke-linejoin="round")",
                    color(theme_.plot));
    double left = kLeft + 6;
    for (const ReferenceLine& mark : marks) {
      const double y = y_.toPixel(static_cast<double>(mark.bytes.count()));
      if (y < top() || y > bottom()) continue;
      const LineStyle style = lineStyle(mark.kind, theme_);
      const bool atRight = mark.kind == ReferenceLine::Kind::capacity;
      write(atRight ? right() - 6 : left, y - 4, atRight ? "end" : "start", style.color,
            utf8(mark.label), halo);
      if (!atRight) left += static_cast<double>(mark.label.size()) * kLetter + 18;
    }
  }

  void ticks() {
    for (const AxisTick& tick : stepTicks()) {
      write(x_.toX(tick.value), bottom() + 16, "middle", theme_.axis, utf8(tick.label));
    }
    for (const AxisTick& tick : byteTicks()) {
      write(kLeft - 6, y_.toPixel(tick.value) + 4, "end", theme_.axis, utf8(tick.label));
    }
    write(kLeft - 14, bottom() + 16, "end", theme_.mutedText, "step");
  }

  void ghosts() {
    for (const Ghost& ghost : scene_.ghosts) {
      if (ghost.pool != scene_.pool) continue;
      const Box box = boxOf({.steps = ghost.steps, .bytes = ghost.bytes});
      line(fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{}" )"
                       R"(stroke-dasharray="6 3"/>)",
                       svgNumber(box.x), svgNumber(box.y), svgNumber(box.width),
                       svgNumber(box.height), color(theme_.selection)));
    }
  }

  void marks() {
    for (const double step : scene_.marks) {
      const double x = x_.toX(step);
      if (x < kLeft || x > right()) continue;
      stroke(x, top(), x, bottom(), {theme_.mark, 1, Qt::DashDotLine});
    }
  }

  void playhead() {
    const double x = x_.toX(scene_.playhead);
    if (!scene_.started || x < kLeft || x > right()) return;
    stroke(x, top(), x, bottom(), {theme_.playhead, 1, Qt::SolidLine});
  }

  void footer() {
    double y = height_ - 8;
    for (auto text = footer_.rbegin(); text != footer_.rend(); ++text, y -= 1.3 * kFooterSize) {
      write(kLeft, y, "start", theme_.mutedText, escapeMarkup(*text), R"( font-size="10")");
    }
  }

  const MapScene& scene_;
  const Theme& theme_;
  double width_;
  double height_;
  std::vector<std::string> footer_;
  StepAxis x_;
  ByteAxis y_;
  std::string text_;
};

}  // namespace

std::string mapSvg(const MapScene& scene, const Theme& theme, const QSize& size, bool footer) {
  return SvgMap(scene, theme, size, footer).write();
}

}  // namespace hw
