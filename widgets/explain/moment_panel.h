#pragma once

#include <QMenu>

#include "core/insight/moment.h"
#include "widgets/panels/method_table_view.h"

namespace hw {

/// The content of a pool: the tensors that are live, and the holes with the tensors that wall them
/// in; at the peak, or at the step under way. Rows select their tensors.
class MomentPanel : public PoolTablePanel {
  Q_OBJECT

 public:
  explicit MomentPanel(ViewState* state, QWidget* parent = nullptr);

  /// The choice of the step: see `When`.
  QComboBox* stepChooser() const { return when_; }
  /// A button that opens `menu`, the places worth going to; the menu is filled by its owner.
  void addPeaks(QMenu* menu);

 private:
  /// Entries of the chooser.
  enum When { atHighestAddress, atLivePeak, atThisStep };

  void showRun();
  void showMoment();
  std::optional<Step> stepIn(const Run& run, PoolId pool) const;
  using LastUses = IdMap<StayId, std::optional<Step>>;
  MethodTable tableOf(const Moment& moment, const LastUses& lastUsed) const;
  QString sumText(const Moment& moment, const LastUses& lastUsed) const;

  QComboBox* when_;
  std::optional<Interval<Step>> shownRange_;
  std::optional<Step> shown_;  ///< Nothing: what is shown is out of date.
};

}  // namespace hw
