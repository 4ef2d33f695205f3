#include "widgets/text/import_notes.h"

#include <algorithm>

#include "core/base/text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// The words of a window in place of an option; `rest` is the note after it.
QString inTheWindow(std::string_view option, const QString& rest) {
  if (option == "dim") return tr("File > Free dimensions\u2026 sets it");
  if (option == "allocator") return tr("the allocator %1").arg(rest);
  // "--subgraph chooses among …", with what it takes between the two or not.
  const qsizetype chooses = rest.indexOf(QStringLiteral("chooses"));
  return tr("File > Part of the file %1").arg(rest.mid(std::max<qsizetype>(0, chooses)));
}

/// The number behind "taken as", which may stand behind a name for it ("the most it can be").
std::optional<std::int64_t> sizeTaken(std::string_view told) {
  constexpr std::string_view kTaken = " taken as ";
  const std::size_t taken = told.rfind(kTaken);
  if (taken == std::string_view::npos) return std::nullopt;
  std::string_view said = told.substr(taken + kTaken.size());
  constexpr std::string_view kMost = "the most it can be, ";
  if (said.starts_with(kMost)) said.remove_prefix(kMost.size());
  return parseInteger(said.substr(0, said.find(',')));
}

}  // namespace

ImportNote importNote(std::string_view note) {
  constexpr std::string_view kBefore = "; --";
  constexpr std::size_t kMost = 1'000;
  const auto shown = [](std::string_view text) {
    return QString::fromStdString(printable(std::string(text), kMost));
  };
  ImportNote parts{.text = shown(note), .said = shown(note)};
  const std::size_t end = note.find(kBefore);
  if (end == std::string_view::npos) return parts;
  const std::string_view told = note.substr(end + kBefore.size());
  const std::size_t space = std::min(told.find(' '), told.size());
  const std::string_view option = told.substr(0, space);
  const std::string_view rest = told.substr(std::min(space + 1, told.size()));
  parts.text = shown(note.substr(0, end));
  parts.said = parts.text + QStringLiteral("; ") + inTheWindow(option, shown(rest));
  // "KEY=VALUE", or "KEY=480" where a note proposes a size.
  const std::size_t value = rest.rfind('=');
  if (option != "dim" || value == std::string_view::npos) return parts;
  parts.dimension = std::string(rest.substr(0, value));
  parts.size = sizeTaken(note.substr(0, end));
  parts.takenAsOne = parts.text.endsWith(QStringLiteral("taken as 1"));
  return parts;
}

std::vector<ImportNote> openDimensions(const Graph& graph) {
  std::vector<ImportNote> open;
  for (const std::string& text : graph.notes) {
    ImportNote note = importNote(text);
    const bool known =
        std::ranges::find(open, note.dimension, &ImportNote::dimension) != open.end();
    if (note.dimension && !known) open.push_back(std::move(note));
  }
  return open;
}

}  // namespace hw
