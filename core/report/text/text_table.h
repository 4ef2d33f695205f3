#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/columns.h"

namespace hw {

/// Puts emphasis into text for a terminal; does nothing when switched off.
struct Paint {
  bool on = false;
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string good(std::string_view text) const { return wrap("32", text); }
  std::string bad(std::string_view text) const { return wrap("31", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const;
};

/// Form in which results are told to people.
struct TextOptions {
  Paint paint{};
  std::size_t rows = 20;    ///< Most rows of any list.
  std::size_t width = 120;  ///< Columns of the terminal: wider tables are folded.
};

/// Rows and columns of text, aligned for a fixed-width font, two blanks apart.
class TextTable {
 public:
  enum class Align { left, right };
  enum class Emphasis { none, good, bad, dim };
  struct Column {
    std::string title{};
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  template <class Row>
  explicit TextTable(const Columns<Row>& columns) {
    for (const auto& column : columns) {
      columns_.push_back({column.title, standsRight(column.kind) ? Align::right : Align::left});
    }
  }

  /// A short row is filled with empty cells.
  void add(std::vector<std::string> cells, Emphasis emphasis = Emphasis::none);
  bool empty() const { return rows_.empty(); }

  /// Every line is indented by two blanks; no trailing blanks. Titles are left out when all are
  /// empty.
  std::string text(const Paint& paint) const;

  /// The same no wider than `width` if that can be: columns that do not fit go to further tables
  /// below, each of which begins with the first `keys` columns again.
  std::string folded(const Paint& paint, std::size_t width, std::size_t keys) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Emphasis emphasis;
  };
  std::vector<std::size_t> widths() const;
  std::string text(const Paint& paint, const std::vector<std::size_t>& shown) const;
  /// Cells of the columns `shown`, padded to `widths`.
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& shown,
                   const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// Width of valid UTF-8 on a terminal, counted in code points.
std::size_t displayWidth(std::string_view text);

/// "3,211,264 B (3.06 MiB)"; without the second half where it would say the same.
std::string bytesText(Bytes bytes);

/// A name for a column: made safe, and shortened in the middle to `width`.
std::string cellName(std::string_view name, std::size_t width = 40);

/// A value as tables for people have it: grouped digits, "12.3 %", "4.56 ms"; a dash for none.
/// Texts are made safe, and shortened in the middle to `width`.
std::string cellText(const Value& value, ColumnKind kind, std::size_t width = 40,
                     std::string_view dash = "-");

/// The cells of a row.
template <class Row>
std::vector<std::string> cellTexts(const Columns<Row>& columns, const Row& row,
                                   std::size_t width = 40, std::string_view dash = "-") {
  std::vector<std::string> cells;
  for (const Column<Row>& column : columns) {
    cells.push_back(cellText(column.value(row), column.kind, width, dash));
  }
  return cells;
}

/// Look of the rows of a text table.
template <class Row>
struct RowLook {
  std::size_t width = 40;  ///< Of texts, at most.
  std::string_view dash = "-";
  std::function<bool(const Row&)> good{};  ///< Rows to stress; none: no row is.
  std::function<bool(const Row&)> dim{};
};

/// `rows` as a table for people.
template <class Row, class Rows>
TextTable textTable(const Columns<Row>& columns, const Rows& rows, const RowLook<Row>& look = {}) {
  TextTable table(columns);
  for (const Row& row : rows) {
    const auto emphasis = look.good && look.good(row) ? TextTable::Emphasis::good
                          : look.dim && look.dim(row) ? TextTable::Emphasis::dim
                                                      : TextTable::Emphasis::none;
    table.add(cellTexts(columns, row, look.width, look.dash), emphasis);
  }
  return table;
}

/// `columns` behind the name of the model.
template <class Row>
Columns<Row> withModel(const std::string& file, const Columns<Row>& columns) {
  Columns<Row> all = {
      {"model", "model", ColumnKind::text, [file](const Row&) { return Value(file); }, ""}};
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

/// `rows` as CSV below a line of keys.
template <class Row, class Rows>
std::string csvTable(const Columns<Row>& columns, const Rows& rows) {
  std::string text = csvHeader(columns);
  for (const Row& row : rows) text += csvRow(columns, row);
  return text;
}

/// `rows` as a list of objects.
template <class Row, class Rows>
Json jsonRows(const Columns<Row>& columns, const Rows& rows) {
  return jsonList(rows, [&](const Row& row) { return jsonRow(columns, row); });
}

/// "1 tensor", "2,000 tensors".
std::string countText(std::size_t count, std::string_view noun);

/// At most the first `count` of `items`.
template <class Item>
std::span<const Item> firstOf(const std::vector<Item>& items, std::size_t count) {
  return std::span<const Item>(items).first(std::min(count, items.size()));
}

/// A titled part of a text report, after an empty line: "inputs (3)", the lines of `body`, and how
/// many rows beyond `shown` were left out. Empty when there are no rows at all.
std::string section(const Paint& paint, const std::string& title, std::size_t rows,
                    const std::string& body, std::size_t shown);

/// The same for sentences: one a line, repeated ones once.
std::string notesText(const Paint& paint,
                      const std::vector<const std::vector<std::string>*>& lists);

}  // namespace hw
