#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QMessageBox>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

#include "app/gui/dimensions_dialog.h"
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

void MainWindow::exportPicture(PictureKind kind) {
  const QString name = QString::fromStdString(printable(state_.run()->model->name, 60));
  const QString file = QFileDialog::getSaveFileName(
      this, tr("Export a picture"), settings_->lastFolder() + QLatin1Char('/') + name,
      tr("PNG picture (*.png);;SVG drawing (*.svg)"));
  if (file.isEmpty()) return;
  const QSize shown = kind == PictureKind::window  ? size()
                      : kind == PictureKind::chart ? chart_->size()
                      : kind == PictureKind::now   ? now_->size()
                                                   : views_->size();
  const bool named = !QFileInfo(file).suffix().isEmpty();
  const auto written =
      writePicture(picture(kind, shown), named ? file : file + QStringLiteral(".png"));
  if (!written) {
    message_->showError(
        tr("Nothing was exported: %1.").arg(QString::fromStdString(written.error().text())));
    return;
  }
  message_->showNote(tr("Exported to %1.").arg(file));
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
}

void MainWindow::showShortcuts() {
  QDialog dialog(this);
  dialog.setObjectName(QStringLiteral("shortcutSheet"));
  dialog.setWindowTitle(tr("Shortcuts"));
  auto* table = new QTableWidget(&dialog);
  table->setColumnCount(2);
  table->setShowGrid(false);
  table->setEditTriggers(QTableWidget::NoEditTriggers);
  table->setSelectionMode(QTableWidget::NoSelection);
  table->verticalHeader()->hide();
  table->horizontalHeader()->hide();
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table->horizontalHeader()->setStretchLastSection(true);
  const auto add = [table](const QString& keys, const QString& text) {
    table->insertRow(table->rowCount());
    table->setItem(table->rowCount() - 1, 0, new QTableWidgetItem(keys));
    table->setItem(table->rowCount() - 1, 1, new QTableWidgetItem(text));
  };
  for (const QAction* action : findChildren<QAction*>()) {
    if (action->shortcut().isEmpty() || action->text().isEmpty()) continue;
    QString text = action->text();
    add(QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText),
        text.remove(QLatin1Char('&')).remove(QChar(0x2026)));
  }
  add(tr("Wheel"), tr("Zoom steps; with Ctrl both axes, with Alt addresses, with Shift pan"));
  add(tr("Drag"), tr("Pan the map"));
  add(tr("Tab, Up, Down"), tr("Walk the blocks of the map"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
  connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  auto* layout = new QVBoxLayout(&dialog);
  layout->addWidget(table);
  layout->addWidget(buttons);
  dialog.resize(560, 560);
  dialog.exec();
}

void MainWindow::showAbout() {
  QMessageBox::about(
      this, tr("About Highwater"),
      tr("<h3>Highwater %1</h3><p>Plans, simulates and shows the memory of neural networks.</p>"
         "<p>Free software under the GNU General Public License, version 3 or later. Built with "
         "Qt (LGPL) and Qt Charts (GPL), ONNX, Protocol Buffers, fmt, nlohmann-json, toml++, CLI11 "
         "and Boost.</p>")
          .arg(QStringLiteral(HIGHWATER_VERSION)));
}

}  // namespace hw
