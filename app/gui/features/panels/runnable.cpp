#include <QFileInfo>
#include <QObject>

#include "app/gui/features/panels/panels.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "core/report/explain/runtime_shrink_report.h"
#include "core/shrink/c/c_file.h"
#include "core/shrink/tflm/row_file.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

/// The model at `path`, shrunk for what the ending of `target` says, is written there.
Result<RuntimeShrink> writeRunnable(const std::string& path, const std::string& target,
                                    RuntimeSearchOptions options) {
  constexpr std::int64_t kPointer = 4;  // Of microcontrollers.
  HW_TRY(bytes, readFile(path, kMostModelBytes));
  const bool isC = target.ends_with(".c");
  options.ascending = !isC;  // CMSIS-NN's kernels are not known to be.
  HW_TRY(names, cFileNames(isC ? target : "net.c", path));
  HW_TRY(made, isC ? shrinkForC(bytes, names, options) : shrinkForTflm(bytes, kPointer, options));
  if (made.stopped) return fail(ErrorCode::stopped, "the search was stopped");
  for (const auto& [file, text] : made.filesAt(target)) {
    HW_TRY(out, OutputFile::open(file));
    out.stream() << *text;
    HW_DO(out.commit());
  }
  return std::move(made);
}

}  // namespace

/// Writes the model on show as one that a runtime runs in a smaller arena: operators in parts.
class RunnableFeature : public QObject {
 public:
  explicit RunnableFeature(MainWindow* window, ShrinkPanel* panel)
      : QObject(window),
        window_(window),
        job_(tr("Shrinking for a runtime"), Job::Stopping::abandons, this) {
    window->jobs()->watch(&job_);
    QAction* save =
        window->addRunCommand(window->menu(MenuKind::file), "saveRunnable",
                              tr("Save a model that r&uns\u2026"), {}, [this] { choose(); });
    save->setStatusTip(
        tr("Operators in parts, for an unmodified tflite-micro or as C: the arena gets smaller"));
    connect(panel, &ShrinkPanel::saveWanted, save, &QAction::trigger);
  }

 private:
  void choose() {
    const auto run = window_->state()->run();
    const QString path = QString::fromStdString(run->model->path);
    if (run->model->format != "tflite" || !QFileInfo(path).isFile()) {
      return window_->messages()->showError(
          tr("A model that runs is made of a TFLite file, and %1 is none.")
              .arg(viewText(printable(run->model->name, 60))));
    }
    const QString file = window_->chooseTarget(
        tr("Save a model that runs in less memory"),
        QFileInfo(path).completeBaseName() + QLatin1String(".small"),
        tr("TFLite file for tflite-micro (*.tflite);;C99 that calls kernels (*.c)"),
        QStringLiteral("tflite"));
    if (file.isEmpty()) return;
    if (QFileInfo(file) == QFileInfo(path)) {
      return window_->messages()->showError(tr("%1 is the model itself.").arg(file));
    }
    write(path, file);
  }

  void write(const QString& path, const QString& file) {
    job_.start(
        [path = path.toStdString(), file = file.toStdString(),
         threads = window_->request().threads](const JobContext& context) {
          RuntimeSearchOptions options{.threads = threads, .stop = context.stop};
          if (context.progress) {
            options.progress = [&](double done, Bytes least) {
              context.progress(done, "arena of " + formatBytes(least));
            };
          }
          return writeRunnable(path, file, options);
        },
        [this, file](const Result<RuntimeShrink>& made) { return sayWritten(file, made); });
  }

  JobEnd sayWritten(const QString& file, const Result<RuntimeShrink>& made) {
    if (!made) {
      const QString why = QString::fromStdString(made.error().text());
      window_->messages()->showError(tr("Nothing was saved: %1.").arg(why));
      return {JobState::failed, why};
    }
    window_->settings()->setLastFolder(QFileInfo(file).absolutePath());
    const QString what = QString::fromStdString(runtimeShrinkSummary(*made));
    std::vector<MessageBar::Offer> ways;
    if (file.endsWith(QLatin1String(".tflite"))) {
      ways.push_back({.button = tr("Open it"),
                      .act = [this, file](const QPoint&) { window_->openModel(file); }});
    }
    window_->messages()->showNote(tr("Saved to %1: %2.").arg(file, what), ways);
    return {JobState::done, what};
  }

  MainWindow* window_;
  Job job_;
};

void addRunnable(MainWindow* window, ShrinkPanel* panel) { new RunnableFeature(window, panel); }

}  // namespace hw
