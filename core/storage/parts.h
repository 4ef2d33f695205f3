#pragma once

#include <string>
#include <vector>

#include "core/storage/aliasing.h"

namespace hw {

/// A tensor's bytes in a buffer that it shares, for its own lifetime; of a piece that lies in
/// several stretches, one of them.
struct BufferPart {
  TensorId tensor{};
  Interval<Bytes> bytes{};  ///< Inside the buffer; not empty.
  Interval<Step> steps{};   ///< Inside those of the buffer.
};

/// The tensors that share a buffer: larger ones first, then by first step and id. Empty for a
/// buffer of one tensor.
std::vector<BufferPart> partsOf(const Graph& graph, const Storage& storage, BufferId buffer);

/// The bytes of a tensor that shares a buffer, in words: "bytes 0–63 of c, no copy"; "all of c, no
/// copy"; "written over a"; "3 stretches of 8 bytes, each 64 behind the last, from byte 0 on of c,
/// no copy". Empty for one that has a buffer of its own.
std::string partText(const Graph& graph, const Storage& storage, TensorId tensor);

}  // namespace hw
