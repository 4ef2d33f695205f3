// libFuzzer's entry. One program a target: HIGHWATER_FUZZ_TARGET is its name.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const hw::fuzz::Target& target : hw::fuzz::targets()) {
    if (target.name != HIGHWATER_FUZZ_TARGET) continue;
    target.run({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}
