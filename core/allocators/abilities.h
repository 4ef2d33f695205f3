#pragma once

#include "core/allocators/catalog.h"

namespace hw {

/// The answer of an allocator to the rarer things a problem may ask for.
enum class Ability : std::uint8_t {
  used,     ///< Does it, or makes use of it.
  ignored,  ///< Plans as if it were not there; the plan is valid, but may be larger.
  refused,  ///< Says that it cannot.
};

/// Found out by asking: each is the answer to a problem of two or three stays. So a new allocator
/// is described as it is, not as its author meant it.
struct AllocatorAbilities {
  Ability pins{};  ///< Offsets fixed from outside: used or refused.
  Ability gaps{};  ///< Steps inside a life in which the bytes are free for others.
};

/// Asks the allocator with its default parameters. Takes microseconds.
AllocatorAbilities abilitiesOf(const AllocatorInfo& info);

}  // namespace hw
