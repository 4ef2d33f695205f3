#pragma once

#include <QDialog>
#include <QFont>
#include <QObject>
#include <QTabWidget>

#include "app/gui/request/settings.h"
#include "widgets/text/run_text.h"

namespace hw {

class FileWatch;
class KeyBindings;
class MainWindow;

/// The settings of the dialog, and what they mean for the window: carried out at once, kept, and
/// carried out again when the studio starts.
class Preferences : public QObject {
  Q_OBJECT

 public:
  /// Of the text, in percent of what the desktop says.
  static constexpr int kLeastText = 70;
  static constexpr int kMostText = 200;

  Preferences(MainWindow* window, KeyBindings* keys, FileWatch* watch);

  ThemeChoice theme() const;
  void setTheme(ThemeChoice theme);
  bool reducedMotion() const;
  void setReducedMotion(bool reduced);
  int textPercent() const;
  void setTextPercent(int percent);
  static QString addressStyleText(AddressStyle style);
  TextUnits units() const;
  void setUnits(const TextUnits& units);
  /// Defaults of planning when nothing else was said: as the command line takes them.
  QString allocator() const;
  void setAllocator(const QString& allocator);
  QString platform() const;
  void setPlatform(const QString& platform);

 private:
  void addCommands(KeyBindings* keys, FileWatch* watch);
  void addAddressStyles();
  void applyText();
  void applyDefaults();
  QString valueOf(const char* key) const;

  MainWindow* window_;
  QFont desktopFont_;
};

/// The settings. Each is carried out when it is changed: what it does can be seen behind the
/// dialog.
class SettingsDialog : public QDialog {
  Q_OBJECT

 public:
  SettingsDialog(Preferences* preferences, KeyBindings* keys, FileWatch* watch, MainWindow* window);

 private:
  QWidget* appearancePage(Preferences* preferences);
  QWidget* planningPage(Preferences* preferences);
  QWidget* startPage(MainWindow* window, FileWatch* watch);

  QTabWidget* tabs_;
};

}  // namespace hw
