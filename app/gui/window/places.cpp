#include "app/gui/window/places.h"

#include <QDataStream>
#include <QHBoxLayout>
#include <QIODevice>
#include <QPointer>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/check.h"
#include "widgets/base/icons.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Narrower windows have drawers instead of columns at the sides,
constexpr int kBeside = 1200;
/// and wider ones have wider columns.
constexpr int kWide = 1500;
constexpr int kRailWidth = 64;
/// A wider column holds the main panel of its place, so its drawer is open from the start.
constexpr int kWidestList = 300;
constexpr int kDrawerWidth = 284;
/// Part of the height that panels above the views have at first, in percent.
constexpr int kAbove = 48;
/// Added to the name of a panel for its picture above the views.
constexpr QLatin1String kAboveViews(":above");

QStringList names(std::initializer_list<const char*> list) {
  QStringList texts;
  for (const char* name : list) texts.append(QString::fromLatin1(name));
  return texts;
}

PlaceInfo studyPlace() {
  return {.id = QStringLiteral("study"),
          .title = tr("Study"),
          .toolTip = tr("Many runs at once: models, allocators and machines"),
          .columns = {{{names({"studyFilters"}), {}},
                       {names({"study"}), {}},
                       {names({"studyRun"}), {}}}},
          .listWidth = 264,
          .hasViews = false,
          .needsRun = false};
}

std::vector<PlaceInfo> makeTable() {
  const PlaceInfo::Column side{names({"inspector", "moment", "run"}),
                               names({"metrics", "histogram", "tenants", "problems", "jobs"})};
  PlaceInfo::Column differences = side;
  differences.tabs.prepend(QStringLiteral("difference"));
  differences.more.prepend(differences.tabs.takeLast());  // The sheet of settings.
  return {{.id = QStringLiteral("explore"),
           .title = tr("Explore"),
           .toolTip = tr("Operators, events and the inspector around the maps"),
           .columns = {{{names({"schedule", "events"}), names({"history", "markers"})},
                        {{}, names({"graph", "method", "search"})},
                        side}},
           .hasNow = true,
           .hasFigures = true},
          {.id = QStringLiteral("compare"),
           .title = tr("Compare"),
           .toolTip = tr("Allocators in a table, their plans in lock-step"),
           .columns = {{{names({"compare", "fragmentation"}), {}}, {}, differences}},
           .listWidth = 420},
          {.id = QStringLiteral("improve"),
           .title = tr("Improve"),
           .toolTip = tr("How small the memory can be, how much L2 is enough, how fast within how "
                         "much, and what another machine would change"),
           .columns = {{{names({"shrink", "capacity", "front", "whatIf"}), {}}, {}, side}},
           .listWidth = 420,
           .hasChart = false,
           .hasCards = true},
          studyPlace(),
          {.id = QStringLiteral("report"),
           .title = tr("Report"),
           .toolTip = tr("Tables, pictures and reports of the run, and how to make them without a "
                         "window"),
           .columns = {{{}, {names({"preview", "tables"}), {}}, {names({"report"}), {}}}},
           .hasViews = false,
           .hasDrawers = false}};
}

constexpr std::array kSides = {PlaceColumn::left, PlaceColumn::right};

/// What stands for a panel in the rail.
Glyph glyphOf(const QString& panel) {
  static const QMap<QString, Glyph> kGlyphs = {
      {QStringLiteral("schedule"), Glyph::list},       {QStringLiteral("compare"), Glyph::list},
      {QStringLiteral("fragmentation"), Glyph::bars},  {QStringLiteral("events"), Glyph::bars},
      {QStringLiteral("moment"), Glyph::peak},         {QStringLiteral("run"), Glyph::sliders},
      {QStringLiteral("studyFilters"), Glyph::sliders}};
  return kGlyphs.value(panel, Glyph::information);
}

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
      rail_(new QWidget(this)),
      across_(new QSplitter(Qt::Horizontal, this)),
      down_(new QSplitter(Qt::Vertical)) {
  buildDecks();
  rail_->setObjectName(QStringLiteral("rail"));
  rail_->setAccessibleName(tr("Panels at the sides"));
  rail_->setFixedWidth(kRailWidth);
  QFont small = rail_->font();
  small.setPointSizeF(small.pointSizeF() * 0.84);
  rail_->setFont(small);
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
  layout->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(rail_);
  row->addWidget(across_, 1);
  layout->addLayout(row, 1);
}

void Places::buildDecks() {
  const char* const names[] = {"leftColumn", "centreColumn", "rightColumn"};
  for (std::size_t i = 0; i < kPlaceColumns; ++i) {
    decks_[i] = new Deck;
    decks_[i]->setObjectName(QString::fromLatin1(names[i]));
    connect(decks_[i], &Deck::emptyChanged, this, &Places::showColumns);
    connect(decks_[i], &Deck::currentChanged, this, &Places::panelsChanged);
    connect(decks_[i], &Deck::closeWanted, this, [this, i] {
      wanted_[i] = false;
      showColumns();
    });
  }
  connect(&deck(PlaceColumn::left), &Deck::currentChanged, this, &Places::showAbove);
  for (const PlaceColumn side : kSides) {
    deck(side).setBackgroundRole(QPalette::Base);
    deck(side).setAutoFillBackground(true);
  }
}

void Places::add(const QString& name, const QString& title, QWidget* content, QWidget* above) {
  if (above != nullptr) {
    auto* room = new QWidget;
    auto* layout = new QVBoxLayout(room);
    layout->setContentsMargins(12, 8, 8, 0);
    layout->addWidget(new Card(above));
    deck(PlaceColumn::centre).add(name + kAboveViews, title, room);
  }
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

void Places::setCards(QWidget* cards) {
  cards_ = cards;
  static_cast<QVBoxLayout*>(layout())->insertWidget(0, cards);
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

QList<QWidget*> Places::regions() const {
  return {rail_, &deck(PlaceColumn::left), &deck(PlaceColumn::centre), views_,
          &deck(PlaceColumn::right)};
}

void Places::keep() {
  Kept& kept = kept_[place().id];
  kept.across = moved_ && !hasDrawers() ? across_->sizes() : QList<int>();
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
  if (hasDrawers()) wanted_ = {};
  const QPointer<QWidget> focus = window()->focusWidget();
  arrange();
  // Else Qt gives the keys of what is hidden now to the next field, where digits would be typed.
  if (focus == nullptr || !focus->isVisible()) setFocus();
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
  fillRail();
  views_->setVisible(place().hasViews);
  deck(PlaceColumn::left).setTabsShown(!place().hasCards);
  showAbove();
  if (cards_ != nullptr) cards_->setVisible(place().hasCards);
  showColumns();
  moved_ = !kept.across.isEmpty();
  if (!moved_) {
    shareRoom();
  } else {
    across_->setSizes(kept.across);
    down_->setSizes(kept.down);
  }
}

void Places::showAbove() {
  const QString above = deck(PlaceColumn::left).current() + kAboveViews;
  Deck& centre = deck(PlaceColumn::centre);
  if (centre.has(above) && centre.current() != above) centre.offer({above}, {}, above);
}

bool Places::hasDrawers() const { return width() < kBeside && place().hasDrawers; }

/// A button for each panel that has a tab in one of the drawers.
void Places::fillRail() {
  delete rail_->layout();
  qDeleteAll(rail_->findChildren<QToolButton*>());
  auto* column = new QVBoxLayout(rail_);
  column->setContentsMargins(2, 8, 2, 8);
  for (const PlaceColumn side : kSides) {
    if (side == PlaceColumn::left && place().hasCards) continue;  // The cards open them.
    for (const QString& name : deck(side).shownTabs()) {
      auto* button = new QToolButton(rail_);
      button->setObjectName(QStringLiteral("rail:") + name);
      button->setAutoRaise(true);
      button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
      button->setIcon(glyphIcon(glyphOf(name)));
      button->setText(title(name));
      button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
      connect(button, &QToolButton::clicked, this, [this, name, side] {
        if (isShown(name)) return toggle(side);
        show(name);
      });
      column->addWidget(button);
    }
  }
  column->addStretch(1);
}

/// Columns at the sides stand beside the views unless somebody does not want them; drawers lie over
/// them only when somebody does.
void Places::showColumns() {
  const bool drawers = hasDrawers();
  rail_->setVisible(drawers);
  for (const PlaceColumn side : kSides) {
    Deck& column = deck(side);
    const bool inside = across_->indexOf(&column) >= 0;
    if (drawers && inside) column.setParent(this);
    if (!drawers && !inside) across_->insertWidget(side == PlaceColumn::left ? 0 : 2, &column);
    column.setDrawer(drawers);
    const bool work = side == PlaceColumn::left && place().listWidth > kWidestList;
    const bool wanted = wanted_[static_cast<std::size_t>(side)].value_or(!drawers || work);
    column.setVisible(!column.isEmpty() && wanted);
  }
  deck(PlaceColumn::centre).setVisible(!deck(PlaceColumn::centre).isEmpty());
  placeDrawers();
  Q_EMIT panelsChanged();
}

void Places::placeDrawers() {
  if (!hasDrawers()) return;
  layout()->activate();
  const QRect room = across_->geometry();
  const int wide = std::min(kDrawerWidth, room.width());
  const int list = std::min(std::max(kDrawerWidth, place().listWidth), room.width());
  deck(PlaceColumn::left).setGeometry(room.left(), room.top(), list, room.height());
  deck(PlaceColumn::right).setGeometry(room.right() + 1 - wide, room.top(), wide, room.height());
  for (const PlaceColumn side : kSides) deck(side).raise();
}

void Places::shareRoom() {
  const int left = (width() >= kWide ? 10 : 8) * place().listWidth / 10;
  const int right = width() >= kWide ? 320 : 280;
  if (!hasDrawers()) across_->setSizes({left, std::max(1, width() - left - right), right});
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
  for (const PlaceColumn side : kSides) {
    if (deck == &this->deck(side) && deck->isHidden()) toggle(side);
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
  const bool opens = deck(column).isHidden();
  if (opens && hasDrawers()) wanted_ = {};
  wanted_[static_cast<std::size_t>(column)] = opens;
  showColumns();
}

bool Places::closeDrawer() {
  const bool open =
      hasDrawers() && (deck(PlaceColumn::left).isVisible() || deck(PlaceColumn::right).isVisible());
  if (!open) return false;
  wanted_.fill(false);
  showColumns();
  return true;
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
  const bool other = (event->oldSize().width() < kBeside) != (width() < kBeside);
  if (other) wanted_ = {};
  if (other) showColumns();
  placeDrawers();
  if (!moved_) shareRoom();
}

}  // namespace hw
