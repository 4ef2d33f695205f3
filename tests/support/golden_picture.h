#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace hw::test {

inline std::string contentOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The first line in which they differ; empty when they are equal.
inline std::string difference(const std::string& is, const std::string& was) {
  std::istringstream now(is);
  std::istringstream before(was);
  std::string a;
  std::string b;
  for (int number = 1;; ++number) {
    const bool more = static_cast<bool>(std::getline(now, a));
    const bool moreBefore = static_cast<bool>(std::getline(before, b));
    if (!more && !moreBefore) return {};
    if (more != moreBefore || a != b) {
      return "line " + std::to_string(number) + " is  " + a + "\nand was  " + b;
    }
  }
}

/// Holds a picture against the one of that name that somebody looked at, in tests/golden/pictures;
/// HIGHWATER_UPDATE_GOLDEN=1 writes it anew.
inline void checkPicture(const std::string& name, const std::string& content) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(HIGHWATER_SOURCE_DIR) / "tests" / "golden" / "pictures";
  REQUIRE_FALSE(content.empty());
  if (std::getenv("HIGHWATER_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(folder);
    std::ofstream(folder / name, std::ios::binary) << content;
  }
  INFO(name);
  CHECK(difference(content, contentOf(folder / name)).empty());
  CHECK(content == contentOf(folder / name));
}

}  // namespace hw::test
