#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hw {

/// The bytes of a file, read only. A regular file is mapped, so that only the pages somebody looks
/// at cost memory; a pipe or terminal is read to its end, which may be long in coming: `stop` ends
/// the wait.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path, const std::stop_token& stop = {});
  static Result<MappedFile> standardInput(const std::stop_token& stop = {});

  MappedFile(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const;

  /// Calls `visit` with the file from front to back and gives the pages back after each piece: the
  /// whole file passes through a few megabytes of memory.
  void forEachPiece(const std::function<void(std::string_view)>& visit) const;

 private:
  MappedFile() = default;
  static Result<MappedFile> fromDescriptor(int descriptor, const std::stop_token& stop);

  void* mapping_ = nullptr;  ///< Null: the bytes are in `read_`.
  std::size_t size_ = 0;     ///< Of the mapping.
  std::string read_;
};

}  // namespace hw
