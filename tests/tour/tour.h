#pragma once

#include <QDir>
#include <QTest>
#include <functional>

#include "app/gui/studio.h"

namespace hw::tour {

/// Drives a studio as a person does, with keys, clicks and menu commands, and photographs what is
/// on screen. Whatever does not work as the script of the tour expects is remembered as a problem.
class Tour {
 public:
  /// Photographs go to `folder`, which exists, as NN_NAME.png.
  Tour(Studio* window, QDir folder, QStringList models)
      : window_(window), folder_(std::move(folder)), models_(std::move(models)) {}

  /// Opens a model and waits for its plan.
  void open(const QString& model);
  /// Lets timers and workers do what they have begun, `milliseconds` at least.
  void settle(int milliseconds = 60);
  /// Waits until `done`; a problem after half a minute.
  void until(const QString& what, const std::function<bool()>& done);

  /// Triggers the command named `name`, as its menu entry does; a problem when it is missing or
  /// disabled.
  void command(const char* name);
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
  void type(const QString& text);
  /// Brings a panel to the front.
  void raise(const char* panel);
  /// Clicks the block of the first map that `name` fills.
  void clickTensor(const QString& name);

  /// The window as it is.
  void shot(const QString& name);
  /// The dialog that `act` opens, which is then closed with Escape.
  void shotOfDialog(const QString& name, const std::function<void()>& act);

  void problem(const QString& text);
  int problems() const { return problems_; }
  Studio* window() const { return window_; }
  /// Files of the user's to show as well.
  const QStringList& models() const { return models_; }

 private:
  void save(QWidget* what, const QString& name);

  Studio* window_;
  QDir folder_;
  QStringList models_;
  int shots_ = 0;
  int problems_ = 0;
};

/// The chapters, in order; each begins with opening what it needs.
struct Chapter {
  const char* title;
  std::function<void(Tour&)> play;
};
const std::vector<Chapter>& chapters();

}  // namespace hw::tour
