#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QObject>
#include <memory>

#include "app/gui/features/scenario/scenario.h"
#include "app/gui/request/dimensions_dialog.h"
#include "app/gui/window/main_window.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "widgets/base/icons.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Samples and standard input as they are, files by their whole path.
QString rememberedName(const QString& name) {
  const bool special = name.startsWith(QLatin1String("samples:")) || name == QLatin1String("-");
  return special ? name : QFileInfo(name).absoluteFilePath();
}

}  // namespace

/// The things that can be opened: files, samples, recent models and their free dimensions, from the
/// File menu and the welcome page; platforms from files for the run form; and the head of the
/// Simulate menu: the transport's moves, planning again and cancelling it.
class FileFeature : public QObject {
 public:
  explicit FileFeature(MainWindow* window) : QObject(window), window_(window) {
    addCommands();
    addMoves();
    addPlanning();
    connect(window->welcome(), &WelcomePage::openWanted, this, &FileFeature::chooseFile);
    connect(window->welcome(), &WelcomePage::modelChosen, window, &MainWindow::openModel);
    connect(window, &MainWindow::shown, this, &FileFeature::rememberShown);
    connect(window, &MainWindow::belowWanted, this, &FileFeature::openBelow);
  }

 private:
  void addCommands() {
    QMenu* menu = window_->menu(MenuKind::file);
    window_
        ->addCommand(menu, "open", tr("&Open\u2026"), {QKeySequence::Open},
                     [this] { chooseFile(); })
        ->setIcon(glyphIcon(Glyph::open));
    window_
        ->addRunCommand(menu, "fileBelow", tr("Open another &below\u2026"), {},
                        [this] { chooseBelow(); })
        ->setStatusTip(
            tr("Plans another model with the same settings, and shows it below this one"));
    window_->jobs()->watch(&opening_);
    addSamples(menu);
    recent_ = menu->addMenu(tr("Open &recent"));
    fillRecent();
    menu->addSeparator();
    window_->addRunCommand(menu, "dimensions", tr("Free &dimensions\u2026"), {},
                           [this] { chooseDimensions(); });
    window_->addRunCommand(menu, "platformFile", tr("Platfor&m from a file\u2026"), {},
                           [this] { choosePlatform(); });
    menu->addSeparator();
  }

  void addSamples(QMenu* file) {
    QMenu* menu = file->addMenu(tr("Open &sample"));
    menu->setToolTipsVisible(true);
    std::vector<WelcomePage::Sample> cards;
    for (const SampleInfo& sample : sampleCatalog()) {
      const QString name = QString::fromStdString(sample.name);
      const QString summary = QString::fromStdString(sample.summary);
      QAction* action = menu->addAction(name);
      action->setToolTip(summary);
      connect(action, &QAction::triggered, window_,
              [this, name] { window_->openModel(QStringLiteral("samples:") + name); });
      cards.push_back({name, summary});
    }
    menu->setEnabled(!menu->isEmpty());
    window_->welcome()->setSamples(cards);
  }

  void addMoves() {
    QMenu* menu = window_->menu(MenuKind::simulate);
    for (QAction* move : window_->transport()->moves()) menu->addAction(move);
    const auto jump = [&](const char* name, const QString& text, int key, int ops) {
      window_->addRunCommand(menu, name, text, {QKeySequence(Qt::CTRL | key)},
                             [this, ops] { window_->player()->stepOps(ops); });
    };
    jump("opsBack", tr("Back 10 ops"), Qt::Key_Left, -10);
    jump("opsForward", tr("Forward 10 ops"), Qt::Key_Right, 10);
    menu->addSeparator();
  }

  void addPlanning() {
    QMenu* menu = window_->menu(MenuKind::simulate);
    PlanJob* job = window_->job();
    window_
        ->addRunCommand(menu, "planAgain", tr("Plan &again"), {QKeySequence(Qt::CTRL | Qt::Key_R)},
                        [this] { window_->planAgain(); })
        ->setIcon(glyphIcon(Glyph::refresh));
    QAction* cancel =
        window_->addCommand(menu, "cancelPlanning", tr("&Cancel planning"),
                            {QKeySequence(Qt::SHIFT | Qt::Key_Escape)}, [job] { job->stop(); });
    cancel->setIcon(glyphIcon(Glyph::cancel));
    const auto enable = [job, cancel] {
      cancel->setEnabled(job->isRunning());
      cancel->setToolTip(job->isRunning() ? tr("Keeps what is on show") : tr("Nothing is running"));
    };
    enable();
    connect(job, &Job::started, cancel, enable);
    connect(job, &Job::ended, cancel, enable);
  }

  void rememberShown() {
    const auto model = window_->state()->run()->model;
    if (shown_.lock() == model) return;  // Planned again.
    shown_ = model;
    const QString name = QString::fromStdString(window_->request().model);
    window_->settings()->addRecentModel(rememberedName(name));
    fillRecent();
  }

  void fillRecent() {
    const QStringList names = window_->settings()->recentModels();
    window_->welcome()->setRecent(names);
    recent_->clear();
    for (const QString& name : names) {
      connect(recent_->addAction(name), &QAction::triggered, window_,
              [this, name] { window_->openModel(name); });
    }
    recent_->setEnabled(!names.isEmpty());
    if (names.isEmpty()) return;
    recent_->addSeparator();
    connect(recent_->addAction(tr("Forget these")), &QAction::triggered, this, [this] {
      window_->settings()->clearRecentModels();
      fillRecent();
    });
  }

  void chooseFile() {
    const QString file = askForModel(tr("Open a model"));
    if (!file.isEmpty()) window_->openModel(file);
  }

  void chooseBelow() {
    const QString file = askForModel(tr("Open a model below this one"));
    if (!file.isEmpty()) openBelow(file);
  }

  void openBelow(const QString& file) {
    const auto above = window_->state()->run();
    opening_.start(
        [request = window_->requestFor(file)](const JobContext& context) {
          return openAndPlan(request, OptionTexts(), context);
        },
        [this, above, file](const auto& run) -> JobEnd {
          if (!run) {
            const QString why = QString::fromStdString(run.error().text());
            window_->messages()->showError(tr("Nothing to show below: %1: %2.").arg(file, why));
            return {JobState::failed, why};
          }
          if (window_->state()->run() == above) window_->showBelow(*run);
          return {};
        });
  }

  /// Empty: none was chosen.
  QString askForModel(const QString& title) {
    QStringList endings;
    QStringList filters;
    for (const ImporterInfo& importer : importerCatalog()) {
      endings.append(viewText(importer.endings));
      filters.append(QStringLiteral("%1 (%2)").arg(viewText(importer.summary), endings.back()));
    }
    filters.prepend(tr("Models (%1)").arg(endings.join(QLatin1Char(' '))));
    filters.append(tr("All files (*)"));
    Settings* settings = window_->settings();
    QString file = QFileDialog::getOpenFileName(window_, title, window_->startFolder(),
                                                filters.join(QStringLiteral(";;")));
    if (!file.isEmpty()) settings->setLastFolder(QFileInfo(file).absolutePath());
    return file;
  }

  void choosePlatform() {
    const QString file = QFileDialog::getOpenFileName(
        window_, tr("Take a platform from a file"), window_->startFolder(),
        tr("Platforms (*.toml *.ini *.json *.mpool);;All files (*)"));
    if (file.isEmpty()) return;
    const auto platform = openPlatform(file.toStdString());
    if (!platform) {
      window_->messages()->showError(
          tr("Cannot take the platform %1: %2.")
              .arg(file, QString::fromStdString(platform.error().text())));
      return;
    }
    // It comes with the sizes of its own.
    RunRequest request = window_->request();
    request.platform = *platform;
    request.l2 = request.l3 = {};
    window_->planWith(request);
  }

  void chooseDimensions() {
    RunRequest request = window_->request();
    DimensionsDialog dialog(*window_->state()->run()->model, request.import.dimensions, window_);
    if (dialog.exec() != QDialog::Accepted) return;
    request.import.dimensions = dialog.dimensions();
    window_->open(request);
  }

  Job opening_{tr("Opening below"), Job::Stopping::abandons};
  MainWindow* window_;
  QMenu* recent_ = nullptr;
  std::weak_ptr<const Model> shown_;
};

void addFiles(MainWindow* window) { new FileFeature(window); }

}  // namespace hw
