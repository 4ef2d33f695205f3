#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/result.h"
#include "core/graph/dtype.h"
#include "core/graph/graph.h"
#include "core/ops/op_table.h"

namespace hw {

/// An output of an operator, as far as it was told.
struct MeasuredTensor {
  Dtype dtype = Dtype::unknown;
  std::optional<Shape> shape{};
};

/// One operator of somebody's runtime, as it ran. What was not recorded is nothing.
struct MeasuredOperator {
  std::string name{};
  std::string type{};
  /// Of a runtime with operators of its own, which are matched by class, in their order.
  std::optional<OpClass> kind{};
  std::optional<std::int64_t> index{};  ///< Among the operators of the runtime's graph.
  std::int64_t micros = 0;              ///< How long it took.
  std::optional<Bytes> outputs{};       ///< Of what it wrote,
  std::optional<Bytes> parameters{};    ///< of the weights that it read,
  std::optional<Bytes> activations{};   ///< and of all else that it read.
  std::vector<MeasuredTensor> results{};
  /// Bytes that were asked for and not given back, as it began and as it ended: before what it read
  /// last is given back. Of the whole session, weights included.
  std::optional<Bytes> before{};
  std::optional<Bytes> after{};
  std::optional<Bytes> inUse{};   ///< The same as it ended, as the allocator rounds them.
  std::optional<Bytes> peak{};    ///< Most of these so far.
  std::optional<Bytes> held{};    ///< What the allocator has from the system.
  std::size_t inside = 0;         ///< Operators that ran in its bodies,
  std::optional<Bytes> bodies{};  ///< and the most that was asked for as one of these ended.
};

/// One run of a model, operator by operator in the order in which they ran.
struct OperatorProfile {
  std::vector<MeasuredOperator> ops{};
  std::size_t runs = 0;  ///< That the file has.
  std::size_t run = 0;   ///< Which of them this is, from 0.
  bool cutOff = false;   ///< The file ends before its list does.

  /// Every operator tells what was asked for.
  bool hasMemory() const;
  /// Bytes there were before the first operator: weights, and what is kept from run to run.
  Bytes standing() const;
  /// Bytes asked for while operator `i` runs, without those: as it began, as it ended, or in its
  /// bodies, whichever is most. Only where `hasMemory`.
  Bytes liveAt(std::size_t i) const;
};

/// The time that the operators took, of a graph that was read from a profile; else nothing.
std::optional<SimTime> measuredTime(const Graph& graph);

/// True if `bytes` begin as a profile of ONNX Runtime does.
bool looksLikeOperatorProfile(std::string_view bytes);

/// A profile of ONNX Runtime: events of Chrome's trace format, of which those are read that say
/// what an operator's kernel did. `run`: which of several, from 0. A list without its end is read
/// as far as it goes. Fails on what cannot be, with the event.
Result<OperatorProfile> readOperatorProfile(std::string_view bytes, std::size_t run = 0);

}  // namespace hw
