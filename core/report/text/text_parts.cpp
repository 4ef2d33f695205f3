#include "core/report/text/text_parts.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace hw {

std::string section(const Paint& paint, const std::string& title, std::size_t rows,
                    const std::string& body, std::size_t shown) {
  if (rows == 0) return {};
  const std::string count = groupDigits(static_cast<std::int64_t>(rows));
  std::string text =
      fmt::format("\n{} {}\n{}", paint.bold(title), paint.dim("(" + count + ")"), body);
  if (rows > shown) {
    const auto more = groupDigits(static_cast<std::int64_t>(rows - shown));
    text += paint.dim(fmt::format("  … {} more; --all shows them", more)) + "\n";
  }
  return text;
}

std::string notesText(const Paint& paint,
                      const std::vector<const std::vector<std::string>*>& lists) {
  std::vector<std::string> notes;
  for (const auto* list : lists) {
    for (const std::string& note : *list) {
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    }
  }
  std::string text;
  for (const std::string& note : notes) text += "  " + printable(note, 1000) + "\n";
  return section(paint, "notes", notes.size(), text, notes.size());
}

}  // namespace hw
