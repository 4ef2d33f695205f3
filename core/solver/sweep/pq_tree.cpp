#include "core/solver/sweep/pq_tree.h"

#include <algorithm>
#include <utility>

namespace hw::sweep {
namespace {

using Entries = std::vector<std::int32_t>;
using Node = const std::int32_t*;

std::int32_t lengthOf(Node node) { return *node >= 0 ? 1 : -*node / 2; }
bool isQ(Node node) { return *node < 0 && (-*node & 1) != 0; }

template <class Visit>
void forEachChild(Node node, const Visit& visit) {
  const Node end = node + lengthOf(node);
  for (Node child = node + 1; child < end; child += lengthOf(child)) visit(child);
}

void append(Entries& out, Node node) { out.insert(out.end(), node, node + lengthOf(node)); }

/// Closes the node that was begun at entry `at`.
void close(Entries& out, std::size_t at, bool q) {
  out[at] = -static_cast<std::int32_t>(2 * (out.size() - at) + (q ? 1 : 0));
}

void appendAny(Entries& out, std::span<const Leaf> leaves) {
  const std::size_t at = out.size();
  if (leaves.size() > 1) out.push_back(0);
  for (const Leaf leaf : leaves) out.push_back(static_cast<std::int32_t>(leaf));
  if (leaves.size() > 1) close(out, at, false);
}

}  // namespace

/// Builds the tree that is left when marked leaves are made neighbours and replaced. A subtree is
/// *empty*, *full* or *partial* by how many of its leaves are marked; full ones are left out.
class PqReplacement {
 public:
  PqReplacement(const PqTree::Marks& marks, std::size_t marked, std::span<const Leaf> in)
      : marks_(marks), marked_(marked), in_(in) {}

  /// Appends `node`, in which all marked leaves are. False: they cannot be neighbours.
  bool build(Node node) {
    const Counts counts = count(node);
    if (counts.full == counts.all) {
      appendAny(out_, in_);
      return true;
    }
    const std::vector<Child> children = childrenOf(node);
    const std::size_t at = out_.size();
    for (const Child& child : children) {
      if (child.full != marked_) continue;
      out_.push_back(0);
      for (const Child& each : children) {
        if (each.node != child.node) {
          append(out_, each.node);
        } else if (!build(each.node)) {
          return false;
        }
      }
      close(out_, at, isQ(node));
      return true;
    }
    return isQ(node) ? buildRow(children) : buildSet(children);
  }

  Entries take() { return std::move(out_); }

 private:
  enum class Fill : std::uint8_t { empty, partial, full };
  struct Counts {
    std::size_t full = 0;
    std::size_t all = 0;
  };
  struct Child {
    Node node;
    Fill fill;
    std::size_t full;
  };

  Counts count(Node node) const {
    Counts counts;
    for (Node each = node; each < node + lengthOf(node); ++each) {
      if (*each < 0) continue;
      ++counts.all;
      if (marks_[static_cast<std::size_t>(*each)]) ++counts.full;
    }
    return counts;
  }

  std::vector<Child> childrenOf(Node node) const {
    std::vector<Child> children;
    forEachChild(node, [&](Node child) {
      const Counts counts = count(child);
      const Fill fill = counts.full == 0            ? Fill::empty
                        : counts.full == counts.all ? Fill::full
                                                    : Fill::partial;
      children.push_back({child, fill, counts.full});
    });
    return children;
  }

  /// The marked meet below a P node: between the ends of at most two partial children.
  bool buildSet(const std::vector<Child>& children) {
    std::vector<Node> partial;
    std::size_t empty = 0;
    for (const Child& child : children) {
      if (child.fill == Fill::partial) partial.push_back(child.node);
      empty += child.fill == Fill::empty ? 1 : 0;
    }
    if (partial.size() > 2) return false;
    const std::size_t at = out_.size();
    if (empty > 0) {
      out_.push_back(0);
      for (const Child& child : children) {
        if (child.fill == Fill::empty) append(out_, child.node);
      }
    }
    if (!buildMeeting(partial)) return false;
    if (empty > 0) close(out_, at, false);
    return true;
  }

  bool buildMeeting(const std::vector<Node>& partial) {
    const std::size_t at = out_.size();
    if (!partial.empty()) out_.push_back(0);
    std::size_t items = 1;
    if (!partial.empty() && !unroll(partial[0], false, items)) return false;
    appendAny(out_, in_);
    if (partial.size() > 1 && !unroll(partial[1], true, items)) return false;
    if (!partial.empty()) close(out_, at, items > 2);
    return true;
  }

  /// Below a Q node: empty ones, at most one partial, full ones, at most one partial, empty ones.
  bool buildRow(const std::vector<Child>& children) {
    const std::size_t at = out_.size();
    out_.push_back(0);
    std::size_t items = 1;
    bool met = false;
    bool over = false;
    for (const Child& child : children) {
      if (child.fill == Fill::empty) {
        over |= met;
        append(out_, child.node);
        ++items;
        continue;
      }
      if (over) return false;
      const bool first = !std::exchange(met, true);
      over = child.fill == Fill::partial && !first;
      if (child.fill == Fill::partial && first && !unroll(child.node, false, items)) return false;
      if (first) appendAny(out_, in_);
      if (over && !unroll(child.node, true, items)) return false;
    }
    close(out_, at, items > 2);
    return true;
  }

  /// Appends what is empty in a partial `node`, from its far end to where the marked ones are; the
  /// other way round if `reversed`. Adds how many that were.
  bool unroll(Node node, bool reversed, std::size_t& items) {
    std::vector<Child> children = childrenOf(node);
    return isQ(node) ? unrollRow(children, reversed, items) : unrollSet(children, reversed, items);
  }

  bool unrollSet(const std::vector<Child>& children, bool reversed, std::size_t& items) {
    Node partial = nullptr;
    std::size_t empty = 0;
    for (const Child& child : children) {
      if (child.fill == Fill::partial && std::exchange(partial, child.node) != nullptr)
        return false;
      empty += child.fill == Fill::empty ? 1 : 0;
    }
    const auto appendEmpty = [&] {
      const std::size_t at = out_.size();
      if (empty > 1) out_.push_back(0);
      for (const Child& child : children) {
        if (child.fill == Fill::empty) append(out_, child.node);
      }
      if (empty > 1) close(out_, at, false);
      items += empty > 0 ? 1 : 0;
    };
    if (!reversed) appendEmpty();
    if (partial != nullptr && !unroll(partial, reversed, items)) return false;
    if (reversed) appendEmpty();
    return true;
  }

  bool unrollRow(std::vector<Child>& children, bool reversed, std::size_t& items) {
    const bool turned = children.front().fill == Fill::full || children.back().fill == Fill::empty;
    if (turned) std::ranges::reverse(children);
    const auto notEmpty = [](const Child& child) { return child.fill != Fill::empty; };
    const auto met = std::ranges::find_if(children, notEmpty);
    const auto notFull = [](const Child& child) { return child.fill != Fill::full; };
    if (std::any_of(met + 1, children.end(), notFull)) return false;
    const bool partial = met->fill == Fill::partial;
    if (reversed && partial && !unroll(met->node, true, items)) return false;
    if (reversed) std::reverse(children.begin(), met);
    for (auto child = children.begin(); child != met; ++child) {
      append(out_, child->node);
      ++items;
    }
    return reversed || !partial || unroll(met->node, false, items);
  }

  const PqTree::Marks& marks_;
  std::size_t marked_;
  std::span<const Leaf> in_;
  Entries out_;
};

/// Brings children into the order of their ranks, as far as nodes allow it.
class PqOrder {
 public:
  PqOrder(const std::vector<std::uint32_t>& rank, std::vector<Leaf>& out)
      : rank_(rank), out_(out) {}

  void add(Node node) {
    if (*node >= 0) return out_.push_back(static_cast<Leaf>(*node));
    std::vector<Child> children;
    forEachChild(node, [&](Node child) { children.push_back(spanOf(child)); });
    const auto span = [](const Child& child) { return std::pair(child.least, child.most); };
    if (!isQ(node)) {
      std::ranges::stable_sort(children, {}, span);
    } else if (span(children.back()) < span(children.front())) {
      std::ranges::reverse(children);
    }
    for (const Child& child : children) add(child.node);
  }

 private:
  struct Child {
    Node node;
    std::uint32_t least;
    std::uint32_t most;
  };

  Child spanOf(Node node) const {
    Child child{node, ~0U, 0};
    for (Node each = node; each < node + lengthOf(node); ++each) {
      if (*each < 0) continue;
      const std::uint32_t rank = rank_[static_cast<std::size_t>(*each)];
      child.least = std::min(child.least, rank);
      child.most = std::max(child.most, rank);
    }
    return child;
  }

  const std::vector<std::uint32_t>& rank_;
  std::vector<Leaf>& out_;
};

PqTree::PqTree(std::span<const Leaf> leaves) { appendAny(entries_, leaves); }

bool PqTree::replace(std::span<const Leaf> out, std::span<const Leaf> in, Marks& marks) {
  for (const Leaf leaf : out) marks[leaf] = true;
  PqReplacement replacement(marks, out.size(), in);
  const bool met = replacement.build(entries_.data());
  for (const Leaf leaf : out) marks[leaf] = false;
  if (met) entries_ = replacement.take();
  return met;
}

bool PqTree::canMeet(std::span<const Leaf> leaves, Marks& marks) const {
  if (leaves.size() < 2) return true;
  for (const Leaf leaf : leaves) marks[leaf] = true;
  const bool met = PqReplacement(marks, leaves.size(), leaves).build(entries_.data());
  for (const Leaf leaf : leaves) marks[leaf] = false;
  return met;
}

std::vector<Leaf> PqTree::leaves() const {
  std::vector<Leaf> leaves;
  for (const std::int32_t entry : entries_) {
    if (entry >= 0) leaves.push_back(static_cast<Leaf>(entry));
  }
  return leaves;
}

std::vector<Leaf> PqTree::ordered(const std::vector<std::uint32_t>& rank) const {
  std::vector<Leaf> order;
  if (!entries_.empty()) PqOrder(rank, order).add(entries_.data());
  return order;
}

}  // namespace hw::sweep
