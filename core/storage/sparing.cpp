#include "core/storage/sparing.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "core/base/load_sweep.h"
#include "core/ops/op_table.h"
#include "core/storage/view_slices.h"

namespace hw {
namespace {

/// Folding again takes time with every tensor and op: so many may be looked at in all.
constexpr std::size_t kMostWork = 1'000'000;
/// Rounds in which one buffer is cut; then all that waste, so that huge graphs come to an end.
constexpr int kGentleCuts = 64;

using ByteRange = Interval<Bytes>;

Bytes sizeOf(const Graph& graph, TensorId id) { return graph.tensors[id].bytes.value_or(Bytes()); }

ByteRange bytesOf(const Graph& graph, const Storage& storage, TensorId id) {
  const Bytes begin = storage.offsetOf(id);
  return {begin, begin + sizeOf(graph, id)};
}

/// Bytes of `buffer` that none of its tensors needs at `step`, and its live tensors' bytes.
struct Waste {
  Bytes bytes{};
  std::vector<ByteRange> live{};  ///< Ascending.

  Waste(const Graph& graph, const Storage& storage, const Buffer& buffer, Step step)
      : bytes(buffer.size) {
    for (const TensorId id : buffer.tensors) {
      if (storage.lifetimes[id].contains(step)) live.push_back(bytesOf(graph, storage, id));
    }
    std::ranges::sort(live);
    Bytes covered;
    for (const ByteRange& range : live) {
      bytes -= std::max(Bytes(), range.end - std::max(covered, range.begin));
      covered = std::max(covered, range.end);
    }
  }

  /// Something inside `range` is live.
  bool hasLive(const ByteRange& range) const {
    auto next = std::ranges::lower_bound(live, range.begin, {}, &ByteRange::begin);
    for (; next != live.end() && next->begin < range.end; ++next) {
      if (next->end <= range.end) return true;
    }
    return false;
  }
};

struct Cut {
  SliceLink link{};
  ByteRange bytes{};
};

class Sparing {
 public:
  Sparing(const Graph& graph, Storage storage, const SharingLimit& limit,
          const std::function<Storage(const Refusals&)>& fold)
      : graph_(graph), limit_(limit), fold_(fold), storage_(std::move(storage)) {
    for (const OpId op : graph.ops.keys()) {
      // Part and whole of a reshape are the same bytes: sharing them only ever saves.
      if (viewFamilyOf(graph.ops[op]) == ViewFamily::reshape) continue;
      for (const SliceLink& link : sliceLinks(graph, op)) links_.push_back(link);
    }
  }

  Storage run() && {
    refuse();
    giveBack();
    return std::move(storage_);
  }

 private:
  bool isShared(const SliceLink& link) const {
    const BufferId buffer = storage_.bufferOf(link.part);
    return buffer && buffer == storage_.bufferOf(link.whole) &&
           storage_.offsetOf(link.part) == storage_.offsetOf(link.whole) + link.offset;
  }

  void refuse() {
    for (int round = 0;; ++round) {
      const LivePeak peak = peakOf(storage_, limit_.alignment);
      if (peak.bytes <= limit_.bound) return;
      const std::size_t before = refused_.size();
      cutAt(peak.step, round < kGentleCuts);
      if (refused_.size() == before) {
        // No live slice is to blame for the rest. With work in place, sharing elsewhere can change
        // what is live here, so all slices are refused.
        for (const SliceLink& link : links_) refused_.emplace(link.op, link.part);
        if (refused_.size() == before) return;
      }
      storage_ = fold_(refused_);
    }
  }

  /// Cuts slices that are live at `step` off wholes that are not: in the buffer that wastes most,
  /// or in all.
  void cutAt(Step step, bool gently) {
    std::vector<std::vector<SliceLink>> ofBuffer(storage_.buffers.size());
    for (const SliceLink& link : links_) {
      if (!isShared(link) || storage_.lifetimes[link.whole].contains(step)) continue;
      ofBuffer[storage_.bufferOf(link.part).index()].push_back(link);
    }
    Bytes most;
    std::vector<Cut> cuts;
    for (const BufferId id : storage_.buffers.keys()) {
      const Buffer& buffer = storage_.buffers[id];
      if (ofBuffer[id.index()].empty() || !buffer.steps.contains(step)) continue;
      const Waste waste(graph_, storage_, buffer, step);
      if (waste.bytes <= most && gently) continue;
      const auto found = innermost(ofBuffer[id.index()], waste);
      if (found.empty()) continue;
      most = waste.bytes;
      if (gently) cuts.clear();
      cuts.insert(cuts.end(), found.begin(), found.end());
    }
    for (const Cut& cut : cuts) refused_.emplace(cut.link.op, cut.link.part);
  }

  /// Of `links` around live bytes those that are around no other such link: cutting there frees the
  /// most and copies the least.
  std::vector<Cut> innermost(const std::vector<SliceLink>& links, const Waste& waste) const {
    std::vector<Cut> cuts;
    for (const SliceLink& link : links) {
      const ByteRange bytes = bytesOf(graph_, storage_, link.part);
      if (waste.hasLive(bytes)) cuts.push_back({link, bytes});
    }
    // Slices that contain others come before these.
    std::ranges::stable_sort(cuts, [](const Cut& a, const Cut& b) {
      return a.bytes.begin != b.bytes.begin ? a.bytes.begin < b.bytes.begin
                                            : a.bytes.end > b.bytes.end;
    });
    std::vector<Cut> inner;
    for (auto cut = cuts.begin(); cut != cuts.end(); ++cut) {
      const auto next = std::find_if(cut, cuts.end(),
                                     [&](const Cut& other) { return other.bytes != cut->bytes; });
      if (next == cuts.end() || next->bytes.begin >= cut->bytes.end) inner.push_back(*cut);
    }
    return inner;
  }

  using Slice = Refusals::value_type;

  /// Those of one op stay together, for they may be shared together where one alone may not. What
  /// copies most comes first.
  void giveBack() {
    const std::size_t most = kMostWork / (graph_.tensors.size() + graph_.ops.size() + 1);
    for (bool again = true; again && folds_ < most;) {
      IdMap<OpId, Bytes> copied(graph_.ops.size());
      for (const auto& [op, tensor] : refused_) copied[op] += sizeOf(graph_, tensor);
      std::vector<Slice> rest(refused_.begin(), refused_.end());
      std::ranges::stable_sort(rest, std::greater(), [&](const Slice& slice) {
        return std::tuple(copied[slice.first], slice.first, sizeOf(graph_, slice.second));
      });
      again = giveBack(rest, most);
    }
  }

  /// Where to part slices of several ops, or else of one.
  static std::size_t middleOf(std::span<const Slice> some) {
    const std::size_t half = some.size() / 2;
    for (std::size_t off = 0; off <= half; ++off) {
      for (const std::size_t at : {half - off, half + off}) {
        if (at > 0 && at < some.size() && some[at - 1].first != some[at].first) return at;
      }
    }
    return half;
  }

  /// All of `some` at once if that is within the limit, else each half of them. True: some were.
  bool giveBack(std::span<const Slice> some, std::size_t most) {
    if (some.empty() || folds_ >= most) return false;
    Refusals fewer = refused_;
    for (const auto& each : some) fewer.erase(each);
    Storage tried = fold_(fewer);
    ++folds_;
    if (peakOf(tried, limit_.alignment).bytes <= limit_.bound) {
      refused_ = std::move(fewer);
      storage_ = std::move(tried);
      return true;
    }
    if (some.size() == 1) return false;
    const std::size_t half = middleOf(some);
    const bool first = giveBack(some.first(half), most);
    return giveBack(some.subspan(half), most) || first;
  }

  const Graph& graph_;
  SharingLimit limit_;
  const std::function<Storage(const Refusals&)>& fold_;
  Storage storage_;
  std::vector<SliceLink> links_;
  Refusals refused_;
  std::size_t folds_ = 0;
};

}  // namespace

LivePeak peakOf(const Storage& storage, Bytes alignment) {
  const auto place = [](Step step) { return static_cast<std::size_t>(step.count()); };
  Step end;
  for (const Buffer& buffer : storage.buffers) end = std::max(end, buffer.steps.end);
  LoadSweep load(place(end));
  for (const Buffer& buffer : storage.buffers) {
    load.add(place(buffer.steps.begin), place(buffer.steps.end), alignUp(buffer.size, alignment));
  }
  const LoadSweep::Most most = load.most();
  return {most.bytes, Step(static_cast<std::int64_t>(most.place))};
}

Storage shareSparingly(const Graph& graph, Storage storage, const SharingLimit& limit,
                       const std::function<Storage(const Refusals&)>& fold) {
  return Sparing(graph, std::move(storage), limit, fold).run();
}

}  // namespace hw
