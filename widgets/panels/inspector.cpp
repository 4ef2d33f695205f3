#include "widgets/panels/inspector.h"

#include <QEvent>
#include <QFuture>
#include <QPromise>
#include <QThreadPool>

#include "widgets/panels/decision_text.h"
#include "widgets/panels/inspector_text.h"
#include "widgets/theme.h"

namespace hw {

namespace {

/// Up to this many stays any method is followed within the blink of an eye.
constexpr std::size_t kMostAtOnce = 4'000;

}  // namespace

Inspector::Inspector(ViewState* state, QWidget* parent) : QTextBrowser(parent), state_(state) {
  setAccessibleName(tr("Inspector"));
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  document()->setDocumentMargin(8);
  connect(this, &QTextBrowser::anchorClicked, this, &Inspector::follow);
  connect(state, &ViewState::runChanged, this, &Inspector::refresh);
  connect(state, &ViewState::selectionChanged, this, &Inspector::refresh);
  connect(state, &ViewState::momentChanged, this, [this] {
    if (!state_->selected()) refresh();
  });
  refresh();
}

void Inspector::refresh() {
  ++*asked_;
  const auto run = state_->run();
  if (!run) {
    showPage(QStringLiteral("<p>%1</p>")
                 .arg(tr("Open a model, then click a block to see what lies there, when, and "
                         "why.")));
  } else if (state_->selected()) {
    explain(run, state_->selected());
  } else {
    showPage(stepPage(*run, state_->step()));
  }
}

void Inspector::showPage(const QString& body) {
  const Theme& theme = Theme::current();
  const QString style = QStringLiteral(
                            "<style>h3 { margin: 0 0 4px 0; } td { padding: 2px 0; }"
                            " td.key { color: %1; padding-right: 10px; }"
                            " p { color: %1; margin: 2px 0 6px 0; }"
                            " h4 { margin: 8px 0 2px 0; } .why { color: %1; }"
                            " a { color: %2; text-decoration: none; }</style>")
                            .arg(theme.mutedText.name(), theme.highWater.name());
  setHtml(style + body);
}

/// An explanation costs about one planning: of large problems it comes when it is ready.
void Inspector::explain(const std::shared_ptr<const Run>& run, StayId stay) {
  const QString page = stayPage(*run, stay);
  if (run->problem.stays.size() <= kMostAtOnce) {
    showPage(page + whyHereHtml(*run, stay));
    return;
  }
  showPage(page + QStringLiteral("<h4>%1</h4><p>%2</p>")
                      .arg(tr("Why here"), tr("Following the method again\u2026")));
  auto promise = std::make_shared<QPromise<QString>>();
  promise->start();
  promise->future().then(this, [this, run, stay, page](const QString& why) {
    if (!why.isEmpty() && state_->run() == run && state_->selected() == stay) showPage(page + why);
  });
  QThreadPool::globalInstance()->start(
      [promise, run, stay, asked = asked_, ticket = asked_->load()] {
        promise->addResult(*asked == ticket ? whyHereHtml(*run, stay) : QString());
        promise->finish();
      });
}

void Inspector::follow(const QUrl& link) {
  const auto run = state_->run();
  bool isNumber = false;
  const auto index = link.path().toULongLong(&isNumber);
  if (!run || !isNumber) return;
  if (link.scheme() == QLatin1String("stay")) state_->select(StayId(index));
  if (link.scheme() == QLatin1String("op") && index < run->schedule.order.size()) {
    state_->selectOp(OpId(index));
    state_->setStep(run->schedule.stepOf[OpId(index)]);
  }
}

void Inspector::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
}

}  // namespace hw
