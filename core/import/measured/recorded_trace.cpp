#include "core/import/measured/recorded_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr std::int64_t kFarApart = 1 << 20;
/// Runs that are brought together keep what their addresses are multiples of, up to this.
constexpr std::int64_t kKeptMultiple = 4096;

}  // namespace

RecordedTrace::Handle RecordedTrace::add(std::string name, Bytes size,
                                         std::optional<std::uint64_t> address, std::int64_t begin) {
  if (address) ranges_.push_back({*address, size});
  blocks_.push_back({std::move(name), size, address, begin});
  return blocks_.size() - 1;
}

RecordedTrace::Handle RecordedTrace::allocate(std::string name, Bytes size,
                                              std::optional<std::uint64_t> address) {
  ++allocations_;
  return add(std::move(name), size, address, step_++);
}

RecordedTrace::Handle RecordedTrace::standing(std::string name, Bytes size,
                                              std::optional<std::uint64_t> address) {
  return add(std::move(name), size, address, 0);
}

std::vector<RecordedTrace::Run> RecordedTrace::runs() {
  std::ranges::sort(ranges_, {}, &Range::address);
  std::vector<Run> runs;
  std::uint64_t end = 0;  // Of the addresses so far.
  for (const Range& range : ranges_) {
    const bool far = !runs.empty() && range.address > end &&
                     range.address - end >= static_cast<std::uint64_t>(kFarApart);
    if (runs.empty()) runs.push_back({range.address, 0});
    if (far) {
      const auto within = static_cast<std::int64_t>(end - runs.back().address);
      const Bytes next = alignUp(Bytes(runs.back().offset + within), Bytes(kKeptMultiple));
      runs.push_back({range.address, next.count()});
    }
    end = std::max(end, range.address + static_cast<std::uint64_t>(range.size.count()));
  }
  return runs;
}

Result<Model> RecordedTrace::model(std::string format, std::vector<std::string> notes) && {
  const std::int64_t steps = std::max<std::int64_t>(step_, 1);
  if (steps > kMaxStep.count()) {
    return fail(ErrorCode::unsupported,
                fmt::format("the recording has {} allocations; at most {} can be planned",
                            groupDigits(steps), groupDigits(kMaxStep.count())));
  }
  const std::vector<Run> places = runs();
  ranges_ = {};
  Graph graph;
  graph.format = format;
  Problem problem{.steps = Step(steps)};
  problem.pools.add({.name = "L2"});
  graph.tensors.reserve(blocks_.size());
  problem.stays.reserve(blocks_.size());
  IdMap<StayId, std::optional<Bytes>> offsets;
  offsets.reserve(blocks_.size());
  Bytes total;
  std::size_t kept = 0;
  std::size_t unplaced = 0;
  for (Block& block : blocks_) {
    if (block.size > kMaxBytes - total) {
      return fail(
          ErrorCode::malformed,
          fmt::format("all allocations together ask for more than {} bytes", kMaxBytes.count()));
    }
    total += block.size;
    if (block.end < 0) ++kept;
    std::optional<Bytes> offset;
    if (block.address) {
      const auto after = std::ranges::upper_bound(places, *block.address, {}, &Run::address);
      const Run& run = *(after - 1);
      offset = Bytes(run.offset + static_cast<std::int64_t>(*block.address - run.address));
    } else {
      ++unplaced;
    }
    const TensorId tensor = graph.tensors.add({.name = std::move(block.name),
                                               .bytes = block.size,
                                               .origin = SizeOrigin::declared,
                                               .plannedOffset = offset});
    if (block.size == Bytes()) continue;  // Nothing to place.
    const std::int64_t end = block.end < 0 ? steps : block.end;
    problem.stays.add({.buffer = BufferId(tensor.index()),
                       .steps = {Step(block.begin), Step(end)},
                       .size = block.size});
    offsets.add(offset);
  }
  const bool placed = unplaced < blocks_.size();
  notes.insert(notes.begin(),
               fmt::format("this is a recording of {} allocations, a step each; {} blocks are "
                           "never freed{}",
                           groupDigits(allocations_), groupDigits(kept),
                           placed ? "; --allocator embedded is where they were" : ""));
  if (!placed) {
    notes.emplace_back(
        "it has no addresses, so what was recorded cannot be followed: only sizes "
        "and lives are known");
  }
  if (places.size() > 1) {
    notes.push_back(
        fmt::format("its addresses lie in {} places far from each other, which are "
                    "brought together",
                    groupDigits(places.size())));
  }
  graph.notes = std::move(notes);
  Model model{.graph = std::make_shared<const Graph>(std::move(graph)),
              .problem = std::move(problem)};
  if (placed) model.offsets = std::move(offsets);
  return model;
}

}  // namespace hw
