#include "widgets/plot/spoken_plot.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QWidget>

namespace hw {

namespace {

class PlotTable;

/// One text of the table; it lives as long as the rows that it was made for.
class PlotCell final : public QAccessibleInterface, public QAccessibleTableCellInterface {
 public:
  PlotCell(PlotTable* table, int row, int column) : table_(table), row_(row), column_(column) {}

  bool isValid() const override { return true; }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  QAccessibleInterface* parent() const override;
  QAccessibleInterface* child(int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override;
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override;
  QAccessible::Role role() const override { return QAccessible::Cell; }
  QAccessible::State state() const override { return {}; }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::TableCellInterface
               ? static_cast<QAccessibleTableCellInterface*>(this)
               : nullptr;
  }

  bool isSelected() const override { return false; }
  QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
  QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
  int columnIndex() const override { return column_; }
  int rowIndex() const override { return row_; }
  int columnExtent() const override { return 1; }
  int rowExtent() const override { return 1; }
  QAccessibleInterface* table() const override { return parent(); }

 private:
  PlotTable* table_;
  int row_;
  int column_;
};

/// The plot itself. Rows are read anew whenever somebody asks how many there are.
class PlotTable final : public QAccessibleWidget, public QAccessibleTableInterface {
 public:
  PlotTable(QWidget* widget, const SpokenPlot* plot)
      : QAccessibleWidget(widget, QAccessible::Table), plot_(plot), rows_(plot->spokenRows()) {}
  ~PlotTable() override { forgetCells(); }

  const PlotRows& rows() const { return rows_; }

  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::TableInterface ? static_cast<QAccessibleTableInterface*>(this)
                                               : QAccessibleWidget::interface_cast(type);
  }
  int childCount() const override { return rowCount() * columnCount(); }
  QAccessibleInterface* child(int index) const override {
    return columnCount() == 0 ? nullptr : cellAt(index / columnCount(), index % columnCount());
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    const auto* cell = dynamic_cast<const PlotCell*>(child);
    return cell ? cell->rowIndex() * columnCount() + cell->columnIndex() : -1;
  }

  QAccessibleInterface* caption() const override { return nullptr; }
  QAccessibleInterface* summary() const override { return nullptr; }
  QAccessibleInterface* cellAt(int row, int column) const override {
    const bool inside = row >= 0 && column >= 0 && column < columnCount() &&
                        static_cast<std::size_t>(row) < rows_.cells.size();
    if (!inside) return nullptr;
    const auto place = static_cast<std::size_t>(row * columnCount() + column);
    if (cells_.size() <= place) cells_.resize(place + 1, 0);
    if (cells_[place] == 0) {
      auto* cell = new PlotCell(const_cast<PlotTable*>(this), row, column);
      cells_[place] = QAccessible::registerAccessibleInterface(cell);
    }
    return QAccessible::accessibleInterface(cells_[place]);
  }
  int columnCount() const override { return static_cast<int>(rows_.columns.size()); }
  int rowCount() const override {
    PlotRows now = plot_->spokenRows();
    if (now.cells != rows_.cells || now.columns != rows_.columns) forgetCells();
    rows_ = std::move(now);
    return static_cast<int>(rows_.cells.size());
  }
  QString columnDescription(int column) const override { return rows_.columns.value(column); }
  QString rowDescription(int row) const override {
    return row >= 0 && static_cast<std::size_t>(row) < rows_.cells.size()
               ? rows_.cells[static_cast<std::size_t>(row)].join(QStringLiteral(", "))
               : QString();
  }

  // Nothing is selected by a table: what is pinned in the plot is told by the inspector.
  int selectedCellCount() const override { return 0; }
  QList<QAccessibleInterface*> selectedCells() const override { return {}; }
  int selectedColumnCount() const override { return 0; }
  int selectedRowCount() const override { return 0; }
  QList<int> selectedColumns() const override { return {}; }
  QList<int> selectedRows() const override { return {}; }
  bool isColumnSelected(int) const override { return false; }
  bool isRowSelected(int) const override { return false; }
  bool selectRow(int) override { return false; }
  bool selectColumn(int) override { return false; }
  bool unselectRow(int) override { return false; }
  bool unselectColumn(int) override { return false; }
  void modelChange(QAccessibleTableModelChangeEvent*) override {}

 private:
  void forgetCells() const {
    for (const QAccessible::Id id : std::as_const(cells_)) {
      if (id != 0) QAccessible::deleteAccessibleInterface(id);
    }
    cells_.clear();
  }

  const SpokenPlot* plot_;
  mutable PlotRows rows_;
  mutable std::vector<QAccessible::Id> cells_;  ///< Row by row; 0: nobody has asked for it.
};

QAccessibleInterface* PlotCell::parent() const { return table_; }

QString PlotCell::text(QAccessible::Text kind) const {
  const QStringList& row = table_->rows().cells[static_cast<std::size_t>(row_)];
  if (kind == QAccessible::Description) return table_->rows().columns.value(column_);
  return kind == QAccessible::Name || kind == QAccessible::Value ? row.value(column_) : QString();
}

QRect PlotCell::rect() const {
  const QRect& box = table_->rows().boxes[static_cast<std::size_t>(row_)];
  return box.translated(table_->rect().topLeft());
}

QAccessibleInterface* plotTable(const QString&, QObject* object) {
  auto* widget = qobject_cast<QWidget*>(object);
  const auto* plot = dynamic_cast<const SpokenPlot*>(widget);
  return plot ? new PlotTable(widget, plot) : nullptr;
}

}  // namespace

void speakPlots() {
  static const bool installed = [] {
    QAccessible::installFactory(plotTable);
    return true;
  }();
  Q_UNUSED(installed);
}

}  // namespace hw
