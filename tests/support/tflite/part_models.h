#pragma once

#include "tests/support/tflite_writer.h"

/// Small models that run in parts inside one arena, and the whole models that they were made from.
/// All are of float32 with six rows of 8 bytes.
namespace hw::test::tfl {

/// Pool of three rows and an activation: tensors 0, 1, 2.
TfliteText wholeChain();

/// Chain in two parts, the lower one first. Its pool reads rows 2 to 5 and pads above row 2, so
/// that its first output, row 2, misses row 1 and is garbage. The view that it reads begins `shift`
/// bytes further. The steps are pool and activation of the lower part, then of the upper one.
TfliteText twoParts(std::int32_t shift);

/// Activation alone: tensors 0 and 1.
TfliteText wholeActivation();

/// Activation, two rows at a time, from the last to the first: the loop carries where it is, its
/// body reads with SLICE and writes with DYNAMIC_UPDATE_SLICE. The steps are a comparison, three
/// times slice, activation, update, addition and comparison, and the loop. Other `rows` that it
/// goes on by have another number of turns: 0 and more never end.
TfliteText loopOfParts(std::int32_t rows = -2);

}  // namespace hw::test::tfl
