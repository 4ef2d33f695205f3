#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/files/database.h"

namespace hw {

/// The rows of a file of results that a question is about: those with a plan within its capacities
/// that meet the constraints of the study, as far as a condition of SQL holds; an empty one always
/// does.
struct ResultScope {
  Database& results;
  std::string where{};
};

/// The columns that tell runs apart: "model", "allocator", and the axes of the study.
Result<std::vector<std::string>> axesOf(Database& results);

/// A statement that reads `columns` of the rows in a scope; `rest` follows its conditions.
Result<Database::Statement> ask(const ResultScope& scope, const std::string& columns,
                                const std::string& rest = "");

/// Numbers of rows of a table, ascending unless it is said.
using StudyRows = std::vector<std::uint32_t>;

/// Rows of a file of results in memory, a column at a time: a million values take 8 MB.
struct StudyTable {
  /// The values of an axis once each: the default, sizes from small to large, and then words.
  struct Axis {
    std::string name{};
    std::vector<std::string> values{};   ///< Empty for a default.
    std::vector<std::uint32_t> codes{};  ///< Of each row, which of them it has.
  };
  struct Figure {
    std::string key{};
    std::vector<double>
        numbers{};  ///< Of each row; NaN: it has none. Whole ones to 2^53 are exact.
  };

  std::vector<std::int64_t> ids{};  ///< Of each row, in the file.
  std::vector<Axis> axes{};
  std::vector<Figure> figures{};

  std::size_t size() const { return ids.size(); }
  StudyRows all() const;
  /// The place of an axis or a figure that was read.
  std::size_t axis(std::string_view name) const;
  std::size_t figure(std::string_view key) const;
  /// The value that a row has on an axis.
  const std::string& valueOf(std::size_t axis, std::uint32_t row) const {
    return axes[axis].values[axes[axis].codes[row]];
  }
};

/// Reads these axes and figures, columns of the file, of all rows in a scope; `rest` may sort them.
Result<StudyTable> readTable(const ResultScope& scope, const std::vector<std::string>& axes,
                             const std::vector<std::string>& figures, const std::string& rest = "");

/// The values of each axis that are wanted: a flag a value; none at all: all of them.
using StudyFilter = std::vector<std::vector<bool>>;
StudyRows rowsOf(const StudyTable& table, const StudyFilter& filter);

/// Of each value of the axis `by` the rows that no other of it is as good as, by figures of which
/// less is better: ascending by `by` and these; of equal ones one.
StudyRows frontOf(const StudyTable& table, StudyRows rows, std::size_t by,
                  const std::vector<std::size_t>& figures);

/// The geometric mean of numbers above 0; the arithmetic one where some are not.
class Mean {
 public:
  void add(double number) {
    ++count_;
    sum_ += number;
    positive_ = positive_ && number > 0;
    if (positive_) logs_ += std::log(number);
  }
  std::size_t count() const { return count_; }
  double value() const {
    const auto count = static_cast<double>(count_);
    return positive_ ? std::exp(logs_ / count) : sum_ / count;
  }

 private:
  std::size_t count_ = 0;
  double sum_ = 0;
  double logs_ = 0;
  bool positive_ = true;
};

/// A figure over two axes.
struct StudyPivot {
  struct Cell {
    Mean mean{};  ///< Of all its rows; none of them: there are no such rows.
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t best = 0;  ///< The first row with the least.
  };
  std::size_t across = 0;  ///< Values.
  std::vector<Cell> cells{};

  const Cell& at(std::size_t line, std::size_t column) const {
    return cells[line * across + column];
  }
  /// True if there are runs of a line, of a column, or of both.
  bool isKnown(std::optional<std::size_t> line, std::optional<std::size_t> column) const;
};
StudyPivot pivot(const StudyTable& table, const StudyRows& rows, std::size_t down,
                 std::size_t across, std::size_t figure);

/// Runs with one value of an axis against those with another that are the same on all others.
struct PairedRuns {
  Mean ratio{};  ///< Of the figure of the one to that of the other, where that is above 0.
  std::size_t lower = 0;
  std::size_t higher = 0;
};
/// Of each value of an axis, against that at `base`; none where no row has that and the figure.
std::vector<PairedRuns> pairsWith(const StudyTable& table, std::size_t axis, std::size_t base,
                                  std::size_t figure);

/// The share of the variance of a figure's logarithm between the values of an axis (main effects;
/// Sobol' 1993 for a full factorial design). The rest is what axes do together.
struct AxisShare {
  std::size_t axis = 0;
  std::size_t values = 0;  ///< That rows have; 2 at least.
  double share = 0;        ///< Of 1.
};
/// The largest first.
std::vector<AxisShare> sharesOf(const StudyTable& table, const StudyRows& rows, std::size_t figure);

}  // namespace hw
