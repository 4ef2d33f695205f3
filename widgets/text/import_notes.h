#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// A note of an import, taken apart. Notes end in "; --OPTION ..." where an option of the command
/// line changes what they tell.
struct ImportNote {
  QString text{};  ///< The note, without the option.
  /// The word for `--dim` that settles the dimension or value it is about; none: it is about
  /// something else.
  std::optional<std::string> dimension{};
  bool takenAsOne = false;  ///< A dimension that was taken as 1 for want of anything better.
  /// The size that the dimension has now; none: the note is about something else.
  std::optional<std::int64_t> size{};
  /// The whole note, with what a window has in place of the option.
  QString said{};
};
ImportNote importNote(std::string_view note);

/// The notes on dimensions and values that the model leaves open, one for each in order.
std::vector<ImportNote> openDimensions(const Graph& graph);

}  // namespace hw
