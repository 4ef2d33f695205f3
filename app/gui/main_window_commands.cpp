#include <QFileDialog>
#include <QFileInfo>
#include <cmath>

#include "app/gui/dimensions_dialog.h"
#include "app/gui/features/about_dialog.h"
#include "app/gui/features/shortcut_sheet.h"
#include "app/gui/main_window.h"
#include "core/base/text.h"

namespace hw {

void MainWindow::chooseFile() {
  QStringList endings;
  QStringList filters;
  for (const ImporterInfo& importer : importerCatalog()) {
    const QString ending =
        QString::fromUtf8(importer.endings.data(), static_cast<qsizetype>(importer.endings.size()));
    const QString summary =
        QString::fromUtf8(importer.summary.data(), static_cast<qsizetype>(importer.summary.size()));
    endings.append(ending);
    filters.append(QStringLiteral("%1 (%2)").arg(summary, ending));
  }
  filters.prepend(tr("Models (%1)").arg(endings.join(QLatin1Char(' '))));
  filters.append(tr("All files (*)"));
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open a model"), settings_->lastFolder(), filters.join(QStringLiteral(";;")));
  if (file.isEmpty()) return;
  settings_->setLastFolder(QFileInfo(file).absolutePath());
  openModel(file);
}

void MainWindow::choosePlatformFile() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Take a platform from a file"), settings_->lastFolder(),
                                   tr("Platforms (*.toml);;All files (*)"));
  if (file.isEmpty()) return;
  const auto platform = openPlatform(file.toStdString());
  if (!platform) {
    message_->showError(tr("Cannot take the platform %1: %2.")
                            .arg(file, QString::fromStdString(platform.error().text())));
    return;
  }
  runForm_->addPlatform(*platform);
}

void MainWindow::chooseDimensions() {
  if (!state_.run()) return;
  DimensionsDialog dialog(*state_.run()->model, request_.import.dimensions, this);
  if (dialog.exec() != QDialog::Accepted) return;
  RunRequest request = request_;
  request.import.dimensions = dialog.dimensions();
  open(request);
}

/// The first time shows the selection, the second time everything.
void MainWindow::focusThenFit() {
  const double begin = state_.visibleBegin();
  const double end = state_.visibleEnd();
  if (state_.selected()) {
    for (MapView* map : maps_) map->zoomToSelection();
    const bool moved = std::abs(state_.visibleBegin() - begin) > 1e-9 ||
                       std::abs(state_.visibleEnd() - end) > 1e-9;
    if (moved) return;
  }
  for (MapView* map : maps_) map->fit();
}

void MainWindow::clearSelection() {
  message_->hide();
  state_.select({});
  state_.selectOp({});
  state_.setFilter(nullptr);
  state_.markSteps({});
}

void MainWindow::showShortcuts() { ShortcutSheet(findChild<KeyBindings*>(), this).exec(); }

void MainWindow::showAbout() { AboutDialog(this).exec(); }

}  // namespace hw
