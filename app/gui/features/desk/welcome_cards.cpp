#include <QObject>
#include <QTimer>

#include "app/gui/features/desk/desk.h"
#include "app/gui/window/main_window.h"
#include "core/import/samples.h"
#include "widgets/jobs/job.h"

namespace hw {

namespace {

/// The first paint comes first.
constexpr int kDrawDelayMilliseconds = 300;

std::optional<SampleCard> cardOf(const SampleInfo& sample, const RunRequest& request,
                                 const std::stop_token& stop) {
  auto model = openModel("samples:" + sample.name, {});
  if (!model || stop.stop_requested()) return std::nullopt;
  const auto run = execute(std::make_shared<const Model>(*std::move(model)), request,
                           {.stop = stop, .progress = {}});
  return run ? std::optional(sampleCard(**run)) : std::nullopt;
}

}  // namespace

/// Plans the samples in the background while the welcome page is looked at, for the pictures and
/// figures on their cards. Stops while a model is opened, and goes on if that
/// comes to nothing.
class WelcomeCards : public QObject {
 public:
  explicit WelcomeCards(MainWindow* window) : QObject(window), window_(window) {
    delay_.setSingleShot(true);
    delay_.setInterval(kDrawDelayMilliseconds);
    connect(&delay_, &QTimer::timeout, this, &WelcomeCards::begin);
    const auto stop = [this] {
      delay_.stop();
      making_.stop();
    };
    connect(window->job(), &Job::started, this, stop);
    connect(window->state(), &ViewState::runChanged, this, stop);
    // A model that could not be opened leaves the welcome page on show.
    connect(window->job(), &Job::ended, this, [this] { delay_.start(); });
    delay_.start();
  }

 private:
  void begin() {
    if (window_->state()->run() || !window_->welcome()->isVisible()) return;
    RunRequest request = defaultRequest();
    request.l2 = {.kind = PoolSize::Kind::unbounded};
    std::vector<SampleInfo> samples = sampleCatalog();
    std::erase_if(samples, [this](const SampleInfo& sample) {
      return window_->welcome()->hasCard(QString::fromStdString(sample.name));
    });
    const auto work = [this, request, samples](const JobContext& context) {
      for (const SampleInfo& sample : samples) {
        const auto card = cardOf(sample, request, context.stop);
        if (context.stop.stop_requested()) break;
        if (!card) continue;
        context.tell([this, name = QString::fromStdString(sample.name), card = *card] {
          window_->welcome()->setCard(name, card);
        });
      }
      return JobEnd();
    };
    making_.start(work, [](const JobEnd& end) { return end; });
  }

  MainWindow* window_;
  QTimer delay_;
  Job making_{tr("Planning the samples"), Job::Stopping::abandons};
};

void addWelcomeCards(MainWindow* window) { new WelcomeCards(window); }

}  // namespace hw
