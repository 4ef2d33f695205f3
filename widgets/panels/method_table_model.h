#pragma once

#include <QAbstractTableModel>

#include "core/run/run.h"

namespace hw {

/// A method's own table, as rows and columns of a view. Texts are made when asked for.
class MethodTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// By what to sort: numbers by value, names as they read.
  static constexpr int kSortRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void setTable(std::shared_ptr<const Run> run, MethodTable table);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  /// The stay that a cell names, else the first that its row does; none when none does.
  StayId stayAt(const QModelIndex& index) const;
  /// True when any cell of the row names `stay`.
  bool names(int row, StayId stay) const;

 private:
  const MethodCell* cell(const QModelIndex& index) const;
  bool isNumeric(int column) const;

  std::shared_ptr<const Run> run_;
  MethodTable table_;
};

}  // namespace hw
