#pragma once

#include <QString>
#include <QStyledItemDelegate>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// Which execution unit the ops of a schedule belong to, where it is dealt out to devices.
class UnitRows {
 public:
  /// Where the runs of ops that are managed, and dispatched, together begin.
  enum class Begin { none, unit, subFunction };
  /// Of an index: a Begin, and the number of the device.
  static constexpr int kBeginRole = Qt::UserRole + 1;
  static constexpr int kDeviceRole = Qt::UserRole + 2;

  UnitRows() = default;
  explicit UnitRows(const Run& run);

  bool empty() const { return units_.empty(); }
  /// "A/mac"; empty where a step has no unit.
  QString name(int row) const;
  /// "sub-function 1, dispatched to B: steps 3 to 4" and the same of its unit.
  QString toolTip(int row) const;
  Begin begin(int row) const;
  int device(int row) const;

 private:
  struct Row {
    std::size_t unit = 0;  ///< Of `units_`; as many as there are: none.
    Begin begin = Begin::none;
  };
  struct Unit {
    QString name{};
    QString toolTip{};
    int device = 0;
  };

  std::vector<Unit> units_;
  std::vector<Row> rows_;
};

/// Draws the unit of a row in the colour of its device, below a line where a unit begins, a strong
/// one where a sub-function does.
class UnitDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace hw
