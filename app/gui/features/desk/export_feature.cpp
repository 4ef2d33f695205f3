#include "app/gui/features/desk/export_feature.h"

#include <QApplication>
#include <QFileInfo>
#include <QMenu>
#include <QProgressDialog>
#include <QThread>
#include <algorithm>

#include "app/gui/output/report_file.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "widgets/base/icons.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/text/text.h"

namespace hw {

ExportFeature::ExportFeature(MainWindow* window, ComparePanel* comparison)
    : QObject(window), window_(window), comparison_(comparison) {
  window->jobs()->watch(&saving_);
  window->jobs()->watch(&writing_);
  addPlanCommand();
  addReportCommands();
  addPictureCommands();
}

void ExportFeature::addPlanCommand() {
  window_
      ->addRunCommand(window_->menu(MenuKind::file), "savePlan", tr("Sa&ve plan\u2026"),
                      {QKeySequence::Save}, [this] { choosePlan(); })
      ->setStatusTip(tr("JSON, CSV, a C header, events, traces: all that the command line writes"));
}

void ExportFeature::choosePlan() {
  const auto run = window_->state()->run();
  std::vector<const ExporterInfo*> formats;
  QStringList filters;
  for (const ExporterInfo& format : exporterCatalog()) {
    if (!format.applies(*run)) continue;
    formats.push_back(&format);
    filters.append(
        QStringLiteral("%1 (*%2)").arg(titleText(format.summary), viewText(format.ending)));
  }
  QString taken;
  const QString file = window_->chooseTarget(tr("Save the plan"), suggestedName(),
                                             filters.join(QStringLiteral(";;")),
                                             viewText(formats.front()->ending).mid(1), &taken);
  if (file.isEmpty()) return;
  // The format is that of the name's ending; of several such formats the one that was chosen.
  const auto endsLike = [&](const ExporterInfo* format) {
    return viewText(format->ending).endsWith(QLatin1Char('.') + QFileInfo(file).suffix());
  };
  const qsizetype chosen = std::max<qsizetype>(0, filters.indexOf(taken));
  const ExporterInfo* format = formats[static_cast<std::size_t>(chosen)];
  if (!endsLike(format)) {
    const auto like = std::ranges::find_if(formats, endsLike);
    if (like == formats.end()) {
      const QString said = tr("the ending of %1 says no format").arg(file);
      return window_->sayExported(file, fail(ErrorCode::invalidArgument, said.toStdString()));
    }
    format = *like;
  }
  writePlanTo(*format, file);
}

void ExportFeature::writePlanTo(const ExporterInfo& format, const QString& file) {
  const auto run = window_->state()->run();
  if (!run) return;
  saving_.start(
      [run, write = format.write, file](const JobContext& context) -> Result<void> {
        context.progress(0, file.toStdString());
        HW_TRY(out, OutputFile::open(file.toStdString()));
        HW_DO(write(*run, out.stream()));
        return out.commit();
      },
      [this, file](const Result<void>& written) { return sayWritten(file, written); });
}

JobEnd ExportFeature::sayWritten(const QString& file, const Result<void>& written) {
  window_->sayExported(file, written);
  if (!written) return {JobState::failed, QString::fromStdString(written.error().text())};
  return {JobState::done, file};
}

void ExportFeature::addPictureCommands() {
  QMenu* file = window_->menu(MenuKind::file);
  QMenu* report = window_->menu(MenuKind::report);
  QAction* any = window_->addRunCommand(file, "exportPicture", tr("&Export picture\u2026"),
                                        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
                                        [this] { choosePicture({}); });
  any->setIcon(glyphIcon(Glyph::picture));
  any->setStatusTip(tr("PNG, SVG, PDF or WebP of a view, with a preview"));
  const std::tuple<const char*, QString, PictureKind> kinds[] = {
      {"exportMap", tr("Export &map\u2026"), PictureKind::map},
      {"exportChart", tr("Export &chart\u2026"), PictureKind::chart},
      {"exportNow", tr("Export memory &now\u2026"), PictureKind::now},
      {"exportLanes", tr("Export &lanes of the machine\u2026"), PictureKind::lanes},
      {"exportConflicts", tr("Export conflicts of buffers\u2026"), PictureKind::conflicts},
      {"exportViews", tr("Export all &views\u2026"), PictureKind::views},
      {"exportCompared", tr("Export the c&omparison's picture\u2026"), PictureKind::compare},
      {"exportWindow", tr("Export &window\u2026"), PictureKind::window}};
  for (const auto& [name, text, kind] : kinds) {
    QAction* action = window_->addRunCommand(report, name, text, {},
                                             [this, kind = kind] { choosePicture(kind); });
    action->setIcon(glyphIcon(Glyph::picture));
  }
}

void ExportFeature::addReportCommands() {
  QMenu* menu = window_->menu(MenuKind::report);
  QAction* action = window_->addRunCommand(menu, "exportReport", tr("Export &report\u2026"),
                                           {QKeySequence::Print}, [this] { chooseReport(); });
  action->setStatusTip(tr("HTML, PDF, Markdown, JSON or CSV, with the comparison if there is one"));
  menu->addSeparator();
}

QString ExportFeature::suggestedName() const {
  QString name = QString::fromStdString(printable(window_->state()->run()->model->name, 60));
  return name.replace(QLatin1Char('/'), QLatin1Char('-'));
}

void ExportFeature::choosePicture(std::optional<PictureKind> kind) {
  const auto make = [this](const PictureStyle& style) {
    return window_->picture(style, window_->shownSize(style.kind));
  };
  ExportDialog dialog(kind, make, window_->settings(), window_);
  if (dialog.exec() != QDialog::Accepted) return;
  const QString ending = dialog.format();
  const QString file =
      window_->chooseTarget(tr("Export a picture"), suggestedName(),
                            QStringLiteral("%1 (*.%2)").arg(ending.toUpper(), ending), ending);
  if (!file.isEmpty()) writePictureTo(dialog.style(), file);
}

/// In the window's own thread, as its views are drawn there: a dialog shows how far it is.
void ExportFeature::writeMovingTo(const PictureStyle& style, const QString& file) {
  constexpr int kParts = 1000;
  QProgressDialog shown(tr("Drawing every step"), tr("Stop"), 0, kParts, window_);
  shown.setWindowModality(Qt::WindowModal);
  const auto written =
      window_->writePicture(style, window_->shownSize(style.kind), file, [&](double done) {
        shown.setValue(qRound(done * kParts));
        QApplication::processEvents();
        return !shown.wasCanceled();
      });
  if (!written && written.error().code == ErrorCode::stopped) return;
  window_->sayExported(file, written);
}

void ExportFeature::writePictureTo(const PictureStyle& style, const QString& file) {
  if (isMoving(file)) return writeMovingTo(style, file);
  window_->sayExported(file,
                       writePicture(window_->picture(style, window_->shownSize(style.kind)), file));
}

void ExportFeature::chooseReport() {
  const QStringList filters = {tr("Web page, one file (*.html)"), tr("PDF (*.pdf)"),
                               tr("Markdown (*.md)"), tr("JSON, exact numbers (*.json)"),
                               tr("CSV, one row an op (*.csv)")};
  const QString last = window_->settings()->remembered(QStringLiteral("export/report"));
  const QString file = window_->chooseTarget(tr("Export a report"), suggestedName(),
                                             filters.join(QStringLiteral(";;")),
                                             last.isEmpty() ? QStringLiteral("html") : last);
  if (file.isEmpty()) return;
  window_->settings()->remember(QStringLiteral("export/report"), QFileInfo(file).suffix());
  writeReportTo(file);
}

void ExportFeature::writeReportTo(const QString& file) {
  const auto run = window_->state()->run();
  if (!run) return;
  const auto comparison = comparison_->reported();
  writing_.start(
      [run, comparison, axis = window_->state()->axis(),
       file](const JobContext& context) -> Result<void> {
        context.progress(0, file.toStdString());
        if (!comparison) return writeReport(*run, nullptr, axis, file);
        RunRequest request = run->request;
        request.threads = std::max(1, QThread::idealThreadCount());
        const Comparison now = compareAgain(*comparison, request, context);
        if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "stopped");
        return writeReport(*run, &now, axis, file);
      },
      [this, file](const Result<void>& written) -> JobEnd {
        if (!written && written.error().code == ErrorCode::stopped) return {JobState::stopped, {}};
        return sayWritten(file, written);
      });
}

}  // namespace hw
