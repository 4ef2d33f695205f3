#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/graph/dtype.h"

namespace hw {

// Facts of the TFLite file format: which field of which table holds what, and what the numbers
// stand for. Version 3 of the schema; fields are only ever added to it.

/// Operator codes with a meaning of their own to the importer.
enum class TfliteOpCode : std::int32_t {
  call = 31,
  custom = 32,
  reshape = 22,
  split = 49,
  shape = 77,
  delegate = 51,
  splitV = 102,
  branch = 118,
  loop = 119,
  callOnce = 129,
  variableHandle = 142,
  readVariable = 143,
  assignVariable = 144,
  stablehloLoop = 200,
  composite = 206,
};

/// "CONV_2D"; "BUILTIN_999" for a code that is newer than this program.
std::string tfliteOpName(std::int32_t code);

/// The number of operator codes that have a name.
std::int32_t tfliteOpCount();

/// The Dtype of a tensor type number; unknown when it is newer than this program.
Dtype tfliteDtype(std::int32_t type);

/// Bits of one element of a tensor type, also of those that have no Dtype; 0: no fixed size.
int tfliteBits(std::int32_t type);

}  // namespace hw
