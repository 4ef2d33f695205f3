#pragma once

#include <QObject>

#include "app/gui/export_dialog.h"
#include "app/gui/main_window.h"
#include "widgets/jobs/background.h"

namespace hw {

/// Pictures and reports as files: File > Export picture…, one entry a view, and Report > Export
/// report….
class ExportFeature : public QObject {
  Q_OBJECT

 public:
  explicit ExportFeature(MainWindow* window);

  /// Writes what `style` asks for and says so in the window.
  void writePictureTo(const PictureStyle& style, const QString& file);
  /// The same with a report, in the background; with the comparison if there is one.
  void writeReportTo(const QString& file);
  bool isWriting() const { return writing_.isRunning(); }

 Q_SIGNALS:
  void reportStarted(const QString& file);
  /// `error` is empty when it was written.
  void reportFinished(const QString& file, const QString& error);

 private:
  void addPictureCommands();
  void addReportCommands();
  void choosePicture(std::optional<PictureKind> kind);
  void chooseReport();
  QString suggestedPath(const QString& ending) const;
  void say(const QString& file, const Result<void>& written);

  MainWindow* window_;
  Background<Result<void>> writing_;
};

}  // namespace hw
