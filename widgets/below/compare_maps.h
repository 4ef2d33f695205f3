#pragma once

#include <QSplitter>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/below/lock_step.h"
#include "widgets/lanes/lanes_view.h"
#include "widgets/map/map_view.h"

namespace hw {

/// The maps of any number of other plans (B, C, …) below those of the plan on show (A): one
/// playhead, the same steps, one scale of addresses for every pool, hatched where a tensor lies
/// elsewhere than in A. A pool's maps stand together, A's first. Every map but A's can be closed,
/// and asked where its plan parts from A. While A's lanes are on show, so are those of the others,
/// below them.
class CompareMaps : public QObject {
  Q_OBJECT

 public:
  /// `a` and `column`, in which the maps stand, outlive this.
  CompareMaps(ViewState* a, QSplitter* column, QObject* parent);
  ~CompareMaps() override;

  /// Of A's next pool, in the column; this puts the others' after it. It outlives this.
  void addMap(MapView* map);
  /// A's lanes, in the column; the others' follow them, and are on show when they are. Call once;
  /// they outlive this.
  void followLanes(LanesView* lanes);

  /// Those on show below A, in order.
  std::vector<std::shared_ptr<const Run>> runs() const;
  /// Shows these below A, from now on. A itself and repetitions are left out.
  void show(const std::vector<std::shared_ptr<const Run>>& runs);
  void add(const std::shared_ptr<const Run>& run);
  void close(const std::shared_ptr<const Run>& run);
  void clear() { show({}); }
  /// All of the column as high as it wants to be, the maps sharing what is left.
  void resetHeights();

  /// The views' state of the plan at `place`, 0 being B; made when there was none yet, never
  /// removed.
  ViewState* state(std::size_t place);
  MapView* map(std::size_t place, PoolId pool);
  /// All maps on show from top to bottom, A's included.
  std::vector<MapView*> shownMaps() const;
  /// All lanes on show from top to bottom, A's included.
  std::vector<LanesView*> shownLanes() const;
  /// Of the plan at `place`; null before `followLanes`.
  LanesView* lanes(std::size_t index);
  /// Of a map made here; nothing for A's.
  std::optional<std::size_t> placeOf(const MapView* map) const;

 Q_SIGNALS:
  void changed();
  /// The button of the map at `place`.
  void divergenceWanted(std::size_t place);
  /// The thing under the pointer, for a status bar.
  void pointedAt(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Place;

  Place& place(std::size_t index);
  void makeMap(Place& place, std::size_t index, std::size_t pool);
  void makeLanes(Place& place, std::size_t index);
  void arrangeLanes();
  QWidget* makeButtons(std::size_t index, MapView* map);
  void linkScales(MapView* map);
  void setScale(PoolId pool, double low, double high);
  void tidy();
  void arrange();
  void shareLength();
  void arrangePool(PoolId pool);
  QList<int> heightWeights() const;
  void shareHeights();
  void setHeightsSoon(std::function<QList<int>()> heights);

  ViewState* a_;
  std::vector<MapView*> maps_;
  QSplitter* column_;
  std::vector<QSplitter*> groups_;  ///< By pool: the maps below A's.
  LanesView* lanes_ = nullptr;
  QSplitter* laneGroup_ = nullptr;  ///< The lanes below A's.
  std::vector<std::unique_ptr<Place>> places_;
  QList<int> heightsAlone_;  ///< Of the column before there was anything below A.
  bool arranging_ = false;
};

}  // namespace hw
