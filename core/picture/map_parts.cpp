#include <fmt/format.h>

#include "core/base/text.h"
#include "core/picture/map_scene.h"
#include "core/storage/parts.h"

namespace hw {
namespace {

TensorClass partClass(const Tensor& tensor) {
  if (tensor.graphOutput) return TensorClass::output;
  return tensor.graphInput ? TensorClass::input : TensorClass::view;
}

/// From the op that writes a tensor to the last that reads it: on an axis of time they need not
/// run in the order of their steps.
Interval<double> lifeOf(const Run& run, const RunScale& scale, const BufferPart& part) {
  if (scale.unit() == AxisUnit::step) {
    return {scale.begin(part.steps.begin), scale.begin(part.steps.end)};
  }
  const Tensor& tensor = run.graph().tensors[part.tensor];
  Interval<double> life{0, scale.during(part.steps.end - Step(1)).end};
  if (tensor.producer) life.begin = scale.during(run.schedule.stepOf[tensor.producer]).begin;
  if (tensor.graphOutput) life.end = scale.length();
  for (const OpId reader : tensor.consumers) {
    if (run.graph().ops[reader].folded) continue;
    life.end = std::max(life.end, scale.during(run.schedule.stepOf[reader]).end);
  }
  return life;
}

}  // namespace

std::vector<PartBlock> partBlocks(const Run& run, const RunScale& scale, const Block& block) {
  if (run.storage.isIdentity()) return {};
  std::vector<PartBlock> blocks;
  for (const BufferPart& part :
       partsOf(run.graph(), run.storage, run.problem.stays[block.stay].buffer)) {
    const Interval<double> life = lifeOf(run, scale, part);
    const Interval<double> span{std::max(life.begin, static_cast<double>(block.span.begin.count())),
                                std::min(life.end, static_cast<double>(block.span.end.count()))};
    if (span.empty()) continue;
    const Bytes low = block.bytes.begin + part.bytes.begin;
    blocks.push_back({part.tensor,
                      span,
                      {low, low + part.bytes.length()},
                      partClass(run.graph().tensors[part.tensor])});
  }
  return blocks;
}

TensorId partAt(const Run& run, const RunScale& scale, const Block& block, double place, Bytes at) {
  TensorId found;
  for (const PartBlock& part : partBlocks(run, scale, block)) {
    if (part.span.contains(place) && part.bytes.contains(at)) found = part.tensor;
  }
  return found;
}

std::string partLabel(const Run& run, TensorId tensor) {
  std::string label = printable(displayName(run.graph(), tensor), 80);
  const std::string share = partText(run.graph(), run.storage, tensor);
  return share.empty() ? label : label + ": " + share;
}

namespace {

/// A block needs this many units each way for its parts to be told apart in it.
constexpr double kContainerRoom = 9;
/// Parts need this many each way, and their container this much around them.
constexpr double kPartRoom = 3;
constexpr double kRim = 1.5;
/// Drawing more than this takes longer than anyone looks.
constexpr std::size_t kMostParts = 4'000;
/// How bytes are hatched that are kept for parts which do not live.
constexpr Fill kKeptHatch{Ink::muted, 0.35};
/// With more parts than this names are not kept out of each other's way.
constexpr std::size_t kMostNamed = 64;

/// The longest stretch of a part that none of those behind it, which are drawn over it, covers.
Interval<double> seenSpan(const std::vector<PartBlock>& parts, std::size_t i) {
  const PartBlock& own = parts[i];
  if (parts.size() > kMostNamed) return own.span;
  std::vector<Interval<double>> covered;
  for (std::size_t k = i + 1; k < parts.size(); ++k) {
    if (parts[k].bytes.overlaps(own.bytes)) covered.push_back(parts[k].span);
  }
  covered.push_back({own.span.end, own.span.end});
  std::ranges::sort(covered, {}, &Interval<double>::begin);
  Interval<double> longest{own.span.begin, own.span.begin};
  double from = own.span.begin;
  for (const Interval<double>& span : covered) {
    const Interval<double> gap{from, std::min(span.begin, own.span.end)};
    if (gap.length() > longest.length()) longest = gap;
    from = std::max(from, span.end);
  }
  return longest;
}

}  // namespace

void MapDrawing::drawParts() const {
  if (scene_.run->storage.isIdentity()) return;
  std::size_t drawn = 0;
  scene_.blocks->visit(scene_.window, [&](std::size_t index) {
    if (drawn < kMostParts) drawn += drawPartsOf(index);
  });
}

/// Returns how many parts there are.
std::size_t MapDrawing::drawPartsOf(std::size_t index) const {
  const Box box = boxOf(index);
  if (box.width < kContainerRoom || box.height < kContainerRoom) return 0;
  const Block block = scene_.blocks->block(index);
  const auto parts = partBlocks(*scene_.run, *scale_, block);
  if (parts.empty()) return 0;
  const Ink edge = blockInk(block.kind, timeOf(block), BlockPart::edge);
  canvas_.rectangle(box, {.fill = Fill{Ink::plot}, .edge = Stroke{edge}});
  canvas_.hatch(box, kKeptHatch);
  for (const PartBlock& part : parts) drawPart(block, part);
  if (timeOf(block) == BlockTime::pale) return parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PartBlock seen = parts[i];
    seen.span = seenSpan(parts, i);
    writePart(seen, timeOf(block, parts[i]));
  }
  return parts.size();
}

/// The rim of the container shows, where there is room for one.
Box MapDrawing::boxOf(const PartBlock& part) const {
  Box box = plot_.boxOf(part.span, part.bytes).cut(plot_.frame.plot);
  if (box.width > 4 * kRim) box = {box.left + kRim, box.top, box.width - 2 * kRim, box.height};
  if (box.height > 4 * kRim) box = {box.left, box.top + kRim, box.width, box.height - 2 * kRim};
  return box;
}

BlockTime MapDrawing::timeOf(const Block& block, const PartBlock& part) const {
  const BlockTime time = timeOf(block);
  const auto at = static_cast<double>(scene_.at.count());
  if (time != BlockTime::live || part.span.contains(at)) return time;
  return part.span.begin > at ? BlockTime::future : BlockTime::past;
}

void MapDrawing::writePart(const PartBlock& part, BlockTime time) const {
  const Box box = boxOf(part);
  const Tensor& tensor = scene_.run->graph().tensors[part.tensor];
  const std::string name = printable(displayName(scene_.run->graph(), part.tensor), 80);
  drawBoxLabel(canvas_, box, name, name + "  " + formatBytes(tensor.bytes.value_or(Bytes())),
               blockInk(part.kind, time, BlockPart::word));
}

void MapDrawing::drawPart(const Block& block, const PartBlock& part) const {
  const Box box = boxOf(part);
  if (box.isEmpty()) return;
  const BlockTime time = timeOf(block, part);
  const auto ink = [&](BlockPart of) { return blockInk(part.kind, time, of); };
  const Run& run = *scene_.run;
  const Hint hint{
      fmt::format("{}part-{}-{}", scene_.prefix, block.stay.index(), part.tensor.index()),
      partLabel(run, part.tensor)};
  if (box.width < kPartRoom || box.height < kPartRoom) {
    return canvas_.rectangle(box, {.fill = Fill{ink(BlockPart::thin)}}, hint);
  }
  const bool chosen = scene_.selectedPart == part.tensor && scene_.isSelected(block.stay);
  canvas_.rectangle(box,
                    {.fill = Fill{ink(BlockPart::fill)},
                     .edge = chosen ? Stroke{Ink::selection, 2} : Stroke{ink(BlockPart::edge), 1}},
                    hint);
}

}  // namespace hw
