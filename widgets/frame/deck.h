#pragma once

#include <QMap>
#include <QStackedWidget>
#include <QString>
#include <QStringList>
#include <QTabBar>
#include <QToolButton>
#include <QWidget>

namespace hw {

/// A column of panels of which one is on show: tabs choose among those that are wanted often, a
/// menu behind the tabs has the others. One of the menu gets a tab, with a cross to close it, in
/// place of the one before. Without any tab the column hides.
class Deck : public QWidget {
  Q_OBJECT

 public:
  explicit Deck(QWidget* parent = nullptr);

  /// Takes `content` over; `name` is unique.
  void add(const QString& name, const QString& title, QWidget* content);
  void setTitle(const QString& name, const QString& title);
  /// The panels that can be chosen from now on; `current` is on show, or the first tab.
  void offer(const QStringList& tabs, const QStringList& more, const QString& current);
  /// False: something else chooses among the panels.
  void setTabsShown(bool shown);
  /// True: the column lies over the views, with a line at both sides and a cross that closes it.
  void setDrawer(bool drawer);
  /// The panels that have tabs, from left to right.
  QStringList shownTabs() const;
  /// Brings a panel to the front; it gets a tab if it has none.
  void bring(const QString& name);
  /// Takes the tab of a panel of the menu away again, if it has one.
  void close(const QString& name);

  bool has(const QString& name) const { return pages_.contains(name); }
  /// Null if there is no such panel.
  QWidget* content(const QString& name) const;
  QString title(const QString& name) const { return pages_.value(name).title; }
  /// The panel on show; empty where there is none.
  QString current() const;
  bool isEmpty() const { return tabs_->count() == 0; }

  /// Panels that are not on show ask for no room.
  QSize minimumSizeHint() const override { return {120, 80}; }

 Q_SIGNALS:
  /// It has got its first tab, or lost its last.
  void emptyChanged();
  /// Another panel is on show.
  void currentChanged();
  /// The cross of a drawer.
  void closeWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Page {
    QString title{};
    QWidget* content = nullptr;
  };

  void addTab(const QString& name);
  void closeExtra();
  void showCurrent();
  void fillMenu();
  int indexOf(const QString& name) const;

  QMap<QString, Page> pages_;
  QStringList more_;
  bool tabsShown_ = true;
  bool drawer_ = false;
  QString extra_;  ///< Panel of the menu that has a tab; or empty.
  QTabBar* tabs_;
  QToolButton* menu_;
  QToolButton* shut_;
  QWidget* head_;
  QStackedWidget* stack_;
};

}  // namespace hw
