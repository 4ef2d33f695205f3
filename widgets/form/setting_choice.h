#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <memory>
#include <string>

#include "core/study/compare.h"
#include "widgets/form/setting.h"
#include "widgets/jobs/job.h"

namespace hw {

/// Changes one setting of the run on show: a popup with the values to choose from and, beside each,
/// what the plan comes to with it, which is worked out while one looks. Any other value can be
/// typed.
class SettingChoice : public QFrame {
  Q_OBJECT

 public:
  explicit SettingChoice(QWidget* parent = nullptr);

  /// Shows the values of `setting`, one of `run`, below `place` of `widget`.
  void open(const Setting& setting, const std::shared_ptr<const Run>& run, const QWidget* widget,
            const QRect& place);

  QTableWidget* table() const { return table_; }
  /// The reason why the text that was typed cannot be; empty without one.
  QString error() const { return error_->text(); }
  Job* job() { return &job_; }

 Q_SIGNALS:
  void chosen(const hw::RunRequest& request);
  void allSettingsWanted();

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void buildFoot();
  void showValues();
  void showWhatFits(int row, const ComparisonRow& planned);
  void planAll();
  void choose(const std::string& text);

  Setting setting_;
  std::shared_ptr<const Run> run_;
  QLabel* title_;
  QLabel* help_;
  QTableWidget* table_;
  QLineEdit* text_;
  QLabel* error_;
  QPushButton* reset_;
  Job job_;
};

}  // namespace hw
