#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/document_limits.h"
#include "core/base/result.h"

namespace hw {

/// `text` as one CSV field: in quotes if it needs them (RFC 4180).
std::string csvField(std::string_view text);

/// `text` as one of several words between blanks in a field: blanks, control characters, '%' and
/// ':' become %20 and the like, as in addresses of the web (RFC 3986).
std::string csvWord(std::string_view text);

/// The text of such a word; nothing where two hexadecimal digits do not follow a '%'.
std::optional<std::string> csvWordText(std::string_view word);

/// The words of a field, as they stand there.
std::vector<std::string_view> csvWords(std::string_view field);

/// Reads CSV (RFC 4180) line by line; empty lines are passed over, and comments before the first
/// line that counts: lines that begin with '#'. Quoted fields may hold commas,
/// quotes (doubled) and newlines. Copies nothing but quoted fields, so that files of millions of
/// lines are read fast.
class CsvReader {
 public:
  /// `text` outlives the reader. A byte order mark at its beginning is not part of it.
  explicit CsvReader(std::string_view text, const DocumentLimits& limits = kCsvLimits);

  /// Goes to the next line; false when there is none. Fails where the text is beyond the limits.
  Result<bool> next();
  /// Of the line, until the next one.
  const std::vector<std::string_view>& fields() const { return fields_; }
  /// "line 12": where the line begins.
  std::string where() const;
  std::size_t number() const { return number_; }

 private:
  Result<void> readLine();
  Result<void> takeQuoted();

  DocumentLimits limits_;
  std::size_t size_ = 0;  ///< Of the whole text.
  std::string_view rest_;
  std::size_t number_ = 0;     ///< Of the first line of what was read, from 1.
  std::size_t following_ = 1;  ///< Of what is read next.
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  ///< Does not move what is in it.
};

/// True if the first line of `text`, within its first 4 KiB, names a column `name`: how readers
/// tell by its columns whether a table is theirs.
bool hasCsvColumn(std::string_view text, std::string_view name);

/// Which columns a table has to have, and how messages speak of it.
struct CsvLayout {
  std::span<const std::string_view> names{};  ///< Of the columns that count; others are ignored.
  std::vector<std::size_t> required{};
  std::string_view expected{};  ///< What the file was expected to be, for when one is missing.
  std::string_view row{};       ///< What a row is called, by its first column: "buffer".
  std::map<std::string_view, std::string_view> others{};  ///< Other names of columns: theirs, ours.
};

/// A CSV text whose first line names its columns: fields by column, without blanks around them.
class CsvTable {
 public:
  CsvTable(std::string_view text, CsvLayout layout) : reader_(text), layout_(std::move(layout)) {}

  /// To be called first; false when the text has no line at all.
  Result<bool> readHeader();
  /// Goes to the next row; false when there is none. Every row has as many fields as the header.
  Result<bool> next();

  bool has(std::size_t column) const { return places_[column].has_value(); }
  /// As the header has it.
  const std::string& title(std::size_t column) const { return titles_[*places_[column]]; }
  /// Empty where the file has no such column.
  std::string_view field(std::size_t column) const;
  /// A whole number in [least, most]; nothing for an empty field.
  Result<std::optional<std::int64_t>> number(std::size_t column, std::int64_t least,
                                             std::int64_t most) const;
  /// About the row: "buffer 'a' has gaps that overlap (line 3)".
  tl::unexpected<Error> refuse(const std::string& what) const;
  std::string where() const { return reader_.where(); }
  std::size_t line() const { return reader_.number(); }

 private:
  CsvReader reader_;
  CsvLayout layout_;
  std::vector<std::string> titles_;
  std::vector<std::optional<std::size_t>> places_;  ///< By column of the layout.
};

/// One line of CSV, its fields unquoted.
struct CsvLine {
  std::size_t number = 0;  ///< Of its first line in the text, from 1.
  std::vector<std::string> fields{};
};

/// The lines of a text that is well formed; up to the first that is not.
std::vector<CsvLine> csvLines(std::string_view text);

}  // namespace hw
