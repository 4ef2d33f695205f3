#pragma once

#include <QAbstractTableModel>

#include "widgets/study/study_view_state.h"

namespace hw {

/// Rows of a study as a table: the axes on which they differ, and their figures. A hundred thousand
/// are no trouble: texts are made when they are asked for.
class StudyTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit StudyTableModel(StudyViewState* state, QObject* parent = nullptr);

  /// False: only those that no other is as good as, by the figures of the dots.
  void setAll(bool all);
  /// So many columns fit, of axes first and then of figures; the one on show is there always.
  void setRoom(std::size_t columns);
  bool showsAll() const { return all_; }
  std::uint32_t rowAt(int row) const { return rows_[static_cast<std::size_t>(row)]; }
  /// -1: it is not on show.
  int placeOf(std::uint32_t row) const;
  /// The column of the figure on show; -1: there is none.
  int figureColumn() const;
  const StudyRows& front() const { return front_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  /// An axis, or a figure.
  struct Shown {
    bool isAxis = false;
    std::size_t place = 0;
  };

  void refresh();
  void arrange();

  StudyViewState* state_;
  bool all_ = false;
  std::size_t room_ = 8;
  std::vector<Shown> columns_;
  StudyRows front_;
  StudyRows rows_;
  double most_ = 0;  ///< Of the figure, among the rows.
  int sortColumn_ = -1;
  Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace hw
