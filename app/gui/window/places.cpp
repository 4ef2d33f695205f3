#include "app/gui/window/places.h"

#include <QDataStream>
#include <QIODevice>
#include <QResizeEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/check.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Widths of the window from which on the columns at the sides stand beside the views unasked.
constexpr int kBothColumns = 1100;
constexpr int kOneColumn = 820;
/// From here on both are a little wider.
constexpr int kWide = 1500;
/// Part of the height that panels above the views have at first, in percent.
constexpr int kAbove = 48;

std::vector<PlaceInfo> makeTable() {
  const QStringList aboutRun{QStringLiteral("inspector"), QStringLiteral("moment"),
                             QStringLiteral("run")};
  const QStringList moreOfRun{QStringLiteral("metrics"), QStringLiteral("histogram"),
                              QStringLiteral("tenants"), QStringLiteral("problems"),
                              QStringLiteral("jobs")};
  const PlaceInfo::Column side{aboutRun, moreOfRun};
  const auto names = [](std::initializer_list<const char*> list) {
    QStringList texts;
    for (const char* name : list) texts.append(QString::fromLatin1(name));
    return texts;
  };
  return {{.id = QStringLiteral("explore"),
           .title = tr("Explore"),
           .toolTip = tr("Operators, events and the inspector around the maps"),
           .columns = {{{names({"schedule", "events"}), names({"history", "markers"})},
                        {{}, names({"graph", "method", "search"})},
                        side}},
           .hasFigures = true},
          {.id = QStringLiteral("compare"),
           .title = tr("Compare"),
           .toolTip = tr("Allocators in a table, their plans in lock-step"),
           .columns = {{{}, {names({"compare", "fragmentation"}), {}}, side}}},
          {.id = QStringLiteral("improve"),
           .title = tr("Improve"),
           .toolTip = tr("How small the memory can be, how much L2 is enough, how fast within how "
                         "much, and what another machine would change"),
           .columns = {{{}, {names({"shrink", "capacity", "front", "whatIf"}), {}}, side}}},
          {.id = QStringLiteral("study"),
           .title = tr("Study"),
           .toolTip = tr("Many runs at once: models, allocators and machines"),
           .columns = {{{}, {names({"study"}), {}}, {}}},
           .hasViews = false},
          {.id = QStringLiteral("report"),
           .title = tr("Report"),
           .toolTip = tr("Tables, pictures and reports of the run, and how to make them without a "
                         "window"),
           .columns = {{{}, {names({"tables"}), {}}, {names({"report"}), {}}}},
           .hasViews = false}};
}

constexpr std::array kColumns = {PlaceColumn::left, PlaceColumn::centre, PlaceColumn::right};

}  // namespace

bool PlaceInfo::has(const QString& panel) const {
  return std::ranges::any_of(columns, [&](const Column& column) {
    return column.tabs.contains(panel) || column.more.contains(panel);
  });
}

const std::vector<PlaceInfo>& placeTable() {
  static const std::vector<PlaceInfo> table = makeTable();
  return table;
}

Places::Places(QWidget* views, QWidget* parent)
    : QWidget(parent),
      views_(views),
      across_(new QSplitter(Qt::Horizontal, this)),
      down_(new QSplitter(Qt::Vertical)) {
  const char* const names[] = {"leftColumn", "centreColumn", "rightColumn"};
  for (std::size_t i = 0; i < kPlaceColumns; ++i) {
    decks_[i] = new Deck;
    decks_[i]->setObjectName(QString::fromLatin1(names[i]));
    connect(decks_[i], &Deck::emptyChanged, this, &Places::showColumns);
    connect(decks_[i], &Deck::currentChanged, this, &Places::panelsChanged);
  }
  down_->addWidget(&deck(PlaceColumn::centre));
  down_->addWidget(views);
  across_->addWidget(&deck(PlaceColumn::left));
  across_->addWidget(down_);
  across_->addWidget(&deck(PlaceColumn::right));
  for (QSplitter* splitter : {across_, down_}) {
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
  }
  across_->setStretchFactor(1, 1);
  for (QSplitter* splitter : {across_, down_}) {
    connect(splitter, &QSplitter::splitterMoved, this, [this] { moved_ = true; });
  }
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(across_);
}

void Places::add(const QString& name, const QString& title, QWidget* content) {
  for (const PlaceInfo& place : placeTable()) {
    for (std::size_t i = 0; i < kPlaceColumns; ++i) {
      const PlaceInfo::Column& column = place.columns[i];
      if (!column.tabs.contains(name) && !column.more.contains(name)) continue;
      decks_[i]->add(name, title, content);
      names_.append(name);
      return;
    }
  }
  check(false, "a panel is added that no place has");
}

Deck* Places::deckOf(const QString& name) const {
  const auto found =
      std::ranges::find_if(decks_, [&](const Deck* deck) { return deck->has(name); });
  return found == decks_.end() ? nullptr : *found;
}

void Places::rename(const QString& name, const QString& title) {
  deckOf(name)->setTitle(name, title);
}

QString Places::title(const QString& name) const { return deckOf(name)->title(name); }

QWidget* Places::panel(const QString& name) const {
  const Deck* deck = deckOf(name);
  return deck == nullptr ? nullptr : deck->content(name);
}

void Places::keep() {
  Kept& kept = kept_[place().id];
  kept.across = moved_ ? across_->sizes() : QList<int>();
  kept.down = moved_ ? down_->sizes() : QList<int>();
  for (std::size_t i = 0; i < kPlaceColumns; ++i) kept.current[i] = decks_[i]->current();
}

void Places::go(const QString& id) {
  const auto found = std::ranges::find(placeTable(), id, &PlaceInfo::id);
  check(found != placeTable().end(), "there is no such place");
  const auto index = static_cast<std::size_t>(found - placeTable().begin());
  if (index == current_) return;
  keep();
  current_ = index;
  arrange();
  Q_EMIT placeChanged();
}

/// Offers the panels of the place as it was left.
void Places::arrange() {
  const Kept kept = kept_.value(place().id);
  for (std::size_t i = 0; i < kPlaceColumns; ++i) {
    QStringList there = place().columns[i].tabs;
    there.removeIf([this](const QString& name) { return !names_.contains(name); });
    decks_[i]->offer(there, place().columns[i].more, kept.current[i]);
  }
  views_->setVisible(place().hasViews);
  showColumns();
  moved_ = !kept.across.isEmpty();
  if (!moved_) {
    shareRoom();
  } else {
    across_->setSizes(kept.across);
    down_->setSizes(kept.down);
  }
}

/// Columns at the sides need a window that is wide enough, or somebody who wants them.
void Places::showColumns() {
  for (const PlaceColumn column : kColumns) {
    const bool wide = column == PlaceColumn::centre ||
                      width() >= (column == PlaceColumn::left ? kBothColumns : kOneColumn) ||
                      !place().hasViews;
    const bool wanted = wanted_[static_cast<std::size_t>(column)].value_or(wide);
    deck(column).setVisible(!deck(column).isEmpty() && wanted);
  }
  Q_EMIT panelsChanged();
}

void Places::shareRoom() {
  const int left = width() >= kWide ? 250 : 210;
  const int right = width() >= kWide ? 320 : 280;
  across_->setSizes({left, std::max(1, width() - left - right), right});
  down_->setSizes({height() * kAbove / 100, height() * (100 - kAbove) / 100});
}

void Places::show(const QString& name) {
  Deck* const deck = deckOf(name);
  check(deck != nullptr, "a panel is to be shown that nobody added");
  if (!place().has(name)) {
    const auto found =
        std::ranges::find_if(placeTable(), [&](const PlaceInfo& each) { return each.has(name); });
    go(found->id);
  }
  deck->bring(name);
  if (deck->isHidden()) {
    wanted_[static_cast<std::size_t>(std::ranges::find(decks_, deck) - decks_.begin())] = true;
    showColumns();
  }
  // A panel above the views that was not there has no height yet.
  const QList<int> heights = down_->sizes();
  constexpr int kLeast = 160;
  if (deck == decks_[static_cast<std::size_t>(PlaceColumn::centre)] && heights[0] < kLeast) {
    shareRoom();
  }
}

bool Places::isShown(const QString& name) const {
  const Deck* deck = deckOf(name);
  return deck != nullptr && deck->isVisible() && deck->current() == name;
}

void Places::close(const QString& name) { deckOf(name)->close(name); }

void Places::toggle(PlaceColumn column) {
  wanted_[static_cast<std::size_t>(column)] = deck(column).isHidden();
  showColumns();
}

void Places::reset() {
  kept_.clear();
  wanted_ = {};
  current_ = 0;
  arrange();
  Q_EMIT placeChanged();
}

QByteArray Places::save() {
  keep();
  QByteArray state;
  QDataStream out(&state, QIODevice::WriteOnly);
  out << place().id << static_cast<qint32>(kept_.size());
  for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
    out << kept.key() << kept->across << kept->down;
    for (const QString& name : kept->current) out << name;
  }
  return state;
}

void Places::restore(const QByteArray& state) {
  QDataStream in(state);
  QString id;
  qint32 count = 0;
  in >> id >> count;
  QMap<QString, Kept> kept;
  for (qint32 i = 0; i < count && in.status() == QDataStream::Ok; ++i) {
    QString key;
    Kept one;
    in >> key >> one.across >> one.down;
    for (QString& name : one.current) in >> name;
    kept.insert(key, one);
  }
  const auto found = std::ranges::find(placeTable(), id, &PlaceInfo::id);
  if (in.status() != QDataStream::Ok || found == placeTable().end()) return reset();
  kept_ = kept;
  current_ = static_cast<std::size_t>(found - placeTable().begin());
  arrange();
  Q_EMIT placeChanged();
}

void Places::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) showColumns();
  if (!moved_) shareRoom();
}

}  // namespace hw
