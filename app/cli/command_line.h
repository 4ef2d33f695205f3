#pragma once

#include <string>

namespace hw::cli {

/// Keeps what was typed, for reports that say how to make them again.
void rememberCommandLine(int argc, char** argv);

/// What was typed, quoted for a shell, with `output` wherever the output file was named: where a
/// report lies does not change what it says.
std::string commandLine(const std::string& typedOutput, const std::string& output);

}  // namespace hw::cli
