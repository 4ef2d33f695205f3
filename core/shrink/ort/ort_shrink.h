#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/onnx/part_file.h"

namespace hw {

/// One way to run a model on ONNX Runtime, and the bytes that it is predicted to ask for.
struct OrtWay {
  std::string name{};    ///< "in parts".
  Bytes peak{};          ///< Most at once, beside inputs and weights: core/insight/runtime_plan.h.
  double extraMacs = 0;  ///< Multiplications made again / those of the model.
  std::size_t operators = 0;
  std::string freed{};  ///< Dimensions that the file leaves free, as `--dim` takes them.
  std::string runs{};   ///< "Conv_0 to Relu_8 in 8 blocks".
};

/// Ways to run a model on ONNX Runtime: the file as it is, then in parts, each needing fewer bytes.
struct OrtShrink {
  std::vector<OrtWay> ways{};
  std::size_t chosen = 0;
  std::string file{};  ///< The ONNX file of the way that is chosen.
  std::optional<Bytes> budget{};
  std::vector<std::string> notes{};
  bool stopped = false;

  const OrtWay& best() const { return ways[chosen]; }
  bool isWithinBudget() const { return !budget || best().peak <= *budget; }
};

struct OrtSearchOptions {
  double extraMacs = 0.5;         ///< At most so many times those of the model are made again.
  std::optional<Bytes> budget{};  ///< Of the peak.
  int threads = 1;
  std::stop_token stop{};
  /// Called when there is something smaller, with how far the search is, 0 to 1, and its bytes.
  std::function<void(double, Bytes)> progress{};
};

/// Looks for runs of operators that ONNX Runtime executes in blocks of rows, such that it asks for
/// fewer bytes at once. A run begins and ends anywhere, but only its last tensor is read outside;
/// each block makes what it needs of the tensors inside, borders again. In a round each run around
/// the fullest moment is tried, with more blocks where it is good, beside the runs of the round
/// before. Deterministic, whatever the number of threads. Chosen is the smallest; with a budget,
/// the one within it with the fewest multiplications.
Result<OrtShrink> shrinkForOrt(const OnnxSource& source, const OrtSearchOptions& options);

}  // namespace hw
