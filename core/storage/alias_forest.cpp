#include "core/storage/alias_forest.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graph/tiling.h"

namespace hw {
namespace {

/// The reason of an offset that is not aligned; `textOf` puts the numbers into it.
constexpr const char* kUnaligned = "its slice would start between two multiples of the alignment";

}  // namespace

AliasForest::AliasForest(const Graph& graph, const StorageOptions& options)
    : graph_(graph), options_(options), links_(graph.tensors.size()) {
  IdMap<TensorId, Facts> facts(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    facts[id] = {findWhyNotPlanned(id), hw::isScratch(graph, id)};
  }
  facts_ = std::make_shared<const IdMap<TensorId, Facts>>(std::move(facts));
  for (const TensorId id : graph.tensors.keys()) {
    Link& link = links_[id];
    link.holdsInput = graph.tensors[id].graphInput;
    link.holdsOutput = graph.tensors[id].graphOutput;
    if (link.holdsInput || link.holdsOutput) callers_[id] = {{Bytes(), sizeOf(id)}};
  }
}

AliasForest::Place AliasForest::place(TensorId id) const {
  Place found{.root = id};
  while (links_[found.root].parent) {
    found.offset += links_[found.root].offset;
    found.root = links_[found.root].parent;
  }
  // Path compression: all on the way point to the root from now on.
  Bytes rest = found.offset;
  while (links_[id].parent && links_[id].parent != found.root) {
    Link& link = links_[id];
    const Bytes step = link.offset;
    id = std::exchange(link.parent, found.root);
    link.offset = rest;
    rest -= step;
  }
  return found;
}

bool AliasForest::callersMeet(TensorId part, TensorId whole, Bytes offset) const {
  const auto inner = callers_.find(part);
  const auto outer = callers_.find(whole);
  if (inner == callers_.end() || outer == callers_.end()) return false;
  return std::ranges::any_of(inner->second, [&](const Interval<Bytes>& own) {
    const auto next =
        std::ranges::upper_bound(outer->second, own.begin + offset, {}, &Interval<Bytes>::end);
    return next != outer->second.end() && next->begin < own.end + offset;
  });
}

const char* AliasForest::attach(TensorId child, TensorId parent, Bytes offset) {
  const auto [root, inside] = place(parent);
  if (root == child) return "it shares that storage already";
  if (!options_.homes.empty()) {
    const std::uint32_t home = options_.homes[child];
    if (home == StorageOptions::kManyHomes || home != options_.homes[root]) {
      return "it crosses from one device to another";
    }
  }
  if (callersMeet(child, root, inside + offset)) {
    return "input and output are both graph inputs or outputs";
  }
  if (!isAligned(offset, options_.alignment)) return kUnaligned;
  Link& part = links_[child];
  Link& whole = links_[root];
  whole.holdsInput |= part.holdsInput;
  whole.holdsOutput |= part.holdsOutput;
  part.parent = root;
  part.offset = inside + offset;
  if (auto moved = callers_.extract(child)) {
    Callers& all = callers_[root];
    for (Interval<Bytes> bytes : moved.mapped()) {
      bytes = {bytes.begin + part.offset, bytes.end + part.offset};
      all.insert(std::ranges::upper_bound(all, bytes), bytes);
    }
  }
  return nullptr;
}

std::string AliasForest::textOf(const char* whyNot, Bytes offset) const {
  if (whyNot != kUnaligned) return whyNot;
  return fmt::format("its slice would start at byte {}, not a multiple of {}", offset.count(),
                     options_.alignment.count());
}

void AliasForest::attachPiece(TensorId piece, TensorId host, Bytes offset) {
  links_[piece].parent = host;
  links_[piece].offset = offset;
}

const char* AliasForest::findWhyNotPlanned(TensorId id) const {
  if (const auto* piece = pieceOf(graph_, id)) return findWhyNotPlanned(piece->host);
  const Tensor& tensor = graph_.tensors[id];
  if (tensor.constant) return "a weight has to be copied in";
  if (tensor.persistent) return "it keeps its value from run to run";
  if (!tensor.bytes) return "its size is unknown";
  if (*tensor.bytes == Bytes()) return "it is empty";
  if (tensor.graphInput && !options_.planInputs) return "the graph input lives outside the arena";
  if (tensor.graphOutput && !options_.planOutputs) {
    return "the graph output lives outside the arena";
  }
  return nullptr;
}

}  // namespace hw
