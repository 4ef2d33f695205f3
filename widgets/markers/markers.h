#pragma once

#include <QLabel>
#include <QObject>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVariantList>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/insight/stop_scan.h"
#include "core/picture/plot.h"
#include "core/trace/trace.h"
#include "widgets/state/view_state.h"

namespace hw {

/// A named moment of the run.
struct Marker {
  int id = 0;
  QString name{};
  StopPoint point{};
  int since = 0;  ///< The marker it is measured from; 0: none.
};

/// The user's markers, in the order they were set. Another plan of the same model keeps them at
/// their steps; another model starts without any. Tells the ViewState where they are.
class MarkerSet : public QObject {
  Q_OBJECT

 public:
  explicit MarkerSet(ViewState* state, QObject* parent = nullptr);

  const std::vector<Marker>& all() const { return markers_; }
  const Marker* find(int id) const;
  /// The place of a marker on the axis.
  double positionOf(const Marker& marker) const;
  /// From the marker it is measured from to itself; nothing for one that measures nothing.
  std::optional<MomentDelta> deltaOf(const Marker& marker) const;

  /// Marks the moment on show, and returns the marker's id; 0 without a run.
  int add();
  /// The same, measured from the marker that was set last; like `add` when there is none.
  int addDelta();
  /// Marks a step under a name of its own.
  int addAt(Step step, const QString& name);
  void remove(int id);
  void clear();
  /// An empty name is not taken.
  void rename(int id, const QString& name);
  /// To the moment at which `step` has made its allocations.
  void moveTo(int id, Step step);
  /// Shows the marker's moment.
  void goTo(int id);

  /// All of them, to be kept with a session, and back; what does not fit the run is left out.
  QVariantList save() const;
  void restore(const QVariantList& saved);

 Q_SIGNALS:
  void changed();

 private:
  int insert(int since);
  QString freeName() const;
  Marker* find(int id);
  void checkRun();
  void tell();

  ViewState* state_;
  std::shared_ptr<const Model> model_;
  std::vector<Marker> markers_;
  int lastId_ = 0;
};

/// The markers as flags above the views of a column, on their x axis. Dragging a flag moves it to
/// another step, a click goes there, a double click on its name renames it; a double click beside
/// all flags sets one.
class MarkerRuler : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive this.
  MarkerRuler(ViewState* state, MarkerSet* markers, QWidget* parent = nullptr);

  /// The place of a marker's flag; empty when it is not on screen.
  QRect flagOf(int id) const;
  /// The marker whose flag is there; 0: none.
  int markerAt(const QPoint& position) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void renameWanted(int id);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int leftMargin() const;
  RunAxis axis() const;
  QRect flagOf(const Marker& marker) const;
  Step stepAt(const QPointF& position) const;
  void paintFlag(QPainter& painter, const Marker& marker) const;

  ViewState* state_;
  MarkerSet* markers_;
  int pressed_ = 0;
  bool dragged_ = false;
  QPoint pressedAt_;
};

/// A marker in a sentence: where it lies, and what lies between it and the one it is
/// measured from.
QString markerText(const MarkerSet& markers, const Marker& marker);

/// The markers as a table: where each is, what is live there, and what lies between it and the one
/// it is measured from. Choosing a row goes there, its name can be edited, Delete removes it.
class MarkerPanel : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive this.
  MarkerPanel(ViewState* state, MarkerSet* markers, QWidget* parent = nullptr);

  QTableWidget* table() const { return table_; }
  QPushButton* removeButton() const { return remove_; }
  /// Begins to edit the name of a marker.
  void rename(int id);
  QString emptyText() const;

 private:
  void build();
  void showMarkers();
  void fillRow(int row, const Marker& marker);
  void removeCurrent();
  int idOf(int row) const;

  ViewState* state_;
  MarkerSet* markers_;
  QStackedWidget* stack_;
  QLabel* empty_;
  QTableWidget* table_;
  QPushButton* remove_;
  QPushButton* clear_;
  bool filling_ = false;
};

}  // namespace hw
