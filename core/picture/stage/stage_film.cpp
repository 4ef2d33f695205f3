#include "core/picture/stage/stage_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/picture/svg_canvas.h"

namespace hw {
namespace {

constexpr double kLeastHeight = 300;
constexpr double kMostHeight = 620;

std::string titleOf(const Stage& stage) { return "How " + stage.record().name + " plans"; }

std::string drawn(const Stage& stage, const MethodPlayer& player, const StagePicture& picture) {
  double height = picture.height;
  if (height == 0) {
    const SvgCanvas ruler(1, 1, "", picture.letters, nullptr);
    height = std::clamp(std::ceil(stage.wantedHeight(ruler.ruler(), picture.width)), kLeastHeight,
                        kMostHeight);
  }
  SvgCanvas canvas(picture.width, height, titleOf(stage), picture.letters, picture.palette);
  drawStage(canvas, stage.items(canvas.ruler(), player, {0, 0, picture.width, height}));
  return canvas.finish();
}

/// A line of SVG, and the ticks in which it is seen.
struct Piece {
  std::string markup{};
  std::vector<std::uint32_t> ticks{};
};

/// Pieces of all ticks in one order in which each tick's own come as they were drawn.
class Film {
 public:
  /// `lines` of tick `tick`, of which there is none later yet.
  void add(std::uint32_t tick, std::vector<std::string_view> lines) {
    std::vector<std::size_t> next;  // The new order, by index into `pieces_`.
    std::size_t cursor = 0;
    for (const std::string_view line : lines) {
      const auto found =
          std::find_if(order_.begin() + static_cast<std::ptrdiff_t>(cursor), order_.end(),
                       [&](std::size_t piece) { return pieces_[piece].markup == line; });
      if (found != order_.end()) {
        const auto at = static_cast<std::size_t>(found - order_.begin());
        next.insert(next.end(), order_.begin() + static_cast<std::ptrdiff_t>(cursor), found + 1);
        cursor = at + 1;
        pieces_[*found].ticks.push_back(tick);
        continue;
      }
      pieces_.push_back({std::string(line), {tick}});
      next.push_back(pieces_.size() - 1);
    }
    next.insert(next.end(), order_.begin() + static_cast<std::ptrdiff_t>(cursor), order_.end());
    order_ = std::move(next);
  }

  std::string markup(std::uint32_t ticks) const {
    std::string text;
    for (std::size_t i = 0; i < order_.size();) {
      const Piece& first = pieces_[order_[i]];
      std::string group;
      for (; i < order_.size() && pieces_[order_[i]].ticks == first.ticks; ++i) {
        group += pieces_[order_[i]].markup + "\n";
      }
      text += first.ticks.size() == ticks ? group : played(first.ticks, ticks, group);
    }
    return text;
  }

 private:
  static std::string played(const std::vector<std::uint32_t>& seen, std::uint32_t ticks,
                            const std::string& group) {
    std::string values = seen.front() == 0 ? "visible" : "hidden";
    std::string times = "0";
    const auto turn = [&](std::uint32_t tick, bool visible) {
      if (tick == 0 || tick >= ticks) return;
      values += visible ? ";visible" : ";hidden";
      times += fmt::format(";{:.6g}", static_cast<double>(tick) / ticks);
    };
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i == 0 || seen[i - 1] + 1 != seen[i]) turn(seen[i], true);
      if (i + 1 == seen.size() || seen[i] + 1 != seen[i + 1]) turn(seen[i] + 1, false);
    }
    return fmt::format(
        "<g{}><animate attributeName=\"visibility\" calcMode=\"discrete\" values=\"{}\" "
        "keyTimes=\"{}\" dur=\"{}s\" repeatCount=\"indefinite\"/>\n{}</g>\n",
        seen.back() + 1 == ticks ? "" : " visibility=\"hidden\"", values, times,
        svgNumber(ticks * kFilmTickSeconds), group);
  }

  std::vector<Piece> pieces_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::string stageSvg(const Stage& stage, std::size_t ticks, const StagePicture& picture) {
  MethodPlayer player(stage.record());
  player.seek(ticks);
  std::string svg = drawn(stage, player, picture);
  if (!picture.palette) svg.insert(svg.find('\n') + 1, "<style>" + inkStyles() + "</style>\n");
  return svg;
}

std::size_t filmTicks(const Stage& stage) {
  return std::min(stage.record().ticks.size(), kMostFilmTicks);
}

std::string stageFilm(const Stage& stage, const StagePicture& picture, bool standalone) {
  StagePicture colourless = picture;
  colourless.palette = nullptr;
  const auto ticks = static_cast<std::uint32_t>(filmTicks(stage) + 1);
  MethodPlayer player(stage.record());
  Film film;
  std::string head;
  std::map<std::string, bool, std::less<>> patterns;
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    player.seek(tick);
    const std::string svg = drawn(stage, player, colourless);
    std::vector<std::string_view> lines = splitText(svg, '\n');
    head = std::string(lines[0]);
    // The element, its title, the shapes, and what closes it.
    lines.erase(lines.begin(), lines.begin() + 2);
    while (!lines.empty() && (lines.back().empty() || lines.back() == "</svg>")) lines.pop_back();
    std::erase_if(lines, [&](std::string_view line) {
      if (!line.starts_with("<pattern")) return false;
      patterns.emplace(line, true);
      return true;
    });
    film.add(tick, std::move(lines));
  }
  std::string text = head + "\n<title>" + escapeMarkup(titleOf(stage)) + "</title>\n";
  if (standalone) text += "<style>" + inkStyles() + "</style>\n";
  for (const auto& [pattern, seen] : patterns) text += pattern + "\n";
  return text + film.markup(ticks) + "</svg>\n";
}

}  // namespace hw
