#pragma once

#include <QString>
#include <optional>

#include "core/run/compare.h"

namespace hw {

/// The columns of a comparison: each a figure of core/run/figures.h, or words.
enum class CompareColumn {
  allocator,
  platform,  ///< What it runs on.
  shown,     ///< "A": the run on show; "B", "C", …: those below it.
  peak,
  gap,
  capacity,  ///< Of L2, as planned with.
  inL3,
  fragmentation,
  fragmentationAtPeak,
  reuse,
  spilled,
  moved,
  latency,
  planning,
  verdict,  ///< The status, or why there is no plan that fits.
};

struct ColumnInfo {
  QString title{};    ///< Of the heading.
  QString meaning{};  ///< What the figure is, with its definition: the heading's tool tip.
  QString key{};      ///< In copied tables, with the unit of what stands below it: "peak_bytes".
};

ColumnInfo columnInfo(CompareColumn column);

/// True for columns of text, which stand at the left.
bool isWords(CompareColumn column);

/// The figure of a cell, in the unit of the column's key; nothing for columns of words and rows
/// without it.
std::optional<double> columnFigure(const ComparisonRow& row, CompareColumn column);

/// The figure as it is shown; a dash when there is none.
QString figureText(const ComparisonRow& row, CompareColumn column);

/// Why the row has no plan, or none that fits; otherwise how good it is, `badges` first: "smallest,
/// fastest; optimal".
QString verdictText(const ComparisonRow& row, const QStringList& badges);

}  // namespace hw
