#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

/// Interpreter of TFLite files, a judge of files that run a network in parts inside one arena. It
/// shares no code with the importer or with what writes such files.
namespace hw::test {

/// Bytes that an operator left in one of its outputs, right after it ran.
struct StepOutput {
  int subgraph = 0;
  int op = 0;  ///< -1 for inputs of the model.
  int tensor = 0;
  std::vector<std::byte> bytes{};
};

/// TfliteExecution of a file: outputs of all operators in the order in which they ran, those in the
/// body of a loop once for each turn, and the loop's own behind its last turn.
struct TfliteExecution {
  std::vector<StepOutput> steps{};
  std::vector<StepOutput> inputs{};
  std::vector<std::vector<std::byte>> outputs{};
  /// Head of the arena as the offline plan lays it out, in bytes; 0 without a plan.
  std::int64_t headBytes = 0;
};

/// TfliteExecution or why the file cannot run: what it does not do as it should, or what is not
/// known here. Files with an offline plan run in one arena, which is full of noise at the start,
/// each tensor at its offset; tensors at -1, and all tensors of other files, have memory of their
/// own. Kernels are bit for bit the reference kernels of tflite-micro, with their order of reads
/// and writes. Inputs are drawn from `seed`, the index of the input and that of the element, as
/// drawInput does.
tl::expected<TfliteExecution, std::string> runTflite(std::span<const std::byte> file,
                                                     std::uint64_t seed);

/// TfliteExecution with given bytes of the inputs, in the order of the file.
tl::expected<TfliteExecution, std::string> runTflite(
    std::span<const std::byte> file, const std::vector<std::vector<std::byte>>& inputs);

/// Rows of a tensor of the original that a step of the rewritten file holds: its output has
/// `count` rows, the first of which is row `first` of the whole tensor. The first `garbage` of
/// them are not compared.
struct PartRows {
  int tensor = -1;  ///< Of the original's first subgraph; -1: nothing is compared.
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t garbage = 0;
};

/// First difference between the rows of all parts and those of the whole operators, or between
/// the outputs of both models; empty where all bits are equal. `parts` has an entry for each step
/// of `rewritten`.
std::string compareRows(const TfliteExecution& original, const TfliteExecution& rewritten,
                        const std::vector<PartRows>& parts);

}  // namespace hw::test
