#pragma once

#include <string>
#include <vector>

#include "core/picture/coloring.h"
#include "core/picture/constraint_links.h"
#include "core/run/run.h"

namespace hw {

/// The stays of a problem on a circle, in the order of their steps, as large as they are, and lines
/// between those that may not share bytes, that begin together, or that pay for sharing.
struct ConflictScene {
  struct Node {
    StayId stay{};
    std::string name{};
    Bytes size{};
    BlockClass kind = BlockClass::buffer;
    std::size_t conflicts = 0;  ///< With others of the scene.
  };
  struct Edge {
    std::size_t from = 0;  ///< Places among the nodes.
    std::size_t to = 0;
    LinkKind kind =
        LinkKind::apart;  ///< `apart`: a conflict, of their lives or as the problem says.
    std::int64_t cost = 0;
  };
  std::vector<Node> nodes{};
  std::vector<Edge> edges{};  ///< Conflicts first, penalties that are paid last.
  std::string note{};         ///< Stays that are left out, in words; empty: none.
  StayId selected{};
  StayId hovered{};

  /// The largest stays of a run, at most 200, and fewer where they have very many conflicts.
  static ConflictScene of(const Run& run, const Coloring& coloring = {});
};

/// True if a run has anything to show there: constraints between stays of a planning problem.
bool hasConflicts(const Run& run);

/// The boxes around the nodes of `scene` in a picture `where`.
std::vector<Box> conflictBoxes(const ConflictScene& scene, const Box& where, const Ruler& ruler);

void drawConflicts(Canvas& canvas, const ConflictScene& scene, const Box& where);

}  // namespace hw
