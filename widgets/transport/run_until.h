#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "core/insight/stop_scan.h"
#include "widgets/below/divergence.h"
#include "widgets/jobs/background.h"
#include "widgets/transport/player.h"

namespace hw {

/// What to run until: a condition on one run, or, without one, the first difference from the run
/// that is shown below.
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

}  // namespace hw
