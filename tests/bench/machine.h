#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace hw::bench {

/// A value of /proc/self/status, in bytes.
inline std::int64_t memory(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string text; std::getline(status, text);) {
    if (text.starts_with(key))
      return std::strtoll(text.c_str() + key.size() + 1, nullptr, 10) << 10;
  }
  return 0;
}

/// The processor's name.
inline std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string text; std::getline(info, text);) {
    if (text.starts_with("model name")) return text.substr(text.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace hw::bench
