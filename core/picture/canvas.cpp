#include "core/picture/canvas.h"

#include "core/base/text.h"

namespace hw {

namespace {

/// Offsets at which the characters of UTF-8 begin, and its end.
std::vector<std::size_t> characters(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

/// The most of `count` things for which `fits` holds; what holds for one holds for fewer.
template <class Fits>
std::size_t most(std::size_t count, Fits&& fits) {
  std::size_t low = 0;
  while (low < count) {
    const std::size_t middle = (low + count + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      count = middle - 1;
    }
  }
  return low;
}

}  // namespace

std::string elided(const Ruler& ruler, std::string_view text, double width, bool middle,
                   bool bold) {
  if (ruler.width(text, bold) <= width) return std::string(text);
  const std::vector<std::size_t> at = characters(text);
  const std::size_t all = at.size() - 1;
  const auto kept = [&](std::size_t count) {
    const std::size_t behind = middle ? count / 2 : 0;
    return std::string(text.substr(0, at[count - behind])) + "…" +
           std::string(text.substr(at[all - behind]));
  };
  return kept(
      most(all, [&](std::size_t count) { return ruler.width(kept(count), bold) <= width; }));
}

std::string nameEnd(const Ruler& ruler, std::string_view name, double width) {
  if (ruler.width(name) <= width) return std::string(name);
  constexpr std::size_t kLeastLetters = 3;
  const auto shown = [&](std::size_t from) { return "…" + std::string(name.substr(from)); };
  const auto fits = [&](std::size_t from) { return ruler.width(shown(from)) <= width; };
  const std::vector<std::size_t> at = characters(name);
  const std::size_t all = at.size() - 1;
  const std::size_t letters = most(all, [&](std::size_t count) { return fits(at[all - count]); });
  if (letters < kLeastLetters) return {};
  // A dot or slash is where to cut, unless most of the room would stay empty.
  const std::size_t from = at[all - letters];
  const std::size_t dot = name.find_first_of("./", from - 1);
  const std::size_t least = std::max(kLeastLetters, (letters + 1) / 2);
  return shown(dot < at[all - least] ? dot + 1 : from);
}

std::vector<std::string> brokenLines(const Ruler& ruler, std::string_view text, double width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::string_view word : splitText(text, ' ')) {
    if (word.empty()) continue;
    const std::string longer = line.empty() ? std::string(word) : line + ' ' + std::string(word);
    if (ruler.width(longer) <= width) {
      line = longer;
      continue;
    }
    if (!line.empty()) lines.push_back(line);
    while (ruler.width(word) > width) {
      const std::vector<std::size_t> at = characters(word);
      const std::size_t fitting = std::max<std::size_t>(
          1, most(at.size() - 1,
                  [&](std::size_t n) { return ruler.width(word.substr(0, at[n])) <= width; }));
      if (fitting + 1 == at.size()) break;
      lines.emplace_back(word.substr(0, at[fitting]));
      word = word.substr(at[fitting]);
    }
    line = word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace hw
