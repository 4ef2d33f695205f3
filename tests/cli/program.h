#pragma once

#include <string>

#include "tests/support/scratch_folder.h"

namespace hw::test {

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
