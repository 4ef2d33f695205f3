#pragma once

#include <QHBoxLayout>
#include <QString>
#include <QToolButton>
#include <QWidget>
#include <vector>

#include "core/run/run_request.h"

namespace hw {

/// What the run on show was planned with, a pill for each setting: allocator, platform and L2
/// always, others where they are not the usual ones. As many as have room; the last says how many
/// more there are.
class RunPills : public QWidget {
  Q_OBJECT

 public:
  explicit RunPills(QWidget* parent = nullptr);

  void setRequest(const RunRequest& request);
  /// Stands at the right end.
  void setEnd(QWidget* end);

  /// Pills that have no room ask for none.
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

 Q_SIGNALS:
  /// Somebody wants to change the option of this name; empty: any.
  void optionWanted(const QString& name);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addPill(const QString& option, const QString& label, const QString& value);
  void showWhatFits();

  QHBoxLayout* row_;
  std::vector<QToolButton*> pills_;
  QToolButton* more_;
  QWidget* end_ = nullptr;
};

}  // namespace hw
