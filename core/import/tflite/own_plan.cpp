#include "core/import/tflite/own_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/import/plans/planned_rows.h"
#include "core/import/tflite/reader.h"
#include "core/schedule/loops.h"

namespace hw {
namespace {

constexpr std::string_view kName = "OfflineMemoryAllocation";
constexpr std::size_t kHeader = 3;

std::int32_t wordAt(std::string_view bytes, std::size_t index) {
  std::int32_t word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof(word), sizeof(word));
  return word;
}

/// Tensors of each subgraph that a plan of `count` is for: all of them where it is for more than
/// the first one has. The others are unpacked only then.
std::vector<std::size_t> sizesOf(const TfliteFile& file, std::size_t count) {
  std::vector<std::size_t> sizes = {file.subgraph(0).tensors.size()};
  for (std::size_t i = 1; i < file.subgraphCount() && count > sizes.front(); ++i) {
    sizes.push_back(file.subgraph(i).tensors.size());
  }
  return sizes;
}

using ByteSpan = Interval<std::int64_t>;

/// The most tensors that operators name and stretches of bytes that they read, in all turns of
/// loops: the numbers in a small file can ask for any number of them. A text that is kept counts as
/// one for each 64 bytes.
constexpr std::size_t kMostAccesses = std::size_t{1} << 19U;
constexpr std::size_t kMostLoops = 64;
constexpr std::size_t kFewNumbers = 16;  ///< The most elements of a tensor that loops count with.
const std::vector<std::optional<Bytes>> kNoOffsets;

/// Bytes from one write to the next ones over them.
struct Written {
  std::string name{};
  Dtype dtype = Dtype::unknown;
  ByteSpan bytes{};
  std::int64_t step = 0;
  std::int64_t rowBytes = 0;  ///< 0: it has no rows.
  std::int64_t rowZero = 0;   ///< The address of the tensor's row 0, were it there as a whole.
  bool input = false;
  struct Read {
    ByteSpan bytes{};
    std::int64_t step = 0;
    bool output = false;
  };
  std::vector<Read> reads{};
};

/// Nothing where a dimension is free, or the elements have no size.
std::optional<Bytes> sizeOf(const TfliteTensor& tensor) {
  if (std::ranges::any_of(tensor.shape, [](std::int64_t size) { return size < 0; })) return {};
  const auto count = elementCount(tensor.shape);
  return count ? packedSize(tfliteDtype(tensor.type), *count) : std::nullopt;
}

/// Carries out operators on the addresses of their tensors.
class PartsReplay {
 public:
  PartsReplay(const TfliteFile& file, const TfliteOffsets& offsets)
      : file_(file), offsets_(offsets) {}

  Result<Model> plan(std::size_t subgraph) {
    HW_TRY(ends, spansOf(subgraph, file_.subgraph(subgraph).inputs));
    for (const Span& input : ends) write(input, 0, true);
    HW_DO(run(subgraph, true));
    HW_TRY(outputs, spansOf(subgraph, file_.subgraph(subgraph).outputs));
    const std::int64_t last = std::max<std::int64_t>(std::ssize(plan_.steps) - 1, 0);
    for (const Span& output : outputs) HW_DO(read(output, last, true));
    for (const Written& written : written_) addPieces(written);
    plan_.is = fmt::format(
        "its operators run in parts, on {} views: each buffer is some rows of a tensor, and an "
        "operator that writes over rows that it reads takes two steps; --allocator embedded is "
        "what the runtime does, all others place each buffer by itself",
        groupDigits(views_));
    if (oneTurn_) {
      plan_.notes.emplace_back(
          "how often a loop runs is not known ahead of time: one turn of it is shown");
    }
    if (unwritten_ > 0) {
      plan_.notes.push_back(fmt::format(
          "{} views reach over bytes that nothing wrote, as those of borders may: the first is {}",
          groupDigits(unwritten_), firstUnwritten_));
    }
    plan_.format = kTflitePartsFormat;
    plan_.name = file_.subgraphName(subgraph);
    plan_.isInParts = true;
    plan_.unknown = {"operators' work"};
    if (!isNamed_) plan_.wholes.clear();
    return planModel(std::move(plan_));
  }

 private:
  /// A tensor of the arena.
  struct Span {
    const TfliteTensor* tensor = nullptr;
    std::size_t subgraph = 0;
    ByteSpan bytes{};
    Bytes whole{};  ///< The size of the tensor.
  };
  struct Owner {
    std::int64_t end = 0;
    std::size_t written = 0;
  };

  Result<std::vector<Span>> spansOf(std::size_t subgraph, const std::vector<std::int32_t>& list) {
    const TfliteSubgraph& graph = file_.subgraph(subgraph);
    const auto& sizes = sizesIn(subgraph);
    std::vector<Span> spans;
    for (const std::int32_t index : list) {
      if (index < 0) continue;
      const auto at = static_cast<std::size_t>(index);
      if (at >= graph.tensors.size()) refuse(fmt::format("there is no tensor {}", index));
      const TfliteTensor& tensor = graph.tensors[at];
      if (file_.isStored(tensor.buffer)) continue;
      const auto size = sizes[at];
      const bool placed = subgraph < offsets_.size() && offsets_[subgraph][at];
      if (!size || !placed || tensor.isVariable) {
        return fail(ErrorCode::unsupported,
                    fmt::format("its operators run in parts, and tensor '{}' {}; expected an "
                                "offset for each",
                                printable(tensor.name, 80),
                                size ? "has no place in the plan of the file" : "has no size"));
      }
      const std::int64_t begin = offsets_[subgraph][at]->count();
      if (*size > Bytes())
        spans.push_back({&tensor, subgraph, {begin, begin + size->count()}, *size});
    }
    return spans;
  }

  static tl::unexpected<Error> tooMany(const char* what, std::size_t most) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("its operators run in parts, with more than {} {}", groupDigits(most), what));
  }

  /// Counts accesses, and a text of which a copy is kept; fails beyond `kMostAccesses`.
  Result<void> charge(std::size_t accesses, const std::string& text = {}) {
    accesses_ += accesses + text.size() / 64;
    if (accesses_ > kMostAccesses) return tooMany("reads and writes", kMostAccesses);
    return {};
  }

  Result<void> run(std::size_t subgraph, bool mayLoop) {
    for (const TfliteOp& op : file_.subgraph(subgraph).ops) {
      const auto calls = tfliteCalls(op, file_);
      if (op.is(TfliteOpCode::loop) && calls.size() == 2 && mayLoop) {
        HW_DO(runLoop(subgraph, op, calls));
        continue;
      }
      if (!calls.empty()) {
        return fail(ErrorCode::unsupported,
                    fmt::format("its operators run in parts, and {} runs others; expected loops "
                                "of the main subgraph alone",
                                printable(op.type(), 80)));
      }
      HW_DO(charge(1 + op.inputs.size() + op.outputs.size()));
      HW_TRY(reads, spansOf(subgraph, op.inputs));
      HW_TRY(writes, spansOf(subgraph, op.outputs));
      narrow(subgraph, op, reads, writes);
      isNamed_ &= !mayLoop || writes.empty() || !writes.front().tensor->name.empty();
      HW_DO(step(op.type(), reads, writes));
      count(subgraph, op, writes);
    }
    return {};
  }

  /// Spans, and those of `more` that lie elsewhere.
  static std::vector<Span> joined(std::vector<Span> spans, const std::vector<Span>& more) {
    std::set<ByteSpan> places;
    for (const Span& span : spans) places.insert(span.bytes);
    std::ranges::copy_if(more, std::back_inserter(spans),
                         [&](const Span& span) { return !places.contains(span.bytes); });
    return spans;
  }

  /// Turn by turn, as long as its condition is known; else one turn, and what it reads of before is
  /// needed until the last one ends.
  Result<void> runLoop(std::size_t subgraph, const TfliteOp& op,
                       const std::vector<std::size_t>& calls) {
    if (++loops_ > kMostLoops) return tooMany("loops", kMostLoops);
    const TfliteSubgraph& condition = file_.subgraph(calls[0]);
    const TfliteSubgraph& body = file_.subgraph(calls[1]);
    for (const auto* list : {&op.inputs, &op.outputs, &condition.inputs, &condition.outputs,
                             &body.inputs, &body.outputs}) {
      HW_DO(charge(list->size()));
    }
    HW_TRY(reads, spansOf(subgraph, op.inputs));
    HW_TRY(asked, spansOf(calls[0], condition.inputs));
    HW_TRY(carried, spansOf(calls[1], body.inputs));
    HW_TRY(answer, spansOf(calls[0], condition.outputs));
    HW_TRY(made, spansOf(calls[1], body.outputs));
    HW_TRY(outputs, spansOf(subgraph, op.outputs));
    copyNumbers(numbersOf(subgraph, op.inputs), {&asked, &carried});
    const auto begin = std::ssize(plan_.steps);
    HW_DO(step(op.type(), reads, joined(carried, asked)));
    const std::size_t before = written_.size();
    std::vector<std::size_t> turns;  // The first step of each.
    while (true) {
      HW_DO(charge(1 + asked.size() + carried.size() + kFewNumbers * body.outputs.size()));
      turns.push_back(plan_.steps.size());
      if (answer.size() == 1) numbers_.erase(answer[0].bytes.begin);
      HW_DO(run(calls[0], false));
      const auto known = answer.size() == 1 ? numbers_.find(answer[0].bytes.begin) : numbers_.end();
      const bool isKnown = known != numbers_.end();
      if (isKnown && known->second == 0) {
        nameTurns(static_cast<std::size_t>(begin), turns);
        break;
      }
      HW_DO(run(calls[1], false));
      copyNumbers(numbersOf(calls[1], body.outputs), {&asked, &carried});
      if (isKnown) continue;
      oneTurn_ = true;
      keepUntil(std::ssize(plan_.steps), begin, before);
      break;
    }
    return step(op.type() + "_END", made, outputs);
  }

  /// Names steps by the turn of a loop in which they run; the last of `turns` is where it ends.
  void nameTurns(std::size_t loop, const std::vector<std::size_t>& turns) {
    const std::size_t count = turns.size() - 1;
    plan_.steps[loop].name = fmt::format("loop of {} turns", groupDigits(count));
    auto& attributes = plan_.steps[loop].attributes;
    attributes[std::string(kTurns)] = static_cast<std::int64_t>(count);
    attributes[std::string(kOperatorsOfTurns)] =
        static_cast<std::int64_t>(turns.back() - turns.front());
    for (std::size_t turn = 0; turn < count; ++turn) {
      const auto text = fmt::format("turn {} of {}", groupDigits(turn + 1), groupDigits(count));
      for (std::size_t step = turns[turn]; step < turns[turn + 1]; ++step) {
        std::string& name = plan_.steps[step].name;
        name = fmt::format("{}/{}", text, name.empty() ? plan_.steps[step].type : name);
      }
    }
    plan_.notes.push_back(fmt::format("a loop of {} turns runs from step {} to {}",
                                      groupDigits(count), groupDigits(loop),
                                      groupDigits(plan_.steps.size())));
  }

  void keepUntil(std::int64_t step, std::int64_t from, std::size_t before) {
    for (std::size_t i = 0; i < before; ++i) {
      for (Written::Read& each : written_[i].reads) {
        if (each.step >= from) each.step = std::max(each.step, step);
      }
    }
  }

  using Numbers = std::vector<std::optional<std::int32_t>>;  ///< Of a tensor of few int32.

  /// By tensor of `list`; nothing for those that are no few numbers.
  std::vector<Numbers> numbersOf(std::size_t subgraph, const std::vector<std::int32_t>& list) {
    const TfliteSubgraph& graph = file_.subgraph(subgraph);
    std::vector<Numbers> all;
    for (const std::int32_t index : list) {
      Numbers& numbers = all.emplace_back();
      if (index < 0 || static_cast<std::size_t>(index) >= graph.tensors.size()) continue;
      const TfliteTensor& tensor = graph.tensors[static_cast<std::size_t>(index)];
      const auto size = sizesIn(subgraph)[static_cast<std::size_t>(index)];
      if (tfliteDtype(tensor.type) != Dtype::int32 || !size ||
          size->count() > std::int64_t{4 * kFewNumbers}) {
        continue;
      }
      const std::string_view stored = file_.bufferBytes(tensor.buffer);
      const auto& offsets = subgraph < offsets_.size() ? offsets_[subgraph] : kNoOffsets;
      const auto at = static_cast<std::size_t>(index);
      for (std::int64_t i = 0; i < size->count() / 4; ++i) {
        std::optional<std::int32_t> number;
        if (stored.size() >= static_cast<std::size_t>(4 * i + 4)) {
          std::memcpy(&number.emplace(), stored.data() + 4 * i, 4);
        } else if (at < offsets.size() && offsets[at]) {
          const auto known = numbers_.find(offsets[at]->count() + 4 * i);
          if (known != numbers_.end()) number = known->second;
        }
        numbers.push_back(number);
      }
    }
    return all;
  }

  void setNumber(std::int64_t address, std::optional<std::int32_t> number) {
    if (number) numbers_[address] = *number;
    if (!number) numbers_.erase(address);
  }

  /// One list of tensors to others: an entry for each, as loops hand them on.
  void copyNumbers(const std::vector<Numbers>& from,
                   std::initializer_list<const std::vector<Span>*> to) {
    for (const std::vector<Span>* spans : to) {
      for (std::size_t i = 0; i < std::min(from.size(), spans->size()); ++i) {
        for (std::size_t j = 0; j < from[i].size(); ++j) {
          setNumber((*spans)[i].bytes.begin + 4 * static_cast<std::int64_t>(j), from[i][j]);
        }
      }
    }
  }

  /// The counting of loops: sums, and one number below another.
  void count(std::size_t subgraph, const TfliteOp& op, const std::vector<Span>& writes) {
    const bool adds = op.is(TfliteOpCode::add);
    if (writes.size() != 1 || op.inputs.size() != 2) return;
    if (!adds && !op.is(TfliteOpCode::less)) return;
    const auto numbers = numbersOf(subgraph, op.inputs);
    const Numbers& a = numbers[0];
    const Numbers& b = numbers[1];
    const std::int64_t at = writes[0].bytes.begin;
    if (a.empty() || a.size() != b.size()) return;
    if (!adds) {
      if (a.size() == 1 && a[0] && b[0]) setNumber(at, *a[0] < *b[0] ? 1 : 0);
      return;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto sum = a[i] && b[i] ? std::int64_t{*a[i]} + *b[i] : std::int64_t{1} << 40U;
      const bool fits = sum == static_cast<std::int32_t>(sum);
      setNumber(at + 4 * static_cast<std::int64_t>(i),
                fits ? std::optional(static_cast<std::int32_t>(sum)) : std::nullopt);
    }
  }

  /// The bytes of the rows of `whole` at which a part of it with as long rows begins; nothing where
  /// that is not known, or not of whole rows.
  std::optional<Span> rowsOf(const Span& whole, const Numbers& begin, const Shape& part) {
    const Shape& shape = whole.tensor->shape;
    const auto axis = tfliteRowAxis(shape);
    if (!axis || part.size() != shape.size() || begin.size() != shape.size()) return std::nullopt;
    const std::int64_t all = shape[*axis];
    const std::int64_t count = part[*axis];
    Shape filled = part;
    filled[*axis] = all;
    if (filled != shape || count < 1 || count > all || !begin[*axis]) return std::nullopt;
    const std::int64_t row = (whole.bytes.end - whole.bytes.begin) / all;
    const std::int64_t first = std::clamp<std::int64_t>(*begin[*axis], 0, all - count);
    Span rows = whole;
    rows.bytes.begin += first * row;
    rows.bytes.end = rows.bytes.begin + count * row;
    return rows;
  }

  /// SLICE reads the rows that it takes; DYNAMIC_UPDATE_SLICE over its operand writes those that it
  /// is given.
  void narrow(std::size_t subgraph, const TfliteOp& op, std::vector<Span>& reads,
              std::vector<Span>& writes) {
    const bool slices = op.is(TfliteOpCode::slice);
    if (op.inputs.size() != 3 || reads.empty() || writes.size() != 1) return;
    if (!slices && !op.is(TfliteOpCode::dynamicUpdateSlice)) return;
    const auto numbers = numbersOf(subgraph, op.inputs);
    if (slices) {
      if (const auto rows = rowsOf(reads[0], numbers[1], writes[0].tensor->shape)) reads[0] = *rows;
    } else if (reads.size() > 1 && reads[0].bytes == writes[0].bytes) {
      const auto rows = rowsOf(writes[0], numbers[2], reads[1].tensor->shape);
      if (!rows) return;
      writes[0] = *rows;
      reads.erase(reads.begin());
    }
  }

  Result<void> step(const std::string& type, const std::vector<Span>& reads,
                    const std::vector<Span>& writes) {
    const auto now = std::ssize(plan_.steps);
    const std::string name = writes.empty() ? "" : writes.front().tensor->name;
    HW_DO(charge(0, type));
    for (const auto* spans : {&reads, &writes}) {
      for (const Span& span : *spans) HW_DO(charge(0, span.tensor->name));
    }
    plan_.steps.push_back(
        {.name = name, .type = type, .domain = "tflite", .of = wholeOf(type, reads, writes)});
    for (const Span& span : reads) HW_DO(read(span, now, false));
    std::vector<ByteSpan> used;
    used.reserve(reads.size());
    for (const Span& span : reads) used.push_back(span.bytes);
    used = mergedRanges(std::move(used));
    const bool over = std::ranges::any_of(writes, [&](const Span& made) {
      const auto at = std::ranges::upper_bound(used, made.bytes.begin, {}, &ByteSpan::end);
      const bool overRead = at != used.end() && at->begin < made.bytes.end;
      return overRead || (now == 0 && firstOwner(made.bytes) != owners_.end());
    });
    if (over) plan_.steps.push_back(plan_.steps.back());
    for (const Span& span : writes) write(span, std::ssize(plan_.steps) - 1, false);
    return {};
  }

  /// The operator of which one is a part: that of its type which makes tensors of these names.
  /// Nothing for what loops count with, which has no names, and for what moves rows of a tensor.
  std::optional<std::size_t> wholeOf(const std::string& type, const std::vector<Span>& reads,
                                     const std::vector<Span>& writes) {
    const auto nameOf = [](const Span& span) -> const std::string& { return span.tensor->name; };
    if (writes.empty() || std::ranges::find(writes, "", nameOf) != writes.end()) return {};
    const std::string& name = nameOf(writes.front());
    if (std::ranges::find(reads, name, nameOf) != reads.end()) return {};
    const auto [known, added] = wholeOf_.try_emplace({type, name}, plan_.wholes.size());
    if (added) plan_.wholes.push_back({.type = type, .domain = "tflite"});
    const std::size_t index = known->second;
    PlannedWhole& whole = plan_.wholes[index];
    const auto list = [&](const std::vector<Span>& spans, bool made) {
      for (const Span& span : spans) {
        if (!listed_.insert({index, made, nameOf(span)}).second) continue;
        (made ? whole.outputs : whole.inputs).push_back(nameOf(span));
      }
    };
    list(reads, false);
    list(writes, true);
    return index;
  }

  /// The first stretch of bytes written that overlaps `bytes`; end: there is none.
  std::map<std::int64_t, Owner>::iterator firstOwner(const ByteSpan& bytes) {
    auto at = owners_.upper_bound(bytes.begin);
    if (at != owners_.begin() && std::prev(at)->second.end > bytes.begin) --at;
    return at != owners_.end() && at->first < bytes.end ? at : owners_.end();
  }

  /// Bytes that are there already become others'.
  void write(const Span& span, std::int64_t step, bool input) {
    const ByteSpan bytes = span.bytes;
    auto at = firstOwner(bytes);
    while (at != owners_.end() && at->first < bytes.end) {
      const auto [begin, owner] = *at;
      at = owners_.erase(at);
      if (begin < bytes.begin) owners_[begin] = {bytes.begin, owner.written};
      if (owner.end > bytes.end) owners_[bytes.end] = owner;
    }
    owners_[bytes.begin] = {bytes.end, written_.size()};
    Written made{.name = span.tensor->name,
                 .dtype = tfliteDtype(span.tensor->type),
                 .bytes = bytes,
                 .step = step,
                 .rowZero = rowZeroOf(span),
                 .input = input};
    const Shape& shape = span.tensor->shape;
    const auto axis = tfliteRowAxis(shape);
    // Of matrices with one row there is nothing to count.
    const bool isOne = axis && shape.size() < 4 && shape[*axis] == 1;
    const bool isAlone = isOne && made.rowZero == bytes.begin;
    if (axis && shape[*axis] > 0 && !isAlone) made.rowBytes = span.whole.count() / shape[*axis];
    written_.push_back(std::move(made));
  }

  Result<void> read(const Span& span, std::int64_t step, bool output) {
    const ByteSpan bytes = span.bytes;
    auto at = firstOwner(bytes);
    std::int64_t known = bytes.begin;
    bool whole = true;
    for (; at != owners_.end() && at->first < bytes.end; ++at) {
      whole &= at->first <= known;
      known = at->second.end;
      const ByteSpan part{std::max(at->first, bytes.begin), std::min(known, bytes.end)};
      Written& written = written_[at->second.written];
      if (written.bytes != bytes) ++views_;
      written.reads.push_back({part, step, output});
      HW_DO(charge(1, written.name));
    }
    if (whole && known >= bytes.end) return {};
    if (unwritten_++ == 0) {
      firstUnwritten_ = fmt::format("'{}' at step {}", printable(span.tensor->name, 80), step);
    }
    return {};
  }

  /// The address of row 0 of the tensor that a view is of: that of the largest of its name, if the
  /// view lies inside it; else its own.
  std::int64_t rowZeroOf(const Span& span) {
    auto [known, added] = wholes_.try_emplace(span.subgraph);
    if (added) {
      const TfliteSubgraph& graph = file_.subgraph(span.subgraph);
      for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const TfliteTensor& tensor = graph.tensors[i];
        const auto size = sizesIn(span.subgraph)[i];
        if (!size || span.subgraph >= offsets_.size() || !offsets_[span.subgraph][i]) continue;
        const std::int64_t begin = offsets_[span.subgraph][i]->count();
        ByteSpan& whole = known->second[tensor.name];
        if (size->count() > whole.end - whole.begin) whole = {begin, begin + size->count()};
      }
    }
    const ByteSpan& whole = known->second[span.tensor->name];
    const bool inside = whole.begin <= span.bytes.begin && span.bytes.end <= whole.end;
    return inside ? whole.begin : span.bytes.begin;
  }

  /// A row for each stretch of bytes that is needed until the same step.
  void addPieces(const Written& written) {
    std::vector<std::int64_t> cuts = {written.bytes.begin, written.bytes.end};
    for (const Written::Read& each : written.reads) {
      cuts.insert(cuts.end(), {each.bytes.begin, each.bytes.end});
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<Written::Read> reads = written.reads;
    std::ranges::sort(reads, {}, [](const Written::Read& each) { return each.bytes.begin; });
    const auto earlier = [](const Written::Read& a, const Written::Read& b) {
      return std::pair(a.step, a.output) < std::pair(b.step, b.output);
    };
    // Those that have begun, the last step first.
    std::priority_queue<Written::Read, std::vector<Written::Read>, decltype(earlier)> open(earlier);
    auto next = reads.begin();
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      while (next != reads.end() && next->bytes.begin <= cuts[i]) open.push(*next++);
      while (!open.empty() && open.top().bytes.end <= cuts[i]) open.pop();
      const bool read = !open.empty();
      const ByteSpan bytes{cuts[i], cuts[i + 1]};
      addPiece(written, bytes, read ? open.top().step : written.step, read && open.top().output);
    }
  }

  void addPiece(const Written& written, ByteSpan bytes, std::int64_t last, bool output) {
    const bool goesOn = bytes.begin > written.bytes.begin && plan_.rows.back().last == last &&
                        plan_.rows.back().output == output;
    if (goesOn) {
      plan_.rows.back().size += Bytes(bytes.end - bytes.begin);
      pieceBegin_ = std::min(pieceBegin_, bytes.begin);
    } else {
      pieceBegin_ = bytes.begin;
      plan_.rows.push_back({.first = written.step,
                            .last = last,
                            .size = Bytes(bytes.end - bytes.begin),
                            .offset = Bytes(bytes.begin),
                            .input = written.input,
                            .output = output,
                            .dtype = written.dtype,
                            .of = written.name});
    }
    plan_.rows.back().name = nameOf(written, {pieceBegin_, bytes.end});
  }

  /// "conv rows 4-7"; of bytes that are no rows only the name.
  static std::string nameOf(const Written& written, ByteSpan bytes) {
    const std::int64_t row = written.rowBytes;
    if (row == 0) return written.name;
    const std::int64_t first = (bytes.begin - written.rowZero) / row;
    const std::int64_t last = (bytes.end - 1 - written.rowZero) / row;
    return first == last ? fmt::format("{} row {}", written.name, first)
                         : fmt::format("{} rows {}-{}", written.name, first, last);
  }

  /// By tensor; nothing for those of no known size.
  const std::vector<std::optional<Bytes>>& sizesIn(std::size_t subgraph) {
    const auto [sizes, added] = sizes_.try_emplace(subgraph);
    if (added)
      std::ranges::transform(file_.subgraph(subgraph).tensors, std::back_inserter(sizes->second),
                             sizeOf);
    return sizes->second;
  }

  const TfliteFile& file_;
  const TfliteOffsets& offsets_;
  PlannedRows plan_;
  std::map<std::size_t, std::vector<std::optional<Bytes>>> sizes_;  ///< By subgraph.
  std::map<std::int64_t, Owner> owners_;  ///< By the first byte; they do not overlap.
  std::vector<Written> written_;
  std::map<std::size_t, std::map<std::string, ByteSpan>> wholes_;       ///< By subgraph and name.
  std::map<std::pair<std::string, std::string>, std::size_t> wholeOf_;  ///< By type and name.
  /// Of `wholeOf_`: index, whether it is an output, and the tensor's name.
  std::set<std::tuple<std::size_t, bool, std::string_view>> listed_;
  bool isNamed_ = true;  ///< All that operators of the main subgraph make.
  std::int64_t pieceBegin_ = 0;
  std::size_t accesses_ = 0;
  std::int64_t views_ = 0;
  std::size_t loops_ = 0;
  bool oneTurn_ = false;
  std::map<std::int64_t, std::int32_t> numbers_;  ///< What loops count with, by address.
  std::int64_t unwritten_ = 0;
  std::string firstUnwritten_;
};

}  // namespace

TfliteOfflinePlan readOfflinePlan(const TfliteFile& file, std::size_t subgraph) {
  TfliteOfflinePlan plan;
  const auto buffer = file.metadata(kName);
  if (!buffer) return plan;
  const auto refuse = [&](const std::string& why) {
    plan.notes.push_back(fmt::format("the plan in the file ({}) is left out: {}", kName, why));
    return plan;
  };
  const std::string_view bytes = file.bufferBytes(*buffer);
  const std::size_t words = bytes.size() / sizeof(std::int32_t);
  if (words < kHeader) return refuse("it is cut short");
  const std::int32_t count = wordAt(bytes, 2);
  if (count < 0 || static_cast<std::size_t>(count) > words - kHeader) {
    return refuse(fmt::format("it lists {} tensors and holds {}", count, words - kHeader));
  }
  const std::vector<std::size_t> sizes = sizesOf(file, static_cast<std::size_t>(count));
  const std::size_t tensors = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  const bool fewer = sizes.size() == 1;
  if (fewer ? static_cast<std::size_t>(count) > tensors
            : static_cast<std::size_t>(count) != tensors) {
    return refuse(fmt::format("it is for {} tensors; the model has {}", count, tensors));
  }
  std::size_t next = 0;
  for (const std::size_t size : sizes) {
    auto& offsets = plan.offsets.emplace_back(size);
    for (std::size_t i = 0; i < size && next < static_cast<std::size_t>(count); ++i, ++next) {
      const std::int32_t offset = wordAt(bytes, kHeader + next);
      if (offset >= 0) offsets[i] = Bytes(offset);
    }
  }
  if (subgraph >= plan.offsets.size()) return plan;
  const auto given = std::ranges::count_if(plan.offsets[subgraph],
                                           [](const auto& offset) { return offset.has_value(); });
  if (given == 0 && subgraph > 0) return plan;
  plan.notes.push_back(fmt::format(
      "the file brings a plan of its own with {} offsets; --allocator embedded follows it", given));
  return plan;
}

bool readsViews(const TfliteFile& file, const TfliteOffsets& offsets) {
  std::vector<std::vector<bool>> made;  // By subgraph: what operators make, and inputs.
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < offsets.size(); ++index) {
    const TfliteSubgraph& graph = file.subgraph(index);
    std::vector<bool>& tensors = made.emplace_back(madeIn(graph));
    for (const std::int32_t input : graph.inputs) {
      if (input >= 0 && static_cast<std::size_t>(input) < tensors.size()) {
        tensors[static_cast<std::size_t>(input)] = true;
      }
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i] && !graph.tensors[i].name.empty()) names.insert(graph.tensors[i].name);
    }
  }
  const auto isView = [&](std::size_t index, std::int32_t input) {
    const auto at = static_cast<std::size_t>(input);
    if (input < 0 || at >= made[index].size() || made[index][at]) return false;
    const TfliteTensor& tensor = file.subgraph(index).tensors[at];
    return !tensor.isVariable && !file.isStored(tensor.buffer) && offsets[index][at].has_value() &&
           names.contains(tensor.name);
  };
  for (std::size_t index = 0; index < offsets.size(); ++index) {
    for (const TfliteOp& op : file.subgraph(index).ops) {
      if (std::ranges::any_of(op.inputs, [&](std::int32_t each) { return isView(index, each); })) {
        return true;
      }
    }
  }
  return false;
}

Result<Model> partsModel(const TfliteFile& file, std::size_t subgraph,
                         const TfliteOffsets& offsets) {
  return PartsReplay(file, offsets).plan(subgraph);
}

}  // namespace hw
