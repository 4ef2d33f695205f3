#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QTreeWidget>

#include "app/gui/features/desk/key_bindings.h"

namespace hw {

/// All keys as they are bound now, by menu, and what the mouse does; to search.
class ShortcutSheet : public QDialog {
  Q_OBJECT

 public:
  explicit ShortcutSheet(KeyBindings* bindings, QWidget* parent = nullptr);

  QLineEdit* filter() const { return filter_; }
  QTreeWidget* list() const { return list_; }

 private:
  void fill(KeyBindings* bindings);
  void showFiltered();
  QTreeWidgetItem* group(const QString& title);
  void add(const QString& group, const QString& keys, const QString& text);

  QLineEdit* filter_;
  QTreeWidget* list_;
};

}  // namespace hw
