#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hw {

/// True when `bytes` start like a serialised ONNX ModelProto. ONNX has no magic number: this walks
/// the fields of the outermost message and wants known numbers with their right wire types. A file
/// cut short still passes, so that the reader can say what is wrong with it.
bool looksLikeOnnx(std::string_view bytes);

/// The ModelProto in `bytes` rewritten without what planning never needs: payloads of large
/// tensors, long attribute lists and strings, doc strings, training data. Everything else is kept,
/// small integer tensors included, since shapes are made of them.
///
/// Reads only the pages around the payloads, so a mapped model of any size (also beyond protobuf's
/// 2 GiB) costs memory in proportion to its graph.
Result<std::string> withoutPayloads(std::string_view bytes);

}  // namespace hw
