#include "tests/support/printers.h"

#include <array>

std::string Catch::StringMaker<hw::MemoryEvent>::convert(const hw::MemoryEvent& event) {
  constexpr std::array<const char*, 6> kNames = {"extend", "shrink", "split",
                                                 "merge",  "alloc",  "free"};
  return "step " + std::to_string(event.step) + " " + kNames[static_cast<std::size_t>(event.kind)] +
         " " + std::to_string(event.offset.count()) + "+" + std::to_string(event.size.count()) +
         " stay " + Detail::stringify(event.stay) + " pool " + std::to_string(event.pool) +
         " region " + Detail::stringify(event.region);
}
