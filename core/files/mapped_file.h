#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hw {

/// The limit on the bytes that are read of a pipe or device, chosen by its first bytes; an error
/// where none of it is wanted.
using PipeLimit = std::function<Result<std::size_t>(std::string_view head)>;
/// So many bytes of it are there when that is asked, unless it ends before.
inline constexpr std::size_t kPipeHead = std::size_t{16} << 20U;
/// The most bytes that are read of pipes and devices, where no format says otherwise.
inline constexpr std::size_t kMostOfPipe = std::size_t{1} << 30U;

/// The bytes of a file, read only. A regular file is mapped, so that only the pages somebody looks
/// at cost memory; a pipe or device is read to its end, as far as `limit` lets it. That may be long
/// in coming: `stop` ends the wait.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path, const std::stop_token& stop = {},
                                 const PipeLimit& limit = {});
  static Result<MappedFile> standardInput(const std::stop_token& stop = {},
                                          const PipeLimit& limit = {});

  MappedFile(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const;
  /// Gives the pages of a file back; those that somebody looks at come again.
  void release() const;

  /// Calls `visit` with the first `most` bytes of the file from front to back and gives the pages
  /// back after each piece: they pass through a few megabytes of memory.
  void forEachPiece(std::size_t most, const std::function<void(std::string_view)>& visit) const;

 private:
  MappedFile() = default;
  static Result<MappedFile> fromDescriptor(int descriptor, const std::stop_token& stop,
                                           const PipeLimit& limit);
  Result<void> readAll(int descriptor, const std::stop_token& stop, const PipeLimit& limit);
  bool makeRoom();

  void* mapping_ = nullptr;  ///< Of the file, or of memory that was read into.
  std::size_t size_ = 0;     ///< Of what it holds.
  std::size_t room_ = 0;     ///< Of the mapping.
  bool isFile_ = false;
};

}  // namespace hw
