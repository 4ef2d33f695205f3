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

/// One for each reader; targets.txt has their names, for scripts as well.
std::span<const Target> targets();

/// A planning problem as CSV.
void readProblem(std::string_view bytes);
/// Lines of JSON-RPC, as `highwater serve` has them.
void readServe(std::string_view bytes);
/// Flags of MiniMalloc's, with blanks between them, and from the second line on its CSV.
void readMinimalloc(std::string_view bytes);

}  // namespace hw::fuzz
