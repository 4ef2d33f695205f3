#pragma once

#include <cstdint>

#include "core/base/quantity.h"
#include "core/memory/event.h"

namespace hw {

/// 64-bit FNV-1a, over whole words instead of bytes: what is hashed is made of words.
class Digest {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001B3ULL;
    hash_ ^= hash_ >> 32;  // A product carries upwards only.
  }
  void add(SimTime time) { add(static_cast<std::uint64_t>(time.count())); }
  void add(const MemoryEvent& event) {
    add(static_cast<std::uint64_t>(event.offset.count()));
    add(static_cast<std::uint64_t>(event.size.count()));
    add(std::uint64_t{event.stay.index()} << 32 | static_cast<std::uint32_t>(event.step));
    add(std::uint64_t{event.region.index()} << 32 | std::uint64_t{event.pool} << 8 |
        static_cast<std::uint8_t>(event.kind));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

}  // namespace hw
