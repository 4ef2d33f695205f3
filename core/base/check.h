#pragma once

#include <string_view>

namespace hw {

/// Ends the program with `expectation` when `condition` is false: the bug is ours, never the
/// user's. On in every build: a wrong plan is worse than a crash. Keep it out of inner loops.
void check(bool condition, std::string_view expectation);

}  // namespace hw
