#include <QObject>
#include <QToolButton>
#include <array>
#include <functional>

#include "app/gui/features/moving/moving.h"
#include "app/gui/window/main_window.h"
#include "widgets/base/style.h"

namespace hw {

/// Steps, time and decisions: what the views and the player go by, as buttons above the views.
class ClockFeature : public QObject {
 public:
  explicit ClockFeature(MainWindow* window)
      : QObject(window), window_(window), clock_(new Segment(window->pills())) {
    clock_->setObjectName(QStringLiteral("clock"));
    steps_ = add(tr("Steps"), tr("One operator after the other"), [this] { setTime(false); });
    time_ = add(tr("Time"), tr("Simulated time on the platform (T)"), [this] { setTime(true); });
    decisions_ = add(tr("Decisions"), tr("How the allocator came to the plan"),
                     [this] { window_->command(QStringLiteral("showMethod"))->trigger(); });
    connect(window->state(), &ViewState::axisChanged, this, &ClockFeature::follow);
    connect(window->places(), &Places::panelsChanged, this, &ClockFeature::follow);
    window->pills()->setEnd(clock_);
    follow();
  }

 private:
  QToolButton* add(const QString& text, const QString& toolTip, const std::function<void()>& act) {
    auto* button = new QToolButton(clock_);
    button->setText(text);
    button->setToolTip(toolTip);
    button->setCheckable(true);
    clock_->add(button);
    connect(button, &QToolButton::clicked, this, [this, act] {
      act();
      follow();
    });
    return button;
  }

  void setTime(bool time) {
    window_->places()->close(QStringLiteral("method"));
    window_->command(QStringLiteral("timeAxis"))->setChecked(time);
  }

  void follow() {
    const bool decides = window_->places()->isShown(QStringLiteral("method"));
    const bool time = window_->state()->axis() == AxisUnit::time;
    steps_->setChecked(!decides && !time);
    time_->setChecked(!decides && time);
    decisions_->setChecked(decides);
  }

  MainWindow* window_;
  Segment* clock_;
  QToolButton* steps_;
  QToolButton* time_;
  QToolButton* decisions_;
};

void addClock(MainWindow* window) { new ClockFeature(window); }

}  // namespace hw
