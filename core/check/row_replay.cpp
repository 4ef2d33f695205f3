#include "core/check/row_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check/channel_script.h"
#include "core/check/graph_replay.h"
#include "core/graph/tiling.h"

namespace hw {
namespace {

/// Calls `visit(bytes)` for what of each stretch is in [begin, begin + length).
template <class Visit>
void forEachIn(const ByteStride& stride, Bytes begin, Bytes length, const Visit& visit) {
  for (std::int64_t i = 0; i < stride.count; ++i) {
    const Bytes at = stride.begin + stride.pitch * i;
    const Interval<Bytes> bytes{std::max(at, begin), std::min(at + stride.length, begin + length)};
    if (!bytes.empty()) visit(bytes);
  }
}

}  // namespace

void GraphReplay::findRowPlays() {
  if (hasMoves()) return;
  const auto presenceOf = [&](TensorId id, Step step) -> std::optional<std::size_t> {
    std::optional<std::size_t> found;
    for (const Presence* each : presencesAt(id, step)) {
      if (found || !spanOf(id, *each)) return std::nullopt;
      found = static_cast<std::size_t>(each - presences_.data());
    }
    return found;
  };
  for (const OpId id : run_.schedule.order) {
    const Op& op = run_.graph().ops[id];
    auto script = op.folded ? std::nullopt : rowScriptOf(run_.graph(), op);
    if (!script) continue;
    const Step step = run_.schedule.stepOf[id];
    const auto input = presenceOf(script->input, step);
    const auto output = presenceOf(script->output, step);
    if (!input || !output || *input == *output) continue;
    const Presence& under = presences_[*input];
    const Presence& over = presences_[*output];
    const auto& read = stage_.span(under.stay);
    const auto& written = stage_.span(over.stay);
    const bool meet = read->pool == written->pool && read->bytes.overlaps(written->bytes);
    if (!meet || under.steps.end != step + Step(1) || over.steps.begin != step) continue;
    // At one address either way may do.
    const Bytes from = spanOf(script->input, under)->bytes.begin;
    const Bytes to = spanOf(script->output, over)->bytes.begin;
    const bool forward = to < from || (to == from && !firstSpoiler(*script, from, to, true));
    inputOf_[*output] = *input;
    outputOf_[*input] = *output;
    rowPlays_[id] = {std::move(*script), *input, *output, forward};
  }
}

/// Bytes that input and output share are not scrubbed as a whole: each row takes over its own.
void GraphReplay::scrub(std::size_t presence, Step step, bool begins) {
  const auto& sharers = begins ? inputOf_ : outputOf_;
  const auto sharer = sharers.find(presence);
  Interval<Bytes> spared;
  if (sharer != sharers.end()) spared = stage_.span(presences_[sharer->second].stay)->bytes;
  stage_.scrub(presences_[presence].stay, step, begins, spared);
}

bool GraphReplay::playRows(OpId id, Step step, const std::string& author) {
  const auto found = rowPlays_.find(id);
  if (found == rowPlays_.end()) return false;
  const RowPlay& play = found->second;
  const RowScript& script = play.script;
  const ByteSpan read = *spanOf(script.input, presences_[play.input]);
  const ByteSpan written = *spanOf(script.output, presences_[play.output]);
  for (std::int64_t turn = 0; turn < script.outRows && !stage_.full(); ++turn) {
    const std::int64_t row = play.forward ? turn : script.outRows - 1 - turn;
    const std::vector<std::int64_t> touched = script.reads(row);
    const auto verifyRows = [&] {
      for (const std::int64_t at : touched) {
        verifyBytes(script.input, read, {script.inRow * at, script.inRow * (at + 1)}, step, author);
      }
    };
    // A kernel may read for the last element of a row when all others are written.
    verifyRows();
    writeBytes(script.output, written, {script.outRow * row, script.outRow * (row + 1)}, step,
               author);
    verifyRows();
  }
  for (const TensorId other : run_.graph().reads(id)) {
    if (other != script.input) verifyTensor(other, step, author);
  }
  verifyTensor(script.output, step, author);
  return true;
}

void GraphReplay::verifyBytes(TensorId id, const ByteSpan& span, Interval<Bytes> bytes, Step step,
                              const std::string& reader) {
  for (const ContentPart& part : contents_[id]) {
    const Bytes low = std::max(part.begin, bytes.begin);
    const Bytes high = std::min(part.begin + part.length, bytes.end);
    if (low >= high) continue;
    stage_.verify(span.part(low, high - low),
                  stage_.pattern(part.writer.index(), part.offset + low - part.begin), step, reader,
                  nameOf(id));
  }
}

void GraphReplay::writeBytes(TensorId id, const ByteSpan& span, Interval<Bytes> bytes, Step step,
                             const std::string& author) {
  for (const ContentPart& part : contents_[id]) {
    const Bytes low = std::max(part.begin, bytes.begin);
    const Bytes high = std::min(part.begin + part.length, bytes.end);
    if (part.writer != id || low >= high) continue;
    stage_.write(span.part(low, high - low),
                 stage_.pattern(id.index(), part.offset + low - part.begin), step,
                 author + " wrote '" + nameOf(id) + "'");
  }
}

/// Where rows begin, so that a sample has bytes of each.
void GraphReplay::addRowEdges(std::vector<ByteSpan>& edges) const {
  const auto addRows = [&](const ByteSpan& span, Bytes row, std::int64_t rows) {
    for (std::int64_t at = 0; at < rows; ++at) edges.push_back(span.part(row * at, row));
  };
  for (const auto& [id, play] : rowPlays_) {
    addRows(*spanOf(play.script.input, presences_[play.input]), play.script.inRow,
            play.script.inRows);
    addRows(*spanOf(play.script.output, presences_[play.output]), play.script.outRow,
            play.script.outRows);
  }
}

/// Convolutions that write over their input go channel by channel, through scratch.
bool GraphReplay::playChannels(OpId id, Step step, const std::string& author) {
  const Op& op = run_.graph().ops[id];
  if (op.outputs.empty() || !op.outputs[0] || !inPlace_.contains(op.outputs[0])) return false;
  if (partOf(run_.graph(), id) != nullptr) return false;
  const auto script = channelScriptOf(run_.graph(), op);
  if (!script || !isOverwritten(script->input, op)) return false;
  const auto placeAt = [&](TensorId tensor) -> std::optional<ByteSpan> {
    const auto there = presencesUsedAt(tensor, step);
    return there.size() == 1 ? spanOf(tensor, *there.front()) : std::nullopt;
  };
  const TensorId aside = op.outputs.size() > 1 ? op.outputs.back() : TensorId();
  const auto scratch = aside && run_.storage.slots[aside] ? placeAt(aside) : std::nullopt;
  const auto input = placeAt(script->input);
  const auto output = placeAt(script->output);
  if (!scratch || scratch->bytes.length() < script->plane()) {
    stage_.report(
        step, fmt::format("{} runs over its input '{}' with {} bytes of scratch, but a "
                          "plane of its output takes {}",
                          author, nameOf(script->input),
                          scratch ? scratch->bytes.length().count() : 0, script->plane().count()));
    return true;
  }
  if (!input || !output) return true;  // Which is a finding already.
  const std::string name = nameOf(script->input);
  const auto verifyRead = [&](std::int64_t image, std::int64_t channel) {
    const Interval<std::int64_t> reads = script->reads(channel);
    for (std::int64_t from = reads.begin; from < reads.end; ++from) {
      const ByteStride stride = script->strideOf(script->in, image, from);
      for (const ContentPart& part : contents_[script->input]) {
        forEachIn(stride, part.begin, part.length, [&](Interval<Bytes> bytes) {
          const Bytes offset = part.offset + bytes.begin - part.begin;
          stage_.verify(input->part(bytes.begin, bytes.length()),
                        stage_.pattern(part.writer.index(), offset), step, author, name);
        });
      }
    }
  };
  const ByteSpan held = scratch->part(Bytes(), script->plane());
  for (std::int64_t plane = 0; plane < script->images * script->out.channels; ++plane) {
    if (stage_.full()) return true;
    const std::int64_t image = plane / script->out.channels;
    const std::int64_t channel = plane % script->out.channels;
    const Pattern made = stage_.pattern(aside.index(), script->plane() * plane);
    verifyRead(image, channel);
    stage_.write(held, made, step, author + " made a channel in scratch");
    // For the last place of the plane it reads when all others are made.
    verifyRead(image, channel);
    stage_.verify(held, made, step, author, nameOf(aside));
    const ByteStride stride = script->strideOf(script->out, image, channel);
    stage_.writeStrided(*output, stride, stage_.pattern(script->output.index()), step,
                        author + " wrote '" + nameOf(script->output) + "'");
  }
  for (const TensorId other : run_.graph().reads(id)) {
    if (other != script->input) verifyTensor(other, step, author);
  }
  verifyTensor(script->output, step, author);
  return true;
}

}  // namespace hw
