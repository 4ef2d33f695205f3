#include "app/gui/features/welcome_cards.h"

#include <QMetaObject>

#include "app/gui/main_window.h"
#include "core/run/samples.h"

namespace hw {

namespace {

/// The first paint comes first.
constexpr int kDelayMilliseconds = 300;

std::optional<SampleCard> cardOf(const SampleInfo& sample, const RunConfig& config,
                                 const std::stop_token& stop) {
  auto model = openModel("samples:" + sample.name, {});
  if (!model || stop.stop_requested()) return std::nullopt;
  const auto run = execute(std::make_shared<const Model>(*std::move(model)), config,
                           {.stop = stop, .progress = {}});
  return run ? std::optional(sampleCard(**run)) : std::nullopt;
}

}  // namespace

WelcomeCards::WelcomeCards(MainWindow* window) : QObject(window), window_(window) {
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMilliseconds);
  connect(&delay_, &QTimer::timeout, this, &WelcomeCards::begin);
  const auto stop = [this] {
    delay_.stop();
    worker_.request_stop();
  };
  connect(window->job(), &PlanJob::started, this, stop);
  connect(window->state(), &ViewState::runChanged, this, stop);
  delay_.start();
}

void WelcomeCards::begin() {
  if (window_->state()->run() || !window_->welcome()->isVisible()) return;
  RunConfig config = defaultConfig();
  config.l2 = {.kind = PoolSize::Kind::unbounded};
  worker_ = std::jthread([this, config](const std::stop_token& stop) {
    for (const SampleInfo& sample : sampleCatalog()) {
      if (stop.stop_requested()) return;
      const auto card = cardOf(sample, config, stop);
      if (!card) continue;
      QMetaObject::invokeMethod(
          this,
          [this, name = QString::fromStdString(sample.name), card = *card] {
            window_->welcome()->setCard(name, card);
          },
          Qt::QueuedConnection);
    }
  });
}

}  // namespace hw
