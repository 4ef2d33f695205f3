#pragma once

#include <QCategoryAxis>
#include <QChartView>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/run/run.h"
#include "widgets/base/theme.h"
#include "widgets/state/view_state.h"

class QBarCategoryAxis;
class QStackedBarSeries;

namespace hw {

/// The number of buffers of a run by size, in powers of two.
struct SizeHistogram {
  /// Sizes from 2^power up to, not including, 2^(power + 1) bytes.
  struct Bin {
    int power = 0;
    std::array<std::int64_t, kAllClasses> count{};  ///< By BlockClass.
    std::array<std::int64_t, kAllClasses> bytes{};  ///< Likewise: the sum of their sizes.

    std::int64_t total(bool ofBytes) const;
  };
  /// Every power from the least to the greatest there is, empty ones included.
  std::vector<Bin> bins{};

  /// The largest total of a bin; 0 without bins.
  std::int64_t most(bool ofBytes) const;
};

/// Over the stays that live in `range`; nothing: over all. O(stays).
SizeHistogram sizeHistogram(const Run& run, std::optional<Interval<Step>> range,
                            const Coloring& coloring = {});

/// Which stays have a size in [2^first, 2^(last + 1)).
std::vector<bool> staysOfSize(const Run& run, int firstPower, int lastPower);

/// Sizes of the buffers as bars, stacked by class, a bar per power of two. Clicking a bar or
/// dragging over several picks out the buffers of that size everywhere; clicking it again, or
/// beside the bars, ends that. Left and Right move to a bar, with Shift they take in more, Enter
/// picks out. B switches between how many there are and how many bytes they take.
class HistogramView : public QChartView {
  Q_OBJECT

 public:
  explicit HistogramView(ViewState* state, QWidget* parent = nullptr);

  const SizeHistogram& histogram() const { return histogram_; }
  bool showsBytes() const { return bytes_; }
  void setShowsBytes(bool bytes);
  /// The place of the bars of a bin, by index; over the whole height of the plot.
  QRect binRect(std::size_t bin) const;
  /// Picks out the bins from one to another, ends included.
  void pick(std::size_t first, std::size_t last);

  QSize sizeHint() const override { return {300, 190}; }
  QSize minimumSizeHint() const override { return {180, 120}; }

 Q_SIGNALS:
  void showsBytesChanged(bool bytes);

 protected:
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Picked {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  void showRun();
  void forgetPick();
  std::optional<std::size_t> binAt(const QPoint& position) const;
  void moveTo(std::ptrdiff_t bin, bool extend);
  QString describe(std::size_t bin) const;
  /// The bars, their axes and what stands above them.
  void showBars();
  void showPick();
  bool isPicked(std::size_t bin) const;

  ViewState* state_;
  QStackedBarSeries* series_;
  QBarCategoryAxis* places_;  ///< Of the bars, one after the other.
  QCategoryAxis* sizes_;      ///< Below some of them: there is no room for all.
  QCategoryAxis* values_;
  SizeHistogram histogram_;
  bool bytes_ = false;
  std::optional<Picked> picked_;
  std::shared_ptr<const StayFilter> ours_;  ///< The filter that this set; null: none.
  std::optional<std::size_t> pressed_, hovered_, cursor_;
  std::optional<Picked> before_;  ///< The pick when the button went down.
};

}  // namespace hw
