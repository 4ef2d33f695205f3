#pragma once

#include <QObject>
#include <vector>

#include "widgets/state/view_state.h"

namespace hw {

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
