#include "core/storage/aliasing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>

#include "core/base/load_sweep.h"
#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/ops/op_table.h"
#include "core/storage/overlays.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

struct LivePeak {
  Bytes bytes{};
  Step step{};
};

struct Block {
  Interval<Step> steps{};
  Bytes size{};
};

/// The most live bytes and the first step that has them, every block rounded up.
LivePeak livePeakOf(std::span<const Block> blocks, Bytes alignment) {
  const auto place = [](Step step) { return static_cast<std::size_t>(step.count()); };
  Step end;
  for (const Block& block : blocks) end = std::max(end, block.steps.end);
  LoadSweep load(place(end));
  for (const Block& block : blocks) {
    load.add(place(block.steps.begin), place(block.steps.end), alignUp(block.size, alignment));
  }
  const LoadSweep::Most most = load.most();
  return {most.bytes, Step(static_cast<std::int64_t>(most.place))};
}

LivePeak peakOf(const Storage& storage, Bytes alignment) {
  std::vector<Block> blocks;
  for (const Buffer& buffer : storage.buffers) blocks.push_back({buffer.steps, buffer.size});
  return livePeakOf(blocks, alignment);
}

/// The limit of tensors and ops looked at by all foldings together.
constexpr std::size_t kMostWork = 1'000'000;
/// Rounds in which one buffer is cut; after these all that waste are, so that huge graphs end soon.
constexpr int kGentleCuts = 64;

using ByteRange = Interval<Bytes>;

Bytes sizeOf(const Graph& graph, TensorId id) { return graph.tensors[id].bytes.value_or(Bytes()); }

/// A block of tensors that share storage at a step: those of its bytes that are live, ascending.
struct SharedBlock {
  std::vector<SliceLink> links{};  ///< Slices of wholes that are not live.
  std::vector<ByteRange> live{};
  TensorId opener{};  ///< The first tensor that lives as early as the block does.

  /// Bytes of `size` that no tensor needs.
  Bytes waste(Bytes size) const {
    Bytes covered;
    for (const ByteRange& range : live) {
      size -= std::max(Bytes(), range.end - std::max(covered, range.begin));
      covered = std::max(covered, range.end);
    }
    return size;
  }

  /// True when a tensor inside `range` is live.
  bool hasLive(const ByteRange& range) const {
    auto next = std::ranges::lower_bound(live, range.begin, {}, &ByteRange::begin);
    for (; next != live.end() && next->begin < range.end; ++next) {
      if (next->end <= range.end) return true;
    }
    return false;
  }
};

/// Scratch of an op that does not run over its input is never used.
bool isIdle(const Graph& graph, const AliasForest& forest, const std::vector<TensorId>& inPlace,
            TensorId id) {
  return forest.isScratch(id) &&
         !std::ranges::binary_search(inPlace, graph.ops[graph.tensors[id].producer].outputs[0]);
}

/// Calls `visit(tensor, root)` for each tensor that has bytes in a pool, ascending.
template <class Visit>
void eachPlanned(const Graph& graph, const AliasForest& forest,
                 const std::vector<TensorId>& inPlace, const Visit& visit) {
  for (const TensorId id : graph.tensors.keys()) {
    if (forest.whyNotPlanned(id) || isIdle(graph, forest, inPlace, id)) continue;
    visit(id, forest.place(id).root);
  }
}

/// Turns groups into buffers, ordered by first step and then by the tensor that opens them.
void makeBuffers(const Graph& graph, const AliasForest& forest, Storage& storage) {
  IdMap<TensorId, Buffer> groups(graph.tensors.size());
  IdMap<TensorId, TensorId> opener(graph.tensors.size());
  std::vector<TensorId> order;
  eachPlanned(graph, forest, storage.inPlace, [&](TensorId id, TensorId root) {
    Buffer& group = groups[root];
    const Interval<Step>& life = storage.lifetimes[id];
    const bool opens = !life.empty() && (group.steps.empty() || life.begin < group.steps.begin);
    if (opens) opener[root] = id;
    group.steps.cover(life);  // A ring has no life of its own: it lives as its pieces do.
    if (group.tensors.empty()) order.push_back(root);
    group.tensors.push_back(id);
    group.graphOutput |= !life.empty() && graph.tensors[id].graphOutput;
  });
  std::ranges::sort(order, {}, [&](TensorId root) {
    return std::tuple(groups[root].steps.begin, opener[root], root);
  });
  for (const TensorId root : order) {
    Buffer& group = groups[root];
    group.root = root;
    group.size = *graph.tensors[root].bytes;
    const BufferId buffer(storage.buffers.size());
    for (const TensorId id : group.tensors) {
      storage.slots[id] = Slot{buffer, forest.place(id).offset};
    }
    storage.buffers.add(std::move(group));
  }
}

/// Storage as some decisions share it, as far as trials have to know it.
struct Sharing {
  AliasForest forest;
  std::vector<TensorId> inPlace{};
  IdMap<TensorId, Interval<Step>> lives{};  ///< By root, of its block.
  LivePeak peak{};
};

/// Folds again and again, with other decisions. What no decision changes is found once.
class Folder {
 public:
  /// `byChannel`: see InPlaceScope.
  Folder(const Graph& graph, const Schedule& schedule, StorageOptions options, bool byChannel)
      : graph_(graph),
        schedule_(schedule),
        options_(std::move(options)),
        scope_{.byChannel = byChannel},
        pieces_(graph_, options_) {
    begun_.lifetimes = lifetimes(graph, schedule);
    begun_.slots.resize(graph.tensors.size());
    begun_.free = IdMap<OpId, bool>(graph.ops.size(), false);
    foldPieces(graph_, pieces_, begun_);
    findWholes();
    views_ = viewsOf(graph_, schedule_, options_, pieces_);
    if (options_.alias.inPlace) inPlace_ = inPlaceChoices(graph_, schedule_, scope_, pieces_);
  }

  Folder(const Folder&) = delete;  // `pieces_` refers to its options.
  Folder& operator=(const Folder&) = delete;

  /// From now on outputs are written over larger inputs, too. False: there are no such outputs, so
  /// nothing changes.
  bool addShrinking() {
    if (!options_.alias.inPlace) return false;
    scope_.shrinking = true;
    const std::size_t before = inPlace_.size();
    inPlace_ = inPlaceChoices(graph_, schedule_, scope_, pieces_);
    return inPlace_.size() > before;
  }

  /// With what is copied, why, and which ops are free.
  Storage fold(const Refusals& refused) const {
    Storage storage = begun_;
    const AliasForest forest = decide(views_, refused, &storage, storage.inPlace);
    makeBuffers(graph_, forest, storage);
    return storage;
  }

  /// What `fold` makes, without making it.
  Sharing tryOut(const Refusals& refused) const { return tryOut(views_, refused); }

  Bytes peakWithoutSlices() const {
    StorageOptions whole = options_;
    whole.alias.concat = whole.alias.split = false;
    return tryOut(viewsOf(graph_, schedule_, whole, pieces_), {}).peak.bytes;
  }

  const Interval<Step>& lifeOf(TensorId tensor) const { return begun_.lifetimes[tensor]; }

 private:
  void findWholes() {
    IdMap<TensorId, Interval<Step>> lives(graph_.tensors.size());
    for (const TensorId id : graph_.tensors.keys()) {
      const Tiling::Piece* piece = pieceOf(graph_, id);
      lives[piece != nullptr ? piece->host : id].cover(begun_.lifetimes[id]);
    }
    for (const TensorId id : graph_.tensors.keys()) {
      if (pieceOf(graph_, id) != nullptr || pieces_.whyNotPlanned(id)) continue;
      wholes_.push_back({id, lives[id]});
    }
  }

  AliasForest decide(std::span<const OpViews> views, const Refusals& refused, Storage* told,
                     std::vector<TensorId>& inPlace) const {
    AliasForest forest = pieces_;
    foldViews(views, refused, forest, told);
    if (options_.alias.inPlace) foldInPlace(graph_, schedule_, inPlace_, wholes_, forest, inPlace);
    return forest;
  }

  Sharing tryOut(std::span<const OpViews> views, const Refusals& refused) const {
    std::vector<TensorId> inPlace = begun_.inPlace;
    Sharing made{.forest = decide(views, refused, nullptr, inPlace),
                 .inPlace = std::move(inPlace),
                 .lives = IdMap<TensorId, Interval<Step>>(graph_.tensors.size())};
    for (const WholeLife& whole : wholes_) {
      if (isIdle(graph_, made.forest, made.inPlace, whole.tensor)) continue;
      made.lives[made.forest.place(whole.tensor).root].cover(whole.steps);
    }
    std::vector<Block> blocks;
    blocks.reserve(wholes_.size());
    for (const WholeLife& whole : wholes_) {
      const Interval<Step>& steps = made.lives[whole.tensor];
      if (!steps.empty()) blocks.push_back({steps, sizeOf(graph_, whole.tensor)});
    }
    made.peak = livePeakOf(blocks, options_.alignment);
    return made;
  }

  const Graph& graph_;
  const Schedule& schedule_;
  StorageOptions options_;
  InPlaceScope scope_;
  AliasForest pieces_;  ///< With the pieces of a tiled graph where they are, whatever is decided,
  Storage begun_;       ///< and what there is to say about them.
  std::vector<WholeLife> wholes_;
  std::vector<OpViews> views_;
  std::vector<InPlaceChoice> inPlace_;
};

struct Cut {
  SliceLink link{};
  ByteRange bytes{};
};

/// Makes storage without the slices that raise its peak above the limit: those are copied. With all
/// of them copied it is within the limit.
///
/// A slice lives as long as the whole, so slices that are live for nothing at the peak are copied
/// until the limit holds. Then every slice is shared again that can be: none is copied that could
/// be shared alone, but in graphs of so many slices that trying them all takes too long. Roughly:
/// all that waste are copied at once, and none is shared again.
class Sparing {
 public:
  Sparing(const Graph& graph, Bytes limit, const Folder& folder)
      : graph_(graph), limit_(limit), folder_(folder) {
    for (const OpId op : graph.ops.keys()) {
      // Part and whole of a reshape are the same bytes: sharing them only ever saves.
      if (viewFamilyOf(graph.ops[op]) == ViewFamily::reshape) continue;
      for (const SliceLink& link : sliceLinks(graph, op)) links_.push_back(link);
    }
  }

  Storage run(bool roughly) && {
    refuse(roughly ? 0 : kGentleCuts);
    if (!roughly) giveBack();
    return folder_.fold(refused_);
  }

 private:
  void refuse(int gentleCuts) {
    for (int round = 0;; ++round) {
      const Sharing now = folder_.tryOut(refused_);
      if (now.peak.bytes <= limit_) return;
      const std::size_t before = refused_.size();
      cutAt(now, round < gentleCuts);
      if (refused_.size() > before) continue;
      // No live slice is to blame for the rest. With work in place, sharing elsewhere can change
      // what is live here, so all slices are refused.
      for (const SliceLink& link : links_) refused_.emplace(link.op, link.part);
      if (refused_.size() == before) return;
    }
  }

  /// The blocks that are live at the peak and have slices of wholes that are not, by root.
  std::map<TensorId, SharedBlock> blocksAt(const Sharing& now) const {
    std::map<TensorId, SharedBlock> blocks;
    for (const SliceLink& link : links_) {
      const auto part = now.forest.place(link.part);
      const auto whole = now.forest.place(link.whole);
      const bool shared = part.root == whole.root && part.offset == whole.offset + link.offset;
      if (!shared || folder_.lifeOf(link.whole).contains(now.peak.step)) continue;
      if (now.lives[part.root].contains(now.peak.step)) blocks[part.root].links.push_back(link);
    }
    eachPlanned(graph_, now.forest, now.inPlace, [&](TensorId id, TensorId root) {
      const auto block = blocks.find(root);
      if (block == blocks.end()) return;
      const Interval<Step>& life = folder_.lifeOf(id);
      const bool opens = !life.empty() && life.begin == now.lives[root].begin;
      if (opens && !block->second.opener) block->second.opener = id;
      if (life.contains(now.peak.step)) block->second.live.push_back(bytesOf(now.forest, id));
    });
    for (auto& [root, block] : blocks) std::ranges::sort(block.live);
    return blocks;
  }

  /// Cuts slices that are live at the peak off wholes that are not: in the block that wastes most,
  /// of several the earliest, or in all.
  void cutAt(const Sharing& now, bool gently) {
    std::map<TensorId, SharedBlock> blocks = blocksAt(now);
    std::vector<TensorId> order;
    order.reserve(blocks.size());
    for (const auto& [root, block] : blocks) order.push_back(root);
    std::ranges::sort(order, {}, [&](TensorId root) {
      return std::tuple(now.lives[root].begin, blocks[root].opener, root);
    });
    Bytes most;
    std::vector<Cut> cuts;
    for (const TensorId root : order) {
      const SharedBlock& block = blocks[root];
      const Bytes waste = block.waste(sizeOf(graph_, root));
      if (waste <= most && gently) continue;
      const auto found = innermost(now.forest, block);
      if (found.empty()) continue;
      most = waste;
      if (gently) cuts.clear();
      cuts.insert(cuts.end(), found.begin(), found.end());
    }
    for (const Cut& cut : cuts) refused_.emplace(cut.link.op, cut.link.part);
  }

  ByteRange bytesOf(const AliasForest& forest, TensorId id) const {
    const Bytes begin = forest.place(id).offset;
    return {begin, begin + sizeOf(graph_, id)};
  }

  /// The innermost of its links around live bytes: cutting there frees the most and copies the
  /// least.
  std::vector<Cut> innermost(const AliasForest& forest, const SharedBlock& block) const {
    std::vector<Cut> cuts;
    for (const SliceLink& link : block.links) {
      const ByteRange bytes = bytesOf(forest, link.part);
      if (block.hasLive(bytes)) cuts.push_back({link, bytes});
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

  /// The index at which to divide slices: between two ops near the middle, else the middle.
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
    const Refusals given(some.begin(), some.end());
    Refusals fewer;
    fewer.reserve(refused_.size());
    std::ranges::set_difference(refused_, given, std::inserter(fewer, fewer.end()));
    ++folds_;
    if (folder_.tryOut(fewer).peak.bytes <= limit_) {
      refused_ = std::move(fewer);
      return true;
    }
    if (some.size() == 1) return false;
    const std::size_t half = middleOf(some);
    const bool first = giveBack(some.first(half), most);
    return giveBack(some.subspan(half), most) || first;
  }

  const Graph& graph_;
  Bytes limit_;  ///< The most live bytes without any sharing of slices.
  const Folder& folder_;
  std::vector<SliceLink> links_;
  Refusals refused_;
  std::size_t folds_ = 0;
};

Storage share(const Graph& graph, const StorageOptions& options, const Folder& folder) {
  Storage storage = folder.fold({});
  if (!options.alias.concat && !options.alias.split) return storage;
  const Bytes bound = folder.peakWithoutSlices();
  const Bytes peak = livePeak(storage, options.alignment);
  if (peak <= bound) return storage;
  if (!options.alias.always) {
    return Sparing(graph, bound, folder).run(options.roughly);
  }
  storage.raise = peak - bound;
  return storage;
}

Storage shareWithin(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
                    bool byChannel) {
  Folder folder(graph, schedule, options, byChannel);
  Storage storage = share(graph, options, folder);
  if (folder.addShrinking()) {
    // A small output keeps the large block alive: taken only if the peak falls.
    Storage shrunk = share(graph, options, folder);
    const Bytes bound = livePeak(storage, options.alignment);
    if (livePeak(shrunk, options.alignment) < bound) storage = std::move(shrunk);
  }
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (!tensor.constant && !tensor.persistent && !tensor.bytes) storage.unsized.push_back(id);
  }
  return storage;
}

}  // namespace

Storage shareAllViews(const Graph& graph, const Schedule& schedule, StorageOptions options) {
  options.alias.inPlace = false;
  return Folder(graph, schedule, options, false).fold({});
}

Bytes livePeak(const Storage& storage, Bytes alignment) { return peakOf(storage, alignment).bytes; }

Storage shareStorage(const Graph& graph, const Schedule& schedule, const StorageOptions& options) {
  return shareWithin(graph, schedule, options, false);
}

Storage shareForOverlays(const Graph& graph, const Schedule& schedule,
                         const StorageOptions& options) {
  return shareWithin(graph, schedule, options, true);
}

std::span<const AliasRule> aliasRules() {
  static constexpr AliasRule kRules[] = {
      {"reshape", &AliasRules::reshape, "Reshape, flatten and the like keep their input's bytes"},
      {"concat", &AliasRules::concat, "Inputs of a concat are slices of its output"},
      {"split", &AliasRules::split, "Outputs of a split are slices of its input"},
      {"in-place", &AliasRules::inPlace,
       "An output takes over the bytes of an input that dies in its op; depthwise convolutions "
       "hold a plane aside for that"},
      {"always", &AliasRules::always, "Slices are shared even where that raises the lower bound"}};
  return kRules;
}

std::string aliasText(const AliasRules& asked) {
  AliasRules rules = asked;
  rules.always &= rules.concat || rules.split;  // It is about slices only.
  if (rules == AliasRules::none()) return "none";
  if (rules == AliasRules()) return "views";
  if (rules == AliasRules::all()) return "all";
  if (rules == AliasRules{.always = true}) return "always";
  std::string text;
  for (const AliasRule& rule : aliasRules()) {
    if (rules.*(rule.flag)) text += (text.empty() ? "" : ",") + std::string(rule.name);
  }
  return text;
}

Result<AliasRules> parseAlias(std::string_view text) {
  if (text == "views") return AliasRules();
  if (text == "all") return AliasRules::all();
  AliasRules rules = AliasRules::none();
  if (text == "none") return rules;
  if (text == "always") return AliasRules{.always = true};
  for (const std::string_view word : splitText(text, ',')) {
    const auto rule = std::ranges::find(aliasRules(), word, &AliasRule::name);
    if (rule != aliasRules().end()) {
      rules.*(rule->flag) = true;
      continue;
    }
    std::vector<std::string> known = {"none", "views", "all"};
    for (const AliasRule& each : aliasRules()) known.emplace_back(each.name);
    const auto closest = closestWord(word, known);
    return fail(ErrorCode::invalidArgument,
                fmt::format("'{}' is not a rule; expected none, views, all, always, or a "
                            "list of reshape, concat, split, in-place, always{}",
                            printable(word, 80),
                            closest ? fmt::format("; did you mean '{}'?", *closest) : ""));
  }
  return rules;
}

}  // namespace hw
