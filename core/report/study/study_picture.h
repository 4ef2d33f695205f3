#pragma once

#include <string>
#include <vector>

#include "core/picture/palette.h"
#include "core/report/study/study_query.h"

namespace hw {

/// Bytes against latency over the rows of one model: the front as stairs, and the other rows as
/// dots, two thousand of them at most, evenly apart in their order. `figures` are a figure in bytes
/// and then "latency". Fails on other figures, and where there are no rows, or those of several
/// models.
Result<std::string> paretoPicture(const ResultScope& scope, const std::vector<std::string>& figures,
                                  const Palette& palette);

}  // namespace hw
