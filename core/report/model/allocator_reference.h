#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/text/text_table.h"

namespace hw {

/// The catalogue of allocators as a reference for people: what each does, where it comes from, what
/// it costs, what it makes of pins, gaps and pools, and its parameters with ranges and defaults.
std::string allocatorReferenceText(const Paint& paint);

/// The same for programs: an array, an object an allocator.
Json allocatorReferenceJson();

}  // namespace hw
