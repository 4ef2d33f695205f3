#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hw {

/// A TFLite model in a few words, for tests: what the fields mean is in docs/formats/tflite.md.
struct TfliteText {
  struct Tensor {
    std::string name{};
    std::vector<std::int32_t> shape{};
    std::int8_t type = 0;  ///< 0: float32, 2: int32, 13: resource.
    std::uint32_t buffer = 0;
    std::vector<std::int32_t> signature{};
    bool variable = false;
    std::vector<float> scales{};        ///< One, or one for each index of `channelAxis`.
    std::vector<std::int64_t> zeros{};  ///< Zero points, as many.
    std::int32_t channelAxis = 0;
  };
  /// A number in an options table: field, width in bytes, value.
  struct Option {
    int field = 0;
    int width = 4;
    std::int64_t value = 0;
  };
  struct Operator {
    std::int32_t code = 0;
    std::vector<std::int32_t> inputs{};
    std::vector<std::int32_t> outputs{};
    std::vector<Option> options{};
    std::int8_t optionsKind = 0;  ///< Number of the kind of options, which runtimes ask for.
    std::string custom{};         ///< For code 32.
    bool second = false;          ///< The options are of the second set.
    std::string text{};           ///< Field 1 of the options, where it is text.
    std::string customOptions{};  ///< Bytes.
  };
  struct Subgraph {
    std::string name{};
    std::vector<Tensor> tensors{};
    std::vector<std::int32_t> inputs{};
    std::vector<std::int32_t> outputs{};
    std::vector<Operator> operators{};
  };
  struct Signature {
    std::string key{};
    std::uint32_t subgraph = 0;
    std::vector<std::pair<std::string, std::uint32_t>> inputs{};
  };

  std::vector<Subgraph> subgraphs{};
  /// Buffer 0 is empty by custom, and added by itself; these are 1, 2, ….
  std::vector<std::string> buffers{};
  /// Behind those, buffers whose bytes lie behind the flatbuffer: where in the file, and how many.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> outside{};
  std::vector<Signature> signatures{};
  /// Name and buffer.
  std::vector<std::pair<std::string, std::uint32_t>> metadata{};
  std::uint32_t version = 3;
};

/// The model as a file.
std::string tfliteBytes(const TfliteText& model);

/// A model with payloads that are too large to hold.
struct SparseTflite {
  std::string head{};  ///< The file up to the first payload.
  /// Where each payload's length stands in the file, 32 bits; as many bytes follow it.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> holes{};
};

/// `model` with one more buffer for each of `payloads`, behind its own, so many bytes long.
SparseTflite sparseTflite(const TfliteText& model, const std::vector<std::uint32_t>& payloads);

/// Little-endian int32 numbers, as buffers hold them.
std::string tfliteIntegers(const std::vector<std::int32_t>& numbers);

/// A zip archive of files that are not packed: names and contents.
std::string zipBytes(const std::vector<std::pair<std::string, std::string>>& files);

/// Adds a plan with these offsets.
void addOfflinePlan(TfliteText& model, const std::vector<std::int32_t>& offsets);

}  // namespace hw
