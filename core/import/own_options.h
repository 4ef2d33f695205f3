#pragma once

#include <string_view>

#include "core/import/importer.h"

namespace hw {

/// What a file may ask for (`Model::options`): who plans it, and how large memories are.
inline constexpr std::string_view kOwnOptions[] = {"allocator", "l2", "l3", "align"};

/// Notes that a file asks for `option` as `text`; nothing where that is empty. Fails on other
/// options, and on a plug-in: opening a file runs no code that came with it. Whether the text means
/// something is found out where options are read.
Result<void> addOwnOption(Model& model, std::string_view option, std::string_view text,
                          std::string_view where);

}  // namespace hw
