#include "widgets/tables/table_model.h"

#include <QPromise>
#include <QThreadPool>
#include <algorithm>
#include <numeric>

#include "widgets/panels/run_text.h"

namespace hw {
namespace {

/// Up to this many rows are arranged at once, within a frame.
constexpr std::size_t kAtOnce = 20'000;
/// How often a worker asks whether to go on, in rows.
constexpr std::size_t kAskEvery = 1'024;

template <class Key>
void sortBy(std::vector<std::uint32_t>& rows, const std::vector<Key>& keys, bool descending) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  if (descending) {
    std::ranges::stable_sort(order, [&](auto a, auto b) { return keys[b] < keys[a]; });
  } else {
    std::ranges::stable_sort(order, [&](auto a, auto b) { return keys[a] < keys[b]; });
  }
  for (std::uint32_t& index : order) index = rows[index];
  rows = std::move(order);
}

bool meets(const Interval<Step>& a, const Interval<Step>& b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

std::vector<std::uint32_t> arrangeRows(const TableSource& source, const Arrangement& wanted,
                                       const std::function<bool()>& stop) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < source.rows; ++row) {
    if (row % kAskEvery == 0 && stop()) return {};
    if (wanted.range && source.steps && !meets(source.steps(row), *wanted.range)) continue;
    if (wanted.picked && source.stay && !wanted.picked->keeps(source.stay(row))) continue;
    if (!wanted.filter.keeps(source, row)) continue;
    rows.push_back(static_cast<std::uint32_t>(row));
  }
  if (wanted.sortColumn < 0) return rows;
  const TableColumn& column = source.columns[static_cast<std::size_t>(wanted.sortColumn)];
  if (column.kind == ColumnKind::text) {
    std::vector<QString> keys;
    keys.reserve(rows.size());
    for (const std::uint32_t row : rows) {
      if (keys.size() % kAskEvery == 0 && stop()) return {};
      keys.push_back(column.text(row).toCaseFolded());
    }
    sortBy(rows, keys, wanted.descending);
  } else {
    std::vector<std::int64_t> keys;
    keys.reserve(rows.size());
    for (const std::uint32_t row : rows) keys.push_back(column.number(row));
    sortBy(rows, keys, wanted.descending);
  }
  return rows;
}

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {
  connect(&worker_, &QFutureWatcherBase::finished, this, [this] {
    if (worker_.isCanceled() || worker_.future().resultCount() == 0) return;
    show(worker_.result());
  });
}

TableModel::~TableModel() { worker_.cancel(); }

void TableModel::setSource(std::shared_ptr<const TableSource> source) {
  worker_.cancel();
  const auto keysOf = [](const TableSource* of) {
    QStringList keys;
    for (std::size_t i = 0; of && i < of->columns.size(); ++i) keys << of->columns[i].key;
    return keys;
  };
  // A filter knows columns by number: those of another table are others.
  if (keysOf(source_.get()) != keysOf(source.get())) wanted_ = {};
  wanted_.filter = {};
  beginResetModel();
  source_ = std::move(source);
  rows_.clear();
  endResetModel();
  start();
}

void TableModel::arrange(Arrangement wanted) {
  wanted_ = std::move(wanted);
  start();
}

void TableModel::start() {
  worker_.cancel();
  if (!source_) return;
  if (wanted_.sortColumn >= columnCount()) wanted_.sortColumn = -1;
  if (source_->rows <= kAtOnce) {
    show(arrangeRows(*source_, wanted_, [] { return false; }));
    return;
  }
  auto promise = std::make_shared<QPromise<std::vector<std::uint32_t>>>();
  worker_.setFuture(promise->future());
  promise->start();
  QThreadPool::globalInstance()->start([promise, source = source_, wanted = wanted_] {
    auto rows = arrangeRows(*source, wanted, [&] { return promise->isCanceled(); });
    if (!promise->isCanceled()) promise->addResult(std::move(rows));
    promise->finish();
  });
}

void TableModel::show(std::vector<std::uint32_t> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
  Q_EMIT arranged();
}

int TableModel::rowOf(StayId stay, OpId op) const {
  if (!source_) return -1;
  const auto find = [&](const auto& matches) {
    const auto found = std::ranges::find_if(rows_, matches);
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
  };
  if (stay && source_->stay) {
    return find([&](std::uint32_t row) { return source_->stay(row) == stay; });
  }
  if (op && source_->op) {
    return find([&](std::uint32_t row) { return source_->op(row) == op; });
  }
  return -1;
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !source_ ? 0 : static_cast<int>(source_->columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const auto column = static_cast<std::size_t>(index.column());
  const ColumnKind kind = source_->columns[column].kind;
  switch (role) {
    case Qt::DisplayRole:
      return source_->shown(sourceRow(index.row()), column);
    case Qt::ToolTipRole: {
      if (kind != ColumnKind::bytes) {
        return source_->shown(sourceRow(index.row()), column).toHtmlEscaped();
      }
      const std::int64_t bytes = source_->columns[column].number(sourceRow(index.row()));
      return bytes == TableColumn::kNone ? QString() : fullSizeText(Bytes(bytes));
    }
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter |
                      (kind == ColumnKind::text ? Qt::AlignLeft : Qt::AlignRight));
    default:
      return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= columnCount()) return {};
  const TableColumn& column = source_->columns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return tr("In filters: %1").arg(column.key);
  if (role == Qt::TextAlignmentRole) {
    return QVariant(Qt::AlignVCenter |
                    (column.kind == ColumnKind::text ? Qt::AlignLeft : Qt::AlignRight));
  }
  return {};
}

void TableModel::sort(int column, Qt::SortOrder order) {
  wanted_.sortColumn = column;
  wanted_.descending = order == Qt::DescendingOrder;
  start();
}

}  // namespace hw
