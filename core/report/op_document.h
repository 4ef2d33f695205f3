#pragma once

#include <string>

#include "core/base/json.h"

namespace hw {

/// The op table as Markdown: docs/formats/ops.md is exactly this.
std::string opDocument();

/// The op table for programs.
Json opTableJson();

}  // namespace hw
