#include "core/storage/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"

namespace hw {

std::vector<BufferPart> partsOf(const Graph& graph, const Storage& storage, BufferId buffer) {
  if (!buffer || !storage.buffers.contains(buffer)) return {};
  const std::vector<TensorId>& tensors = storage.buffers[buffer].tensors;
  if (tensors.size() < 2) return {};
  std::vector<BufferPart> parts;
  for (const TensorId id : tensors) {
    const Bytes begin = storage.offsetOf(id);
    parts.push_back({id, {begin, begin + *graph.tensors[id].bytes}, storage.lifetimes[id]});
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
    // Its own block: only a whole that is made of parts which were there before needs a word.
    const OpId producer = graph.tensors[tensor].producer;
    const bool late = storage.lifetimes[tensor].begin > buffer.steps.begin;
    if (!late || !producer) return {};
    return storage.free[producer] ? "all of its parts are there, no copy"
                                  : "some parts are there, others copied";
  }
  if (size == buffer.size) return fmt::format("all of {}, no copy", name(buffer.root));
  const Bytes begin = storage.offsetOf(tensor);
  return fmt::format("bytes {}–{} of {}, no copy", begin.count(), (begin + size).count() - 1,
                     name(buffer.root));
}

}  // namespace hw
