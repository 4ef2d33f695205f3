#pragma once

#include <QMap>
#include <QSplitter>
#include <QStringList>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "widgets/frame/deck.h"

namespace hw {

/// Columns of a place; those at the sides stand beside the views, that in the middle above them.
enum class PlaceColumn { left, centre, right };
inline constexpr std::size_t kPlaceColumns = 3;

/// A job that people come for, and the panels that it takes.
struct PlaceInfo {
  struct Column {
    QStringList tabs{};
    QStringList more{};  ///< In a menu behind the tabs.
  };

  QString id{};
  QString title{};
  QString toolTip{};
  std::array<Column, kPlaceColumns> columns{};
  int listWidth = 250;      ///< Of the column at the left in a wide window.
  bool hasViews = true;     ///< Maps and lanes, and the player below them.
  bool hasChart = true;     ///< Chart of bytes over the maps.
  bool hasNow = false;      ///< Memory now below them.
  bool hasCards = false;    ///< Cards over its whole width stand for the tabs at the left.
  bool hasFigures = false;  ///< Settings and figures of the run, above the views.
  bool hasDrawers = true;   ///< Where there is little room, what stands at the sides are drawers.
  bool needsRun = true;     ///< There is nothing to see before a model is open.

  bool has(const QString& panel) const;
};

/// All places, in the order of their keys 1 to 5. A new one is a row here.
const std::vector<PlaceInfo>& placeTable();

/// The middle of the window: the views with columns of panels around them, arranged for one place
/// at a time. Each place keeps its widths and the panels that it shows. In a narrow window the
/// columns at the sides are drawers over the views, one at a time, which a rail at the left opens.
class Places : public QWidget {
  Q_OBJECT

 public:
  /// Takes `views` over.
  explicit Places(QWidget* views, QWidget* parent = nullptr);

  /// `name` stands in the table, always in the same column. `above` is a picture that belongs to a
  /// panel at the left: it stands above the views while that is on show. Null: there is none.
  void add(const QString& name, const QString& title, QWidget* content, QWidget* above = nullptr);
  /// A row of cards above the columns of places that have them; takes it over.
  void setCards(QWidget* cards);
  /// Gives a panel another title.
  void rename(const QString& name, const QString& title);
  QStringList panels() const { return names_; }
  QString title(const QString& name) const;
  /// Null if there is no such panel.
  QWidget* panel(const QString& name) const;

  /// What keys can go to, in the order of the screen: the rail, the column at the left, that above
  /// the views, the views, the column at the right; hidden ones included.
  QList<QWidget*> regions() const;
  const PlaceInfo& place() const { return placeTable()[current_]; }
  void go(const QString& place);
  /// Brings a panel to the front: here, or in the first place that has it.
  void show(const QString& name);
  bool isShown(const QString& name) const;
  /// Closes a panel that the menu of its column has brought.
  void close(const QString& name);

  /// Shows or hides the column at a side, whatever the width of the window says.
  void toggle(PlaceColumn column);
  /// Closes the drawer that is open; false if none is.
  bool closeDrawer();
  void reset();
  QByteArray save();
  void restore(const QByteArray& state);

 Q_SIGNALS:
  void placeChanged();
  /// Another panel is on show in one of the columns.
  void panelsChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// The arrangement that a place keeps.
  struct Kept {
    QList<int> across{};
    QList<int> down{};
    std::array<QString, kPlaceColumns> current{};
  };

  /// True while the columns at the sides lie over the views.
  bool hasDrawers() const;
  void fillRail();
  void placeDrawers();
  Deck& deck(PlaceColumn column) const { return *decks_[static_cast<std::size_t>(column)]; }
  Deck* deckOf(const QString& name) const;
  void keep();
  void buildDecks();
  void arrange();
  void showAbove();
  void showColumns();
  void shareRoom();

  std::array<Deck*, kPlaceColumns> decks_{};
  QWidget* views_;
  QWidget* cards_ = nullptr;
  QWidget* rail_;
  QSplitter* across_;
  QSplitter* down_;
  QStringList names_;
  std::size_t current_ = 0;
  bool moved_ = false;  ///< Somebody has given the columns their widths, here.
  QMap<QString, Kept> kept_;
  /// By column; nothing: as the width of the window says.
  std::array<std::optional<bool>, kPlaceColumns> wanted_{};
};

}  // namespace hw
