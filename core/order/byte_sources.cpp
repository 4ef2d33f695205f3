#include "core/order/byte_sources.h"

#include <algorithm>

#include "core/graph/scratch.h"
#include "core/storage/view_slices.h"

namespace hw {
namespace {

/// Views cannot share what the caller gives or gets on both of their sides.
bool isBoundary(const Tensor& tensor) { return tensor.graphInput || tensor.graphOutput; }

Bytes sizeOf(const std::vector<ByteSources::Part>& parts) {
  Bytes size;
  for (const ByteSources::Part& part : parts) size += part.bytes.length();
  return size;
}

}  // namespace

ByteSources::ByteSources(const Graph& graph, const StorageOptions& options)
    : content_(graph.tensors.size()), cuts_(graph.tensors.size()) {
  const AliasForest forest(graph, options);
  for (const TensorId id : graph.tensors.keys()) {
    // Scratch is what a chance to work in place saves less.
    if (forest.whyNotPlanned(id) || isScratch(graph, id)) continue;
    const Interval<Bytes> all{Bytes(), *graph.tensors[id].bytes};
    content_[id] = {{.source = id, .bytes = all}};
  }
  for (const OpId op : graph.ops.keys()) {
    if (!graph.ops[op].folded) follow(graph, options, forest, op);
  }
  for (const std::vector<Part>& parts : content_) {
    for (const Part& part : parts) {
      cuts_[part.source].push_back(part.bytes.begin);
      cuts_[part.source].push_back(part.bytes.end);
    }
  }
  for (std::vector<Bytes>& cuts : cuts_) {
    std::ranges::sort(cuts);
    // Clang 14 cannot use the subrange that std::ranges::unique returns.
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  }
}

void ByteSources::follow(const Graph& graph, const StorageOptions& options,
                         const AliasForest& forest, OpId op) {
  const bool joins = viewFamilyOf(graph.ops[op]) == ViewFamily::concat;
  for (const ViewSlice& slice : viewSlices(graph, options, forest, op)) {
    const Tensor& part = graph.tensors[slice.part];
    const Tensor& whole = graph.tensors[slice.whole];
    if (slice.whyNot || !isAligned(slice.offset, options.alignment)) continue;
    if (isBoundary(part) && isBoundary(whole)) continue;
    if (joins && !part.graphInput) {
      insert(slice.whole, slice.offset, content_[slice.part]);
    } else if (!joins) {
      content_[slice.part] =
          partOf(slice.whole, {slice.offset, slice.offset + forest.sizeOf(slice.part)});
    }
  }
}

std::vector<ByteSources::Part> ByteSources::partOf(TensorId tensor, Interval<Bytes> range) const {
  std::vector<Part> found;
  Bytes at;
  for (const Part& part : content_[tensor]) {
    const Bytes begin = std::max(range.begin, at);
    const Bytes end = std::min(range.end, at + part.bytes.length());
    if (begin < end) {
      const Bytes shift = part.bytes.begin - at;
      found.push_back({.source = part.source, .bytes = {begin + shift, end + shift}});
    }
    at += part.bytes.length();
  }
  return found;
}

void ByteSources::insert(TensorId whole, Bytes offset, const std::vector<Part>& parts) {
  const std::vector<Part>& all = content_[whole];
  const bool twice = std::ranges::any_of(parts, [&](const Part& part) {
    return std::ranges::any_of(all, [&](const Part& other) {
      return other.source == part.source && other.bytes.overlaps(part.bytes);
    });
  });
  if (twice) return;
  const Bytes end = offset + sizeOf(parts);
  std::vector<Part> joined = partOf(whole, {Bytes(), offset});
  joined.insert(joined.end(), parts.begin(), parts.end());
  const std::vector<Part> rest = partOf(whole, {end, sizeOf(all)});
  joined.insert(joined.end(), rest.begin(), rest.end());
  content_[whole] = std::move(joined);
}

}  // namespace hw
