#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QWidget>

#include "widgets/transport/run_until.h"

namespace hw {

/// Where a person says what to run until, and hears how it went. Enter runs forwards.
class UntilForm : public QWidget {
  Q_OBJECT

 public:
  /// What the first list offers, in its order.
  enum class Kind { occupancy, fails, allocated, freed, hole, op, divergence };

  /// All outlive this.
  UntilForm(ViewState* state, ViewState* below, RunUntil* until, QWidget* parent = nullptr);

  QComboBox* kindBox() const { return kind_; }
  QComboBox* poolBox() const { return pool_; }
  QDoubleSpinBox* amountBox() const { return amount_; }
  QComboBox* unitBox() const { return unit_; }
  QLineEdit* nameBox() const { return name_; }
  QPushButton* forwardsButton() const { return forwards_; }
  QPushButton* backwardsButton() const { return backwards_; }
  QPushButton* stopButton() const { return stop_; }
  QPushButton* updateButton() const { return update_; }
  QString answer() const { return answer_->text(); }

 private:
  void build();
  void buildButtons(QFormLayout* form);
  void showRun();
  void showKind();
  void enable();
  void run(bool forwards);
  void refuse(const QString& why);
  Kind kind() const { return static_cast<Kind>(kind_->currentIndex()); }
  std::optional<StopCondition> condition();
  std::optional<StayId> wantedStay();
  std::optional<Step> wantedStep();
  Bytes wantedBytes() const;

  ViewState* state_;
  ViewState* below_;
  RunUntil* until_;
  QComboBox* kind_;
  QComboBox* pool_;
  QDoubleSpinBox* amount_;
  QComboBox* unit_;
  QLineEdit* name_;
  QPushButton* forwards_;
  QPushButton* backwards_;
  QPushButton* stop_;
  QPushButton* update_;
  QLabel* answer_;
  QFormLayout* form_ = nullptr;
  QWidget* amountRow_ = nullptr;
};

}  // namespace hw
