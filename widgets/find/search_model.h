#pragma once

#include <QAbstractListModel>
#include <QStyledItemDelegate>

#include "widgets/find/search_index.h"

namespace hw {

/// What a search found, as a list. Texts are made when asked for.
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

}  // namespace hw
