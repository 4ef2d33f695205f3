#include "widgets/find/search_box.h"

#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "widgets/base/theme.h"
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

namespace {

constexpr int kMostRows = 14;
constexpr int kListWidth = 520;

}  // namespace

SearchBox::SearchBox(ViewState* state, QWidget* parent)
    : QLineEdit(parent),
      state_(state),
      model_(new SearchModel(this)),
      frame_(new QFrame(this, Qt::ToolTip)),
      list_(new QListView(frame_)),
      note_(new QLabel(frame_)),
      count_(new QLabel(this)) {
  setObjectName(QStringLiteral("search"));
  setAccessibleName(tr("Search"));
  setClearButtonEnabled(true);
  frame_->setFrameShape(QFrame::Box);
  frame_->setAttribute(Qt::WA_ShowWithoutActivating);
  list_->setModel(model_);
  list_->setItemDelegate(new SearchDelegate(list_));
  list_->setUniformItemSizes(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setMouseTracking(true);
  list_->setAccessibleName(tr("What was found"));
  note_->setMargin(6);
  note_->setTextFormat(Qt::PlainText);
  auto* layout = new QVBoxLayout(frame_);
  layout->setContentsMargins(1, 1, 1, 1);
  layout->setSpacing(0);
  layout->addWidget(list_, 1);
  layout->addWidget(note_);
  count_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  count_->setAttribute(Qt::WA_TransparentForMouseEvents);
  connect(state, &ViewState::runChanged, this, &SearchBox::showRun);
  connect(state, &ViewState::filterChanged, this, [this] {
    if (state_->filter() != ours_) ours_ = nullptr;
  });
  connect(this, &QLineEdit::textChanged, this, &SearchBox::search);
  connect(list_, &QListView::clicked, this,
          [this](const QModelIndex& index) { choose(index.row()); });
  showRun();
}

void SearchBox::showRun() {
  const bool any = state_->run() != nullptr;
  indexing_.drop();
  index_ = nullptr;
  at_ = -1;
  model_->setResult(nullptr, {});
  frame_->hide();
  setEnabled(any);
  setPlaceholderText(tr("Find a tensor or an operator"));
  setToolTip(any ? tr("Find a tensor, an op, an address (0x1000), a size (>64KiB) or a step "
                      "(#12). Enter goes there, F3 to the next")
                 : tr("Open a model first"));
  showCount();
  if (any && !text().isEmpty()) makeIndex();
}

/// By a worker: a large model has hundreds of thousands of names.
void SearchBox::makeIndex() {
  const auto run = state_->run();
  if (!run || index_ || indexing_.isRunning()) return;
  indexing_.start(
      false, [run] { return std::make_shared<const SearchIndex>(run); },
      [this](std::shared_ptr<const SearchIndex> index) {
        index_ = std::move(index);
        search();
      });
}

void SearchBox::begin() {
  makeIndex();
  setFocus(Qt::ShortcutFocusReason);
  selectAll();
}

void SearchBox::search() {
  at_ = -1;
  if (!index_) {
    makeIndex();
    return;
  }
  model_->setResult(index_, index_->find(text().toStdString()));
  showCount();
  dim();
  if (hasFocus()) openList();
}

void SearchBox::openList() {
  if (text().trimmed().isEmpty()) {
    frame_->hide();
    return;
  }
  const int rows = model_->rowCount();
  const auto found = static_cast<std::int64_t>(result().found);
  QString note;
  if (!result().error.empty()) {
    note = QString::fromStdString(printable(result().error));
  } else if (rows == 0) {
    note = tr("Nothing is called that. Sizes: >64KiB, 4KiB..1MiB; addresses: 0x1000; steps: #12");
  } else if (found > rows) {
    note = tr("The first %1 of %2").arg(rows).arg(QString::fromStdString(groupDigits(found)));
  }
  note_->setText(note);
  note_->setVisible(!note.isEmpty());
  note_->setWordWrap(true);
  list_->setVisible(rows > 0);
  const int row = list_->sizeHintForRow(0);
  const int height = rows > 0 ? std::min(rows, kMostRows) * row + 2 : 0;
  list_->setFixedHeight(height);
  const int width = std::max(kListWidth, this->width());
  frame_->setFixedWidth(width);
  frame_->adjustSize();
  QPoint corner = mapToGlobal(QPoint(this->width() - width, this->height() + 2));
  const QRect bounds = window()->geometry();
  corner.setX(std::max(corner.x(), bounds.left()));
  frame_->move(corner);
  frame_->show();
  frame_->raise();
  if (rows > 0) list_->setCurrentIndex(model_->index(0));
}

void SearchBox::move(int rows) {
  if (!isListOpen()) return openList();
  const int last = model_->rowCount() - 1;
  const int row = std::clamp(list_->currentIndex().row() + rows, 0, std::max(0, last));
  list_->setCurrentIndex(model_->index(row));
}

void SearchBox::choose(int row) {
  frame_->hide();
  if (row < 0 || row >= model_->rowCount()) return;
  at_ = row;
  showCount();
  Q_EMIT chosen(result().hits[static_cast<std::size_t>(row)]);
}

void SearchBox::goOn(int direction) {
  const int rows = model_->rowCount();
  if (rows == 0) {
    begin();
    return;
  }
  const int from = at_ < 0 && direction < 0 ? 0 : at_;
  choose((from + direction + rows) % rows);
}

void SearchBox::showCount() {
  const int rows = model_->rowCount();
  QString shown;
  if (!text().trimmed().isEmpty() && index_) {
    const QString found =
        QString::fromStdString(groupDigits(static_cast<std::int64_t>(result().found)));
    shown = at_ < 0 ? found : tr("%1 of %2").arg(at_ + 1).arg(found);
    if (rows == 0) shown = tr("none");
  }
  count_->setText(shown);
  count_->setForegroundRole(QPalette::PlaceholderText);
  count_->adjustSize();
  const int room = shown.isEmpty() ? 0 : count_->width() + 6;
  setTextMargins(0, 0, room, 0);
  count_->move(width() - count_->width() - 28, (height() - count_->height()) / 2);
  setAccessibleDescription(shown.isEmpty() ? QString() : tr("%1 found").arg(shown));
}

void SearchBox::setDims(bool dims) {
  dims_ = dims;
  dim();
}

void SearchBox::dim() {
  const bool any = dims_ && !text().trimmed().isEmpty() && result().found > 0;
  if (any) {
    ours_ = makeFilter(tr("found by \u201c%1\u201d").arg(text().trimmed().left(40)).toStdString(),
                       result().stays);
    state_->setFilter(ours_);
  } else if (ours_) {
    ours_ = nullptr;
    state_->setFilter(nullptr);
  }
}

/// The window's single-letter shortcuts would take what is typed.
bool SearchBox::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    const bool ours = key->key() == Qt::Key_Escape || !key->text().isEmpty();
    if (plain && ours) {
      event->accept();
      return true;
    }
  }
  return QLineEdit::event(event);
}

void SearchBox::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Down:
      return move(1);
    case Qt::Key_Up:
      return move(-1);
    case Qt::Key_PageDown:
      return move(kMostRows);
    case Qt::Key_PageUp:
      return move(-kMostRows);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return choose(isListOpen() ? list_->currentIndex().row() : std::max(0, at_));
    case Qt::Key_Escape:
      if (isListOpen()) {
        frame_->hide();
      } else {
        clear();
        clearFocus();
      }
      return;
    default:
      QLineEdit::keyPressEvent(event);
  }
}

void SearchBox::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  if (!frame_->underMouse()) frame_->hide();
}

void SearchBox::resizeEvent(QResizeEvent* event) {
  QLineEdit::resizeEvent(event);
  showCount();
}

}  // namespace hw
