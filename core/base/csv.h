#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hw {

/// `text` as one CSV field: in quotes if it needs them (RFC 4180).
std::string csvField(std::string_view text);

/// One line of CSV, its fields unquoted.
struct CsvLine {
  std::size_t number = 0;  ///< Of its first line in the text, from 1.
  std::vector<std::string> fields{};
};

/// The lines of a CSV text, empty ones left out. Quoted fields may hold commas, quotes (doubled)
/// and newlines. An unclosed quote runs to the end of the text.
std::vector<CsvLine> csvLines(std::string_view text);

}  // namespace hw
