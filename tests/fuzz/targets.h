#pragma once

#include <span>
#include <string_view>

namespace hw::fuzz {

/// A reader as the fuzzer and the tests drive it: any bytes go in, nothing may break. What comes
/// out is looked over, so that a lie is found as well as a crash.
struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes) = nullptr;
};

/// One for each reader: json, csv, onnx, tflite, toml (platforms), plan, study, foreign (plans of
/// other tools).
std::span<const Target> targets();

}  // namespace hw::fuzz
