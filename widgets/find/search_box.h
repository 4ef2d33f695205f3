#pragma once

#include <QAbstractListModel>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QStyledItemDelegate>
#include <memory>

#include "widgets/find/search_index.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The hits of a search, as a list. Texts are made when asked for.
class SearchModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { kKindRole = Qt::UserRole, kDetailRole };

  using QAbstractListModel::QAbstractListModel;

  void setResult(std::shared_ptr<const SearchIndex> index, SearchResult result);
  const SearchResult& result() const { return result_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  QString title(const SearchHit& hit) const;
  QString detail(const SearchHit& hit) const;
  QString stayDetail(StayId stay) const;

  std::shared_ptr<const SearchIndex> index_;
  SearchResult result_;
};

/// A list entry in one line: its kind, its name, and at the right end what else to know.
class SearchDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Finds tensors, ops, addresses, sizes and steps of the run on show: a line to type in and the
/// list of what was found below it. Down and Up choose, Enter goes there, Esc leaves. What was
/// chosen is reported; who listens selects it and brings it on screen.
class SearchBox : public QLineEdit {
  Q_OBJECT

 public:
  explicit SearchBox(ViewState* state, QWidget* parent = nullptr);

  QListView* list() const { return list_; }
  const SearchResult& result() const { return model_->result(); }
  bool isListOpen() const { return frame_->isVisible(); }
  /// Makes what was not found pale everywhere, for as long as there is a search.
  bool dims() const { return dims_; }
  void setDims(bool dims);

 public Q_SLOTS:
  /// Puts the cursor into the box, with what was searched for selected.
  void begin();
  /// To the hit after or before the last one; around at the ends. Opens no list.
  void goOn(int direction);

 Q_SIGNALS:
  void chosen(const hw::SearchHit& hit);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showRun();
  void makeIndex();
  void search();
  void openList();
  void move(int rows);
  void choose(int row);
  void showCount();
  void dim();

  ViewState* state_;
  SearchModel* model_;
  QFrame* frame_;
  QListView* list_;
  QLabel* note_;
  QLabel* count_;
  std::shared_ptr<const SearchIndex> index_;  ///< Of the run on show; null: not made yet.
  Background<std::shared_ptr<const SearchIndex>> indexing_;
  int at_ = -1;  ///< The hit that was gone to last.
  bool dims_ = false;
  std::shared_ptr<const StayFilter> ours_;  ///< The filter that this set.
};

}  // namespace hw
