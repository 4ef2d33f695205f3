#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QTreeWidget>
#include <string_view>

#include "app/gui/features/desk/keys.h"

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

/// The text of the licence the program comes under. Written into the program by CMake.
std::string_view licenceText();

/// The program, the libraries that it is made with and their licences, and the text of
/// its own.
class AboutDialog : public QDialog {
  Q_OBJECT

 public:
  explicit AboutDialog(QWidget* parent = nullptr);
};

class KeyBindings;

}  // namespace hw
