#pragma once

#include <ostream>
#include <span>
#include <string_view>

namespace hw {

/// A format of text, and how to write a model of so many operators, or as many rows, in it: a chain
/// in which two buffers of 64 bytes take turns.
struct LargeDocument {
  std::string_view file;  ///< A name that says the format.
  void (*write)(std::ostream& out, int count);
};

/// One for every format of text that is read as a model.
std::span<const LargeDocument> largeDocuments();

}  // namespace hw
