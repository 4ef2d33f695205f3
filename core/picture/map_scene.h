#pragma once

#include <memory>

#include "core/picture/axis.h"
#include "core/picture/block_store.h"
#include "core/picture/plot.h"

namespace hw {

struct PartBlock;
struct ConstraintLink;
struct LinkWay;
enum class LinkKind : std::uint8_t;

/// Everything a memory map shows: plain data, so that the screen, a file and a test draw the same
/// thing through one path.
struct MapScene {
  std::shared_ptr<const Run> run{};            ///< Never null.
  std::shared_ptr<const BlockStore> blocks{};  ///< Of `pool`; never null.
  PoolId pool{0};
  std::shared_ptr<const RunScale> scale{};  ///< Of `run`; null: its steps.
  MapWindow window{};
  PlotNow now{};
  /// The step under way, or the time: what has its bytes there is drawn as alive.
  AxisPlace at{};
  bool started = false;         ///< False at the very start, when nothing is alive yet.
  std::vector<Ghost> ghosts{};  ///< Of the selected stay, of all pools.
  bool hexAddresses = false;
  StayId selected{};
  TensorId selectedPart{};  ///< Of the tensors that share the selected stay; none: all of it.
  OpId selectedOp{};
  StayId hovered{};
  /// Blocks to hatch, of `blocks`; null when this map is held against no other.
  std::shared_ptr<const MovedBlocks> moved{};
  std::string title{};  ///< What stands above the map; empty: its pool and allocator.
  std::optional<std::size_t> place{};  ///< Of the plan among those compared: 0 is A.
  std::string prefix{};  ///< Of the ids of blocks in a file that several maps share: "B-".
  double corner = 0;     ///< Units to leave free at the right end of the title, for buttons.
  bool loading = false;  ///< `blocks` are still being sorted: nothing can be said about them.
  std::shared_ptr<const StayFilter> filter{};  ///< What it does not keep is pale.

  /// All of one pool, before anything has happened; over time only of a run that is timed.
  static MapScene whole(std::shared_ptr<const Run> run, PoolId pool, AxisUnit unit = AxisUnit::step,
                        std::shared_ptr<const Coloring> coloring = Coloring::byType());

  AxisUnit unit() const { return scale ? scale->unit() : AxisUnit::step; }
  /// True for all stays of the selected stay's buffer.
  bool isSelected(StayId stay) const;
  /// Title above the map.
  std::string heading() const;
};

/// More blocks than this are too many for shapes: a file keeps the largest, and pixels show all.
inline constexpr std::size_t kMostShapes = 20'000;

/// Draws a map in its layers; holds no state beyond its arguments.
class MapDrawing {
 public:
  MapDrawing(Canvas& canvas, const MapScene& scene, const Box& where);

  const Plot& plot() const { return plot_; }

  /// Grid, blocks and their names as shapes; returns how many blocks were left out.
  std::size_t drawBlocks() const;
  /// The tensors that share blocks, over these: each in its own bytes for its own life, in a frame
  /// that is hatched where the block is kept and nobody lives; inputs that outputs overlap, as far
  /// as they are still to be read; blocks that are taken as a whole, and reserved memory.
  void drawParts() const;
  /// Draws what lives at the step under way, over a picture of blocks in which it does not stand
  /// out.
  void drawLive() const;
  /// Draws what lies over the blocks, inside the plot. Returns the labels of lines that have no
  /// place beside blocks, to be said above the map.
  std::string drawOver() const;
  /// Axes, title with `note`, marks and playhead.
  void drawAround(std::string_view note) const;

  /// Note about the blocks; empty when there is nothing to say.
  std::string note() const;

 private:
  std::vector<std::size_t> shownBlocks() const;
  BlockTime timeOf(const Block& block) const;
  /// Stable between pictures: "stay-3", "stay-3-1" for what comes after a gap.
  Hint hintOf(std::size_t index) const;
  void drawBlock(std::size_t index, BlockTime time, const Hint& hint = {}) const;
  void writeName(std::size_t index, BlockTime time) const;
  void outline(std::size_t index, const Stroke& stroke) const;
  void encircle(std::size_t index, const Stroke& stroke = {Ink::selection, 2}) const;
  void drawSelection() const;
  void drawPickedOut() const;
  bool isFree(const Box& box) const;
  Box boxOf(std::size_t index) const;
  void drawFrames() const;
  void drawReserved() const;
  void drawReservedRanges() const;
  void drawShared(StayId only = {}) const;
  void drawConstraints() const;
  void drawPaid() const;
  void drawLinks() const;
  void bringForward(const ConstraintLink& link) const;
  std::optional<LinkWay> wayBetween(StayId a, StayId b) const;
  void drawWay(const LinkWay& way, LinkKind kind) const;
  std::vector<PartBlock> openBlock(std::size_t index) const;
  void drawPartsOf(const Block& block, const std::vector<PartBlock>& parts) const;
  void drawOverlaps() const;
  void drawLoops() const;
  void drawPart(const Block& block, const PartBlock& part) const;
  void drawHalo(const Block& block, const PartBlock& part) const;
  void drawSameOp() const;
  void writePart(const PartBlock& part, BlockTime time) const;
  Box boxOf(const PartBlock& part) const;
  BlockTime timeOf(const Block& block, const PartBlock& part) const;

  Canvas& canvas_;
  const MapScene& scene_;
  std::shared_ptr<const RunScale> scale_;
  Plot plot_;
};

/// True if the steps of a stay are a guess: it is from a plan that does not say when it lives.
bool isGuessed(const Run& run, StayId stay);
/// True if those of any stay are. O(stays) for such plans.
bool hasGuessed(const Run& run);

/// All of it as shapes.
void drawMap(Canvas& canvas, const MapScene& scene, const Box& where);

/// "steps 3 to 7", "0.41 ms to 0.62 ms": while a block has its bytes.
std::string spanText(const Interval<AxisPlace>& span, AxisUnit unit);

/// Two notes one after the other.
std::string joined(std::string first, std::string_view second);

/// "b8.add", made safe to show and not longer than anyone reads.
std::string blockName(const Run& run, StayId stay);
/// "b8.add  9.00 KiB".
std::string blockLabel(const Run& run, StayId stay);

/// The part of a label that fits into its box; empty where none does. Measuring is what a picture
/// full of small blocks takes longest for, so who draws one twice fits it once.
struct FittedLabel {
  Point at;
  std::string text;
  bool upwards = false;

  void draw(Canvas& canvas, Ink ink) const;
};
/// Name and size of a block if they fit along `box`, else the name whichever way it fits, else as
/// much of the name as still says something along the longer side.
FittedLabel fittedBlockLabel(const Ruler& ruler, const Box& box, const Run& run, StayId stay);
void drawBlockLabel(Canvas& canvas, const Box& box, const Run& run, StayId stay, Ink ink);
/// The same of a `name`, which `full` begins with.
void drawBoxLabel(Canvas& canvas, const Box& box, const std::string& name, const std::string& full,
                  Ink ink);

/// Bytes that nobody may have, hatched, with how many they are.
void drawReservedBand(Canvas& canvas, const Box& box, Bytes bytes);

/// Hatching of bytes that are kept while nobody lives in them.
inline constexpr Fill kKeptHatch{Ink::muted, 0.35};
/// Hatchings of a halo: bytes that are kept to be read again, and bytes made again.
inline constexpr Fill kReadAgainHatch{Ink::text, 0.4};
inline constexpr Fill kMadeAgainHatch{Ink::accent, 0.75, true};
/// Hatching of memory that is not planned.
inline constexpr Fill kReservedHatch{Ink::capacity, 0.3};
/// Hatching of bytes in which two are that are never there at the same time, or begin together.
inline constexpr Fill kSharedHatch{Ink::lowerBound, 0.8, true};
/// Hatching of a block of which nobody knows when it lives.
inline constexpr Fill kGuessedHatch{Ink::accent, 0.7};
/// Hatching of a block that is held to have moved.
inline constexpr Fill kMovedHatch{Ink::text, 0.46};

}  // namespace hw
