#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace hw {

/// The TFLite file `file` with `offsets` as its metadata OfflineMemoryAllocation, in place of what
/// it had of that kind; everything else is as it was. One number for each tensor of all subgraphs,
/// -1 where the runtime decides.
///
/// References in a flatbuffer lead forwards only, so the new root, its list of buffers and its
/// metadata stand in front of the old bytes, which follow as they are:
///
///     | header | root | buffers | metadata | plan | padding | the old file, byte for byte |
///
/// Offsets from the start of the file are moved along: of weights behind the flatbuffer, of large
/// options of operators, and the directory of a zip archive at the end.
Result<std::string> withOfflinePlan(std::string_view file,
                                    const std::vector<std::int32_t>& offsets);

}  // namespace hw
