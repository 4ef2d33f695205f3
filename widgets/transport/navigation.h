#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "core/insight/moment.h"
#include "widgets/state/view_state.h"
#include "widgets/transport/player.h"

namespace hw {

/// Places of a run that are worth going to.
class Landmarks {
 public:
  /// Both outlive this.
  Landmarks(ViewState* state, Player* player) : state_(state), player_(player) {}

  /// The first pool that something lives in; none without a run or when nothing does.
  std::optional<PoolId> pool() const;
  /// The local peaks of its bytes in use, highest first. O(events).
  std::vector<LocalPeak> peaks() const;
  /// "1. 812 KiB at step 17".
  static QString peakText(const LocalPeak& peak, std::size_t rank);

  void goToPeak(const LocalPeak& peak);
  /// From within a peak to the next lower one, from the last of them and from elsewhere to the
  /// highest.
  void goToNextPeak();

  /// To the moment at which the selected stay, or operator, has its bytes, or has given them back:
  /// the last such moment of an allocation before now if there is one, else the first; the next
  /// release after now if there is one, else the last. False when nothing is selected or it was
  /// never placed.
  bool goToAllocation();
  bool goToRelease();

 private:
  std::vector<std::size_t> momentsOf(bool releases) const;

  ViewState* state_;
  Player* player_;
};

/// The selections of a run in the order they were made, to go back to and forth between, as in a
/// browser. Nothing selected is no entry; another run starts anew.
class SelectionHistory : public QObject {
  Q_OBJECT

 public:
  explicit SelectionHistory(ViewState* state, QObject* parent = nullptr);

  bool canGoBack() const;
  bool canGoForward() const { return at_ + 1 < entries_.size(); }

 public Q_SLOTS:
  void goBack();
  void goForward();

 Q_SIGNALS:
  void changed();

 private:
  struct Entry {
    StayId stay{};
    OpId op{};
    ActivityId activity{};
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  Entry now() const {
    return {state_->selected(), state_->selectedOp(), state_->selectedActivity()};
  }
  void note();
  void checkRun();
  void show(std::size_t index);

  ViewState* state_;
  std::vector<Entry> entries_;
  std::size_t at_ = 0;    ///< Of the entry that was selected last; meaningless without entries.
  bool showing_ = false;  ///< True while the selection changes because of this.
};

}  // namespace hw
