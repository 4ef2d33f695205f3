// libFuzzer's entries. One program a target: HIGHWATER_FUZZ_TARGET is its name.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/mutators.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const hw::fuzz::Target& target : hw::fuzz::targets()) {
    if (target.name != HIGHWATER_FUZZ_TARGET) continue;
    target.run({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Every other time a change that keeps the format whole, where we know how to make one.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view target = HIGHWATER_FUZZ_TARGET;
  std::string changed;
  if (seed % 2 == 0 && target == "onnx") changed = hw::fuzz::mutatedOnnx(bytes, seed);
  if (seed % 2 == 0 && target == "tflite") changed = hw::fuzz::mutatedFlatbuffer(bytes, seed);
  if (changed.empty() || changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
