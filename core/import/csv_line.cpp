#include "core/import/csv_line.h"

namespace hw {

/// Takes one quoted field off the front of `rest`; false when its quote is never closed.
bool CsvSplitter::takeQuoted(std::string_view& rest) {
  std::string& field = unquoted_.emplace_back();
  for (rest.remove_prefix(1);;) {
    const auto quote = rest.find('"');
    if (quote == std::string_view::npos) return false;
    field += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    field += '"';
    rest.remove_prefix(1);
  }
  fields_.emplace_back(field);
  return true;
}

Result<void> CsvSplitter::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (;;) {
    if (line.starts_with('"')) {
      if (!takeQuoted(line)) {
        return fail(ErrorCode::malformed, "a quote is not closed before the line ends");
      }
      if (!line.empty() && line.front() != ',') {
        return fail(ErrorCode::malformed, "text follows a closing quote; expected a comma");
      }
    } else {
      fields_.push_back(line.substr(0, line.find(',')));
      line.remove_prefix(fields_.back().size());
    }
    if (line.empty()) return {};
    line.remove_prefix(1);
  }
}

}  // namespace hw
