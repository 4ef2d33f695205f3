#pragma once

#include <QRect>
#include <QStringList>
#include <vector>

namespace hw {

/// What a plot shows, as a table for screen readers and other programs that read windows.
struct PlotRows {
  QStringList columns{};
  std::vector<QStringList> cells{};  ///< A list as long as `columns` for each row.
  std::vector<QRect> boxes{};        ///< Where each row is drawn, in the widget.

  /// More rows than this nobody reads: plots tell the first.
  static constexpr std::size_t kMost = 1'000;

  bool isFull() const { return cells.size() >= kMost; }
  void add(QStringList row, const QRect& box) {
    cells.push_back(std::move(row));
    boxes.push_back(box);
  }
};

/// A widget that is painted and can be read all the same.
class SpokenPlot {
 public:
  virtual ~SpokenPlot() = default;
  /// What is on show now, in order.
  virtual PlotRows spokenRows() const = 0;
};

/// From now on widgets that are spoken plots are tables (QAccessible::Table) whose cells have
/// texts. Call it once an application.
void speakPlots();

}  // namespace hw
