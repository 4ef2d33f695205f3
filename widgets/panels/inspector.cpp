#include "widgets/panels/inspector.h"

#include <QEvent>

#include "widgets/panels/inspector_text.h"
#include "widgets/theme.h"

namespace hw {

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
  const auto run = state_->run();
  const Theme& theme = Theme::current();
  const QString style = QStringLiteral(
                            "<style>h3 { margin: 0 0 4px 0; } td { padding: 2px 0; }"
                            " td.key { color: %1; padding-right: 10px; }"
                            " p { color: %1; margin: 2px 0 6px 0; }"
                            " h4 { margin: 8px 0 2px 0; } .why { color: %1; }"
                            " a { color: %2; text-decoration: none; }</style>")
                            .arg(theme.mutedText.name(), theme.highWater.name());
  QString page;
  if (!run) {
    page = QStringLiteral("<p>%1</p>")
               .arg(tr("Open a model, then click a block to see what lies there, when, and why."));
  } else if (state_->selected()) {
    page = stayPage(*run, state_->selected());
  } else {
    page = stepPage(*run, state_->step());
  }
  setHtml(style + page);
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
