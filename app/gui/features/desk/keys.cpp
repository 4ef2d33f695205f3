#include "app/gui/features/desk/keys.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QMenu>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/window/main_window.h"

namespace hw {

namespace {

QString keyOf(const QAction* action) { return QStringLiteral("keys/") + action->objectName(); }

/// A list that settings files can tell from no list at all.
QString toText(const QList<QKeySequence>& keys) {
  return keys.isEmpty() ? QStringLiteral("none")
                        : QKeySequence::listToString(keys, QKeySequence::PortableText);
}

QList<QKeySequence> fromText(const QString& text) {
  return text == QLatin1String("none") ? QList<QKeySequence>() : QKeySequence::listFromString(text);
}

QString plain(QString text) { return text.remove(QLatin1Char('&')).remove(QChar(0x2026)); }

}  // namespace

KeyBindings::KeyBindings(MainWindow* window) : QObject(window), window_(window) {
  setObjectName(QStringLiteral("keyBindings"));
}

const QList<KeyBindings::Command>& KeyBindings::commands() {
  for (const MenuKind kind : {MenuKind::file, MenuKind::edit, MenuKind::view, MenuKind::simulate,
                              MenuKind::compare, MenuKind::report, MenuKind::help}) {
    const QMenu* menu = window_->menu(kind);
    collect(menu, plain(menu->title()));
  }
  return commands_;
}

void KeyBindings::collect(const QMenu* menu, const QString& group) {
  for (QAction* action : menu->actions()) {
    if (action->menu()) collect(action->menu(), group);
    const bool named = !action->objectName().isEmpty() && !action->text().isEmpty();
    const bool known =
        std::ranges::any_of(commands_, [&](const Command& each) { return each.action == action; });
    if (!named || known || action->menu() || action->isSeparator()) continue;
    commands_.append({action, plain(action->text()), group, action->shortcuts()});
    const QString kept = window_->settings()->value(keyOf(action), {}).toString();
    if (!kept.isEmpty()) action->setShortcuts(fromText(kept));
  }
}

const KeyBindings::Command* KeyBindings::holder(const QKeySequence& keys, const QAction* except) {
  if (keys.isEmpty()) return nullptr;
  const auto clash = [&](const Command& command) {
    return command.action != except &&
           std::ranges::any_of(command.action->shortcuts(), [&](const QKeySequence& each) {
             return !each.isEmpty() && (each.matches(keys) != QKeySequence::NoMatch ||
                                        keys.matches(each) != QKeySequence::NoMatch);
           });
  };
  const auto& all = commands();
  const auto found = std::ranges::find_if(all, clash);
  return found == all.end() ? nullptr : &*found;
}

void KeyBindings::bind(QAction* action, const QList<QKeySequence>& keys) {
  action->setShortcuts(keys);
  const auto& all = commands();
  const auto command = std::ranges::find(all, action, &Command::action);
  const bool standard = command != all.end() && command->standard == keys;
  window_->settings()->setValue(keyOf(action), standard ? QVariant() : QVariant(toText(keys)));
  Q_EMIT changed();
}

bool KeyBindings::isChanged(const Command& command) const {
  return command.action->shortcuts() != command.standard;
}

void KeyBindings::reset(const Command& command) {
  const QList<QKeySequence> standard = command.standard;
  bind(command.action, standard);
}

void KeyBindings::resetAll() {
  for (const Command& command : commands()) {
    if (!isChanged(command)) continue;
    command.action->setShortcuts(command.standard);
    window_->settings()->setValue(keyOf(command.action), {});
  }
  Q_EMIT changed();
}

namespace {

/// Edits the keys of a row by having them typed.
class KeysDelegate : public QStyledItemDelegate {
 public:
  explicit KeysDelegate(KeysPage* page) : QStyledItemDelegate(page), page_(page) {}

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                        const QModelIndex&) const override {
    auto* edit = new QKeySequenceEdit(parent);
    edit->setAccessibleName(KeysPage::tr("New keys"));
    connect(edit, &QKeySequenceEdit::editingFinished, this, [this, edit] {
      auto* self = const_cast<KeysDelegate*>(this);
      Q_EMIT self->commitData(edit);
      Q_EMIT self->closeEditor(edit);
    });
    return edit;
  }
  void setEditorData(QWidget*, const QModelIndex&) const override {}  // It begins empty.
  void setModelData(QWidget* editor, QAbstractItemModel*, const QModelIndex& index) const override {
    const auto typed = qobject_cast<QKeySequenceEdit*>(editor)->keySequence();
    if (!typed.isEmpty()) page_->assign(index.row(), typed);
  }

 private:
  KeysPage* page_;
};

}  // namespace

KeysPage::KeysPage(KeyBindings* bindings, QWidget* parent)
    : QWidget(parent),
      bindings_(bindings),
      filter_(new QLineEdit(this)),
      table_(new QTableWidget(this)),
      note_(new QLabel(this)),
      take_(new QPushButton(tr("&Take it from there"), this)),
      clear_(new QPushButton(tr("&No key"), this)),
      reset_(new QPushButton(tr("&Reset"), this)),
      resetAll_(new QPushButton(tr("Reset &all"), this)) {
  filter_->setPlaceholderText(tr("Search commands and keys"));
  filter_->setAccessibleName(filter_->placeholderText());
  filter_->setClearButtonEnabled(true);
  table_->setObjectName(QStringLiteral("keysTable"));
  table_->setAccessibleName(tr("Commands and their keys"));
  table_->setColumnCount(kColumns);
  table_->setHorizontalHeaderLabels({tr("Menu"), tr("Command"), tr("Keys")});
  table_->setSelectionBehavior(QTableView::SelectRows);
  table_->setSelectionMode(QTableView::SingleSelection);
  table_->setEditTriggers(QTableView::DoubleClicked | QTableView::EditKeyPressed);
  table_->setItemDelegateForColumn(keys, new KeysDelegate(this));
  table_->setTabKeyNavigation(false);
  table_->setShowGrid(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  table_->horizontalHeader()->setStretchLastSection(true);
  note_->setWordWrap(true);
  note_->setMinimumHeight(2 * fontMetrics().height());
  take_->setObjectName(QStringLiteral("takeKeys"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(filter_);
  layout->addWidget(table_, 1);
  layout->addWidget(note_);
  layout->addWidget(buildButtons());
  connect(filter_, &QLineEdit::textChanged, this, &KeysPage::showFiltered);
  connect(table_, &QTableWidget::itemSelectionChanged, this, &KeysPage::showChosen);
  connect(bindings, &KeyBindings::changed, this, [this] {
    for (int row = 0; row < table_->rowCount(); ++row) showRow(row);
    showChosen();
  });
  fill();
}

QWidget* KeysPage::buildButtons() {
  clear_->setToolTip(tr("The chosen command has no key any more"));
  reset_->setToolTip(tr("The chosen command has the keys again that it came with"));
  resetAll_->setToolTip(tr("All commands have the keys again that they came with"));
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(take_);
  layout->addStretch(1);
  layout->addWidget(clear_);
  layout->addWidget(reset_);
  layout->addWidget(resetAll_);
  connect(take_, &QPushButton::clicked, this, [this] {
    const auto* each = commandAt(wantedRow_);
    if (!each) return;
    QAction* action = each->action;
    const int from = wantedRow_;
    while (const auto* holder = bindings_->holder(wanted_, action)) {
      bindings_->bind(holder->action, {});
    }
    assign(from, wanted_);
  });
  connect(clear_, &QPushButton::clicked, this, [this] {
    if (const auto* each = commandAt(table_->currentRow())) bindings_->bind(each->action, {});
  });
  connect(reset_, &QPushButton::clicked, this, [this] {
    const auto* each = commandAt(table_->currentRow());
    if (each && each->standard.isEmpty()) bindings_->bind(each->action, {});
    if (each && !each->standard.isEmpty()) {
      const QKeySequence first = each->standard.front();
      if (bindings_->holder(first, each->action)) {
        assign(table_->currentRow(), first);  // Says whose it is now.
      } else {
        bindings_->reset(*each);
      }
    }
  });
  connect(resetAll_, &QPushButton::clicked, bindings_, &KeyBindings::resetAll);
  return row;
}

void KeysPage::fill() {
  const auto& all = bindings_->commands();
  table_->setRowCount(static_cast<int>(all.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    const KeyBindings::Command& each = all[row];
    for (const auto& [column, text] :
         {std::pair(menu, each.group), std::pair(command, each.text)}) {
      auto* item = new QTableWidgetItem(text);
      item->setFlags(item->flags() & ~Qt::ItemIsEditable);
      table_->setItem(row, column, item);
    }
    table_->setItem(row, keys, new QTableWidgetItem());
    showRow(row);
  }
  table_->resizeColumnsToContents();
  if (table_->rowCount() > 0) table_->selectRow(0);
  showChosen();
}

const KeyBindings::Command* KeysPage::commandAt(int row) {
  const auto& all = bindings_->commands();
  return row >= 0 && row < all.size() ? &all[row] : nullptr;
}

void KeysPage::showRow(int row) {
  const auto* each = commandAt(row);
  QTableWidgetItem* item = table_->item(row, keys);
  item->setText(QKeySequence::listToString(each->action->shortcuts(), QKeySequence::NativeText));
  item->setToolTip(tr("Double click or F2, then type the new keys"));
  QFont font = item->font();
  font.setBold(bindings_->isChanged(*each));
  item->setFont(font);
}

void KeysPage::showFiltered() {
  const QString wanted = filter_->text().trimmed();
  for (int row = 0; row < table_->rowCount(); ++row) {
    bool hit = wanted.isEmpty();
    for (int column = 0; column < kColumns; ++column) {
      hit = hit || table_->item(row, column)->text().contains(wanted, Qt::CaseInsensitive);
    }
    table_->setRowHidden(row, !hit);
  }
}

void KeysPage::assign(int row, const QKeySequence& typed) {
  const auto* each = commandAt(row);
  if (!each) return;
  const auto* holder = bindings_->holder(typed, each->action);
  if (!holder) {
    wantedRow_ = -1;
    bindings_->bind(each->action, {typed});
    return;
  }
  wantedRow_ = row;
  wanted_ = typed;
  note_->setText(tr("%1 belongs to \u201c%2\u201d (%3).")
                     .arg(typed.toString(QKeySequence::NativeText), holder->text, holder->group));
  take_->setVisible(true);
}

void KeysPage::showChosen() {
  wantedRow_ = -1;
  take_->setVisible(false);
  const auto* each = commandAt(table_->currentRow());
  clear_->setEnabled(each && !each->action->shortcuts().isEmpty());
  reset_->setEnabled(each && bindings_->isChanged(*each));
  note_->setText(tr("Double click a row, or F2, and type the new keys."));
}

}  // namespace hw
