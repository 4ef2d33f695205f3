#pragma once

#include "tests/support/tflite_writer.h"

namespace hw::test::tfl {

/// Kinds of operators that `drawnOperator` knows.
int drawnKinds();

/// Model of one operator of a kind, with drawn sizes, options, scales and weights, of int8 or
/// float32. With `overlapping`, a plan puts its output anywhere over or beside its inputs, except
/// for operators that copy bytes at once.
TfliteText drawnOperator(int kind, std::uint64_t seed, bool overlapping);

}  // namespace hw::test::tfl
