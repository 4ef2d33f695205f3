#pragma once

#include <QObject>

#include "app/gui/output/export_dialog.h"
#include "app/gui/window/main_window.h"
#include "widgets/jobs/job.h"

namespace hw {

class ComparePanel;

/// Pictures and reports as files: File > Export picture…, one entry a view, and Report > Export
/// report….
class ExportFeature : public QObject {
  Q_OBJECT

 public:
  ExportFeature(MainWindow* window, ComparePanel* comparison);

  /// Writes what `style` asks for and says so in the window.
  void writePictureTo(const PictureStyle& style, const QString& file);
  /// The same with a report, in the background; with the comparison if there is one, which is made
  /// anew if the settings are others by now.
  void writeReportTo(const QString& file);
  bool isWriting() const { return writing_.isRunning(); }

 private:
  void addPictureCommands();
  void addReportCommands();
  void choosePicture(std::optional<PictureKind> kind);
  void chooseReport();
  QString suggestedName() const;

  MainWindow* window_;
  ComparePanel* comparison_;
  Job writing_{tr("Writing a report"), Job::Stopping::abandons};
};

}  // namespace hw
