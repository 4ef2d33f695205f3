#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <string>
#include <vector>

#include "core/run/options.h"
#include "core/study/compare.h"
#include "widgets/jobs/job.h"

namespace hw {

/// The values to offer for `option` when somebody changes it in `run`, in the words of the command
/// line: those of its table; allocators that apply to the model; platforms of the catalogue; for
/// sizes of memories powers of two around what the plan takes. The value in force is always one of
/// them. Empty where any text will do.
std::vector<std::string> offeredValues(const RunOption& option, const Run& run);

/// Changes one setting of the run on show: a popup with the values to choose from and, beside each,
/// what the plan comes to with it, which is worked out while one looks. Any other value can be
/// typed.
class SettingChoice : public QFrame {
  Q_OBJECT

 public:
  explicit SettingChoice(QWidget* parent = nullptr);

  /// Shows the values of `option` below `pill`.
  void open(const RunOption& option, const std::shared_ptr<const Run>& run, const QWidget* pill);

  QTableWidget* table() const { return table_; }
  QLineEdit* textLine() const { return text_; }
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

  const RunOption* option_ = nullptr;
  std::shared_ptr<const Run> run_;
  std::vector<std::string> values_;
  QLabel* title_;
  QLabel* help_;
  QTableWidget* table_;
  QLineEdit* text_;
  QLabel* error_;
  QPushButton* reset_;
  Job job_;
};

}  // namespace hw
