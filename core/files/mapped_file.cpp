#include "core/files/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/text.h"

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

Result<MappedFile> MappedFile::open(const std::string& path, const std::stop_token& stop,
                                    const PipeLimit& limit) {
  // Without O_NONBLOCK a named pipe opens when somebody writes to it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return systemError("the file cannot be opened");
  Result<MappedFile> file = fromDescriptor(descriptor, stop, limit);
  ::close(descriptor);
  return file;
}

Result<MappedFile> MappedFile::standardInput(const std::stop_token& stop, const PipeLimit& limit) {
  return fromDescriptor(STDIN_FILENO, stop, limit);
}

Result<MappedFile> MappedFile::fromDescriptor(int descriptor, const std::stop_token& stop,
                                              const PipeLimit& limit) {
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
      file.room_ = size;
      file.isFile_ = true;
      return file;
    }
  }
  HW_DO(file.readAll(descriptor, stop, limit));
  return file;
}

Result<void> MappedFile::readAll(int descriptor, const std::stop_token& stop,
                                 const PipeLimit& limit) {
  std::size_t most = kPipeHead;
  bool head = true;
  while (awaitBytes(descriptor, stop)) {
    if (size_ == most && head) {
      head = false;
      most = kMostOfPipe;
      if (limit) {
        HW_TRY(allowed, limit(bytes()));
        most = allowed;
      }
    }
    if (size_ > most) {
      return fail(ErrorCode::malformed,
                  fmt::format("what is no regular file has more than {} bytes", groupDigits(most)));
    }
    if (size_ == room_ && !makeRoom()) return systemError("there is no memory for the file");
    // One byte more than may be tells that there are more.
    const std::size_t wanted = std::min(room_ - size_, head ? most - size_ : most + 1 - size_);
    const ssize_t count = ::read(descriptor, static_cast<char*>(mapping_) + size_, wanted);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return systemError("the file cannot be read");
    if (count == 0) return {};
    size_ += static_cast<std::size_t>(count);
  }
  return fail(ErrorCode::stopped, "reading the file was stopped");
}

/// Twice as much; the pages move without being copied.
bool MappedFile::makeRoom() {
  const std::size_t room = std::max(2 * room_, std::size_t{1} << 20U);
  void* const larger = mapping_ == nullptr ? ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                           : ::mremap(mapping_, room_, room, MREMAP_MAYMOVE);
  if (larger == MAP_FAILED) return false;
  mapping_ = larger;
  room_ = room;
  return true;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      room_(std::exchange(other.room_, 0)),
      isFile_(other.isFile_) {}

MappedFile::~MappedFile() {
  if (mapping_ != nullptr) ::munmap(mapping_, room_);
}

std::string_view MappedFile::bytes() const { return {static_cast<const char*>(mapping_), size_}; }

void MappedFile::release() const {
  if (isFile_) ::madvise(mapping_, size_, MADV_DONTNEED);
}

void MappedFile::forEachPiece(std::size_t most,
                              const std::function<void(std::string_view)>& visit) const {
  constexpr std::size_t kPiece = std::size_t{4} << 20U;  // A multiple of every page size.
  const std::string_view all = bytes().substr(0, most);
  for (std::size_t at = 0; at < all.size(); at += kPiece) {
    const std::size_t size = std::min(kPiece, all.size() - at);
    visit(all.substr(at, size));
    // Gigabytes are read once, from end to end: they need not stay in memory.
    if (isFile_) ::madvise(static_cast<char*>(mapping_) + at, size, MADV_DONTNEED);
  }
}

}  // namespace hw
