#pragma once

#include <vector>

#include "core/base/interval.h"
#include "core/storage/alias_forest.h"

namespace hw {

/// Where the bytes of every tensor come from, as far as views may hand them on without a copy: a
/// reshape has the bytes of what it shows, a slice a part of them, a concat those of all it joins.
/// Said whatever the order of the ops, and whether or not all these views can share at once.
class ByteSources {
 public:
  ByteSources(const Graph& graph, const StorageOptions& options);

  /// Bytes that `source` had first.
  struct Part {
    TensorId source{};
    Interval<Bytes> bytes{};
  };
  /// All of a tensor, from its first byte to its last; empty for one that is not planned.
  const std::vector<Part>& content(TensorId tensor) const { return content_[tensor]; }

  /// Where the bytes that `source` had first are cut: 0, wherever a part begins or ends, its size.
  /// Empty where it has none of its own.
  const std::vector<Bytes>& cuts(TensorId source) const { return cuts_[source]; }

 private:
  void follow(const Graph& graph, const StorageOptions& options, const AliasForest& forest,
              OpId op);
  std::vector<Part> partOf(TensorId tensor, Interval<Bytes> range) const;
  /// Replaces the bytes of `whole` from `offset` on; not where it has some of them already.
  void insert(TensorId whole, Bytes offset, const std::vector<Part>& parts);

  IdMap<TensorId, std::vector<Part>> content_;
  IdMap<TensorId, std::vector<Bytes>> cuts_;
};

}  // namespace hw
