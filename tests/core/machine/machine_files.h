#pragma once

// What tests of machines of other tools share.

#include <string>

#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"

namespace hw::test {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

inline std::string refusalOf(const std::string& bytes, const std::string& choice = "") {
  const auto read = readPlatformFile(bytes, choice);
  return read ? "accepted" : read.error().text();
}

inline Platform machine(const std::string& bytes, const std::string& choice = "") {
  const auto read = test::must(readPlatformFile(bytes, choice));
  // Whatever was read is a platform as a file of ours says it.
  const std::string toml = platformToml(read);
  INFO(toml);
  const auto again = test::must(parsePlatform(toml));
  CHECK(platformToml(again) == toml);
  return again;
}

inline bool assumes(const Platform& platform, const std::string& what) {
  const std::size_t at = platform.source.find("taken to be: ");
  return at != std::string::npos && platform.source.find(what, at) != std::string::npos;
}

}  // namespace hw::test
