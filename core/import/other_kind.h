#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hw {

/// What a file is that was given as a model and is none, though this program knows it: a machine, a
/// study, a problem of another planner; and how to use it. Nothing where nobody knows.
std::optional<std::string> otherKind(std::string_view bytes);

}  // namespace hw
