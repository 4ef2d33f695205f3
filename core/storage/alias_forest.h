#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/interval.h"
#include "core/storage/aliasing.h"

namespace hw {

/// Tensors that share storage. Every tensor starts as a block of its own and may become a slice of
/// another's; a tensor's place is its root's block and the offset inside. Union-find with offsets:
/// practically O(1) a question.
class AliasForest {
 public:
  AliasForest(const Graph& graph, const StorageOptions& options);

  struct Place {
    TensorId root{};
    Bytes offset{};
  };
  Place place(TensorId id) const;

  /// Makes the group of `child` (a root) a part of the group of `parent`, `offset` bytes into it,
  /// or says why that cannot be: bytes of the caller's, graph inputs and outputs, are of one
  /// tensor, and what shares is in one place. Null where it is done.
  const char* attach(TensorId child, TensorId parent, Bytes offset);
  /// The same for a piece of a tiled graph, whose offset is given and need not be aligned.
  void attachPiece(TensorId piece, TensorId host, Bytes offset);

  /// The text of a reason why a slice that begins at `offset` is not shared.
  std::string textOf(const char* whyNot, Bytes offset) const;

  /// The reason why a tensor has no place in any pool; null when it has one.
  const char* whyNotPlanned(TensorId id) const {
    return id ? (*facts_)[id].whyNotPlanned : "an operand is absent";
  }
  bool isScratch(TensorId id) const { return (*facts_)[id].scratch; }

  /// The group of `root` holds a graph input (an output).
  bool holdsInput(TensorId root) const { return links_[root].holdsInput; }
  bool holdsOutput(TensorId root) const { return links_[root].holdsOutput; }

  Bytes sizeOf(TensorId id) const { return graph_.tensors[id].bytes.value_or(Bytes()); }

 private:
  struct Link {
    TensorId parent{};         ///< None for a root.
    Bytes offset{};            ///< Inside the parent.
    bool holdsInput = false;   ///< Of a root.
    bool holdsOutput = false;  ///< Of a root.
  };
  /// Facts of a tensor that no sharing changes.
  struct Facts {
    const char* whyNotPlanned = nullptr;
    bool scratch = false;
  };
  /// Where graph inputs and outputs lie in a group, ascending and disjoint.
  using Callers = std::vector<Interval<Bytes>>;

  /// Bytes of callers in the group of `part` would meet those of `whole`, so many bytes into it.
  bool callersMeet(TensorId part, TensorId whole, Bytes offset) const;

  const char* findWhyNotPlanned(TensorId id) const;

  const Graph& graph_;
  const StorageOptions& options_;
  std::shared_ptr<const IdMap<TensorId, Facts>> facts_;  ///< The same for all copies.
  mutable IdMap<TensorId, Link> links_;  ///< Paths are shortened as they are walked.
  std::map<TensorId, Callers> callers_;  ///< By root, of groups that have any.
};

}  // namespace hw
