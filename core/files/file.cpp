#include "core/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>
#include <streambuf>
#include <system_error>

namespace hw {
namespace {

tl::unexpected<Error> systemError(const std::string& what, int number) {
  return fail(ErrorCode::unreadable, what + ": " + std::generic_category().message(number));
}

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  /// 0, or the error of the last write that the system had postponed.
  int close() {
    const int result = owned_ && number_ >= 0 ? ::close(number_) : 0;
    number_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int number_;
  bool owned_;
};

/// A stream buffer over a descriptor that remembers what went wrong.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int number) : number_(number) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type next) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }

  int sync() override {
    const char* from = pbase();
    while (error_ == 0 && from < pptr()) {
      const ssize_t written = ::write(number_, from, static_cast<std::size_t>(pptr() - from));
      if (written >= 0) {
        from += written;
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int number_;
  int error_ = 0;
  std::array<char, std::size_t{1} << 16> buffer_{};
};

/// Names of files that are being written. The mutex is held whenever one appears or goes.
struct Unfinished {
  std::mutex mutex{};
  std::set<std::string> names{};
};

/// Never destroyed: who ends the program may ask after `main`.
Unfinished& unfinished() {
  static auto* all = new Unfinished();
  return *all;
}

/// A new file takes the place of the old one only when it is complete. That is a rename, which
/// cannot go from one file system to another: hence beside.
/// Creates a file of its own beside `target`, readable by whom the umask allows.
int createBeside(const std::string& target, std::string& name) {
  constexpr std::size_t kMostOfName = 200;  // File systems take 255 bytes, ending included.
  const std::size_t file = target.rfind('/') + 1;
  const bool isLong = target.size() - file > kMostOfName;
  const std::string start = isLong ? target.substr(0, file) + "highwater" : target;
  const std::scoped_lock lock(unfinished().mutex);
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = start + ".part" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0) unfinished().names.insert(name);
    if (number >= 0 || errno != EEXIST) return number;
  }
  return -1;
}

}  // namespace

Result<std::string> readFile(const std::string& path, std::size_t most) {
  const bool standardInput = path == "-";
  Descriptor file(standardInput ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                  !standardInput);
  if (file.number() < 0) return systemError("cannot be opened", errno);
  const auto tooLarge = [&] {
    return fail(ErrorCode::malformed,
                "has more than " + std::to_string(most) + " bytes, which is too much to be read");
  };
  struct stat status {};
  const bool known = ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode);
  if (known && static_cast<std::size_t>(status.st_size) > most) return tooLarge();
  std::string content;
  std::array<char, std::size_t{1} << 16> buffer{};
  for (;;) {
    const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
    if (count == 0) return content;
    if (count > 0) {
      content.append(buffer.data(), static_cast<std::size_t>(count));
      if (content.size() > most) return tooLarge();
    } else if (errno != EINTR) {
      return systemError("cannot be read", errno);
    }
  }
}

class OutputFile::Sink {
 public:
  Sink(int number, bool owned, std::string part, std::string target)
      : file_(number, owned),
        buffer_(number),
        stream_(&buffer_),
        part_(std::move(part)),
        target_(std::move(target)) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    if (part_.empty()) return;
    const std::scoped_lock lock(unfinished().mutex);
    ::unlink(part_.c_str());
    unfinished().names.erase(part_);
  }

  std::ostream& stream() { return stream_; }

  Result<void> commit() {
    stream_.flush();
    if (buffer_.error() != 0) return systemError("cannot be written", buffer_.error());
    if (!stream_) return fail(ErrorCode::unreadable, "cannot be written");
    if (const int error = file_.close(); error != 0) return systemError("cannot be written", error);
    if (part_.empty()) return {};
    const std::scoped_lock lock(unfinished().mutex);
    if (::rename(part_.c_str(), target_.c_str()) != 0) {
      return systemError("cannot be put in place", errno);
    }
    unfinished().names.erase(part_);
    part_.clear();
    return {};
  }

  bool readerIsGone() const { return buffer_.error() == EPIPE; }

 private:
  Descriptor file_;
  DescriptorBuffer buffer_;
  std::ostream stream_;
  std::string part_;  ///< What is being written; empty once it is in place, or if it never moves.
  std::string target_;
};

OutputFile::OutputFile(std::unique_ptr<Sink> sink) : sink_(std::move(sink)) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

std::ostream& OutputFile::stream() { return sink_->stream(); }
Result<void> OutputFile::commit() { return sink_->commit(); }
bool OutputFile::readerIsGone() const { return sink_->readerIsGone(); }

std::string outputTarget(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path at = path;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(at, error)); ++links) {
    const fs::path next = fs::read_symlink(at, error);
    if (error) break;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
  return error ? at.string() : (folder / at.filename()).string();
}

void discardUnfinished() {
  unfinished().mutex.lock();
  for (const std::string& name : unfinished().names) ::unlink(name.c_str());
}

Result<OutputFile> OutputFile::open(const std::string& path) {
  if (path == "-") return OutputFile(std::make_unique<Sink>(STDOUT_FILENO, false, "", ""));
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno == ELOOP) return systemError("cannot be opened for writing", ELOOP);
  if (exists && S_ISDIR(status.st_mode)) return systemError("cannot be written", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    const int number = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (number < 0) return systemError("cannot be opened for writing", errno);
    return OutputFile(std::make_unique<Sink>(number, true, "", ""));
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    return systemError("cannot be opened for writing", errno);
  }
  const std::string target = outputTarget(path);
  std::string part;
  const int number = createBeside(target, part);
  if (number < 0) return systemError("cannot be created", errno);
  // With the rights of the file it replaces; where the system refuses, with its own.
  if (exists) static_cast<void>(::fchmod(number, status.st_mode & 07777));
  return OutputFile(std::make_unique<Sink>(number, true, part, target));
}

Result<void> writeFile(const std::string& path, const std::string& content) {
  HW_TRY(file, OutputFile::open(path));
  file.stream() << content;
  return file.commit();
}

}  // namespace hw
