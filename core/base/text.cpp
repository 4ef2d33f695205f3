#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace hw {
namespace {

/// So many significant digits, without the exponent that "%g" would turn to.
std::string withDigits(double value, UnitDigits digits) {
  int behind = digits.count - 1;
  for (double limit = 10; behind > 0; limit *= 10, --behind) {
    if (value < limit - (digits.down ? 0 : 0.5 * std::pow(10.0, -behind))) break;
  }
  const double grain = std::pow(10.0, behind);
  return fmt::format("{:.{}f}", digits.down ? std::floor(value * grain) / grain : value, behind);
}

/// In the largest of `units` of which there is one, each `thousand` times the one before.
std::string inUnits(std::int64_t count, double thousand, std::span<const std::string_view> units,
                    UnitDigits digits) {
  auto value = static_cast<double>(count);
  std::size_t unit = 0;
  const double next = thousand - (digits.down ? 0 : 0.5);
  for (; std::abs(value) >= next && unit + 1 < units.size(); ++unit) value /= thousand;
  return unit == 0 ? fmt::format("{} {}", count, units[0])
                   : fmt::format("{} {}", withDigits(value, digits), units[unit]);
}

struct SizeUnit {
  std::string_view name;
  double factor;
};

constexpr std::array kSizeUnits = {
    SizeUnit{"", 1},
    SizeUnit{"B", 1},
    SizeUnit{"KiB", 1024.0},
    SizeUnit{"MiB", 1024.0 * 1024},
    SizeUnit{"GiB", 1024.0 * 1024 * 1024},
    SizeUnit{"TiB", 1024.0 * 1024 * 1024 * 1024},
    SizeUnit{"kB", 1e3},
    SizeUnit{"KB", 1e3},
    SizeUnit{"MB", 1e6},
    SizeUnit{"GB", 1e9},
    SizeUnit{"TB", 1e12},
};

/// Of one valid UTF-8 sequence.
unsigned codePoint(std::string_view sequence) {
  unsigned code = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() > 1) code &= 0x7FU >> sequence.size();
  for (const char byte : sequence.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return code;
}

/// True if that sequence is a mark that changes the direction of the text around it, or ends a
/// line: what stands there is not what is shown.
bool reorders(std::string_view sequence) {
  if (sequence.size() < 2) return false;
  const unsigned code = codePoint(sequence);
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

/// Length of the valid UTF-8 sequence at the start of `text`, 0 when it is not one.
std::size_t utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80         ? 1
                             : lead >> 5 == 0x6  ? 2
                             : lead >> 4 == 0xE  ? 3
                             : lead >> 3 == 0x1E ? 4
                                                 : 0;
  if (length == 0 || length > text.size()) return 0;
  unsigned code = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  // The least code that needs so many bytes: longer spellings of a code are not UTF-8.
  constexpr std::array<unsigned, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[length] || surrogate || code > 0x10FFFF ? 0 : length;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

}  // namespace

std::string formatBytes(Bytes bytes) { return formatBytes(bytes, {}); }

std::string formatBytes(Bytes bytes, UnitDigits digits) {
  constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  return inUnits(bytes.count(), 1024, kNames, digits);
}

std::string sizeWord(Bytes bytes) {
  constexpr std::pair<std::int64_t, std::string_view> kUnits[] = {{std::int64_t{1} << 30, "GiB"},
                                                                  {std::int64_t{1} << 20, "MiB"},
                                                                  {std::int64_t{1} << 10, "KiB"}};
  const std::int64_t count = bytes.count();
  for (const auto& [unit, name] : kUnits) {
    if (count != 0 && count % unit == 0) return fmt::format("{}{}", count / unit, name);
  }
  return std::to_string(count);
}

std::string shellWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string shellWords(const std::vector<std::string>& words) {
  return joinText(words, " ", shellWord);
}

std::string groupDigits(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string formatTime(SimTime time) { return formatTime(time, {}); }

std::string formatTime(SimTime time, UnitDigits digits) {
  return inUnits(time.count(), 1000, kTimeUnits, digits);
}

std::string formatRate(double perSecond, std::string_view what) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  for (; perSecond >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix) perSecond /= 1000;
  return fmt::format("{} {}{}/s", withDigits(perSecond, {}), kPrefixes[prefix], what);
}

std::string formatPercent(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  const std::string text = fmt::format("{:+.1f} %", ratio * 100);
  return text == "-0.0 %" ? "+0.0 %" : text;
}

Result<Bytes> parseSize(std::string_view text) {
  const std::string_view whole = trimText(text);
  const auto refuse = [&] {
    return fail(ErrorCode::invalidArgument,
                fmt::format("'{}' is not a size; expected a number and B, KiB, MiB, GiB, kB, MB or "
                            "GB, such as 512KiB",
                            printable(whole)));
  };
  const std::size_t digits = std::min(whole.find_first_not_of("0123456789."), whole.size());
  const std::string_view name = trimText(whole.substr(digits));
  const auto unit = std::ranges::find(kSizeUnits, name, &SizeUnit::name);
  if (unit == kSizeUnits.end()) return refuse();
  const std::string_view figure = whole.substr(0, digits);
  // Whole numbers do not pass through floating point, which is exact up to 2^53 only.
  if (const auto exact = parseInteger(figure)) {
    const auto bytes = checkedMul(*exact, static_cast<std::int64_t>(unit->factor));
    if (!bytes || Bytes(*bytes) > kMaxBytes) return refuse();
    return Bytes(*bytes);
  }
  const auto value = parseNumber(figure);
  if (!value) return refuse();
  const double bytes = *value * unit->factor;
  if (bytes < 0 || bytes > kMaxBytes.real()) return refuse();
  return Bytes(std::llround(bytes));
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<double> parseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string_view> splitText(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trimText(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string printable(std::string_view name, std::size_t limit) {
  std::string safe;
  while (!name.empty()) {
    const std::size_t length = utf8Length(name);
    const auto lead = static_cast<unsigned char>(name[0]);
    const bool control =
        lead < 0x20 || lead == 0x7F ||
        (length == 2 && lead == 0xC2 && static_cast<unsigned char>(name[1]) < 0xA0);
    const bool byByte = length == 0 || control;
    std::string piece(name.substr(0, byByte ? 1 : length));
    if (byByte) {
      piece = fmt::format("\\x{:02x}", lead);
    } else if (reorders(piece)) {
      piece = fmt::format("\\u{:04x}", codePoint(piece));
    }
    if (safe.size() + piece.size() > limit) return safe + "...";
    safe += piece;
    name.remove_prefix(byByte ? 1 : length);
  }
  return safe;
}

std::optional<std::string> closestWord(std::string_view word,
                                       const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t bestDistance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace hw
