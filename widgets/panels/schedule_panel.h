#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QStyledItemDelegate>
#include <QTableView>
#include <optional>
#include <vector>

#include "core/graph/scopes.h"
#include "core/plan/metrics.h"
#include "core/run/run.h"
#include "core/schedule/moves.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Which execution unit the ops of a schedule belong to, where it is dealt out to devices.
class UnitRows {
 public:
  /// The begin of the runs of ops that are managed, and dispatched, together.
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

/// The steps of a run: number, op, the unit of the device it is dealt out to, bytes live. A
/// planning problem has steps without ops. The first row of a scope of names has room for a
/// heading.
class ScheduleModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kStep, kOp, kUnit, kLive, kColumns };
  /// Of the live column: share of the peak, 0 to 1.
  static constexpr int kShareRole = Qt::UserRole;
  /// Of the first row of a scope: its name; else nothing.
  static constexpr int kHeadingRole = Qt::UserRole + 3;
  /// The name of the op without its scope.
  static constexpr int kLeafRole = Qt::UserRole + 4;

  using QAbstractTableModel::QAbstractTableModel;

  /// `coloring` is of the run.
  void setRun(std::shared_ptr<const Run> run, std::shared_ptr<const Coloring> coloring);
  void setColoring(std::shared_ptr<const Coloring> coloring);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// True if ops are dealt out to devices.
  bool hasUnits() const { return !units_.empty(); }
  /// The op of a row; nothing where steps have none.
  OpId opOf(int row) const;
  /// The rows above which a scope is named.
  std::vector<int> headings() const;

 private:
  QString opName(int row) const;
  const NamedScope* scopeOf(int row) const;
  QString headingOf(int row) const;
  QString leafOf(int row) const;
  QString toolTip(int row) const;
  void acceptLive(StepFunction live);

  std::shared_ptr<const Run> run_;
  std::shared_ptr<const Coloring> coloring_ = Coloring::byType();
  StepFunction live_;
  UnitRows units_;
  std::vector<NamedScope> scopes_;  ///< By row; empty: names tell none.
  Bytes peak_{};
  int rows_ = 0;
  Background<StepFunction> adding_;  ///< Adds up `live_`.
};

/// The schedule as a list that follows the moment; choosing a row goes there. An op can be dragged
/// to where else it may run.
class SchedulePanel : public QTableView {
  Q_OBJECT

 public:
  explicit SchedulePanel(ViewState* state, QWidget* parent = nullptr);

  /// The op of the chosen row before the one above it, or after the one below; nothing when that
  /// cannot be.
  std::optional<OpMove> moveByOne(OpMove::Side side) const;

 Q_SIGNALS:
  /// An op was dropped where it may run.
  void moveWanted(const hw::OpMove& move);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void startDrag(Qt::DropActions actions) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void showRun();
  void showMoment();
  void showColumns();
  bool isPossible(const OpMove& move) const;
  /// The move that a drop means; nothing where the op may not run.
  std::optional<OpMove> moveAt(const QDropEvent& event) const;

  ViewState* state_;
  ScheduleModel* model_;
  Precedence precedence_;   ///< While something is dragged.
  bool following_ = false;  ///< True while the row changes because the moment did.
};

}  // namespace hw
