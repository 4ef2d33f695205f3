#include "tests/support/tflite/input_bytes.h"

namespace hw::test::tfl {
namespace {

/// Next number of the generator SplitMix64 with the state `x`.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

void storeDrawn(std::byte* to, Type type, std::uint64_t drawn) {
  switch (type) {
    case Type::kFloat32:
      return store(to, static_cast<float>(static_cast<double>(drawn >> 40) / 8388607.5 - 1.0));
    case Type::kInt32:
      return store(to, static_cast<std::int32_t>(drawn % 10));
    case Type::kInt64:
      return store(to, static_cast<std::int64_t>(drawn % 10));
    case Type::kInt16:
      return store(to, static_cast<std::uint16_t>(drawn >> 24));
    case Type::kBool:
      return store(to, static_cast<std::uint8_t>(drawn >> 24 & 1));
    default:
      return store(to, static_cast<std::uint8_t>(drawn >> 24));
  }
}

}  // namespace

std::vector<std::byte> drawInput(const Tensor& tensor, std::uint64_t seed, std::size_t input) {
  std::vector<std::byte> bytes(tensor.bytes());
  const std::uint64_t base = mixed(mixed(seed) + input);
  const std::size_t width = tensor.width();
  for (std::size_t i = 0; i < bytes.size() / width; ++i) {
    storeDrawn(bytes.data() + i * width, tensor.type, mixed(base + i));
  }
  return bytes;
}

std::vector<std::byte> noise(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> all(bytes);
  std::uint64_t state = mixed(seed);
  for (std::byte& byte : all) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<std::byte>(state >> 56);
  }
  return all;
}

}  // namespace hw::test::tfl
