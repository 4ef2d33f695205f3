#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QObject>
#include <QPushButton>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "core/insight/stop_scan.h"
#include "widgets/below/divergence.h"
#include "widgets/jobs/background.h"
#include "widgets/transport/player.h"

namespace hw {

/// The end of a run-until: a condition on one run, or, without one, the first difference from the
/// run that is shown below.
struct UntilWish {
  std::optional<StopCondition> condition{};
  bool forwards = true;
};

/// Looks for the moment at which a wish comes true, in small pieces so that the window stays alive,
/// and has the player go there in its mode. Nothing moves when it never does.
class RunUntil : public QObject {
  Q_OBJECT

 public:
  /// All outlive this; `below` holds the run to differ from, if any.
  RunUntil(ViewState* state, ViewState* below, Player* player, QObject* parent = nullptr);

  bool isSearching() const { return slices_.isActive() || comparing_.isRunning(); }
  void start(const UntilWish& wish);

 public Q_SLOTS:
  /// Ends the search; what is on show stays.
  void cancel();
  /// Shows how far the search has looked, and goes on.
  void updateNow();

 Q_SIGNALS:
  void searchingChanged(bool searching);
  /// The search is over: whether it was met, and what to tell about it.
  void finished(bool met, const QString& text);
  void cancelled();

 private:
  void lookOn();
  void findDivergence();
  void finishDivergence(const std::optional<Divergence>& found);
  void goTo(const StopPoint& point);
  void end(bool met, const QString& text);
  QString nowhereText() const;

  ViewState* state_;
  ViewState* below_;
  Player* player_;
  UntilWish wish_;
  std::shared_ptr<const Run> run_;  ///< That is searched.
  std::optional<StopScan> scan_;
  QTimer slices_;
  Background<std::optional<Divergence>> comparing_;
};

/// The form in which a person says what to run until, and hears how it went. Enter runs forwards.
class UntilForm : public QWidget {
  Q_OBJECT

 public:
  /// The entries of the first list, in its order.
  enum class Kind { occupancy, fails, allocated, freed, hole, op, divergence };

  /// All outlive this.
  UntilForm(ViewState* state, ViewState* below, RunUntil* until, QWidget* parent = nullptr);

  QComboBox* kindBox() const { return kind_; }
  QDoubleSpinBox* amountBox() const { return amount_; }
  QComboBox* unitBox() const { return unit_; }
  QLineEdit* nameBox() const { return name_; }
  QPushButton* forwardsButton() const { return forwards_; }
  QPushButton* backwardsButton() const { return backwards_; }
  QPushButton* stopButton() const { return stop_; }
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
