#include <QFileInfo>
#include <QObject>
#include <map>

#include "app/gui/features/panels/panels.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/exchange/onnx/part_file.h"
#include "core/files/file.h"
#include "core/report/explain/runtime_shrink_report.h"
#include "core/shrink/c/c_file.h"
#include "core/shrink/ort/ort_shrink.h"
#include "core/shrink/tflm/row_file.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

/// A model in a file that is shrunk, and the file for it.
struct RunnableFiles {
  std::string path{};
  std::string target{};
  std::map<std::string, std::int64_t> dimensions{};  ///< Of ONNX, that the file leaves free.
};

/// The model, shrunk for what the ending of the target says.
Result<RuntimeShrink> shrinkFor(const RunnableFiles& files, RuntimeSearchOptions options) {
  constexpr std::int64_t kPointer = 4;  // Of microcontrollers.
  HW_TRY(bytes, readFile(files.path, kMostModelBytes));
  if (files.target.ends_with(".onnx")) {
    HW_TRY(source, onnxSource(bytes, files.dimensions));
    HW_DO(checkBeside(source, files.path, files.target));
    return shrinkForOrt(source, options);
  }
  const bool isC = files.target.ends_with(".c");
  options.ascending = !isC;  // CMSIS-NN's kernels are not known to be.
  HW_TRY(names, cFileNames(isC ? files.target : "net.c", files.path));
  return isC ? shrinkForC(bytes, names, options) : shrinkForTflm(bytes, kPointer, options);
}

Result<RuntimeShrink> writeRunnable(const RunnableFiles& files,
                                    const RuntimeSearchOptions& options) {
  HW_TRY(made, shrinkFor(files, options));
  if (made.stopped) return fail(ErrorCode::stopped, "the search was stopped");
  for (const auto& [file, text] : made.filesAt(files.target)) {
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
        tr("Operators in parts, for an unmodified tflite-micro or ONNX Runtime, or as C"));
    connect(panel, &ShrinkPanel::saveWanted, save, &QAction::trigger);
  }

 private:
  void choose() {
    const auto run = window_->state()->run();
    const QString path = QString::fromStdString(run->model->path);
    if (!isForRuntimes(run->model->format) || !QFileInfo(path).isFile()) {
      return window_->messages()->showError(
          tr("A model that runs is made of a TFLite or ONNX file, and %1 is none.")
              .arg(viewText(printable(run->model->name, 60))));
    }
    const bool isOnnx = run->model->format == "onnx";
    const QString kinds =
        isOnnx ? tr("ONNX file for ONNX Runtime (*.onnx)")
               : tr("TFLite file for tflite-micro (*.tflite);;C99 that calls kernels (*.c)");
    const QString file =
        window_->chooseTarget(tr("Save a model that runs in less memory"),
                              QFileInfo(path).completeBaseName() + QLatin1String(".small"), kinds,
                              isOnnx ? QStringLiteral("onnx") : QStringLiteral("tflite"));
    if (file.isEmpty()) return;
    if (QFileInfo(file) == QFileInfo(path)) {
      return window_->messages()->showError(tr("%1 is the model itself.").arg(file));
    }
    write({path.toStdString(), file.toStdString(), window_->request().import.dimensions});
  }

  void write(const RunnableFiles& files) {
    job_.start(
        [files, threads = window_->request().threads](const JobContext& context) {
          RuntimeSearchOptions options{.threads = threads, .stop = context.stop};
          if (context.progress) {
            options.progress = [&](double done, Bytes least) {
              context.progress(done, formatBytes(least));
            };
          }
          return writeRunnable(files, options);
        },
        [this, file = QString::fromStdString(files.target)](const Result<RuntimeShrink>& made) {
          return sayWritten(file, made);
        });
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
    // A height that is left free would have to be bound again.
    if (made->kind != RuntimeKind::c && made->best().freed.empty()) {
      ways.push_back({.button = tr("Open it"),
                      .act = [this, file](const QPoint&) { window_->openModel(file); }});
      ways.push_back({.button = tr("Show it below"),
                      .act = [this, file](const QPoint&) { Q_EMIT window_->belowWanted(file); }});
    }
    QString said = tr("Saved to %1: %2.").arg(file, what);
    for (const std::string& remark : runtimeShrinkRemarks(*made)) {
      said += QStringLiteral("\n\u2013 ") + QString::fromStdString(printable(remark, 400));
    }
    window_->messages()->showNote(said, ways);
    return {JobState::done, what};
  }

  MainWindow* window_;
  Job job_;
};

void addRunnable(MainWindow* window, ShrinkPanel* panel) { new RunnableFeature(window, panel); }

}  // namespace hw
