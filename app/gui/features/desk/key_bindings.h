#pragma once

#include <QAction>
#include <QList>
#include <QObject>

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

}  // namespace hw
