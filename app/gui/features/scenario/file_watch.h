#pragma once

#include <QFileSystemWatcher>
#include <QFrame>
#include <QLabel>
#include <QTimer>
#include <memory>

namespace hw {

class MainWindow;
struct Model;

/// Says when the file of the model on show has changed on disk, and offers to open it again, once
/// or always.
class FileWatch : public QFrame {
  Q_OBJECT

 public:
  enum class Mode { ask, always, off };

  explicit FileWatch(MainWindow* window);

  Mode mode() const;
  void setMode(Mode mode);
  QString text() const { return text_->text(); }

 private:
  void follow();
  void fileChanged();
  void decide();
  void reload();
  QString stamp() const;

  MainWindow* window_;
  QFileSystemWatcher watcher_;
  QTimer delay_{this};  ///< Writers take a moment, and often replace the file.
  QLabel* text_;
  QString path_;                        ///< Empty: nothing to watch.
  QString stamp_;                       ///< Of the file as it is on show.
  std::shared_ptr<const Model> model_;  ///< That was read when `stamp_` was taken.
};

}  // namespace hw
