#include "widgets/find/command_palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/base/theme.h"
#include "widgets/find/search_index.h"

namespace hw {
namespace {

constexpr QSize kSize(620, 420);

/// One line an entry, so that more of them are seen: name, then where it is found, keys at the
/// right.
class PaletteDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {200, option.fontMetrics.height() + 10};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    plain.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, option.widget);
    const QString disabled = index.data(PaletteModel::kDisabledRole).toString();
    const auto color = [&](QPalette::ColorRole role) { return itemColor(option, role); };
    const QRect line = option.rect.adjusted(10, 0, -10, 0);
    const QFontMetrics& metrics = option.fontMetrics;
    const QString keys = index.data(PaletteModel::kKeysRole).toString();
    painter->setPen(color(QPalette::PlaceholderText));
    painter->drawText(line, Qt::AlignVCenter | Qt::AlignRight, keys);
    const int keysWidth = keys.isEmpty() ? 0 : metrics.horizontalAdvance(keys) + 14;
    painter->setPen(color(disabled.isEmpty() ? QPalette::Text : QPalette::PlaceholderText));
    const int end = drawMatched(painter, option, line.adjusted(0, 0, -keysWidth, 0), index);
    const QString aside =
        disabled.isEmpty() ? index.data(PaletteModel::kContextRole).toString() : disabled;
    painter->setPen(color(QPalette::PlaceholderText));
    const QRect rest(end + 12, line.top(), line.right() - keysWidth - end - 12, line.height());
    painter->drawText(rest, Qt::AlignVCenter,
                      metrics.elidedText(aside, Qt::ElideRight, rest.width()));
  }

 private:
  /// Matched letters bold; returns where the text ends.
  static int drawMatched(QPainter* painter, const QStyleOptionViewItem& option, const QRect& line,
                         const QModelIndex& index) {
    const auto places = index.data(PaletteModel::kPlacesRole).value<QList<int>>();
    const QString text =
        option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, line.width());
    QFont bold = option.font;
    bold.setBold(true);
    int x = line.left();
    for (int from = 0; from < text.size();) {
      const bool matched = places.contains(from);
      int to = from + 1;
      while (to < text.size() && places.contains(to) == matched) ++to;
      painter->setFont(matched ? bold : option.font);
      const QString part = text.mid(from, to - from);
      painter->drawText(QRect(x, line.top(), line.right() - x, line.height()), Qt::AlignVCenter,
                        part);
      x += QFontMetrics(painter->font()).horizontalAdvance(part);
      from = to;
    }
    painter->setFont(option.font);
    return x;
  }
};

}  // namespace

void PaletteModel::setEntries(std::vector<PaletteEntry> entries) {
  entries_ = std::move(entries);
  setPattern({});
}

void PaletteModel::setPattern(const QString& pattern) {
  beginResetModel();
  rows_.clear();
  const QStringList words = pattern.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Row row{.entry = i};
    const std::string text = entries_[i].text.toLower().toStdString();
    const std::string all = text + ' ' + entries_[i].context.toLower().toStdString();
    const bool ascii = static_cast<qsizetype>(text.size()) == entries_[i].text.size();
    bool matches = true;
    for (const QString& word : words) {
      const std::string wanted = word.toStdString();
      auto match = fuzzyMatch(wanted, text);
      const bool inText = match.has_value();
      if (!match) match = fuzzyMatch(wanted, all);
      matches = matches && match;
      if (!matches) break;
      row.score += inText ? match->score : match->score / 2;
      // Matches are counted in bytes, which are letters in ASCII only.
      for (const std::size_t at : match->at) {
        if (inText && ascii) row.places.append(static_cast<int>(at));
      }
    }
    if (!matches) continue;
    // Entries that cannot be carried out now come last.
    if (!entries_[i].disabled.isEmpty() && !words.isEmpty()) row.score -= 500;
    rows_.push_back(std::move(row));
  }
  if (!words.isEmpty()) std::ranges::stable_sort(rows_, std::greater{}, &Row::score);
  endResetModel();
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const PaletteEntry& shown = entry(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return shown.text;
    case kContextRole:
      return shown.context;
    case kKeysRole:
      return shown.keys;
    case kDisabledRole:
      return shown.disabled;
    case kPlacesRole:
      return QVariant::fromValue(rows_[static_cast<std::size_t>(index.row())].places);
    case Qt::ToolTipRole:
      return shown.disabled.isEmpty() ? shown.context : shown.disabled;
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1, %2 %3").arg(shown.text, shown.keys, shown.disabled);
    default:
      return {};
  }
}

CommandPalette::CommandPalette(QWidget* parent)
    : QDialog(parent, Qt::Popup),
      line_(new QLineEdit(this)),
      list_(new QListView(this)),
      none_(new QLabel(this)),
      model_(new PaletteModel(this)) {
  setObjectName(QStringLiteral("commandPalette"));
  setAccessibleName(tr("Command palette"));
  line_->setPlaceholderText(tr("Type a command, a sample, a recent model or an allocator"));
  line_->setAccessibleName(tr("Command"));
  line_->setClearButtonEnabled(true);
  line_->installEventFilter(this);
  list_->setModel(model_);
  list_->setItemDelegate(new PaletteDelegate(list_));
  list_->setUniformItemSizes(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setAccessibleName(tr("Commands"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(line_);
  layout->addWidget(list_, 1);
  none_->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
  none_->setTextFormat(Qt::PlainText);
  none_->setObjectName(QStringLiteral("paletteNone"));
  layout->addWidget(none_, 1);
  connect(line_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(list_, &QListView::clicked, this, &CommandPalette::runRow);
}

void CommandPalette::openWith(std::vector<PaletteEntry> entries) {
  model_->setEntries(std::move(entries));
  line_->clear();
  filter({});
  const QRect around = parentWidget()->geometry();
  const QSize size = kSize.boundedTo(around.size() * 9 / 10);
  setGeometry(around.center().x() - size.width() / 2, around.top() + around.height() / 10,
              size.width(), size.height());
  show();
  line_->setFocus();
}

void CommandPalette::filter(const QString& pattern) {
  model_->setPattern(pattern);
  const bool any = model_->rowCount() > 0;
  list_->setVisible(any);
  none_->setVisible(!any);
  none_->setText(tr("Nothing is called \u201c%1\u201d").arg(pattern));
  if (any) list_->setCurrentIndex(model_->index(0));
}

void CommandPalette::runRow(const QModelIndex& index) {
  if (!index.isValid() || !model_->entry(index.row()).disabled.isEmpty()) return;
  // It may open a dialog of its own, so this is gone by then.
  const auto run = model_->entry(index.row()).run;
  accept();
  if (run) run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != line_) return QDialog::eventFilter(watched, event);
  if (event->type() == QEvent::ShortcutOverride) {
    event->accept();  // Nothing that is typed here is a shortcut of the window.
    return true;
  }
  if (event->type() != QEvent::KeyPress) return false;
  const int page = std::max(1, list_->height() / std::max(1, list_->sizeHintForRow(0)) - 1);
  const auto move = [this](int rows) {
    const int row = list_->currentIndex().row() + rows;
    const int last = std::max(0, model_->rowCount() - 1);
    list_->setCurrentIndex(model_->index(std::clamp(row, 0, last)));
    return true;
  };
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
      return move(1);
    case Qt::Key_Up:
      return move(-1);
    case Qt::Key_PageDown:
      return move(page);
    case Qt::Key_PageUp:
      return move(-page);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      runRow(list_->currentIndex());
      return true;
    default:
      return false;
  }
}

}  // namespace hw
