#pragma once

#include <QComboBox>
#include <QLabel>

#include "core/plan/moment.h"
#include "widgets/panels/method_table_view.h"

namespace hw {

/// What fills a pool: the tensors that are live, and the holes with the tensors that wall them in;
/// at the peak, or at the step under way. Rows select their tensors.
class MomentPanel : public QWidget {
  Q_OBJECT

 public:
  explicit MomentPanel(ViewState* state, QWidget* parent = nullptr);

  QComboBox* poolChooser() const { return pool_; }
  /// Entry 0: the peak; entry 1: the step under way.
  QComboBox* stepChooser() const { return when_; }
  MethodTableView* view() const { return view_; }
  QString summary() const { return sum_->text(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void showRun();
  void showMoment();
  MethodTable tableOf(const Moment& moment) const;
  QString sumText(const Moment& moment) const;

  ViewState* state_;
  QComboBox* pool_;
  QComboBox* when_;
  QLabel* sum_;
  MethodTableView* view_;
  std::optional<Step> shown_;  ///< Nothing: what is shown is out of date.
};

}  // namespace hw
