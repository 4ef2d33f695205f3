#include "core/files/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace hw;
namespace fs = std::filesystem;

namespace {

/// An empty folder that goes away with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("highwater-file-test-" + std::to_string(::getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

}  // namespace

TEST_CASE("a file that is not committed never appears", "[file]") {
  const Folder folder;
  const std::string path = folder.file("plan.json");
  {
    auto file = OutputFile::open(path);
    REQUIRE(file);
    file->stream() << std::string(1 << 20, 'x') << std::flush;
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("an existing file is replaced whole and keeps its permissions", "[file]") {
  const Folder folder;
  const std::string path = folder.file("plan.json");
  REQUIRE(writeFile(path, "old"));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  auto file = OutputFile::open(path);
  REQUIRE(file);
  file->stream() << "new";
  CHECK(readFile(path).value() == "old");
  REQUIRE(file->commit());
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

TEST_CASE("devices are written to, not replaced", "[file]") {
  REQUIRE(writeFile("/dev/null", "gone"));
  CHECK(fs::is_character_file("/dev/null"));
  const auto full = writeFile("/dev/full", "no room");
  REQUIRE_FALSE(full);
  CHECK(full.error().message == "cannot be written: No space left on device");
}

TEST_CASE("what cannot be opened says why", "[file]") {
  const Folder folder;
  CHECK(readFile(folder.file("absent")).error().message ==
        "cannot be opened: No such file or directory");
  CHECK(readFile(folder.path.string()).error().message == "cannot be read: Is a directory");
  CHECK(writeFile(folder.path.string(), "").error().message == "cannot be written: Is a directory");
  CHECK(writeFile(folder.file("no/such/folder"), "").error().message ==
        "cannot be created: No such file or directory");
}
