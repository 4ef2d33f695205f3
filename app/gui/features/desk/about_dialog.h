#pragma once

#include <QDialog>
#include <string_view>

namespace hw {

/// The text of the licence the program comes under. Written into the program by CMake.
std::string_view licenceText();

/// What the program is, which libraries it is made with and under which licences, and the text of
/// its own.
class AboutDialog : public QDialog {
  Q_OBJECT

 public:
  explicit AboutDialog(QWidget* parent = nullptr);
};

class KeyBindings;
class MainWindow;

/// The Help menu.
void addHelp(MainWindow* window, KeyBindings* keys);

}  // namespace hw
