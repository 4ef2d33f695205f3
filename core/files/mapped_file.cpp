#include "core/files/mapped_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace hw {
namespace {

tl::unexpected<Error> systemError(const std::string& what) {
  return fail(ErrorCode::unreadable, what + ": " + std::generic_category().message(errno));
}

/// Waits until there is something to read, or the end; false: `stop` came first.
bool awaitBytes(int descriptor, const std::stop_token& stop) {
  constexpr int kMillisecondsBetweenLooks = 50;
  pollfd wanted{.fd = descriptor, .events = POLLIN, .revents = 0};
  while (!stop.stop_requested()) {
    if (::poll(&wanted, 1, stop.stop_possible() ? kMillisecondsBetweenLooks : -1) > 0) return true;
  }
  return false;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path, const std::stop_token& stop) {
  // Without O_NONBLOCK a named pipe opens when somebody writes to it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return systemError("the file cannot be opened");
  Result<MappedFile> file = fromDescriptor(descriptor, stop);
  ::close(descriptor);
  return file;
}

Result<MappedFile> MappedFile::standardInput(const std::stop_token& stop) {
  return fromDescriptor(STDIN_FILENO, stop);
}

Result<MappedFile> MappedFile::fromDescriptor(int descriptor, const std::stop_token& stop) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return systemError("the file cannot be read");
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::unreadable, "the file is a directory");
  MappedFile file;
  // A redirected standard input may stand in the middle of its file: then it is read like a pipe.
  if (S_ISREG(status.st_mode) && status.st_size > 0 && ::lseek(descriptor, 0, SEEK_CUR) == 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping != MAP_FAILED) {
      file.mapping_ = mapping;
      file.size_ = size;
      return file;
    }
  }
  std::array<char, 1 << 16> buffer{};
  while (awaitBytes(descriptor, stop)) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return systemError("the file cannot be read");
    if (count == 0) return file;
    file.read_.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return fail(ErrorCode::stopped, "reading the file was stopped");
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      read_(std::move(other.read_)) {}

MappedFile::~MappedFile() {
  if (mapping_ != nullptr) ::munmap(mapping_, size_);
}

std::string_view MappedFile::bytes() const {
  if (mapping_ == nullptr) return read_;
  return {static_cast<const char*>(mapping_), size_};
}

void MappedFile::forEachPiece(const std::function<void(std::string_view)>& visit) const {
  constexpr std::size_t kPiece = std::size_t{4} << 20U;  // A multiple of every page size.
  const std::string_view all = bytes();
  for (std::size_t at = 0; at < all.size(); at += kPiece) {
    const std::size_t size = std::min(kPiece, all.size() - at);
    visit(all.substr(at, size));
    // Gigabytes are read once, from end to end: they need not stay in memory.
    if (mapping_ != nullptr) ::madvise(static_cast<char*>(mapping_) + at, size, MADV_DONTNEED);
  }
}

}  // namespace hw
