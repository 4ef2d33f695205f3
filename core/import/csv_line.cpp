#include "core/import/csv_line.h"

#include <optional>

namespace hw {
namespace {

/// Takes one quoted field off the front of `rest`; nothing when its quote is never closed.
std::optional<std::string> takeQuoted(std::string_view& rest) {
  std::string field;
  for (rest.remove_prefix(1);;) {
    const auto quote = rest.find('"');
    if (quote == std::string_view::npos) return std::nullopt;
    field += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) return field;
    field += '"';
    rest.remove_prefix(1);
  }
}

}  // namespace

Result<std::vector<std::string>> splitCsvLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> fields;
  for (;;) {
    if (line.starts_with('"')) {
      auto field = takeQuoted(line);
      if (!field) return fail(ErrorCode::malformed, "a quote is not closed before the line ends");
      if (!line.empty() && line.front() != ',') {
        return fail(ErrorCode::malformed, "text follows a closing quote; expected a comma");
      }
      fields.push_back(std::move(*field));
    } else {
      fields.emplace_back(line.substr(0, line.find(',')));
      line.remove_prefix(fields.back().size());
    }
    if (line.empty()) return fields;
    line.remove_prefix(1);
  }
}

}  // namespace hw
