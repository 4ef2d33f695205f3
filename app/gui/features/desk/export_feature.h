#pragma once

#include <QObject>

#include "app/gui/output/export_dialog.h"
#include "app/gui/window/main_window.h"
#include "core/report/exporter.h"
#include "widgets/jobs/job.h"

namespace hw {

class ComparePanel;

/// Plans, pictures and reports as files: File > Save plan… in every format of the command line,
/// File > Export picture…, one entry a view, and Report > Export report….
class ExportFeature : public QObject {
  Q_OBJECT

 public:
  ExportFeature(MainWindow* window, ComparePanel* comparison);

  /// Writes what `style` asks for and says so in the window.
  void writePictureTo(const PictureStyle& style, const QString& file);
  /// The same with the plan on show, in the background.
  void writePlanTo(const ExporterInfo& format, const QString& file);
  /// The same with a report, in the background; with the comparison if there is one, which is made
  /// anew if the settings are others by now.
  void writeReportTo(const QString& file);
  bool isWriting() const { return writing_.isRunning() || saving_.isRunning(); }

 private:
  void addPlanCommand();
  void addPictureCommands();
  void addReportCommands();
  void writeMovingTo(const PictureStyle& style, const QString& file);
  void choosePlan();
  void choosePicture(std::optional<PictureKind> kind);
  void chooseReport();
  QString suggestedName() const;

  MainWindow* window_;
  ComparePanel* comparison_;
  JobEnd sayWritten(const QString& file, const Result<void>& written);
  Job saving_{tr("Saving a plan"), Job::Stopping::abandons};
  Job writing_{tr("Writing a report"), Job::Stopping::abandons};
};

}  // namespace hw
