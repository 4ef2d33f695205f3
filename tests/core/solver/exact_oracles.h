#pragma once

#include <optional>
#include <string>

#include "core/plan/problem.h"

namespace hw::test {

/// The lowest peak of any plan of pool 0, by trying every offset of every stay; alignments, gaps
/// and pins honoured. For a handful of small stays.
Bytes exhaustivePeak(const Problem& problem);

/// The same by a mixed-integer program; nothing when none was solved.
std::optional<Bytes> integerProgramPeak(const Problem& problem);

/// True if a plan of pool 0 is within `capacity`, by another program, which is quick where sizes
/// are small numbers; for stays that are not aligned, not pinned and without gaps.
std::optional<bool> integerProgramFits(const Problem& problem, Bytes capacity);

/// The least of what the LP file `text` minimises as "cost", a whole number, by whichever of CBC
/// and GLPK is installed; nothing when neither is, or it gave no optimum.
std::optional<std::int64_t> integerProgramOptimum(const std::string& text);

/// "cbc", "glpsol", or nothing.
std::optional<std::string> installedMipSolver();

}  // namespace hw::test
