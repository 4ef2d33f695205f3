#include "core/files/file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "core/files/mapped_file.h"
#include "tests/support/must.h"
#include "tests/support/scratch_folder.h"

using namespace hw;
namespace fs = std::filesystem;

namespace {

struct Folder : test::ScratchFolder {
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
  }
};

}  // namespace

TEST_CASE("a file that is not committed never appears", "[file]") {
  const Folder folder;
  const std::string path = folder.file("plan.json");
  {
    auto file = test::must(OutputFile::open(path));
    file.stream() << std::string(1 << 20, 'x') << std::flush;
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("an existing file is replaced whole and keeps its permissions", "[file]") {
  const Folder folder;
  const std::string path = folder.file("plan.json");
  REQUIRE(writeFile(path, "old"));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  auto file = test::must(OutputFile::open(path));
  file.stream() << "new";
  CHECK(readFile(path).value() == "old");
  REQUIRE(file.commit());
  CHECK(readFile(path).value() == "new");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(folder.entries() == 1);
}

TEST_CASE("writing through a link keeps the link", "[file]") {
  const Folder folder;
  REQUIRE(writeFile(folder.file("target"), "old"));
  fs::create_symlink("target", folder.file("link"));
  REQUIRE(writeFile(folder.file("link"), "new"));
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(readFile(folder.file("target")).value() == "new");
}

TEST_CASE("a link that leads nowhere yet is written through", "[file]") {
  const Folder folder;
  fs::create_directory(folder / "there");
  fs::create_symlink("there/second", folder.file("first"));
  fs::create_symlink("target", folder.file("there/second"));
  REQUIRE(writeFile(folder.file("first"), "new"));
  CHECK(fs::is_symlink(folder.file("first")));
  CHECK(fs::is_symlink(folder.file("there/second")));
  CHECK(readFile(folder.file("there/target")).value() == "new");
  CHECK(folder.entries() == 2);
  fs::create_symlink("loop", folder.file("loop"));
  CHECK(writeFile(folder.file("loop"), "").error().message ==
        "cannot be opened for writing: Too many levels of symbolic links");
}

TEST_CASE("the longest names that a file system takes can be written", "[file]") {
  const Folder folder;
  for (const std::size_t length : {200, 201, 245, 255}) {
    const std::string path = folder.file(std::string(length, 'n'));
    CAPTURE(length);
    REQUIRE(writeFile(path, "new"));
    CHECK(readFile(path).value() == "new");
  }
  CHECK(writeFile(folder.file(std::string(256, 'n')), "").error().message ==
        "cannot be put in place: File name too long");
  CHECK(folder.entries() == 4);
}

TEST_CASE("what a path leads to is one name, however it is spelled", "[file]") {
  const Folder folder;
  fs::create_directory(folder / "in");
  fs::create_symlink("in", folder.file("link"));
  fs::create_symlink("in/plan", folder.file("direct"));
  const std::string target = outputTarget(folder.file("in/plan"));
  for (const char* path : {"in/../in/./plan", "link/plan", "direct", "link/../link//plan"}) {
    CAPTURE(path);
    CHECK(outputTarget(folder.file(path)) == target);
  }
  CHECK(outputTarget("plan") == outputTarget("./plan"));
  CHECK(outputTarget("plan") == (fs::current_path() / "plan").string());
  CHECK(outputTarget(folder.file("plan")) != target);
}

TEST_CASE("devices are written to, not replaced", "[file]") {
  REQUIRE(writeFile("/dev/null", "gone"));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(test::mustFail(writeFile("/dev/full", "no room")).message ==
        "cannot be written: No space left on device");
}

TEST_CASE("what cannot be opened says why", "[file]") {
  const Folder folder;
  CHECK(readFile(folder.file("absent")).error().message ==
        "cannot be opened: No such file or directory");
  CHECK(readFile(folder.path().string()).error().message == "cannot be read: Is a directory");
  CHECK(writeFile(folder.path().string(), "").error().message ==
        "cannot be written: Is a directory");
  CHECK(writeFile(folder.file("no/such/folder"), "").error().message ==
        "cannot be created: No such file or directory");
}

TEST_CASE("files that are being written are gone when the program is ended", "[file]") {
  const Folder folder;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto first = OutputFile::open(folder.file("first"));
    auto second = OutputFile::open(folder.file("second"));
    first->stream() << "half" << std::flush;
    const bool put = second->commit().has_value();
    discardUnfinished();
    _exit(put ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(folder.entries() == 1);
  CHECK(fs::exists(folder.file("second")));
}

TEST_CASE("the wait for a pipe that nobody writes to can be stopped", "[file]") {
  const Folder folder;
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  std::stop_source stop;
  auto opening = std::async(
      std::launch::async, [&] { return MappedFile::open(folder.file("pipe"), stop.get_token()); });
  stop.request_stop();
  CHECK(test::mustFail(opening.get()).code == ErrorCode::stopped);
}

TEST_CASE("what is written to a named pipe is read to its end", "[file]") {
  const Folder folder;
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  auto opening =
      std::async(std::launch::async, [&] { return MappedFile::open(folder.file("pipe")); });
  std::ofstream(folder.file("pipe")) << std::string(100'000, 'x');
  const auto file = opening.get();
  REQUIRE(file);
  CHECK(file->bytes() == std::string(100'000, 'x'));
}
