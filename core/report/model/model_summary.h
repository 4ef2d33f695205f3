#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/import/importer.h"
#include "core/report/text/text_table.h"

namespace hw {

/// Summary of a model before anything is planned: exact sizes, no aliasing, the given order.
struct ModelSummary {
  std::size_t ops = 0;
  std::optional<std::size_t> wholeOps{};  ///< That `ops` are parts of, in a file in parts.
  std::size_t foldedOps = 0;              ///< Computed from weights alone, ahead of time.
  std::size_t tensors = 0;                ///< Those that need memory while the model runs.
  Bytes tensorBytes{};
  Bytes largest{};  ///< Of one tensor.
  TensorId largestTensor{};
  std::size_t constants = 0;
  Bytes constantBytes{};
  std::size_t unsizedConstants = 0;
  std::size_t persistent = 0;  ///< Variables and states, which keep their value.
  Bytes persistentBytes{};
  Bytes lowerBound{};
  Step lowerBoundStep{};  ///< The first step at which that much is live.
  Step steps{};
  std::array<std::size_t, 5> origins{};  ///< Tensors by SizeOrigin.
  std::array<Bytes, 5> originBytes{};    ///< Their bytes; nothing is counted for unknown ones.
  /// Tensors whose sizes are assumed and that are live at `lowerBoundStep`: what the bound rests
  /// on.
  std::size_t assumedAtBound = 0;
  Bytes assumedBytesAtBound{};
  std::size_t unsizedAtBound = 0;  ///< And those of unknown size, which would come on top.
  std::vector<std::pair<std::string, std::size_t>> opTypes{};  ///< Most frequent first.
  std::vector<TensorId> unsized{};                             ///< Not counted in any total.

  std::size_t placed = 0;  ///< Tensors that a plan of the model's own has a place for.
  Bytes ownPlan{};         ///< What that plan takes.

  /// Totals leave something out.
  bool isAtLeast() const { return !unsized.empty(); }
};

ModelSummary summarise(const Model& model);

/// `everyTensor`: with a list of all tensors, and how the size of each came about.
std::string summaryText(const Model& model, const ModelSummary& summary, const TextOptions& options,
                        bool everyTensor = false);
Json summaryJson(const Model& model, const ModelSummary& summary, bool everyTensor = false);

}  // namespace hw
