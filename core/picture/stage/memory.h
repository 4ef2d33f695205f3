#pragma once

#include "core/picture/stage/sketch.h"
#include "core/picture/stage/stage.h"
#include "core/plan/method_record.h"
#include "core/run/run.h"

namespace hw::stage {

/// True if `stage` has lists that lie in memory.
bool hasMemory(const Stage& stage);

/// Memory as the method knows it, in `where`: blocks with their capacities, or with all tenants
/// over the steps where none gives one back while it is planned, rows of used and free bytes, two
/// stacks around an origin, or placements over the steps, whatever the lists tell of.
void drawMemory(Sketch& sketch, const Stage& stage, const MethodPlayer& player, const Box& where,
                StayId selected);

/// The height at which all of it has room.
double memoryHeight(const Ruler& ruler, const Stage& stage);

/// A stage at one moment, as the drawings of memory ask for it.
struct StageMoment {
  const Stage& stage;
  const MethodPlayer& player;
  StayId selected{};

  const Run& run() const { return stage.run(); }
  const std::vector<MethodRow>& rows(std::uint32_t list) const { return player.state()[list]; }
  const MethodList& list(std::uint32_t number) const { return stage.record().lists[number]; }
  /// The lists of a role that tell of `pool`; those of all pools among them.
  std::vector<std::uint32_t> listsOf(MethodList::Role role, PoolId pool) const;
  /// The first of them; none where there is none.
  std::uint32_t listOf(MethodList::Role role, PoolId pool) const;
  /// The last tick that happened; null before the first.
  const MethodTick* tick() const;
  Bytes sizeOf(StayId stay) const { return stage::sizeOf(run(), stay, {}); }
  Bytes sizeOf(const RowCells& cells) const { return stage::sizeOf(run(), cells.stay, cells.part); }
  /// Look of a stay's bytes: framed where the tick is about it, or where it is selected.
  Look lookOf(StayId stay) const;
  Ink inkOn(StayId stay) const;
  std::string poolName(PoolId pool) const;
};

// One drawing a file.
void drawBlocks(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where);
void drawShelves(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where);
void drawStrip(Sketch& sketch, const StageMoment& moment, PoolId pool, const Box& where);
void drawSides(Sketch& sketch, const StageMoment& moment, const Box& where);
void drawPlaced(Sketch& sketch, const StageMoment& moment, std::uint32_t list, const Box& where);

/// The lists of `stage` in `where`, in as many columns as have room, each row a chip. Lists that
/// are too long are left out in the middle, with a count.
void drawLists(Sketch& sketch, const Stage& stage, const MethodPlayer& player, const Box& where,
               StayId selected);

/// The height at which all rows have room.
double listsHeight(const Ruler& ruler, const Stage& stage, double width);

/// The ops around the step that tick `ticks` looks at, in a row at the bottom of `where`, below the
/// sub-functions and execution units that they belong to if they are dealt out to devices; returns
/// what is left above. Nothing of a run without ops, or where there is little room.
Box drawSchedule(Sketch& sketch, const Run& run, const MethodRecord& record, std::size_t ticks,
                 const Box& where);

}  // namespace hw::stage
