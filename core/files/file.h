#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "core/base/result.h"

namespace hw {

/// The whole content of a file; "-" is standard input. Fails with the system's own words.
Result<std::string> readFile(const std::string& path);

/// Somewhere to write a result: a file that appears whole or not at all, or standard output ("-").
///
/// A regular file is written beside its destination under another name and renamed by `commit`;
/// without a commit nothing is left behind. Devices and pipes are written to directly.
class OutputFile {
 public:
  static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  std::ostream& stream();

  /// Flushes, and puts the file in its place. Fails if anything could not be written.
  Result<void> commit();

 private:
  class Sink;
  explicit OutputFile(std::unique_ptr<Sink> sink);
  std::unique_ptr<Sink> sink_;
};

/// Opens, writes and commits in one go.
Result<void> writeFile(const std::string& path, const std::string& content);

}  // namespace hw
