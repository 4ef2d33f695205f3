#pragma once

#include <QMenu>
#include <QObject>
#include <memory>

namespace hw {

class MainWindow;
struct Model;

/// What can be opened: files, samples, recent models and their free dimensions, from the File menu
/// and the welcome page; platforms from files for the run form; and the head of the Simulate menu:
/// the transport's moves, planning again and cancelling it.
class FileFeature : public QObject {
  Q_OBJECT

 public:
  explicit FileFeature(MainWindow* window);

 private:
  void addCommands();
  void addSamples(QMenu* file);
  void addMoves();
  void addPlanning();
  void rememberShown();
  void fillRecent();
  void chooseFile();
  void choosePlatform();
  void chooseDimensions();

  MainWindow* window_;
  QMenu* recent_ = nullptr;
  std::weak_ptr<const Model> shown_;
};

}  // namespace hw
