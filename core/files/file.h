#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>

#include "core/base/result.h"

namespace hw {

/// The most bytes of a model that is read as a whole, to be written anew.
inline constexpr std::size_t kMostModelBytes = std::size_t{1} << 31U;

/// The whole content of a file of at most `most` bytes; "-" is standard input. Fails with the
/// system's own words, and on more bytes before they are read.
Result<std::string> readFile(const std::string& path, std::size_t most = std::size_t{1} << 30U);

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
  /// It is a pipe whose other end was closed: nobody wants more.
  bool readerIsGone() const;

 private:
  class Sink;
  explicit OutputFile(std::unique_ptr<Sink> sink);
  std::unique_ptr<Sink> sink_;
};

/// The file that writing to `path` makes or replaces: absolute, and where it is a link, what that
/// leads to, even if that is not there yet.
std::string outputTarget(const std::string& path);

/// Removes what was begun and not committed, in whatever thread. For who ends the program at once:
/// from then on no file is begun or put in its place.
void discardUnfinished();

/// Opens, writes and commits in one go.
Result<void> writeFile(const std::string& path, const std::string& content);

}  // namespace hw
