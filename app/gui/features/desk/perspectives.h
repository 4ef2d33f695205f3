#pragma once

#include <QMenu>
#include <QObject>

namespace hw {

class MainWindow;

/// Arrangements of the panels for one kind of work: four that come with the studio, and the user's
/// own, which are kept in the settings.
class Perspectives : public QObject {
  Q_OBJECT

 public:
  explicit Perspectives(MainWindow* window);

  /// The user's own, by name.
  QStringList own() const;
  /// Keeps the arrangement as it is now; one of the same name is replaced.
  void save(const QString& name);
  /// False when there is none of that name, or it was made by another version.
  bool show(const QString& name);
  void remove(const QString& name);

 private:
  struct BuiltIn {
    const char* name;  ///< Of its command.
    QString title{};
    QString toolTip{};
    QStringList docks{};   ///< That are shown; all others are hidden.
    QStringList raised{};  ///< Of those, the ones in front.
  };

  static QList<BuiltIn> builtIn();
  void show(const BuiltIn& perspective);
  void fillMenu();
  void askAndSave();
  void askAndRemove();

  MainWindow* window_;
  QMenu* menu_;
  QList<QAction*> ownEntries_;
};

}  // namespace hw
