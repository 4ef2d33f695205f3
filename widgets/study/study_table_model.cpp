#include "widgets/study/study_table_model.h"

#include <algorithm>
#include <cmath>

#include "core/picture/value_axis.h"
#include "core/report/study/results.h"
#include "widgets/base/bar_delegate.h"
#include "widgets/text/text.h"

namespace hw {

StudyTableModel::StudyTableModel(StudyViewState* state, QObject* parent)
    : QAbstractTableModel(parent), state_(state) {
  connect(state, &StudyViewState::fileChanged, this, &StudyTableModel::refresh);
  connect(state, &StudyViewState::viewChanged, this, &StudyTableModel::refresh);
  refresh();
}

void StudyTableModel::setAll(bool all) {
  all_ = all;
  refresh();
}

void StudyTableModel::setRoom(std::size_t columns) {
  if (columns == room_) return;
  room_ = columns;
  refresh();
}

int StudyTableModel::placeOf(std::uint32_t row) const {
  const auto found = std::ranges::find(rows_, row);
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

void StudyTableModel::refresh() {
  beginResetModel();
  columns_.clear();
  front_.clear();
  rows_.clear();
  most_ = 0;
  if (!state_->isEmpty() && !state_->table().figures.empty()) {
    const StudyTable& table = state_->table();
    std::vector<std::size_t> axes = state_->axes();
    std::ranges::sort(axes);
    for (const std::size_t axis : axes) columns_.push_back({true, axis});
    for (std::size_t i = 0; i < table.figures.size(); ++i) {
      if (columns_.size() < room_ || i == state_->figure()) columns_.push_back({false, i});
    }
    front_ =
        frontOf(table, state_->rows(), table.axis("model"), {state_->across(), state_->figure()});
    rows_ = all_ ? state_->rows() : front_;
    for (const std::uint32_t row : rows_) {
      const double number = table.figures[state_->figure()].numbers[row];
      if (!std::isnan(number)) most_ = std::max(most_, number);
    }
    arrange();
  }
  endResetModel();
}

int StudyTableModel::figureColumn() const {
  const auto found = std::ranges::find_if(columns_, [this](const Shown& each) {
    return !each.isAxis && each.place == state_->figure();
  });
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

void StudyTableModel::arrange() {
  if (sortColumn_ < 0 || sortColumn_ >= static_cast<int>(columns_.size())) return;
  const Shown& by = columns_[static_cast<std::size_t>(sortColumn_)];
  const StudyTable& table = state_->table();
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    if (by.isAxis) return table.axes[by.place].codes[a] < table.axes[by.place].codes[b];
    const auto& numbers = table.figures[by.place].numbers;
    // Numbers that are not known come last.
    return numbers[a] < numbers[b] || (std::isnan(numbers[b]) && !std::isnan(numbers[a]));
  };
  if (order_ == Qt::AscendingOrder) {
    std::ranges::stable_sort(rows_, less);
  } else {
    std::ranges::stable_sort(rows_, [&](std::uint32_t a, std::uint32_t b) { return less(b, a); });
  }
}

void StudyTableModel::sort(int column, Qt::SortOrder order) {
  sortColumn_ = column;
  order_ = order;
  refresh();
}

int StudyTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int StudyTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant StudyTableModel::data(const QModelIndex& index, int role) const {
  const Shown& column = columns_[static_cast<std::size_t>(index.column())];
  const StudyTable& table = state_->table();
  const std::uint32_t row = rowAt(index.row());
  if (role == Qt::TextAlignmentRole) {
    return int((column.isAxis ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (column.isAxis) {
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const QString text = QString::fromStdString(valueName(table.valueOf(column.place, row)));
    return role == Qt::DisplayRole ? text : plainTip(text);
  }
  const double number = table.figures[column.place].numbers[row];
  if (std::isnan(number)) return {};
  const bool chosen = column.place == state_->figure();
  switch (role) {
    case Qt::DisplayRole:
      return QString::fromStdString(valueText(number, kindOf(table.figures[column.place].key)));
    case BarDelegate::kShareRole:
      return chosen && most_ > 0 ? QVariant(number / most_) : QVariant();
    default:
      return {};
  }
}

QVariant StudyTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const Shown& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::TextAlignmentRole) {
    return int((column.isAxis ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  if (column.isAxis) return viewText(axisTitle(state_->table().axes[column.place].name));
  return titleText(figureTitle(state_->table().figures[column.place].key));
}

}  // namespace hw
