#include "core/check/replay_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "core/graph/tiling.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

/// Eight bytes of a pattern: the finaliser of splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t patternWord(std::uint64_t key, std::uint64_t index) {
  std::uint64_t word = key + (index + 1) * 0x9E3779B97F4A7C15U;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31);
}

/// Calls `visit(at, bytes, count)` for up to eight bytes of the pattern after the other, until
/// `length` of them are done or it returns false. `at` counts from 0.
template <class Visit>
void forEachWord(const Pattern& pattern, std::size_t length, const Visit& visit) {
  auto offset = static_cast<std::uint64_t>(pattern.offset.count());
  for (std::size_t at = 0; at < length;) {
    std::array<unsigned char, 8> bytes{};
    const std::uint64_t word = patternWord(pattern.key, offset / 8);
    std::memcpy(bytes.data(), &word, 8);
    const std::size_t inside = offset % 8;
    const std::size_t count = std::min(8 - inside, length - at);
    if (!visit(at, bytes.data() + inside, count)) return;
    at += count;
    offset += count;
  }
}

/// Calls `visit(first, addresses)` for each part of `span` that exists, `first` being the index of
/// its first byte, until it returns false.
template <class Stretches, class Visit>
void forEachStretch(const Stretches& stretches, const Interval<Bytes>& span, const Visit& visit) {
  auto stretch = std::ranges::upper_bound(stretches, span.begin, {},
                                          [](const auto& each) { return each.addresses.end; });
  for (; stretch != stretches.end() && stretch->addresses.begin < span.end; ++stretch) {
    const Interval<Bytes> part{std::max(span.begin, stretch->addresses.begin),
                               std::min(span.end, stretch->addresses.end)};
    const auto skipped = static_cast<std::size_t>((part.begin - stretch->addresses.begin).count());
    if (!part.empty() && !visit(stretch->at + skipped, part)) return;
  }
}

std::size_t sizeOf(const Interval<Bytes>& addresses) {
  return static_cast<std::size_t>(addresses.length().count());
}

}  // namespace

/// The bytes behind each edge, up to `kSample` of them, and the ranges; each byte once.
void ReplayMemory::allocate(PoolId pool, Bytes size, const std::vector<Bytes>& edges,
                            std::vector<Interval<Bytes>> ranges) {
  for (const Bytes edge : edges) ranges.push_back({edge, edge + kSample});
  std::ranges::sort(ranges);
  Arena& arena = arenas_[pool];
  std::size_t total = 0;
  Bytes covered;
  for (const Interval<Bytes>& range : ranges) {
    const Interval<Bytes> addresses{std::max(covered, range.begin), std::min(size, range.end)};
    if (addresses.empty()) continue;
    arena.stretches.push_back({addresses, total});
    total += sizeOf(addresses);
    covered = addresses.end;
  }
  arena.bytes.assign(total, 0);
}

Bytes ReplayMemory::allocated() const {
  Bytes total;
  for (const Arena& arena : arenas_) total += Bytes(static_cast<std::int64_t>(arena.bytes.size()));
  return total;
}

void ReplayMemory::write(const ByteSpan& span, const Pattern& pattern) {
  Arena& arena = arenas_[span.pool];
  forEachStretch(arena.stretches, span.bytes, [&](std::size_t first, Interval<Bytes> addresses) {
    const Pattern here{pattern.key, pattern.offset + addresses.begin - span.bytes.begin};
    forEachWord(here, sizeOf(addresses),
                [&](std::size_t at, const unsigned char* bytes, std::size_t count) {
                  std::memcpy(arena.bytes.data() + first + at, bytes, count);
                  return true;
                });
    return true;
  });
}

void ReplayMemory::copy(const ByteSpan& from, const ByteSpan& to) {
  const Arena& source = arenas_[from.pool];
  Arena& target = arenas_[to.pool];
  const Bytes shift = from.bytes.begin - to.bytes.begin;
  forEachStretch(target.stretches, to.bytes, [&](std::size_t first, Interval<Bytes> addresses) {
    const Interval<Bytes> wanted{addresses.begin + shift, addresses.end + shift};
    forEachStretch(source.stretches, wanted, [&](std::size_t at, Interval<Bytes> found) {
      const auto skipped = static_cast<std::size_t>((found.begin - wanted.begin).count());
      std::memmove(target.bytes.data() + first + skipped, source.bytes.data() + at, sizeOf(found));
      return true;
    });
    return true;
  });
}

std::optional<Bytes> ReplayMemory::firstDifference(const ByteSpan& span,
                                                   const Pattern& pattern) const {
  const Arena& arena = arenas_[span.pool];
  std::optional<Bytes> bad;
  forEachStretch(arena.stretches, span.bytes, [&](std::size_t first, Interval<Bytes> addresses) {
    const Pattern here{pattern.key, pattern.offset + addresses.begin - span.bytes.begin};
    forEachWord(here, sizeOf(addresses),
                [&](std::size_t at, const unsigned char* bytes, std::size_t count) {
                  const unsigned char* held = arena.bytes.data() + first + at;
                  if (std::memcmp(held, bytes, count) == 0) return true;
                  const auto [wrong, right] = std::mismatch(held, held + count, bytes);
                  bad = addresses.begin + Bytes(static_cast<std::int64_t>(at) + (wrong - held));
                  return false;
                });
    return !bad;
  });
  return bad;
}

namespace {

class ContentsMaker {
 public:
  ContentsMaker(const Graph& graph, const Storage& storage)
      : graph_(graph), storage_(storage), contents_(graph.tensors.size()) {
    for (const CopyNote& copy : storage.copies) copied_.emplace(copy.op, copy.tensor);
    for (const TensorId id : graph.tensors.keys()) own(id, Bytes(), sizeOf(id));
  }

  void visit(OpId id) {
    const Op& op = graph_.ops[id];
    if (op.folded) return;
    if (isSeam(op)) return op.type == kPartsType ? cutIntoPieces(op) : joinPieces(op);
    const bool part = partOf(graph_, id) != nullptr;
    const ViewFamily family = part ? ViewFamily::none : viewFamilyOf(op);
    if (part && storage_.free[id]) return handOn(op);
    if (family == ViewFamily::concat) {
      join(id, op);
    } else if (family == ViewFamily::split) {
      cut(id, op);
    } else if (storage_.free[id] && dataInput(op) && !op.outputs.empty() && op.outputs[0]) {
      contents_[op.outputs[0]].clear();
      inherit(op.outputs[0], Bytes(), dataInput(op), {Bytes(), sizeOf(op.outputs[0])});
    }
  }

  IdMap<TensorId, std::vector<ContentPart>> take() && { return std::move(contents_); }

 private:
  Bytes sizeOf(TensorId id) const {
    return id ? graph_.tensors[id].bytes.value_or(Bytes()) : Bytes();
  }

  void own(TensorId id, Bytes begin, Bytes length) {
    if (length > Bytes()) contents_[id].push_back({begin, length, id, begin});
  }

  /// Contents of `from` in `range`.
  std::vector<ContentPart> partsIn(TensorId from, Interval<Bytes> range) const {
    const auto endOf = [](const ContentPart& part) { return part.begin + part.length; };
    std::vector<ContentPart> parts;
    const auto& all = contents_[from];
    auto part = std::ranges::upper_bound(all, range.begin, {}, endOf);
    for (; part != all.end() && part->begin < range.end; ++part) {
      const Bytes low = std::max(part->begin, range.begin);
      const Bytes high = std::min(endOf(*part), range.end);
      parts.push_back({low, high - low, part->writer, part->offset + low - part->begin});
    }
    return parts;
  }

  /// Appends `range` of what `from` holds to `to`, at `begin`.
  void inherit(TensorId to, Bytes begin, TensorId from, Interval<Bytes> range) {
    if (!from) return own(to, begin, range.length());
    for (ContentPart part : partsIn(from, range)) {
      part.begin += begin - range.begin;
      contents_[to].push_back(part);
    }
  }

  /// Visits the bytes of a piece in the tensor that it is a box of, stretch by stretch.
  void forEachStretchOf(TensorId id, const std::function<void(Bytes, Bytes)>& visit) const {
    const Tiling::Piece& piece = *pieceOf(graph_, id);
    const Tensor& own = graph_.tensors[id];
    forEachStretch(*graph_.tiling->original->tensors[piece.of].shape, piece.begin, *own.shape,
                   elementSize(own).value_or(Bytes(1)), visit);
  }

  void cutIntoPieces(const Op& op) {
    for (const TensorId out : op.outputs) {
      contents_[out].clear();
      Bytes begin;
      forEachStretchOf(out, [&](Bytes offset, Bytes length) {
        inherit(out, begin, op.inputs[0], {offset, offset + length});
        begin += length;
      });
    }
  }

  /// Bytes that no piece brings count as written by the join itself, which writes nothing: reading
  /// them is a finding.
  void joinPieces(const Op& op) {
    std::vector<ContentPart> all;
    for (const TensorId in : op.inputs) {
      if (!in) continue;
      Bytes begin;
      forEachStretchOf(in, [&](Bytes offset, Bytes length) {
        for (ContentPart part : partsIn(in, {begin, begin + length})) {
          part.begin += offset - begin;
          all.push_back(part);
        }
        begin += length;
      });
    }
    std::ranges::sort(all, {}, &ContentPart::begin);
    const TensorId out = op.outputs[0];
    contents_[out].clear();
    Bytes end;
    for (const ContentPart& part : all) {
      own(out, end, part.begin - end);
      contents_[out].push_back(part);
      end = part.begin + part.length;
    }
    own(out, end, sizeOf(out) - end);
  }

  /// A view that runs in parts: its rows are those of its input.
  void handOn(const Op& op) {
    for (std::size_t i = 0; i < op.outputs.size() && i < op.inputs.size(); ++i) {
      const std::vector<ContentPart> parts = contents_[op.inputs[i]];
      contents_[op.outputs[i]] = parts;
    }
  }

  void join(OpId id, const Op& op) {
    if (op.outputs.empty() || !op.outputs[0]) return;
    const TensorId out = op.outputs[0];
    contents_[out].clear();
    Bytes begin;
    for (const TensorId in : op.inputs) {
      const Bytes length = std::min(sizeOf(in), sizeOf(out) - begin);
      if (copied_.contains({id, in}) && !liesAt(in, out, begin)) {
        own(out, begin, length);
      } else if (in) {
        inherit(out, begin, in, {Bytes(), length});
      }
      begin += length;
    }
    own(out, begin, sizeOf(out) - begin);
  }

  void cut(OpId id, const Op& op) {
    const TensorId whole = dataInput(op);
    if (!whole) return;
    Bytes begin;
    for (const TensorId out : op.outputs) {
      if (!out) continue;
      const Bytes length = sizeOf(out);
      if (!copied_.contains({id, out})) {
        contents_[out].clear();
        inherit(out, Bytes(), whole, {begin, begin + length});
      }
      begin += length;
    }
  }

  /// A tensor that is in a concat twice is noted as copied, though one of the two is a slice.
  bool liesAt(TensorId part, TensorId whole, Bytes offset) const {
    const auto& inner = storage_.slots[part];
    const auto& outer = storage_.slots[whole];
    return inner && outer && inner->buffer == outer->buffer &&
           inner->offset == outer->offset + offset;
  }

  const Graph& graph_;
  const Storage& storage_;
  std::set<std::pair<OpId, TensorId>> copied_;
  IdMap<TensorId, std::vector<ContentPart>> contents_;
};

}  // namespace

IdMap<TensorId, std::vector<ContentPart>> tensorContents(const Graph& graph,
                                                         const Schedule& schedule,
                                                         const Storage& storage) {
  ContentsMaker maker(graph, storage);
  for (const OpId id : schedule.order) maker.visit(id);
  return std::move(maker).take();
}

ReplayStage::ReplayStage(const Run& run, std::size_t limit)
    : run_(run), limit_(limit), memory_(run.problem.pools.size()) {
  for (const PoolId pool : run.problem.pools.keys()) {
    std::vector<Bytes> starts = {Bytes()};
    if (run.plan.regions.contains(pool)) {
      for (const Bytes size : run.plan.regions[pool]) {
        // Sizes from a file may be anything: what goes beyond the largest address is cut off.
        const Bytes sane = std::clamp(size, Bytes(), kMaxBytes - starts.back());
        starts.push_back(starts.back() + sane);
      }
    }
    starts_.add(std::move(starts));
  }
  spans_.resize(run.problem.stays.size());
  for (const StayId id : run.problem.stays.keys()) locate(id);
}

void ReplayStage::locate(StayId id) {
  const Stay& stay = run_.problem.stays[id];
  const auto refuse = [&](const char* why) {
    report(stay.steps.begin, fmt::format("'{}' {}", run_.stayName(id), why));
  };
  if (!run_.plan.addresses.contains(id) || !run_.plan.addresses[id]) {
    return refuse("has no address");
  }
  const Address& address = *run_.plan.addresses[id];
  if (!address.pool || !starts_.contains(address.pool)) return refuse("is in no pool");
  const std::vector<Bytes>& starts = starts_[address.pool];
  if (!address.region || address.region.index() + 1 >= starts.size()) {
    return refuse("is in no region");
  }
  const Bytes room = starts.back() - starts[address.region.index()];
  if (address.offset < Bytes() || stay.size <= Bytes() || stay.size > room ||
      address.offset > room - stay.size) {
    return refuse("lies outside the pool");
  }
  const Bytes begin = starts[address.region.index()] + address.offset;
  spans_[id] = ByteSpan{address.pool, {begin, begin + stay.size}};
}

void ReplayStage::allocate(Bytes maxArena, const std::vector<ByteSpan>& more) {
  Bytes room = maxArena;
  bool whole = true;
  for (const std::vector<Bytes>& starts : starts_) {
    whole = whole && starts.back() <= room;
    if (whole) room -= starts.back();
  }
  IdMap<PoolId, std::vector<Bytes>> edges(starts_.size());
  IdMap<PoolId, std::vector<Interval<Bytes>>> taken(starts_.size());
  const auto mark = [&](const ByteSpan& span) {
    edges[span.pool].push_back(span.bytes.begin);
    edges[span.pool].push_back(span.bytes.end);
  };
  std::ranges::for_each(more, mark);
  for (const auto& span : spans_) {
    if (!span) continue;
    mark(*span);
    if (whole) taken[span->pool].push_back(span->bytes);
  }
  const bool moves = !run_.problem.moves.empty();
  for (const PoolId pool : starts_.keys()) {
    const Bytes size = starts_[pool].back();
    // Buffers that move are copied byte by byte, so both ends have all of them.
    auto ranges =
        moves && whole ? std::vector{Interval<Bytes>{Bytes(), size}} : shared(taken[pool]);
    memory_.allocate(pool, size, edges[pool], std::move(ranges));
  }
}

/// The bytes that more than one of them has: nothing can clash in others.
std::vector<Interval<Bytes>> ReplayStage::shared(std::vector<Interval<Bytes>>& spans) {
  std::ranges::sort(spans);
  std::vector<Interval<Bytes>> shared;
  Bytes end;  // Of all before, and up to where `shared` goes.
  Bytes done;
  for (const Interval<Bytes>& span : spans) {
    const Interval<Bytes> again{std::max(span.begin, done), std::min(span.end, end)};
    if (!again.empty()) {
      shared.push_back(again);
      done = again.end;
    }
    end = std::max(end, span.end);
  }
  return shared;
}

void ReplayStage::follow(std::function<void(double)> progress) { progress_ = std::move(progress); }

void ReplayStage::tell(double part) {
  if (progress_) progress_(part);
}

void ReplayStage::salt(std::uint64_t salt) {
  salt_ = salt;
  deeds_.clear();
}

Pattern ReplayStage::pattern(std::size_t author, Bytes offset) const {
  return {(salt_ << 33) + author, offset};
}

void ReplayStage::scrub(StayId id, Step step, bool begins, Interval<Bytes> spared) {
  if (!spans_[id]) return;
  const ByteSpan& whole = *spans_[id];
  if (spared.empty()) spared = {whole.bytes.end, whole.bytes.end};
  // Values of tensors have numbers below 2^32, so what is scrubbed equals none of them.
  const Pattern noise = pattern((std::size_t{1} << 32) + id.index());
  const std::string author =
      fmt::format("'{}' {}", run_.stayName(id), begins ? "took over" : "was released");
  for (const Interval<Bytes>& part : {Interval<Bytes>{whole.bytes.begin, spared.begin},
                                      Interval<Bytes>{spared.end, whole.bytes.end}}) {
    const Interval<Bytes> kept{std::max(part.begin, whole.bytes.begin),
                               std::min(part.end, whole.bytes.end)};
    if (!kept.empty()) write({whole.pool, kept}, noise, step, author);
  }
}

void ReplayStage::write(const ByteSpan& span, const Pattern& pattern, Step step,
                        std::string author) {
  memory_.write(span, pattern);
  deeds_.push_back({span, step, std::move(author)});
}

void ReplayStage::writeStrided(const ByteSpan& span, const ByteStride& stride,
                               const Pattern& pattern, Step step, std::string author) {
  for (std::int64_t i = 0; i < stride.count; ++i) {
    const Bytes at = stride.begin + stride.pitch * i;
    memory_.write(span.part(at, stride.length), {pattern.key, pattern.offset + at});
  }
  const Bytes last = stride.begin + stride.pitch * (stride.count - 1);
  deeds_.push_back(
      {span.part(stride.begin, last + stride.length - stride.begin), step, std::move(author)});
}

void ReplayStage::copy(const ByteSpan& from, const ByteSpan& to, Step step, std::string author) {
  memory_.copy(from, to);
  deeds_.push_back({to, step, std::move(author)});
}

void ReplayStage::verify(const ByteSpan& span, const Pattern& pattern, Step step,
                         const std::string& reader, const std::string& name) {
  const auto bad = memory_.firstDifference(span, pattern);
  if (!bad) return;
  report(step, fmt::format("{}: byte {} of '{}' (address {}) is not what was written; {}", reader,
                           (*bad - span.bytes.begin).count(), name, bad->count(),
                           whoWas(span.pool, *bad)));
}

std::string ReplayStage::whoWas(PoolId pool, Bytes at) const {
  for (auto deed = deeds_.rbegin(); deed != deeds_.rend(); ++deed) {
    if (deed->span.pool != pool || !deed->span.bytes.contains(at)) continue;
    return fmt::format("{} there in step {}", deed->author, deed->step.count());
  }
  return "nobody ever wrote there";
}

void ReplayStage::report(Step step, std::string message) {
  if (!full()) found_.push_back({step, std::move(message)});
}

}  // namespace hw
