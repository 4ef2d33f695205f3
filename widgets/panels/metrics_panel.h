#pragma once

#include <QTableWidget>

#include "core/plan/validate.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The figures of a plan: highest address, live peak, fragmentation and so on, a column a pool, one
/// for all together where several are used, and what concerns the whole run. With statistics
/// restricted to a range, of that range.
class MetricsPanel : public QTableWidget {
  Q_OBJECT

 public:
  explicit MetricsPanel(ViewState* state, QWidget* parent = nullptr);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void measure();
  void refresh();
  void nameColumns(const Run& run);
  void fitNames();
  void addCapacityRow(const Run& run);
  void addReservedRow(const Run& run);
  void addPoolRows();
  void addRunRows(const Run& run);
  void addRow(const QString& name, const QStringList& values, const QString& toolTip);

  ViewState* state_;
  PlanMetrics figures_;  ///< Of the run, or of the range that statistics are restricted to.
  Background<PlanMetrics> measuring_;
};

}  // namespace hw
