#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/graph/graph.h"
#include "core/import/csv_rules.h"
#include "core/import/formats.h"

namespace hw {
namespace {

bool comesAfter(const std::string& name, const std::string& before) {
  return name.size() == before.size() ? name > before : name.size() > before.size();
}

/// Says whether a row has the name of an earlier one, in files of millions of rows.
///
/// Most files number their rows: b0, b1, … b9, b10. Each such name is longer than the one before,
/// or as long and later in the alphabet, so it cannot have been there and nothing is stored. The
/// first name that breaks this order, and all before it, go into a hash table: open addressing,
/// linear probing, 16 bytes a name, since it holds tensors and not copies of their names.
class RowNames {
 public:
  /// The earlier tensor with the name of `tensor`, which is the last of `tensors`; nothing when the
  /// name is new. Every tensor has to be added, in order.
  std::optional<TensorId> add(const IdMap<TensorId, Tensor>& tensors, TensorId tensor) {
    const std::size_t index = tensor.index();
    if (ascending_) {
      if (index == 0 || comesAfter(tensors[tensor].name, tensors[TensorId(index - 1)].name))
        return {};
      ascending_ = false;
      grow(index + 1);
      for (std::size_t before = 0; before < index; ++before) insert(tensors, TensorId(before));
    }
    return insert(tensors, tensor);
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    TensorId tensor{};
  };

  std::optional<TensorId> insert(const IdMap<TensorId, Tensor>& tensors, TensorId tensor) {
    if (slots_.size() < 2 * (count_ + 1)) grow(2 * (count_ + 1));
    const std::string& name = tensors[tensor].name;
    const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(name));
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot].tensor; slot = after(slot)) {
      const bool same = slots_[slot].hash == hash && tensors[slots_[slot].tensor].name == name;
      if (same) return slots_[slot].tensor;
    }
    slots_[slot] = {hash, tensor};
    ++count_;
    return std::nullopt;
  }

  void grow(std::size_t names) {
    std::vector<Slot> bigger(std::bit_ceil(2 * names + 2));
    bigger.swap(slots_);
    for (const Slot& old : bigger) {
      if (!old.tensor) continue;
      std::size_t slot = old.hash & (slots_.size() - 1);
      while (slots_[slot].tensor) slot = after(slot);
      slots_[slot] = old;
    }
  }

  std::size_t after(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  std::vector<Slot> slots_;  ///< A power of two, at least twice the names.
  std::size_t count_ = 0;
  bool ascending_ = true;
};

enum ProblemField : std::size_t {
  kId,
  kLower,
  kUpper,
  kSize,
  kOffset,
  kAlignment,
  kGaps,
  kPool,                                            ///< Of plans with several memories,
  kOverlap,                                         ///< and of those whose outputs overlap inputs.
  kFirstOwn,                                        ///< Those of kOwnOptions,
  kFirstRule = kFirstOwn + std::size(kOwnOptions),  ///< and of kRuleColumns.
  kColumns = kFirstRule + kRuleColumns.size()
};
constexpr std::array<std::string_view, kColumns> columnNames() {
  std::array<std::string_view, kColumns> names = {"id",        "lower", "upper", "size",   "offset",
                                                  "alignment", "gaps",  "pool",  "overlap"};
  std::ranges::copy(kOwnOptions, names.begin() + kFirstOwn);
  std::ranges::copy(kRuleColumns, names.begin() + kFirstRule);
  return names;
}
constexpr auto kColumnNames = columnNames();

/// A whole number of a field that must have one.
Result<std::int64_t> readNumber(const CsvTable& row, ProblemField column,
                                Interval<std::int64_t> range) {
  HW_TRY(number, row.number(column, range.begin, range.end));
  if (number) return *number;
  return row.refuse(fmt::format("has {} ''; expected a whole number from {} to {}",
                                kColumnNames[column], range.begin, range.end));
}

/// Collects rows into a problem and its graph of bare tensors.
class ProblemReader {
 public:
  /// Of a table whose header has been read, as that of `rules`.
  ProblemReader(const CsvTable& table, CsvRules rules)
      : hasOffsets_(table.has(kOffset)),
        oneMemory_(!table.has(kPool) && !table.has(kOverlap)),
        rules_(std::move(rules)) {
    problem_.pools.add({.name = "L2"});
  }

  /// Makes room for about that many rows.
  void reserve(std::size_t rows) {
    lines_.reserve(rows);
    graph_.tensors.reserve(rows);
    problem_.stays.reserve(rows);
    if (hasOffsets_) offsets_.reserve(rows);
  }

  Result<void> add(const CsvTable& row) {
    HW_DO(addTensor(row));
    Tensor& tensor = graph_.tensors[TensorId(graph_.tensors.size() - 1)];
    Stay stay{.buffer = BufferId(graph_.tensors.size() - 1)};
    HW_DO(readRectangle(row, stay));
    tensor.bytes = stay.size;
    tensor.origin = SizeOrigin::declared;
    tooMuch_ |= stay.size > kMaxBytes - total_;
    if (!tooMuch_) total_ += stay.size;
    problem_.steps = std::max(problem_.steps, stay.steps.end);
    HW_TRY(offset, readOffset(row, stay));
    if (oneMemory_) tensor.plannedOffset = offset;
    HW_TRY(gaps, readGaps(row, stay));
    const TensorId id(graph_.tensors.size() - 1);
    if (stay.size == Bytes(0)) return rules_.readRow(id, false, problem_);  // Nothing to place.
    const StayId added = problem_.stays.add(stay);
    if (hasOffsets_) offsets_.add(offset);
    for (const auto& steps : gaps) problem_.gaps.push_back({added, steps});
    return rules_.readRow(id, true, problem_);
  }

  Result<Model> finish() && {
    if (tooMuch_) {
      return fail(ErrorCode::malformed,
                  fmt::format("the tensors add up to more than {} bytes", kMaxBytes.count()));
    }
    graph_.format = "problem-csv";
    HW_TRY(notes, std::move(rules_).apply(graph_.tensors, problem_));
    graph_.notes = std::move(notes);
    Model model{.graph = std::make_shared<const Graph>(std::move(graph_)),
                .problem = std::move(problem_)};
    const auto placed = [](const std::optional<Bytes>& offset) { return offset.has_value(); };
    if (std::ranges::any_of(offsets_, placed)) model.offsets = std::move(offsets_);
    return model;
  }

 private:
  Result<void> addTensor(const CsvTable& row) {
    const std::string_view id = row.field(kId);
    if (id.empty()) return fail(ErrorCode::malformed, "a buffer has an empty id", row.where());
    const TensorId added = graph_.tensors.add({.name = std::string(id)});
    lines_.push_back(row.line());
    if (const auto first = names_.add(graph_.tensors, added)) {
      return fail(ErrorCode::malformed,
                  fmt::format("buffer '{}' is listed twice, first in line {}", printable(id),
                              lines_[first->index()]),
                  row.where());
    }
    return {};
  }

  Result<void> readRectangle(const CsvTable& row, Stay& stay) const {
    stay.steps = {Step(0), Step(1)};  // Until it is known who conflicts with whom.
    if (!rules_.hasOwnTime()) HW_DO(readLife(row, stay));
    HW_TRY(size, readNumber(row, kSize, {0, kMaxBytes.count()}));
    stay.size = Bytes(size);
    if (row.field(kAlignment).empty()) return {};
    HW_TRY(alignment, readNumber(row, kAlignment, {1, kMaxBytes.count()}));
    stay.alignment = Bytes(alignment);
    return {};
  }

  static Result<void> readLife(const CsvTable& row, Stay& stay) {
    HW_TRY(lower, readNumber(row, kLower, {0, kMaxStep.count()}));
    HW_TRY(upper, readNumber(row, kUpper, {0, kMaxStep.count()}));
    if (lower >= upper) {
      return fail(ErrorCode::malformed,
                  fmt::format("buffer '{}' has lower {} and upper {}; expected lower < upper",
                              printable(row.field(kId)), lower, upper),
                  row.where());
    }
    stay.steps = {Step(lower), Step(upper)};
    return {};
  }

  static Result<std::optional<Bytes>> readOffset(const CsvTable& row, const Stay& stay) {
    if (row.field(kOffset).empty()) return std::nullopt;
    HW_TRY(offset, readNumber(row, kOffset, {0, (kMaxBytes - stay.size).count()}));
    return Bytes(offset);
  }

  /// "3-5 8-9": half-open, ascending once sorted, disjoint, inside the stay and not all of it.
  Result<std::vector<Interval<Step>>> readGaps(const CsvTable& row, const Stay& stay) const {
    const auto refuse = [&](const std::string& what) {
      return fail(ErrorCode::malformed,
                  fmt::format("buffer '{}' {}", printable(row.field(kId)), what), row.where());
    };
    std::vector<Interval<Step>> gaps;
    if (row.field(kGaps).empty()) return gaps;
    if (rules_.hasOwnTime()) return refuse("has gaps, which need columns 'lower' and 'upper'");
    for (const std::string_view word : splitText(row.field(kGaps), ' ')) {
      if (trimText(word).empty()) continue;
      const auto ends = splitText(trimText(word), '-');
      const auto begin = parseInteger(ends[0]);
      const auto end = ends.size() == 2 ? parseInteger(ends[1]) : std::nullopt;
      if (!begin || !end || *begin >= *end) {
        return refuse(fmt::format("has gap '{}'; expected a-b with a < b", printable(word)));
      }
      gaps.push_back({Step(*begin), Step(*end)});
    }
    std::ranges::sort(gaps);
    Step idle;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (gaps[i].begin < stay.steps.begin || gaps[i].end > stay.steps.end) {
        return refuse("has a gap outside its own steps");
      }
      if (i > 0 && gaps[i - 1].overlaps(gaps[i])) return refuse("has gaps that overlap");
      idle += gaps[i].length();
    }
    if (idle == stay.steps.length()) return refuse("has gaps that leave it no live step");
    return gaps;
  }

  Graph graph_;
  Problem problem_;
  bool hasOffsets_;
  bool oneMemory_;
  IdMap<StayId, std::optional<Bytes>> offsets_;  ///< Empty without such a column.
  Bytes total_;
  bool tooMuch_ = false;
  RowNames names_;
  std::vector<std::size_t> lines_;  ///< By row.
  CsvRules rules_;
};

/// Reads the options of the problem's author from the first row, under the names of options.
Result<void> readAuthorColumns(const CsvTable& row, Model& model) {
  for (std::size_t i = 0; i < std::size(kOwnOptions); ++i) {
    HW_DO(addOwnOption(model, kOwnOptions[i], row.field(kFirstOwn + i), row.where()));
  }
  return {};
}

bool hasSteps(std::string_view bytes) {
  return hasCsvColumn(bytes, "lower") || hasCsvColumn(bytes, "upper");
}

/// Not more than can be there, however many line ends a file has: "a,0,1,1" is the shortest row.
std::size_t mostRows(std::string_view bytes) {
  constexpr std::size_t kShortest = 8;
  const auto lines = static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
  return std::min(lines, bytes.size() / kShortest) + 1;
}

}  // namespace

bool acceptsProblemCsv(std::string_view bytes) {
  const auto has = [&](std::string_view column) { return hasCsvColumn(bytes, column); };
  return hasSteps(bytes) || (has("id") && has("size") && (has("conflicts") || has("begin")));
}

Result<Model> readProblemCsv(std::string_view bytes, const ImportOptions&) {
  CsvLayout layout{.names = kColumnNames,
                   .required = {kId, kLower, kUpper, kSize},
                   .expected = "id,lower,upper,size",
                   .row = "buffer"};
  const bool ownTime = !hasSteps(bytes) && acceptsProblemCsv(bytes);
  if (ownTime) layout.required = {kId, kSize};
  CsvTable table(bytes, std::move(layout));
  HW_TRY(hasHeader, table.readHeader());
  if (!hasHeader) return fail(ErrorCode::malformed, "the file has no header", "line 1");
  CsvRules rules(table, kFirstRule);
  HW_DO(rules.readHeader(!ownTime));
  ProblemReader reader(table, std::move(rules));
  reader.reserve(mostRows(bytes));
  Model asked;
  for (bool first = true;; first = false) {
    HW_TRY(any, table.next());
    if (!any) break;
    HW_DO(reader.add(table));
    if (first) HW_DO(readAuthorColumns(table, asked));
  }
  HW_TRY(model, std::move(reader).finish());
  model.options = std::move(asked.options);
  model.optionPlaces = std::move(asked.optionPlaces);
  return std::move(model);
}

}  // namespace hw
