#include "core/check/replay_stage.h"

#include <fmt/format.h>

#include <algorithm>

namespace hw {

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
    // What moves is copied byte by byte, so both ends have all of them.
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
