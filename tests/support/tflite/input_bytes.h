#pragma once

#include "tests/support/tflite/model.h"

namespace hw::test::tfl {

/// Bytes of an input, drawn from a seed, the index of the input and that of the element: int8 is
/// any byte, float32 in [-1, 1], int32 and int64 below 10. Programs that HIGHWATER_TFLM_RUN names
/// draw the same ones for `--seed`.
std::vector<std::byte> drawInput(const Tensor& tensor, std::uint64_t seed, std::size_t input);

/// Noise for memory that nobody has written.
std::vector<std::byte> noise(std::size_t bytes, std::uint64_t seed);

}  // namespace hw::test::tfl
