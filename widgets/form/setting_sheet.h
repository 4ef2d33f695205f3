#pragma once

#include <QTableWidget>
#include <memory>
#include <vector>

#include "widgets/form/setting_choice.h"

namespace hw {

/// Everything that the run on show was told, a row each, bold where it is not as usual; a click or
/// Enter opens the values that the setting can have.
class SettingSheet : public QTableWidget {
  Q_OBJECT

 public:
  /// `choice` outlives the sheet.
  explicit SettingSheet(SettingChoice* choice, QWidget* parent = nullptr);

  void setRun(const std::shared_ptr<const Run>& run);
  /// By row; nothing where a heading stands.
  const std::vector<std::optional<Setting>>& rows() const { return rows_; }

 private:
  void addHeading(const QString& text);
  void addRow(const Setting& setting);
  void openRow(int row);

  SettingChoice* choice_;
  std::shared_ptr<const Run> run_;
  std::vector<std::optional<Setting>> rows_;
};

}  // namespace hw
