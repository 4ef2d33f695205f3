#include <QObject>
#include <QPointer>

#include "app/gui/features/desk/desk.h"
#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/window/main_window.h"
#include "core/report/method/lesson.h"
#include "widgets/method/method_guide.h"
#include "widgets/text/text.h"

namespace hw {

/// Help > How the methods work, and trying one of them on the model on show.
class GuideFeature : public QObject {
 public:
  GuideFeature(MainWindow* window, ScenarioHistory* history)
      : QObject(window), window_(window), history_(history) {
    QAction* guide = window->addCommand(window->menu(MenuKind::help), "methodGuide",
                                        tr("How the &methods work"), {}, [this] { open(); });
    guide->setStatusTip(tr("Every allocator on a network that is small enough to follow by hand"));
    connect(window->state(), &ViewState::runChanged, this, &GuideFeature::showWhetherToTry);
    std::vector<WelcomePage::Sample> cards;
    for (const Lesson& lesson : lessons()) {
      cards.push_back({viewText(lesson.name), viewText(lesson.title)});
    }
    window->welcome()->setLessons(cards);
    connect(window->welcome(), &WelcomePage::lessonChosen, this, [this](const QString& allocator) {
      open();
      guide_->showLesson(allocator);
    });
  }

 private:
  void open() {
    if (!guide_) {
      guide_ = new MethodGuide(window_);
      guide_->resize(guide_->size().boundedTo(window_->size()));
      connect(guide_->page(), &LessonView::tryWanted, this, &GuideFeature::tryOn);
      showWhetherToTry();
    }
    const auto run = window_->state()->run();
    const AllocatorInfo* info = run ? run->request.allocator.info : nullptr;
    if (info && !guide_->isVisible()) guide_->showLesson(viewText(info->name));
    guide_->show();
    guide_->raise();
    guide_->activateWindow();
  }

  /// Planned and on show, it plays in the Method panel.
  void tryOn(const QString& allocator) {
    const auto run = window_->state()->run();
    const auto choice = AllocatorChoice::parse(allocator.toStdString());
    if (!run || !choice) return;
    const bool there = run->request.allocator.info == choice->info && !window_->job()->isRunning();
    if (!there) {
      RunRequest request = window_->request();
      request.allocator = *choice;
      history_->nameNext(tr("Try %1").arg(allocator));
      window_->keepToModel(window_->request(), request);
      window_->planWith(request);
    }
    guide_->hide();  // It would hide what it has started.
    window_->command(QStringLiteral("showMethod"))->trigger();
    window_->activateWindow();
  }

  void showWhetherToTry() {
    if (!guide_) return;
    guide_->page()->setWhyNotTry(window_->state()->run() ? QString() : tr("Open a model first"));
  }

  MainWindow* window_;
  ScenarioHistory* history_;
  QPointer<MethodGuide> guide_;  ///< Null until it is asked for.
};

void addGuide(MainWindow* window, ScenarioHistory* history) { new GuideFeature(window, history); }

}  // namespace hw
