#include "core/storage/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/graph/tiling.h"

namespace hw {

std::vector<BufferPart> partsOf(const Graph& graph, const Storage& storage, BufferId buffer) {
  if (!buffer || !storage.buffers.contains(buffer)) return {};
  const std::vector<TensorId>& tensors = storage.buffers[buffer].tensors;
  if (tensors.size() < 2) return {};
  std::vector<BufferPart> parts;
  for (const TensorId id : tensors) {
    const Interval<Step>& steps = storage.lifetimes[id];
    const Bytes begin = storage.offsetOf(id);
    const Tiling::Piece* piece = pieceOf(graph, id);
    if (piece == nullptr) {
      parts.push_back({id, {begin, begin + *graph.tensors[id].bytes}, steps});
      continue;
    }
    const Bytes host = storage.offsetOf(piece->host);
    for (const Interval<Bytes>& each : stretchesOf(graph, id)) {
      parts.push_back({id, {host + each.begin, host + each.end}, steps});
    }
  }
  std::ranges::stable_sort(parts, {}, [](const BufferPart& part) {
    return std::tuple(Bytes() - part.bytes.length(), part.steps.begin, part.tensor);
  });
  return parts;
}

namespace {

/// The input that an output of an op in place is written over.
TensorId overwritten(const Graph& graph, const Storage& storage, TensorId tensor) {
  const OpId producer = graph.tensors[tensor].producer;
  if (!producer) return {};
  for (const TensorId in : graph.reads(producer)) {
    if (in && storage.bufferOf(in) == storage.bufferOf(tensor)) return in;
  }
  return {};
}

/// "3 stretches of 224 bytes, each 50,176 behind the last, from byte 0 on"; empty for what lies in
/// one. Rows of images with channels first have one in each channel.
std::string stretchesText(const Graph& graph, TensorId tensor) {
  const Tiling::Piece* piece = pieceOf(graph, tensor);
  if (piece == nullptr) return {};
  const auto stretches = stretchesOf(graph, tensor);
  if (stretches.size() < 2) return {};
  const auto digits = [](Bytes bytes) { return groupDigits(bytes.count()); };
  return fmt::format("{} stretches of {} bytes, each {} behind the last, from byte {} on",
                     groupDigits(std::ssize(stretches)), digits(stretches[0].length()),
                     digits(stretches[1].begin - stretches[0].begin), digits(stretches[0].begin));
}

}  // namespace

std::string partText(const Graph& graph, const Storage& storage, TensorId tensor) {
  const BufferId id = storage.bufferOf(tensor);
  if (!id || !storage.buffers.contains(id) || storage.buffers[id].tensors.size() < 2) return {};
  const Buffer& buffer = storage.buffers[id];
  const auto name = [&](TensorId each) { return printable(displayName(graph, each), 80); };
  if (std::ranges::binary_search(storage.inPlace, tensor)) {
    const TensorId input = overwritten(graph, storage, tensor);
    return input ? fmt::format("written over {}", name(input)) : "written in place";
  }
  const Bytes size = *graph.tensors[tensor].bytes;
  if (tensor == buffer.root) {
    // The root has the whole block, and is told only where parts of it were there before.
    const OpId producer = graph.tensors[tensor].producer;
    const bool late = storage.lifetimes[tensor].begin > buffer.steps.begin;
    if (!late || !producer) return {};
    return storage.free[producer] ? "all of its parts are there, no copy"
                                  : "some parts are there, others copied";
  }
  if (const std::string stretches = stretchesText(graph, tensor); !stretches.empty()) {
    return fmt::format("{} of {}, no copy", stretches, name(buffer.root));
  }
  if (size == buffer.size) return fmt::format("all of {}, no copy", name(buffer.root));
  const Bytes begin = storage.offsetOf(tensor);
  return fmt::format("bytes {}–{} of {}, no copy", begin.count(), (begin + size).count() - 1,
                     name(buffer.root));
}

}  // namespace hw
