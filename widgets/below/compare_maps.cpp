#include "widgets/below/compare_maps.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <array>

#include "core/picture/plot.h"
#include "widgets/base/icons.h"
#include "widgets/text/run_text.h"

namespace hw {
namespace {

/// Maps that are held against each other are not lower; when there are more than fit, the column
/// scrolls.
constexpr int kLeastHeight = 130;
/// The least height of the first memory's map while no other plan is below it.
constexpr int kLeastAlone = 200;
/// The shares of the maps in the height that there is: those of the first pool get more.
constexpr std::array<int, 2> kWeights = {5, 1};

int weightOf(std::size_t pool) { return kWeights[std::min<std::size_t>(pool, 1)]; }

/// `sizes` with `room` given to what has a weight.
QList<int> shared(QList<int> sizes, const QList<int>& weights, int room) {
  int all = 0;
  for (const int weight : weights) all += std::max(0, weight);
  for (qsizetype index = 0; index < sizes.size(); ++index) {
    if (weights[index] > 0) sizes[index] = std::max(0, room) * weights[index] / all;
  }
  return sizes;
}

bool usesPool(const Run& run, PoolId pool) {
  const bool known = run.metrics.pools.contains(pool);
  return known && (pool == PoolId(0) || run.metrics.pools[pool].stays > 0);
}

}  // namespace

struct CompareMaps::Place {
  explicit Place(ViewState* a) : lockStep(a, &state) {}

  ViewState state;
  LockStep lockStep;
  std::vector<MapView*> maps{};  ///< By pool.
  LanesView* lanes = nullptr;
};

CompareMaps::CompareMaps(ViewState* a, QSplitter* column, QObject* parent)
    : QObject(parent), a_(a), column_(column) {
  place(0);
  connect(a, &ViewState::axisChanged, this, &CompareMaps::shareLength);
}

CompareMaps::~CompareMaps() = default;

void CompareMaps::addMap(MapView* map) {
  maps_.push_back(map);
  auto* group = new QSplitter(Qt::Vertical, column_);
  group->setChildrenCollapsible(false);
  group->setHandleWidth(5);
  group->hide();
  column_->insertWidget(column_->indexOf(map) + 1, group);
  groups_.push_back(group);
  linkScales(map);
  for (std::size_t index = 0; index < places_.size(); ++index) {
    makeMap(*places_[index], index, maps_.size() - 1);
  }
  const QScopedValueRollback quiet(arranging_, true);
  arrange();
}

CompareMaps::Place& CompareMaps::place(std::size_t index) {
  while (places_.size() <= index) {
    auto fresh = std::make_unique<Place>(a_);
    connect(&fresh->state, &ViewState::axisChanged, this, &CompareMaps::shareLength);
    connect(&fresh->lockStep, &LockStep::changed, this, [this] {
      if (!arranging_) tidy();
    });
    for (std::size_t pool = 0; pool < maps_.size(); ++pool) {
      makeMap(*fresh, places_.size(), pool);
    }
    if (lanes_ != nullptr) makeLanes(*fresh, places_.size());
    places_.push_back(std::move(fresh));
  }
  return *places_[index];
}

void CompareMaps::makeMap(Place& place, std::size_t index, std::size_t pool) {
  auto* map = new MapView(&place.state, maps_[pool]->pool(), groups_[pool]);
  map->setObjectName(QStringLiteral("map%1%2").arg(runLetter(index + 1)).arg(pool));
  map->setLeader(a_);
  map->setMinimumHeight(kLeastHeight);
  map->hide();
  map->setCorner(makeButtons(index, map));
  connect(map, &MapView::pointedAt, this, &CompareMaps::pointedAt);
  groups_[pool]->addWidget(map);
  linkScales(map);
  place.maps.push_back(map);
}

void CompareMaps::followLanes(LanesView* lanes) {
  lanes_ = lanes;
  lanes->installEventFilter(this);
  laneGroup_ = new QSplitter(Qt::Vertical, column_);
  laneGroup_->setChildrenCollapsible(false);
  laneGroup_->setHandleWidth(5);
  laneGroup_->hide();
  column_->insertWidget(column_->indexOf(lanes) + 1, laneGroup_);
  for (std::size_t index = 0; index < places_.size(); ++index) makeLanes(*places_[index], index);
}

void CompareMaps::makeLanes(Place& place, std::size_t index) {
  place.lanes = new LanesView(&place.state, laneGroup_);
  place.lanes->setObjectName(QStringLiteral("lanes%1").arg(runLetter(index + 1)));
  place.lanes->hide();
  connect(place.lanes, &LanesView::pointedAt, this, &CompareMaps::pointedAt);
  laneGroup_->addWidget(place.lanes);
}

/// A's lanes come and go with the axis and with a command of the window.
bool CompareMaps::eventFilter(QObject* watched, QEvent* event) {
  const bool turned =
      event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent;
  if (watched == lanes_ && turned) arrangeLanes();
  return QObject::eventFilter(watched, event);
}

void CompareMaps::arrangeLanes() {
  if (lanes_ == nullptr) return;
  const auto titleOf = [](std::size_t place, const Run& run) {
    return tr("%1: %2").arg(runLetter(place), runLabel(run));
  };
  const auto a = a_->run();
  bool any = false;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const auto run = places_[index]->state.run();
    LanesView* lanes = places_[index]->lanes;
    if (run) lanes->setTitle(titleOf(index + 1, *run));
    lanes->setVisible(run && !lanes_->isHidden());
    any = any || !lanes->isHidden();
  }
  laneGroup_->setVisible(any);
  lanes_->setTitle(a && !runs().empty() ? titleOf(0, *a) : QString());
}

QWidget* CompareMaps::makeButtons(std::size_t index, MapView* map) {
  auto* row = new QWidget(map);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  const QString letter = runLetter(index + 1);
  const auto add = [&](const QString& name, const QString& what) {
    auto* button = new QToolButton(row);
    button->setObjectName(name);
    button->setAutoRaise(true);
    button->setToolTip(what);
    button->setAccessibleName(what);
    layout->addWidget(button);
    return button;
  };
  auto* diverge = add(QStringLiteral("diverge"), tr("Where %1 first differs from A").arg(letter));
  diverge->setText(tr("\u2260 A"));
  connect(diverge, &QToolButton::clicked, this, [this, index] { Q_EMIT divergenceWanted(index); });
  auto* close = add(QStringLiteral("close"), tr("Close the maps of %1").arg(letter));
  close->setIcon(glyphIcon(Glyph::cancel));
  close->setIconSize({12, 12});
  // The click that closes a map must be over before its widgets change.
  connect(
      close, &QToolButton::clicked, this, [this, index] { this->close(state(index)->run()); },
      Qt::QueuedConnection);
  return row;
}

void CompareMaps::linkScales(MapView* map) {
  connect(map, &MapView::visibleBytesChanged, this, [this, map](double low, double high) {
    if (!arranging_ && !runs().empty()) setScale(map->pool(), low, high);
  });
}

void CompareMaps::setScale(PoolId pool, double low, double high) {
  const QScopedValueRollback quiet(arranging_, true);
  maps_[pool.index()]->setVisibleBytes(low, high);
  for (const auto& one : places_) one->maps[pool.index()]->setVisibleBytes(low, high);
}

ViewState* CompareMaps::state(std::size_t index) { return &place(index).state; }

MapView* CompareMaps::map(std::size_t index, PoolId pool) {
  return place(index).maps[pool.index()];
}

std::optional<std::size_t> CompareMaps::placeOf(const MapView* map) const {
  for (std::size_t index = 0; index < places_.size(); ++index) {
    if (std::ranges::find(places_[index]->maps, map) != places_[index]->maps.end()) return index;
  }
  return {};
}

std::vector<MapView*> CompareMaps::shownMaps() const {
  std::vector<MapView*> shown;
  for (std::size_t pool = 0; pool < maps_.size(); ++pool) {
    if (!maps_[pool]->isHidden()) shown.push_back(maps_[pool]);
    for (const auto& one : places_) {
      if (!one->maps[pool]->isHidden()) shown.push_back(one->maps[pool]);
    }
  }
  return shown;
}

std::vector<LanesView*> CompareMaps::shownLanes() const {
  std::vector<LanesView*> shown;
  if (lanes_ == nullptr || lanes_->isHidden()) return shown;
  shown.push_back(lanes_);
  for (const auto& one : places_) {
    if (!one->lanes->isHidden()) shown.push_back(one->lanes);
  }
  return shown;
}

LanesView* CompareMaps::lanes(std::size_t index) { return place(index).lanes; }

std::vector<std::shared_ptr<const Run>> CompareMaps::runs() const {
  std::vector<std::shared_ptr<const Run>> runs;
  for (const auto& one : places_) {
    if (one->state.run()) runs.push_back(one->state.run());
  }
  return runs;
}

void CompareMaps::show(const std::vector<std::shared_ptr<const Run>>& runs) {
  const auto a = a_->run();
  std::vector<std::shared_ptr<const Run>> wanted;
  for (const auto& run : runs) {
    const bool other = a && run && run != a;
    if (other && std::ranges::find(wanted, run) == wanted.end()) wanted.push_back(run);
  }
  const bool alone = this->runs().empty();
  if (alone && !wanted.empty()) heightsAlone_ = column_->sizes();
  {
    const QScopedValueRollback quiet(arranging_, true);
    for (std::size_t index = 0; index < std::max(wanted.size(), places_.size()); ++index) {
      place(index).lockStep.setB(index < wanted.size() ? wanted[index] : nullptr);
    }
    arrange();
  }
  if (!alone && wanted.empty()) setHeightsSoon([this] { return heightsAlone_; });
  Q_EMIT changed();
}

void CompareMaps::add(const std::shared_ptr<const Run>& run) {
  auto all = runs();
  all.push_back(run);
  show(all);
}

void CompareMaps::close(const std::shared_ptr<const Run>& run) {
  auto all = runs();
  std::erase(all, run);
  show(all);
}

/// After A has become another run: that one, if it was below, goes; all go with another model.
void CompareMaps::tidy() { show(runs()); }

void CompareMaps::arrange() {
  for (std::size_t pool = 0; pool < maps_.size(); ++pool) arrangePool(PoolId(pool));
  arrangeLanes();
  shareHeights();
  shareLength();
}

/// Plans of one model take different times: the axis of all of them ends with the longest. Steps of
/// programs whose operators run in other parts are counted apart.
void CompareMaps::shareLength() {
  const auto lengthOf = [](const ViewState& state) {
    return state.run() ? state.scale()->length() : 0;
  };
  const auto shares = [this](const ViewState& state) {
    return a_->axis() == AxisUnit::time || !a_->run() || !state.run() ||
           a_->steps() == state.steps();
  };
  double longest = lengthOf(*a_);
  for (const auto& one : places_) {
    if (shares(one->state)) longest = std::max(longest, lengthOf(one->state));
  }
  for (const auto& one : places_) one->state.setLeastLength(shares(one->state) ? longest : 0);
  a_->setLeastLength(longest);
}

void CompareMaps::arrangePool(PoolId pool) {
  const auto a = a_->run();
  const bool compared = !runs().empty();
  double top = 1;
  bool any = false;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const auto run = places_[index]->state.run();
    MapView* map = places_[index]->maps[pool.index()];
    const bool shown = run && usesPool(*run, pool);
    map->setTitle(shown ? comparedTitle(*run, pool, *a) : QString(), index + 1);
    map->setVisible(shown);
    any = any || shown;
    if (shown) top = std::max(top, fullByteRange(*run, pool));
  }
  groups_[pool.index()]->setVisible(any);
  MapView* first = maps_[pool.index()];
  const bool known = a && compared && a->problem.pools.contains(pool);
  if (known) top = std::max(top, fullByteRange(*a, pool));
  first->setTitle(known ? comparedTitle(*a, pool, *a) : QString(), 0);
  const bool near = pool == PoolId(0);
  first->setMinimumHeight(!near ? 0 : compared ? kLeastHeight : kLeastAlone);
  first->setLeastHeight(top);
  for (const auto& one : places_) one->maps[pool.index()]->setLeastHeight(top);
  // A map that is added takes the addresses that the others show.
  if (compared) setScale(pool, first->window().lowByte, first->window().highByte);
}

/// Once the column is as high as what it holds now makes it.
void CompareMaps::setHeightsSoon(std::function<QList<int>()> heights) {
  QTimer::singleShot(0, this, [this, heights = std::move(heights)] {
    const QList<int> sizes = heights();
    if (sizes.size() == column_->count()) column_->setSizes(sizes);
  });
}

void CompareMaps::resetHeights() {
  heightsAlone_.clear();
  setHeightsSoon([this] {
    QList<int> sizes(column_->count(), 0);
    int room = column_->height() - (column_->count() - 1) * column_->handleWidth();
    const QList<int> weights = heightWeights();
    for (int index = 0; index < column_->count(); ++index) {
      const QWidget* widget = column_->widget(index);
      if (weights[index] >= 0 || widget->isHidden()) continue;
      sizes[index] = widget->sizeHint().height();
      room -= sizes[index];
    }
    return shared(sizes, weights, room);
  });
}

/// Of everything in the column, hidden maps included: -1 is no map.
QList<int> CompareMaps::heightWeights() const {
  QList<int> weights(column_->count(), -1);
  for (std::size_t pool = 0; pool < maps_.size(); ++pool) {
    int shown = 0;
    for (const auto& one : places_) shown += one->maps[pool]->isHidden() ? 0 : 1;
    weights[column_->indexOf(maps_[pool])] = maps_[pool]->isHidden() ? 0 : weightOf(pool);
    weights[column_->indexOf(groups_[pool])] = weightOf(pool) * shown;
  }
  return weights;
}

/// Everything in the column beside the maps keeps its height; the maps share the rest.
void CompareMaps::shareHeights() {
  const QList<int> sizes = column_->sizes();
  const QList<int> weights = heightWeights();
  int room = 0;
  for (qsizetype index = 0; index < sizes.size(); ++index) {
    if (weights[index] >= 0) room += sizes[index];
  }
  for (QSplitter* group : groups_) group->setSizes(QList<int>(group->count(), 1000));
  if (room > 0) column_->setSizes(shared(sizes, weights, room));
}

}  // namespace hw
