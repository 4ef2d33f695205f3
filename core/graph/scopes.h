#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// Ops [first, last) in the order of the graph, which is topological: a graph whose nodes are such
/// ranges has no cycles either.
struct OpRange {
  std::size_t first = 0;
  std::size_t last = 0;

  std::size_t size() const { return last - first; }
  bool contains(const OpRange& other) const { return first <= other.first && other.last <= last; }
  friend constexpr auto operator<=>(const OpRange&, const OpRange&) = default;
};

/// Cuts `range` into at most `most` (at least 2) pieces, in order: the single ops if they are few
/// enough, else where name scopes ("a/b/conv") change, as deep as `most` allows, else chains of ops
/// of which each feeds the next alone, else pieces of one length. A range of several ops gets at
/// least two pieces. O(ops x depth).
std::vector<OpRange> divideOps(const Graph& graph, OpRange range, std::size_t most);

/// Consecutive operators whose names begin alike: "features.3" of "features.3.conv".
struct NamedScope {
  OpRange ops{};       ///< Places in the list of names.
  std::string name{};  ///< As in the file; empty: of operators without a scope.
};

/// The scopes of operators in the order of `names`: as shallow as they can be while none has more
/// than half of the operators. All of the list, in order; empty where names tell no such scopes, or
/// more than one for every two operators. O(names x depth).
std::vector<NamedScope> scopesOf(const std::vector<std::string_view>& names);

}  // namespace hw
