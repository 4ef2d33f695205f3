#pragma once

#include <QHBoxLayout>
#include <QString>
#include <QToolButton>
#include <QWidget>
#include <vector>

#include "widgets/form/setting_choice.h"

namespace hw {

/// What the run on show was planned with, a pill for each setting: allocator, platform and L2
/// always, others where they are not the usual ones. As many as have room; the last says how many
/// more there are. A click on one opens the values that it can have.
class RunPills : public QWidget {
  Q_OBJECT

 public:
  /// `choice` outlives the pills.
  explicit RunPills(SettingChoice* choice, QWidget* parent = nullptr);

  void setRun(const std::shared_ptr<const Run>& run);
  /// Stands at the right end.
  void setEnd(QWidget* end);

  /// Pills that have no room ask for none.
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

 Q_SIGNALS:
  /// Somebody wants to see all settings.
  void allSettingsWanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addPill(const Setting& setting);
  void showWhatFits();

  SettingChoice* choice_;
  QHBoxLayout* row_;
  std::vector<QToolButton*> pills_;
  QToolButton* more_;
  QWidget* end_ = nullptr;
  std::shared_ptr<const Run> run_;
};

}  // namespace hw
