#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>

#include "widgets/markers/marker_set.h"

namespace hw {

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
