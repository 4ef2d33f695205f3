#pragma once

#include <QTableWidget>

#include "core/plan/validate.h"
#include "widgets/view_state.h"

namespace hw {

/// The figures of a plan: peak, lower bound, gap, fragmentation and so on, a column a pool, and
/// what concerns the whole run.
class MetricsPanel : public QTableWidget {
  Q_OBJECT

 public:
  explicit MetricsPanel(ViewState* state, QWidget* parent = nullptr);

 private:
  void refresh();
  void addPoolRows(const Run& run);
  void addRunRows(const Run& run);
  void addRow(const QString& name, const QStringList& values, const QString& toolTip);

  ViewState* state_;
};

}  // namespace hw
