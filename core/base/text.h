#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/result.h"

namespace hw {

/// "1.50 MiB", "144 KiB", "40 B": three significant digits, binary units. For people; files and
/// tables of figures give exact bytes.
std::string formatBytes(Bytes bytes);

/// "4KiB", "1536": exact, as `parseSize` reads it.
std::string sizeWord(Bytes bytes);

/// "1,234,567".
std::string groupDigits(std::int64_t number);
std::string groupDigits(std::integral auto number) {
  return groupDigits(static_cast<std::int64_t>(number));
}

/// "12.3 µs", "4.56 ms": three significant digits.
std::string formatTime(SimTime time);

/// "+4.3 %" for 0.043.
std::string formatPercent(double ratio);

/// Reads `4096`, `512KiB`, `1.5MiB`, `2GB` (KiB = 1024, kB = 1000). Fractions of a byte, negative
/// sizes and anything above kMaxBytes are refused.
Result<Bytes> parseSize(std::string_view text);

/// Reads a whole decimal integer, nothing before or after it.
std::optional<std::int64_t> parseInteger(std::string_view text);

/// Reads a finite decimal number, nothing before or after it; independent of the locale.
std::optional<double> parseNumber(std::string_view text);

/// The parts between `separator`; an empty text has one empty part.
std::vector<std::string_view> splitText(std::string_view text, char separator);

std::string_view trimText(std::string_view text);

/// As one word of a shell: in quotes when it holds anything but plain characters.
std::string shellWord(std::string_view word);
/// All of them, between blanks.
std::string shellWords(const std::vector<std::string>& words);

/// The texts that `of` makes of items, with `separator` between them.
template <class Items, class Of>
std::string joinText(const Items& items, std::string_view separator, const Of& of) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += separator;
    text += of(item);
  }
  return text;
}

/// A name from a file made safe to print: control characters and invalid UTF-8 become escapes
/// (\x1b), at most `limit` bytes are kept.
std::string printable(std::string_view name, std::size_t limit = 200);

/// The candidate with the least edit distance to `word`, if it is close: for "did you mean".
std::optional<std::string> closestWord(std::string_view word,
                                       const std::vector<std::string>& candidates);

// The beginnings of files of text.

/// `bytes` without the mark that some editors put in front of UTF-8.
constexpr std::string_view withoutByteOrderMark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : bytes;
}

/// True if the first thing in `text` that is not blank begins an object of JSON.
constexpr bool opensObject(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

/// The number of digits of a figure, and whether it is rounded down or to the nearest.
struct UnitDigits {
  int count = 3;
  bool down = false;
};

/// "1.50 GB/s" of `what` "B": three digits, in the largest unit of which there is one.
std::string formatRate(double perSecond, std::string_view what);

/// Units of time as texts name them, each a thousand of the one before.
inline constexpr std::array<std::string_view, 5> kTimeUnits = {"ps", "ns", "\u00b5s", "ms", "s"};

/// The same as without `digits`, which shows three, rounded to the nearest. Less than the second
/// unit is shown as it is.
std::string formatBytes(Bytes bytes, UnitDigits digits);
std::string formatTime(SimTime time, UnitDigits digits);

}  // namespace hw
