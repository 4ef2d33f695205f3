#include "widgets/find/search_model.h"

#include <QApplication>
#include <QPainter>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "widgets/base/item_colors.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {
void SearchModel::setResult(std::shared_ptr<const SearchIndex> index, SearchResult result) {
  beginResetModel();
  index_ = std::move(index);
  result_ = std::move(result);
  endResetModel();
}

int SearchModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !index_ ? 0 : static_cast<int>(result_.hits.size());
}

QVariant SearchModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const SearchHit& hit = result_.hits[static_cast<std::size_t>(index.row())];
  const QString kinds[] = {tr("tensor"), tr("op"), tr("address"), tr("step")};
  switch (role) {
    case Qt::DisplayRole:
      return title(hit);
    case kKindRole:
      return kinds[static_cast<std::size_t>(hit.kind)];
    case kDetailRole:
      return detail(hit);
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1 %2, %3")
          .arg(kinds[static_cast<std::size_t>(hit.kind)], title(hit), detail(hit));
    default:
      return {};
  }
}

QString SearchModel::title(const SearchHit& hit) const {
  const Run& run = index_->run();
  switch (hit.kind) {
    case SearchHit::Kind::tensor:
      return hit.tensor ? tensorText(run, hit.tensor) : stayText(run, hit.stay);
    case SearchHit::Kind::op:
      return opNameText(run, hit.op);
    case SearchHit::Kind::address:
      return stayText(run, hit.stay);
    case SearchHit::Kind::step:
      break;
  }
  return tr("step %1").arg(grouped(hit.step.count()));
}

QString SearchModel::stayDetail(StayId stay) const {
  const Run& run = index_->run();
  const Stay& held = run.problem.stays[stay];
  return tr("%1, steps %2\u2013%3")
      .arg(sizeText(held.size), grouped(held.steps.begin.count()),
           grouped(held.steps.end.count() - 1));
}

QString SearchModel::detail(const SearchHit& hit) const {
  const Run& run = index_->run();
  switch (hit.kind) {
    case SearchHit::Kind::tensor:
      return hit.stay ? stayDetail(hit.stay) : tr("not planned");
    case SearchHit::Kind::op:
      return tr("%1, step %2")
          .arg(QString::fromStdString(printable(run.graph().ops[hit.op].type, 40)),
               grouped(hit.step.count()));
    case SearchHit::Kind::address: {
      const auto& at = run.plan.addresses[hit.stay];
      const Bytes flat = run.plan.flatOffset(hit.stay).value_or(Bytes());
      return tr("%1 %2, %3").arg(poolText(run, at->pool), addressText(flat), stayDetail(hit.stay));
    }
    case SearchHit::Kind::step:
      break;
  }
  if (hit.step >= run.schedule.steps()) return {};
  return opNameText(run, run.schedule.opAt(hit.step));
}

QSize SearchDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
  return {200, option.fontMetrics.height() + 8};
}

void SearchDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
  QStyleOptionViewItem plain = option;
  initStyleOption(&plain, index);
  plain.text.clear();
  QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, option.widget);
  const QColor text = itemColor(option, QPalette::Text);
  const QColor muted = itemColor(option, QPalette::PlaceholderText);
  const QFontMetrics& metrics = option.fontMetrics;
  const QRect line = option.rect.adjusted(8, 0, -8, 0);
  const int kindWidth = metrics.horizontalAdvance(QStringLiteral("address")) + 10;
  const QString detail = index.data(SearchModel::kDetailRole).toString();
  const int detailWidth = std::min(metrics.horizontalAdvance(detail) + 4, line.width() * 6 / 10);
  painter->setPen(muted);
  painter->drawText(line, Qt::AlignVCenter, index.data(SearchModel::kKindRole).toString());
  painter->drawText(line, Qt::AlignVCenter | Qt::AlignRight,
                    metrics.elidedText(detail, Qt::ElideRight, detailWidth));
  painter->setPen(text);
  const QRect name = line.adjusted(kindWidth, 0, -detailWidth - 12, 0);
  painter->drawText(name, Qt::AlignVCenter,
                    metrics.elidedText(index.data().toString(), Qt::ElideMiddle, name.width()));
}

}  // namespace hw
