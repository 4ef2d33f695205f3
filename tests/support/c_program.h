#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/shrink/c/c_file.h"

namespace hw::test {

using ByteLists = std::vector<std::vector<std::byte>>;

/// One network as C and what it is run with.
struct CNetwork {
  std::string prefix{};
  CText text{};
  std::vector<ByteLists> inputs{};  ///< By run, then by input.
};

/// What a run left: its outputs, and all that kernels made, one behind the other.
struct CRun {
  ByteLists outputs{};
  std::vector<std::byte> made{};
};

/// True if there is a C compiler, `cc`; else a warning says that tests are skipped.
bool hasCompiler();

/// Runs of all networks, compiled together as C99 with all warnings as errors and `options`, each
/// in an arena of just its size with guards on both sides and noise in it. The kernels are the
/// reference ones. An error is what the compiler or the program says.
tl::expected<std::vector<std::vector<CRun>>, std::string> runC(
    const std::vector<CNetwork>& networks, const std::vector<std::string>& options);

}  // namespace hw::test
