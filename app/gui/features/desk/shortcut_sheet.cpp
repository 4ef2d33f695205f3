#include "app/gui/features/desk/shortcut_sheet.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QVBoxLayout>

namespace hw {

ShortcutSheet::ShortcutSheet(KeyBindings* bindings, QWidget* parent)
    : QDialog(parent), filter_(new QLineEdit(this)), list_(new QTreeWidget(this)) {
  setObjectName(QStringLiteral("shortcutSheet"));
  setWindowTitle(tr("Shortcuts"));
  filter_->setPlaceholderText(tr("Search keys and commands"));
  filter_->setAccessibleName(filter_->placeholderText());
  filter_->setClearButtonEnabled(true);
  list_->setAccessibleName(tr("Keys by menu"));
  list_->setColumnCount(2);
  list_->setHeaderLabels({tr("Command"), tr("Keys")});
  list_->setRootIsDecorated(false);
  list_->setAlternatingRowColors(true);
  list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(filter_);
  layout->addWidget(list_, 1);
  layout->addWidget(buttons);
  connect(filter_, &QLineEdit::textChanged, this, &ShortcutSheet::showFiltered);
  fill(bindings);
  resize(600, 640);
}

QTreeWidgetItem* ShortcutSheet::group(const QString& title) {
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    if (list_->topLevelItem(i)->text(0) == title) return list_->topLevelItem(i);
  }
  auto* item = new QTreeWidgetItem(list_, {title});
  QFont font = item->font(0);
  font.setBold(true);
  item->setFont(0, font);
  item->setFirstColumnSpanned(true);
  return item;
}

void ShortcutSheet::add(const QString& title, const QString& keys, const QString& text) {
  new QTreeWidgetItem(group(title), {text, keys});
}

void ShortcutSheet::fill(KeyBindings* bindings) {
  for (const KeyBindings::Command& each : bindings->commands()) {
    const auto keys = each.action->shortcuts();
    if (keys.isEmpty()) continue;
    add(each.group, QKeySequence::listToString(keys, QKeySequence::NativeText), each.text);
  }
  const QString maps = tr("In the maps");
  add(maps, tr("Wheel"), tr("Zoom the steps"));
  add(maps, tr("Ctrl+Wheel"), tr("Zoom both axes"));
  add(maps, tr("Alt+Wheel"), tr("Zoom the addresses"));
  add(maps, tr("Shift+Wheel, drag"), tr("Pan"));
  add(maps, tr("W, A, S, D"), tr("Zoom and pan"));
  add(maps, tr("Right, Left, Up, Down"), tr("Walk the blocks"));
  add(maps, tr("Tab"), tr("On to what comes after the map"));
  list_->expandAll();
}

void ShortcutSheet::showFiltered() {
  const QString wanted = filter_->text().trimmed();
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* top = list_->topLevelItem(i);
    int shown = 0;
    for (int row = 0; row < top->childCount(); ++row) {
      const QTreeWidgetItem* item = top->child(row);
      const bool hit = item->text(0).contains(wanted, Qt::CaseInsensitive) ||
                       item->text(1).contains(wanted, Qt::CaseInsensitive);
      top->child(row)->setHidden(!hit);
      shown += hit ? 1 : 0;
    }
    top->setHidden(shown == 0);
  }
}

}  // namespace hw
