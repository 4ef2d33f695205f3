#pragma once

#include <QAbstractTableModel>
#include <QTableView>

#include "core/plan/metrics.h"
#include "widgets/jobs/background.h"
#include "widgets/view_state.h"

namespace hw {

/// The steps of a run: number, op, bytes live. A planning problem has steps without ops.
class ScheduleModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kStep, kOp, kLive, kColumns };
  /// Of the live column: share of the peak, 0 to 1.
  static constexpr int kShareRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void setRun(std::shared_ptr<const Run> run);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString opName(int row) const;
  QString toolTip(int row) const;
  void acceptLive(StepFunction live);

  std::shared_ptr<const Run> run_;
  StepFunction live_;
  Bytes peak_{};
  int rows_ = 0;
  Background<StepFunction> adding_;  ///< Adds up `live_`.
};

/// The schedule as a list that follows the moment; choosing a row goes there.
class SchedulePanel : public QTableView {
  Q_OBJECT

 public:
  explicit SchedulePanel(ViewState* state, QWidget* parent = nullptr);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void showRun();
  void showMoment();

  ViewState* state_;
  ScheduleModel* model_;
  bool following_ = false;  ///< True while the row changes because the moment did.
};

}  // namespace hw
