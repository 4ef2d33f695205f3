#include "widgets/frame/deck.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "widgets/base/icons.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr QChar kDots(0x22ef);

}  // namespace

Deck::Deck(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      menu_(new QToolButton(this)),
      shut_(new QToolButton(this)),
      head_(new QWidget(this)),
      stack_(new QStackedWidget(this)) {
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setElideMode(Qt::ElideNone);
  tabs_->setUsesScrollButtons(true);
  tabs_->setAccessibleName(tr("Panels of this column"));
  menu_->setText(QString(kDots));
  menu_->setAutoRaise(true);
  menu_->setPopupMode(QToolButton::InstantPopup);
  menu_->setMenu(new QMenu(menu_));
  menu_->setToolTip(tr("More panels"));
  menu_->setAccessibleName(tr("More panels"));
  auto* row = new QHBoxLayout(head_);
  row->setContentsMargins(4, 0, 4, 0);
  row->setSpacing(0);
  row->addWidget(tabs_, 1);
  row->addWidget(menu_);
  row->addWidget(shut_);
  shut_->setIcon(glyphIcon(Glyph::cancel));
  shut_->setIconSize({12, 12});
  shut_->setAutoRaise(true);
  shut_->setToolTip(tr("Close (Esc)"));
  shut_->setAccessibleName(tr("Close this column"));
  shut_->hide();
  connect(shut_, &QToolButton::clicked, this, &Deck::closeWanted);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(head_);
  column->addWidget(stack_, 1);
  connect(tabs_, &QTabBar::currentChanged, this, &Deck::showCurrent);
  connect(menu_->menu(), &QMenu::aboutToShow, this, &Deck::fillMenu);
}

void Deck::add(const QString& name, const QString& title, QWidget* content) {
  pages_.insert(name, {title, content});
  stack_->addWidget(content);
}

void Deck::setTitle(const QString& name, const QString& title) {
  pages_[name].title = title;
  if (const int tab = indexOf(name); tab >= 0) tabs_->setTabText(tab, title);
}

int Deck::indexOf(const QString& name) const {
  for (int tab = 0; tab < tabs_->count(); ++tab) {
    if (tabs_->tabData(tab).toString() == name) return tab;
  }
  return -1;
}

void Deck::addTab(const QString& name) {
  const int tab = tabs_->addTab(pages_[name].title);
  tabs_->setTabData(tab, name);
  tabs_->updateGeometry();  // While it is hidden, it does not tell that it has got a height.
}

void Deck::offer(const QStringList& tabs, const QStringList& more, const QString& current) {
  const bool wasEmpty = isEmpty();
  {
    const QSignalBlocker quiet(tabs_);
    while (tabs_->count() > 0) tabs_->removeTab(0);
    extra_.clear();
    more_ = more;
    for (const QString& name : tabs) addTab(name);
  }
  menu_->setVisible(!more_.isEmpty());
  if (tabs.contains(current) || more.contains(current)) bring(current);
  showCurrent();
  if (isEmpty() != wasEmpty) Q_EMIT emptyChanged();
}

void Deck::setTabsShown(bool shown) {
  tabsShown_ = shown;
  showCurrent();
}

void Deck::setDrawer(bool drawer) {
  if (drawer == drawer_) return;
  drawer_ = drawer;
  shut_->setVisible(drawer);
  layout()->setContentsMargins(drawer ? 1 : 0, 0, drawer ? 1 : 0, 0);
  showCurrent();
}

QStringList Deck::shownTabs() const {
  QStringList names;
  for (int tab = 0; tab < tabs_->count(); ++tab) names.append(tabs_->tabData(tab).toString());
  return names;
}

void Deck::paintEvent(QPaintEvent*) {
  if (!drawer_) return;
  QPainter painter(this);
  painter.fillRect(0, 0, 1, height(), Theme::current().line);
  painter.fillRect(width() - 1, 0, 1, height(), Theme::current().line);
}

void Deck::bring(const QString& name) {
  const bool wasEmpty = isEmpty();
  if (indexOf(name) < 0) {
    closeExtra();
    extra_ = name;
    addTab(name);
    auto* close = new QToolButton(tabs_);
    close->setIcon(glyphIcon(Glyph::cancel));
    close->setIconSize({12, 12});
    close->setAutoRaise(true);
    close->setToolTip(tr("Close %1").arg(title(name)));
    close->setAccessibleName(close->toolTip());
    connect(close, &QToolButton::clicked, this, [this, name] { this->close(name); });
    tabs_->setTabButton(tabs_->count() - 1, QTabBar::RightSide, close);
  }
  tabs_->setCurrentIndex(indexOf(name));
  showCurrent();
  if (wasEmpty) Q_EMIT emptyChanged();
}

void Deck::close(const QString& name) {
  if (extra_ != name) return;
  closeExtra();
  if (isEmpty()) Q_EMIT emptyChanged();
}

void Deck::closeExtra() {
  if (extra_.isEmpty()) return;
  const int tab = indexOf(extra_);
  extra_.clear();
  tabs_->removeTab(tab);
}

void Deck::showCurrent() {
  const bool choice = tabs_->count() > 1 || menu_->isVisibleTo(head_);
  head_->setVisible(drawer_ || (tabsShown_ && choice));
  const QString name = current();
  if (!name.isEmpty()) stack_->setCurrentWidget(pages_[name].content);
  Q_EMIT currentChanged();
}

void Deck::fillMenu() {
  QMenu* menu = menu_->menu();
  menu->clear();
  for (const QString& name : more_) {
    connect(menu->addAction(title(name)), &QAction::triggered, this, [this, name] { bring(name); });
  }
}

QWidget* Deck::content(const QString& name) const { return pages_.value(name).content; }

QString Deck::current() const {
  return isEmpty() ? QString() : tabs_->tabData(tabs_->currentIndex()).toString();
}

}  // namespace hw
