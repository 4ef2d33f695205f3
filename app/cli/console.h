#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/report/text/text_table.h"

namespace hw::cli {

/// Colours for standard output: on a terminal that can, unless NO_COLOR is set.
Paint outputPaint();

/// Columns that text may take: what COLUMNS says, else the terminal's width, else 120.
std::size_t outputWidth();

/// `text` as a terminal may show it: control characters but tabs and ends of lines, marks that
/// change the direction of text and invalid UTF-8 become escapes (`printable`). `painted`: colours,
/// which `Paint` puts in, stay.
std::string terminalText(std::string_view text, bool painted);

/// When to tell how far work has come.
enum class ProgressMode {
  never,
  onTerminal,  ///< If standard error is one.
  always,      ///< To a file or pipe as lines of plain text, one an update.
};

/// What --progress and --quiet ask for.
ProgressMode progressMode(bool told, bool quiet);

/// A line on standard error that shows how far long work has come. On a terminal nothing appears
/// before half a second has gone by, and nothing is left when it ends.
class ProgressLine {
 public:
  explicit ProgressLine(ProgressMode mode);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// For RunContext; may be called from any thread. Empty when nothing is told.
  std::function<void(double, const std::string&)> callback();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hw::cli
