#pragma once

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QList>
#include <QObject>
#include <QPushButton>
#include <QTableWidget>

namespace hw {

class MainWindow;

/// The keys of all commands: what they are by default, and what the user made of them, which is
/// kept in the settings. A key belongs to one command at a time.
class KeyBindings : public QObject {
  Q_OBJECT

 public:
  struct Command {
    QAction* action = nullptr;
    QString text{};   ///< Without mnemonics.
    QString group{};  ///< The menu it is in.
    QList<QKeySequence> standard{};
  };

  explicit KeyBindings(MainWindow* window);

  /// All commands that have a name, in the order of the menus. The first time it is called after a
  /// command was added, that gets the keys which the user chose.
  const QList<Command>& commands();
  /// The command besides `except` that `keys` belong to, or begin the keys of; null when free.
  const Command* holder(const QKeySequence& keys, const QAction* except);
  /// Gives `action` these keys alone; none is a choice too.
  void bind(QAction* action, const QList<QKeySequence>& keys);
  bool isChanged(const Command& command) const;
  void reset(const Command& command);
  void resetAll();

 Q_SIGNALS:
  void changed();

 private:
  void collect(const QMenu* menu, const QString& group);

  MainWindow* window_;
  QList<Command> commands_;
};

/// A table of all commands with their keys, to search and to change. A key that another command has
/// is not taken silently: the page says whose it is and offers to take it away.
class KeysPage : public QWidget {
  Q_OBJECT

 public:
  enum Column { menu, command, keys, kColumns };

  explicit KeysPage(KeyBindings* bindings, QWidget* parent = nullptr);

  QTableWidget* table() const { return table_; }
  QLineEdit* filter() const { return filter_; }
  QString note() const { return note_->text(); }

  /// The act of the table when somebody has typed `keys` into a row.
  void assign(int row, const QKeySequence& keys);

 private:
  QWidget* buildButtons();
  void fill();
  void showRow(int row);
  void showFiltered();
  void showChosen();
  const KeyBindings::Command* commandAt(int row);

  KeyBindings* bindings_;
  QLineEdit* filter_;
  QTableWidget* table_;
  QLabel* note_;
  QPushButton* take_;
  QPushButton* clear_;
  QPushButton* reset_;
  QPushButton* resetAll_;
  int wantedRow_ = -1;  ///< That wants `wanted_`, which another command has; -1: none.
  QKeySequence wanted_;
};

}  // namespace hw
