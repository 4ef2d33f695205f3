#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace hw {

// Models of many operators and of many bytes, for tests and benchmarks.

/// A chain of so many operators with skips: Relu, Conv and Add in turn.
std::string chainOnnx(int operators);
std::string chainTflite(int operators);

/// Writes a model of 24 weights of 100 MiB each, added one after the other. They are holes in the
/// file: on disk it takes a few kilobytes, though it is longer than 2 GiB.
void writeSparseOnnx(const std::filesystem::path& path);
void writeSparseTflite(const std::filesystem::path& path);

inline constexpr std::int64_t kSparseWeights = 24;
inline constexpr std::int64_t kSparseWeightBytes = std::int64_t{100} << 20;

}  // namespace hw
