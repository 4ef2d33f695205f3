#pragma once

#include <string_view>

namespace hw {

// How files of text begin.

/// `bytes` without the mark that some editors put in front of UTF-8.
constexpr std::string_view withoutByteOrderMark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : bytes;
}

/// Whether the first thing in `text` that is not blank begins an object of JSON.
constexpr bool opensObject(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace hw
