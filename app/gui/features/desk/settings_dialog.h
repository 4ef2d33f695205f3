#pragma once

#include <QDialog>
#include <QTabWidget>

namespace hw {

class FileWatch;
class KeyBindings;
class MainWindow;
class Preferences;

/// The settings. Each is carried out when it is changed: what it does can be seen behind the
/// dialog.
class SettingsDialog : public QDialog {
  Q_OBJECT

 public:
  SettingsDialog(Preferences* preferences, KeyBindings* keys, FileWatch* watch, MainWindow* window);

  QTabWidget* tabs() const { return tabs_; }

 private:
  QWidget* appearancePage(Preferences* preferences);
  QWidget* planningPage(Preferences* preferences);
  QWidget* startPage(MainWindow* window, FileWatch* watch);

  QTabWidget* tabs_;
};

}  // namespace hw
