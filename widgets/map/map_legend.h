#pragma once

#include <QMenu>
#include <QToolButton>
#include <QWidget>
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "core/picture/coloring.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The meaning of the colours and hatches of the maps, at the right end of a map's title. A button
/// for every class that the run has: pressed, its buffers are picked out and the others are drawn
/// pale; several can be pressed. Where words do not fit, swatches stay and tool tips tell them.
class MapLegend : public QWidget {
  Q_OBJECT

 public:
  explicit MapLegend(ViewState* state, QWidget* parent = nullptr);

  /// Hidden while the run has nothing of that class.
  QToolButton* button(BlockClass kind) const { return buttons_[static_cast<std::size_t>(kind)]; }
  /// Offers what colours can tell.
  void setChoices(QMenu* menu);

  QSize sizeHint() const override { return {withWords_, fontMetrics().height() + 6}; }
  QSize minimumSizeHint() const override { return {withoutWords_, sizeHint().height()}; }

 protected:
  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// The classes of a run's stays, and what they come to.
  struct Classes {
    std::vector<BlockClass> ofStay{};
    std::array<std::size_t, kAllClasses> counts{};
    std::array<Bytes, kAllClasses> bytes{};
    bool guessed = false;       ///< Of some nobody knows when they live.
    bool madeAgain = false;     ///< Parts make some of what others have made.
    bool parts = false;         ///< Operators run in parts.
    bool reserved = false;      ///< A pool has bytes that nobody may have.
    std::vector<bool> links{};  ///< By kind: there are such constraints.
  };
  static Classes classesOf(const Run& run, const Coloring& coloring);

  void showRun();
  void accept(const std::shared_ptr<const Classes>& classes);
  void drawSwatches();
  void filter();
  void followFilter();
  using Swatch = std::function<QIcon(double ratio)>;
  void explain(const QString& name, const Swatch& swatch);
  void explainHatches();
  void explainLinks();
  std::vector<QToolButton*> chips() const;
  void measure();
  void showWords();

  ViewState* state_;
  std::array<QToolButton*, kAllClasses> buttons_{};
  /// What hatches mean: of parts that are read again, made again, of unknown lives and of bytes
  /// that nobody may have; and what links mean, by kind.
  std::vector<std::pair<QToolButton*, Swatch>> explained_;
  QToolButton* choose_;  ///< What colours tell.
  int withWords_ = 0;    ///< Its width.
  int withoutWords_ = 0;
  std::shared_ptr<const Classes> classes_;
  std::shared_ptr<const StayFilter> own_;  ///< The filter that was made here last.
  Background<std::shared_ptr<const Classes>> counting_;
};

}  // namespace hw
