#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/text.h"
#include "core/import/csv_line.h"
#include "core/import/formats.h"
#include "core/import/row_names.h"

namespace hw {
namespace {

enum Column : std::size_t { kId, kLower, kUpper, kSize, kOffset, kAlignment, kGaps, kColumns };
constexpr std::array<std::string_view, kColumns> kNames = {"id",     "lower",     "upper", "size",
                                                           "offset", "alignment", "gaps"};
constexpr std::size_t kRequired = 4;
constexpr std::size_t kMissing = std::numeric_limits<std::size_t>::max();

/// Where each column we know is in the file, kMissing if it is not.
struct Header {
  std::array<std::size_t, kColumns> places{};
  std::size_t width = 0;
};

/// One row as text, by our columns, without blanks around them; absent ones are empty.
struct Row {
  std::array<std::string_view, kColumns> fields{};
  std::size_t line = 0;

  std::string where() const { return fmt::format("line {}", line); }
};

Result<Header> readHeader(const std::vector<std::string_view>& fields) {
  Header header;
  header.places.fill(kMissing);
  header.width = fields.size();
  for (std::size_t place = 0; place < fields.size(); ++place) {
    const auto name = std::ranges::find(kNames, trimText(fields[place]));
    if (name == kNames.end()) continue;
    std::size_t& known = header.places[static_cast<std::size_t>(name - kNames.begin())];
    if (known != kMissing) {
      return fail(ErrorCode::malformed, fmt::format("column '{}' appears twice", *name), "line 1");
    }
    known = place;
  }
  for (std::size_t column = 0; column < kRequired; ++column) {
    if (header.places[column] != kMissing) continue;
    return fail(ErrorCode::malformed,
                fmt::format("column '{}' is missing; expected id,lower,upper,size", kNames[column]),
                "line 1");
  }
  return header;
}

/// A whole number in [least, most] from one field of the row.
Result<std::int64_t> readNumber(const Row& row, Column column, Interval<std::int64_t> range) {
  const std::string_view text = row.fields[column];
  const auto number = parseInteger(text);
  if (number && *number >= range.begin && *number <= range.end) return *number;
  return fail(ErrorCode::malformed,
              fmt::format("buffer '{}' has {} '{}'; expected a whole number from {} to {}",
                          printable(row.fields[kId]), kNames[column], printable(text), range.begin,
                          range.end),
              row.where());
}

/// Collects rows into a problem and its graph of bare tensors.
class ProblemReader {
 public:
  explicit ProblemReader(const Header& header) : hasOffsets_(header.places[kOffset] != kMissing) {
    problem_.pools.add({.name = "L2"});
  }

  /// Makes room for about that many rows.
  void reserve(std::size_t rows) {
    lines_.reserve(rows);
    graph_.tensors.reserve(rows);
    problem_.stays.reserve(rows);
    if (hasOffsets_) offsets_.reserve(rows);
  }

  Result<void> add(const Row& row) {
    if (auto named = addTensor(row); !named) return named;
    Tensor& tensor = graph_.tensors[TensorId(graph_.tensors.size() - 1)];
    Stay stay{.buffer = BufferId(graph_.tensors.size() - 1)};
    if (auto ok = readRectangle(row, stay); !ok) return ok;
    tensor.bytes = stay.size;
    tensor.origin = SizeOrigin::declared;
    tooMuch_ |= stay.size > kMaxBytes - total_;
    if (!tooMuch_) total_ += stay.size;
    problem_.steps = std::max(problem_.steps, stay.steps.end);
    const auto offset = readOffset(row, stay);
    if (!offset) return tl::unexpected<Error>(offset.error());
    const auto gaps = readGaps(row, stay);
    if (!gaps) return tl::unexpected<Error>(gaps.error());
    if (stay.size == Bytes(0)) return {};  // Nothing to place.
    const StayId added = problem_.stays.add(stay);
    if (hasOffsets_) offsets_.add(*offset);
    for (const auto& steps : *gaps) problem_.gaps.push_back({added, steps});
    return {};
  }

  Result<Model> finish() && {
    if (tooMuch_) {
      return fail(ErrorCode::malformed,
                  fmt::format("the tensors add up to more than {} bytes", kMaxBytes.count()));
    }
    graph_.format = "problem-csv";
    Model model{.graph = std::make_shared<const Graph>(std::move(graph_)),
                .problem = std::move(problem_)};
    const auto placed = [](const std::optional<Bytes>& offset) { return offset.has_value(); };
    if (std::ranges::any_of(offsets_, placed)) model.offsets = std::move(offsets_);
    return model;
  }

 private:
  Result<void> addTensor(const Row& row) {
    const std::string_view id = row.fields[kId];
    if (id.empty()) return fail(ErrorCode::malformed, "a buffer has an empty id", row.where());
    const TensorId added = graph_.tensors.add({.name = std::string(id)});
    lines_.push_back(row.line);
    if (const auto first = names_.add(graph_.tensors, added)) {
      return fail(ErrorCode::malformed,
                  fmt::format("buffer '{}' is listed twice, first in line {}", printable(id),
                              lines_[first->index()]),
                  row.where());
    }
    return {};
  }

  static Result<void> readRectangle(const Row& row, Stay& stay) {
    const auto lower = readNumber(row, kLower, {0, kMaxStep.count()});
    if (!lower) return tl::unexpected<Error>(lower.error());
    const auto upper = readNumber(row, kUpper, {0, kMaxStep.count()});
    if (!upper) return tl::unexpected<Error>(upper.error());
    const auto size = readNumber(row, kSize, {0, kMaxBytes.count()});
    if (!size) return tl::unexpected<Error>(size.error());
    if (*lower >= *upper) {
      return fail(ErrorCode::malformed,
                  fmt::format("buffer '{}' has lower {} and upper {}; expected lower < upper",
                              printable(row.fields[kId]), *lower, *upper),
                  row.where());
    }
    stay.steps = {Step(*lower), Step(*upper)};
    stay.size = Bytes(*size);
    if (row.fields[kAlignment].empty()) return {};
    const auto alignment = readNumber(row, kAlignment, {1, kMaxBytes.count()});
    if (!alignment) return tl::unexpected<Error>(alignment.error());
    stay.alignment = Bytes(*alignment);
    return {};
  }

  static Result<std::optional<Bytes>> readOffset(const Row& row, const Stay& stay) {
    if (row.fields[kOffset].empty()) return std::nullopt;
    const auto offset = readNumber(row, kOffset, {0, (kMaxBytes - stay.size).count()});
    if (!offset) return tl::unexpected<Error>(offset.error());
    return Bytes(*offset);
  }

  /// "3-5 8-9": half-open, ascending once sorted, disjoint, inside the stay and not all of it.
  static Result<std::vector<Interval<Step>>> readGaps(const Row& row, const Stay& stay) {
    const auto refuse = [&](const std::string& what) {
      return fail(ErrorCode::malformed,
                  fmt::format("buffer '{}' {}", printable(row.fields[kId]), what), row.where());
    };
    std::vector<Interval<Step>> gaps;
    if (row.fields[kGaps].empty()) return gaps;
    for (const std::string_view word : splitText(row.fields[kGaps], ' ')) {
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
  IdMap<StayId, std::optional<Bytes>> offsets_;  ///< Empty without such a column.
  Bytes total_;
  bool tooMuch_ = false;
  RowNames names_;
  std::vector<std::size_t> lines_;  ///< By row.
};

Row arrange(const std::vector<std::string_view>& fields, const Header& header, std::size_t line) {
  Row row{.line = line};
  for (std::size_t column = 0; column < kColumns; ++column) {
    if (header.places[column] != kMissing) {
      row.fields[column] = trimText(fields[header.places[column]]);
    }
  }
  return row;
}

/// Not more than can be there, however many line ends a file has: "a,0,1,1" is the shortest row.
std::size_t mostRows(std::string_view bytes) {
  constexpr std::size_t kShortest = 8;
  const auto lines = static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
  return std::min(lines, bytes.size() / kShortest) + 1;
}

}  // namespace

bool acceptsProblemCsv(std::string_view bytes) {
  constexpr std::size_t kLongestHeader = 4096;
  std::string_view text = withoutByteOrderMark(bytes).substr(0, kLongestHeader);
  text = text.substr(0, text.find('\n'));
  CsvSplitter line;
  if (!line.split(text)) return false;
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(line.fields(),
                               [&](std::string_view field) { return trimText(field) == name; });
  };
  return has("lower") || has("upper");
}

Result<Model> readProblemCsv(std::string_view bytes, const ImportOptions&) {
  CsvSplitter splitter;
  const std::vector<std::string_view>& fields = splitter.fields();
  std::optional<Header> header;
  std::optional<ProblemReader> reader;
  std::string_view rest = withoutByteOrderMark(bytes);
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::string_view text = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
    if (trimText(text).empty()) continue;
    const auto where = [&] { return fmt::format("line {}", line); };
    if (auto split = splitter.split(text); !split) {
      return fail(ErrorCode::malformed, split.error().message, where());
    }
    if (!reader) {
      const auto found = readHeader(fields);
      if (!found) return tl::unexpected<Error>(found.error());
      header = *found;
      reader.emplace(*header).reserve(mostRows(bytes));
      continue;
    }
    if (fields.size() != header->width) {
      return fail(ErrorCode::malformed,
                  fmt::format("the row has {} fields; expected {}", fields.size(), header->width),
                  where());
    }
    if (auto added = reader->add(arrange(fields, *header, line)); !added) {
      return tl::unexpected<Error>(added.error());
    }
  }
  if (!reader) return fail(ErrorCode::malformed, "the file has no header", "line 1");
  return std::move(*reader).finish();
}

}  // namespace hw
