#pragma once

#include <string>

#include "tests/support/scratch_folder.h"

namespace hw::test {

/// A problem CSV of 200 buffers over which a search goes on and on: no plan reaches the lower
/// bound, since sizes are below the alignment.
std::string endlessProblem();

/// What a command line came to.
struct Outcome {
  int exitCode = -1;  ///< 128 + n when signal n ended it.
  std::string out{};
  std::string err{};
};

/// A shell in an empty folder of its own, in which `highwater` is the program under test.
class Shell {
 public:
  Shell();

  /// Runs one line of shell.
  Outcome run(const std::string& line) const;

  void write(const std::string& file, const std::string& content) const;
  std::string read(const std::string& file) const;
  bool has(const std::string& file) const;
  /// Files and folders in it.
  std::size_t entries() const;

 private:
  ScratchFolder folder_;
};

}  // namespace hw::test
