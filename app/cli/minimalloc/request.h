#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/result.h"

namespace hw::cli {

/// Flags that MiniMalloc has (docs/formats/minimalloc.md).
struct MinimallocFlags {
  Bytes capacity{};
  std::string input{};
  std::string output{};
  double timeout = 0;  ///< Seconds; 0: none.
  bool validate = false;
  bool minimise = false;
  bool print = false;
};

/// Reads the words behind the program's name. Fails with the flag that is wrong.
Result<MinimallocFlags> minimallocFlags(std::vector<std::string> words);

/// A problem with columns under their older names, as our reader has them: "end" is the last step.
std::string modernProblem(std::string_view csv);

}  // namespace hw::cli
