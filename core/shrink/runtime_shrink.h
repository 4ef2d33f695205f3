#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/quantity.h"

namespace hw {

/// What becomes of inputs in float32 that QUANTIZE alone reads. Not of ONNX Runtime.
enum class FloatInputs : std::uint8_t {
  keep,
  advise,  ///< And look what would come of it if the caller quantised them.
  replace  ///< The caller quantises: the int8 tensors are the inputs.
};

struct RuntimeSearchOptions {
  /// Kernels make rows from the top to the bottom, so that outputs may lie over rows of the input
  /// that nobody reads any more. Not of ONNX Runtime.
  bool ascending = true;
  double extraMacs = 0.5;         ///< At most so many times those of the model are made again.
  std::optional<Bytes> budget{};  ///< Of all bytes of a way.
  FloatInputs floatInputs = FloatInputs::keep;
  int threads = 1;
  std::stop_token stop{};
  /// Called when there is something smaller, with how far the search is, 0 to 1, and its bytes.
  std::function<void(double, Bytes)> progress{};
};

/// One way to run a model, and the memory that it takes.
struct RuntimeWay {
  std::string name{};  ///< "in parts".
  /// Of an arena as it is laid out, scratch of known kernels included; of ONNX Runtime the most
  /// that it is predicted to ask for at once, beside inputs and weights:
  /// core/insight/runtime_plan.h.
  Bytes head{};
  Bytes tail{};             ///< What tflite-micro never gives back, an estimate.
  double extraMacs = 0;     ///< Multiplications made again / those of the model.
  double weightsAgain = 0;  ///< Bytes of weights that are read once more / those of the model.
  std::size_t operators = 0;
  bool loops = false;
  std::string freed{};  ///< Dimensions that an ONNX file leaves free, as `--dim` takes them.
  std::string runs{};   ///< "0-3 in 8 parts (loop), 4-7 in 3 parts"; operators of the model.

  Bytes total() const { return head + tail; }
};

/// An input of a model in float32, and how its caller makes int8 of it.
struct Int8Input {
  std::string name{};
  float scale = 0;
  std::int64_t zero = 0;
};

/// The smallest way if the caller quantised these inputs.
struct Int8Advice {
  std::vector<Int8Input> inputs{};
  RuntimeWay way{};
};

enum class RuntimeKind : std::uint8_t { tflm, c, ort };

/// True for a `Model::format` of files from which one for a runtime can be made.
inline bool isForRuntimes(std::string_view format) {
  return format == "tflite" || format == "onnx";
}

/// Ways to run a model: the one that the others are held against, then others; those in parts each
/// need fewer bytes than the one before, or fewer multiplications.
struct RuntimeShrink {
  RuntimeKind kind{};
  std::vector<RuntimeWay> ways{};
  std::size_t chosen = 0;
  std::string file{};    ///< What runs the way that is chosen: a TFLite or ONNX file, or text of C.
  std::string header{};  ///< Of C.
  std::optional<Bytes> budget{};
  std::vector<std::string> notes{};
  std::vector<Int8Input> int8Inputs{};  ///< That the caller quantises, of what is written.
  std::optional<Int8Advice> advice{};
  bool stopped = false;

  const RuntimeWay& best() const { return ways[chosen]; }
  bool isWithinBudget() const { return !budget || best().total() <= *budget; }

  /// Chooses the smallest way; with a budget, of those within it the one with the fewest
  /// multiplications.
  void choose() {
    const auto isBetter = [&](const RuntimeWay& a, const RuntimeWay& b) {
      const bool both = budget && a.total() <= *budget && b.total() <= *budget;
      if (both && a.extraMacs != b.extraMacs) return a.extraMacs < b.extraMacs;
      return a.total() < b.total();
    };
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (isBetter(ways[i], best())) chosen = i;
    }
  }

  /// The files to write for one at `path`, and what they hold: C has a header beside it.
  std::vector<std::pair<std::string, const std::string*>> filesAt(const std::string& path) const {
    std::vector<std::pair<std::string, const std::string*>> files = {{path, &file}};
    if (kind == RuntimeKind::c) files.emplace_back(path.substr(0, path.rfind('.')) + ".h", &header);
    return files;
  }
};

}  // namespace hw
