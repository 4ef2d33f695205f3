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
  Ability pins{};   ///< Offsets fixed from outside: used or refused.
  Ability gaps{};   ///< Steps inside a life in which the bytes are free for others.
  Ability apart{};  ///< The rest: `Constraints`, and ranges that are reserved.
  Ability together{};
  Ability exclusive{};
  Ability allowed{};
  Ability reserved{};
  Ability penalties{};  ///< Used where the method can be told to pay as little as it can.
};

/// An ability and its name, for lists.
struct AbilityRow {
  std::string_view name{};
  Ability AllocatorAbilities::*ability = nullptr;
};

/// In the order in which people read of them.
inline constexpr AbilityRow kAbilityRows[] = {
    {"pins", &AllocatorAbilities::pins},           {"gaps", &AllocatorAbilities::gaps},
    {"apart", &AllocatorAbilities::apart},         {"together", &AllocatorAbilities::together},
    {"exclusive", &AllocatorAbilities::exclusive}, {"allowed", &AllocatorAbilities::allowed},
    {"reserved", &AllocatorAbilities::reserved},   {"penalties", &AllocatorAbilities::penalties}};

/// Asks the allocator with its default parameters. Takes microseconds.
AllocatorAbilities abilitiesOf(const AllocatorInfo& info);

}  // namespace hw
