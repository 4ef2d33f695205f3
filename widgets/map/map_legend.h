#pragma once

#include <QToolButton>
#include <QWidget>
#include <array>
#include <memory>
#include <set>
#include <vector>

#include "core/picture/block_store.h"
#include "core/picture/plot.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The meaning of the colours and lines of the maps below it. A button for every class that the run
/// has: pressed, its buffers are picked out and the others are drawn pale; several can be pressed.
/// Entries that do not fit the width are left out, lines first.
class MapLegend : public QWidget {
  Q_OBJECT

 public:
  explicit MapLegend(ViewState* state, QWidget* parent = nullptr);

  /// Hidden while the run has nothing of that class.
  QToolButton* button(BlockClass kind) const { return buttons_[static_cast<std::size_t>(kind)]; }
  /// The lines that some map of the run has; others are not explained.
  const std::set<ReferenceLine::Kind>& lines() const { return lines_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /// The classes of a run's stays, and what they come to.
  struct Classes {
    std::vector<BlockClass> ofStay{};
    std::array<std::size_t, kBlockClasses> counts{};
    std::array<Bytes, kBlockClasses> bytes{};
    bool guessed = false;    ///< Of some nobody knows when they live.
    bool madeAgain = false;  ///< Parts make some of what others have made.
  };

  void showRun();
  void accept(const std::shared_ptr<const Classes>& classes);
  void drawSwatches();
  void filter();
  void followFilter();

  ViewState* state_;
  std::array<QToolButton*, kBlockClasses> buttons_{};
  std::set<ReferenceLine::Kind> lines_;
  std::shared_ptr<const Classes> classes_;
  std::shared_ptr<const StayFilter> own_;  ///< The filter that was made here last.
  Background<std::shared_ptr<const Classes>> counting_;
};

}  // namespace hw
