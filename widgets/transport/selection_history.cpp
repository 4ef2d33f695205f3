#include "widgets/transport/selection_history.h"

#include <QScopedValueRollback>

namespace hw {

namespace {

constexpr std::size_t kMostEntries = 200;

}  // namespace

SelectionHistory::SelectionHistory(ViewState* state, QObject* parent)
    : QObject(parent), state_(state) {
  connect(state, &ViewState::runChanged, this, &SelectionHistory::checkRun);
  connect(state, &ViewState::selectionChanged, this, &SelectionHistory::note);
}

/// When nothing is selected, going back leads to what was selected last, not to the one before.
bool SelectionHistory::canGoBack() const {
  return !entries_.empty() && (at_ > 0 || now() != entries_[at_]);
}

void SelectionHistory::checkRun() {
  // Another plan of the same model may number its stays in another way.
  entries_.clear();
  at_ = 0;
  note();
  Q_EMIT changed();
}

void SelectionHistory::note() {
  if (showing_) return;
  const Entry entry = now();
  const bool nothing = !entry.stay && !entry.op;
  if (!nothing && (entries_.empty() || entry != entries_[at_])) {
    if (!entries_.empty()) entries_.resize(at_ + 1);
    entries_.push_back(entry);
    if (entries_.size() > kMostEntries) entries_.erase(entries_.begin());
    at_ = entries_.size() - 1;
  }
  Q_EMIT changed();
}

void SelectionHistory::show(std::size_t index) {
  at_ = index;
  {
    const QScopedValueRollback quiet(showing_, true);
    const Entry entry = entries_[index];
    state_->select(entry.stay);
    state_->selectOp(entry.op);
    if (entry.activity) state_->selectActivity(entry.activity);
  }
  Q_EMIT changed();
}

void SelectionHistory::goBack() {
  if (!canGoBack()) return;
  show(now() == entries_[at_] ? at_ - 1 : at_);
}

void SelectionHistory::goForward() {
  if (canGoForward()) show(at_ + 1);
}

}  // namespace hw
