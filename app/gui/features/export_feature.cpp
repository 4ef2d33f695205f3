#include "app/gui/features/export_feature.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

#include "app/gui/report_file.h"
#include "core/base/text.h"
#include "widgets/icons.h"

namespace hw {

ExportFeature::ExportFeature(MainWindow* window) : QObject(window), window_(window) {
  addReportCommands();
  addPictureCommands();
}

void ExportFeature::addPictureCommands() {
  QMenu* file = window_->menu(MenuKind::file);
  QMenu* report = window_->menu(MenuKind::report);
  QAction* any = window_->needsRun(window_->addCommand(
      file, QStringLiteral("exportPicture"), tr("&Export picture\u2026"),
      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)}, [this] { choosePicture({}); }));
  any->setIcon(glyphIcon(Glyph::picture));
  any->setStatusTip(tr("PNG, SVG or PDF of a view, with a preview"));
  // Above "Quit", below what opens files.
  if (auto* quit = window_->findChild<QAction*>(QStringLiteral("quit"))) {
    file->removeAction(any);
    file->insertAction(quit, any);
    file->insertSeparator(quit);
  }
  const std::tuple<const char*, QString, PictureKind> kinds[] = {
      {"exportMap", tr("Export &map\u2026"), PictureKind::map},
      {"exportChart", tr("Export &chart\u2026"), PictureKind::chart},
      {"exportNow", tr("Export memory &now\u2026"), PictureKind::now},
      {"exportLanes", tr("Export &lanes of the machine\u2026"), PictureKind::lanes},
      {"exportViews", tr("Export all &views\u2026"), PictureKind::views},
      {"exportCompared", tr("Export the c&omparison's picture\u2026"), PictureKind::compare},
      {"exportWindow", tr("Export &window\u2026"), PictureKind::window}};
  for (const auto& [name, text, kind] : kinds) {
    QAction* action = window_->addCommand(report, QString::fromLatin1(name), text, {},
                                          [this, kind = kind] { choosePicture(kind); });
    action->setIcon(glyphIcon(Glyph::picture));
    window_->needsRun(action);
  }
}

void ExportFeature::addReportCommands() {
  QMenu* menu = window_->menu(MenuKind::report);
  QAction* action = window_->needsRun(
      window_->addCommand(menu, QStringLiteral("exportReport"), tr("Export &report\u2026"),
                          {QKeySequence::Print}, [this] { chooseReport(); }));
  action->setStatusTip(tr("HTML, PDF, Markdown, JSON or CSV, with the comparison if there is one"));
  menu->addSeparator();
}

QString ExportFeature::suggestedPath(const QString& ending) const {
  QString name = QString::fromStdString(printable(window_->state()->run()->model->name, 60));
  name.replace(QLatin1Char('/'), QLatin1Char('-'));
  return window_->settings()->lastFolder() + QLatin1Char('/') + name + QLatin1Char('.') + ending;
}

void ExportFeature::choosePicture(std::optional<PictureKind> kind) {
  const auto make = [this](const PictureStyle& style) {
    return window_->picture(style, window_->shownSize(style.kind));
  };
  ExportDialog dialog(kind, make, window_->settings(), window_);
  if (dialog.exec() != QDialog::Accepted) return;
  const QString ending = dialog.format();
  QString file =
      QFileDialog::getSaveFileName(window_, tr("Export a picture"), suggestedPath(ending),
                                   QStringLiteral("%1 (*.%2)").arg(ending.toUpper(), ending));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QLatin1Char('.') + ending;
  writePictureTo(dialog.style(), file);
}

void ExportFeature::writePictureTo(const PictureStyle& style, const QString& file) {
  say(file, writePicture(window_->picture(style, window_->shownSize(style.kind)), file));
}

void ExportFeature::chooseReport() {
  const QStringList filters = {tr("Web page, one file (*.html)"), tr("PDF (*.pdf)"),
                               tr("Markdown (*.md)"), tr("JSON, exact numbers (*.json)"),
                               tr("CSV, one row an op (*.csv)")};
  const QString last = window_->settings()->remembered(QStringLiteral("export/report"));
  const QString ending = last.isEmpty() ? QStringLiteral("html") : last;
  QString chosen;
  for (const QString& filter : filters) {
    if (filter.contains(QStringLiteral("*.") + ending)) chosen = filter;
  }
  QString file = QFileDialog::getSaveFileName(window_, tr("Export a report"), suggestedPath(ending),
                                              filters.join(QStringLiteral(";;")), &chosen);
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) {
    file += chosen.mid(chosen.lastIndexOf(QStringLiteral(".")), chosen.size()).chopped(1);
  }
  window_->settings()->remember(QStringLiteral("export/report"), QFileInfo(file).suffix());
  writeReportTo(file);
}

void ExportFeature::writeReportTo(const QString& file) {
  const auto run = window_->state()->run();
  if (!run) return;
  const auto comparison = window_->comparison()->comparison();
  const std::string command = reportCommand(window_->request(), comparison.get(), file);
  Q_EMIT reportStarted(file);
  writing_.start(
      false,
      [run, comparison, command, file] {
        return writeReport(*run, comparison.get(), command, file);
      },
      [this, file](const Result<void>& written) {
        Q_EMIT reportFinished(file,
                              written ? QString() : QString::fromStdString(written.error().text()));
        say(file, written);
      });
}

void ExportFeature::say(const QString& file, const Result<void>& written) {
  if (!written) {
    window_->messages()->showError(
        tr("Nothing was exported: %1.").arg(QString::fromStdString(written.error().text())));
    return;
  }
  window_->settings()->setLastFolder(QFileInfo(file).absolutePath());
  window_->messages()->showNote(tr("Exported to %1.").arg(file));
}

}  // namespace hw
