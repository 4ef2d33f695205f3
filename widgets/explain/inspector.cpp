#include "widgets/explain/inspector.h"

#include <QEvent>
#include <QFuture>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "core/picture/block_store.h"
#include "widgets/base/html_page.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Up to this many stays any method is followed within the blink of an eye.
constexpr std::size_t kMostAtOnce = 4'000;
constexpr int kFollowMilliseconds = 100;
constexpr int kRooflineHeight = 220;

/// `html` on a tinted ground: for the section that answers a question.
QString tinted(const QString& html) {
  return QStringLiteral(
             "<table width='100%' cellpadding='6' bgcolor='%1'><tr><td>%2</td></tr>"
             "</table>")
      .arg(Theme::current().hover.name(), html);
}

}  // namespace

Inspector::Inspector(ViewState* state, QWidget* parent) : QTextBrowser(parent), state_(state) {
  setAccessibleName(tr("Inspector"));
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  document()->setDocumentMargin(8);
  connect(this, &QTextBrowser::anchorClicked, this, &Inspector::follow);
  connect(state, &ViewState::runChanged, this, [this] {
    why_.reset();
    roofs_ = {};
    refresh();
  });
  connect(state, &ViewState::coloringChanged, this, &Inspector::refresh);
  connect(state, &ViewState::selectionChanged, this, &Inspector::refresh);
  connect(state, &ViewState::momentChanged, this, [this] {
    if (state_->selectedActivity()) return;
    const auto run = state_->run();
    const bool large = run && run->problem.stays.size() > kMostAtOnce;
    if (!state_->selected() && !large) return refresh();
    if (large || !later_.isActive()) later_.start();
  });
  // A page about a block, or of many of them, takes longer than a frame of playback.
  later_.setSingleShot(true);
  later_.setInterval(kFollowMilliseconds);
  connect(&later_, &QTimer::timeout, this, &Inspector::showMoment);
  refresh();
}

/// What fills the memory is of the moment; why the block is where it is stays.
void Inspector::showMoment() {
  const auto run = state_->run();
  if (run && !state_->selected()) return refresh();
  if (run && why_ && why_->first == state_->selected()) showStay(*run, why_->first, why_->second);
}

void Inspector::refresh() {
  explaining_.drop();
  const auto run = state_->run();
  if (!run) {
    showPage(QStringLiteral("<p>%1</p>")
                 .arg(tr("Open a model, then click a block to see what lies there, when, and "
                         "why.")));
  } else if (state_->selectedActivity()) {
    const Activity& what = run->timing.activities.activities[state_->selectedActivity()];
    const bool computes = what.kind == ActivityKind::compute;
    showPage(activityPage(*run, state_->selectedActivity()) +
             (computes ? rooflineSection(run, what.step) : QString()));
  } else if (state_->selected()) {
    explain(run, state_->selected());
  } else {
    showPage(stepPage(*run, state_->step()) + rooflineSection(run, state_->step()) +
             fillingSection(*run, PoolId(0), state_->step()) + helpSection());
  }
}

void Inspector::showPage(const QString& body) { setHtml(pageStyle() + body); }

void Inspector::setHelp(const QString& command, const QString& text, const QString& found) {
  auto known = std::ranges::find(help_, command, &Help::command);
  if (known == help_.end()) known = help_.insert(known, Help{command, {}, {}});
  if (known->text == text && known->found == found) return;
  known->text = text;
  known->found = found;
  refresh();
}

QString Inspector::fillingSection(const Run& run, PoolId pool, Step step) const {
  const bool peak = run.metrics.pools.contains(pool) && run.metrics.pools[pool].peakStep == step;
  const QString title =
      (peak ? tr("What fills %1 at its peak, step %2") : tr("What fills %1 at step %2"))
          .arg(poolText(run, pool), grouped(step.count()));
  return section(QStringLiteral("filling"), title,
                 fillingPart(run, pool, step, *state_->coloring()));
}

/// The operator under the roofs of its machine, as a picture as wide as the page.
QString Inspector::rooflineSection(const std::shared_ptr<const Run>& run, Step step) {
  const QString id = QStringLiteral("roofline");
  const auto dot = roofDot(*run, step);
  if (!dot || dot->bytes == Bytes()) return {};
  if (roofs_.run != run) roofs_ = RooflineScene::whole(run);
  roofs_.selected = dot;
  roofs_.coloring = state_->coloring();
  const QUrl name(QStringLiteral("picture:roofline"));
  if (!closed_.contains(id)) {
    document()->addResource(QTextDocument::ImageResource, name, rooflineImage());
  }
  return section(id, tr("Roofline"),
                 QStringLiteral("<p>%1</p><p><img src='%2'></p>")
                     .arg(viewText(roofWords(*run, *dot)).toHtmlEscaped(), name.toString()));
}

QImage Inspector::rooflineImage() const {
  constexpr int kLeastWidth = 240;
  const int margins = 2 * static_cast<int>(document()->documentMargin());
  const QSize size(std::max(kLeastWidth, viewport()->width() - margins), kRooflineHeight);
  QImage image(size * devicePixelRatioF(), QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(devicePixelRatioF());
  image.fill(Theme::current().plot);
  QPainter painter(&image);
  painter.setFont(font());
  PainterCanvas canvas(painter);
  drawRoofline(canvas, roofs_, toBox(QRect(QPoint(), size)));
  return image;
}

QString Inspector::helpSection() const {
  QString lines;
  for (const Help& help : help_) {
    lines += QStringLiteral("<div><a href='command:%1'>%2</a>%3</div>")
                 .arg(help.command, help.text.toHtmlEscaped(),
                      help.found.isEmpty()
                          ? QString()
                          : QStringLiteral(" <b>%1</b>").arg(help.found.toHtmlEscaped()));
  }
  return section(QStringLiteral("help"), tr("What would help"), lines);
}

QString Inspector::section(const QString& id, const QString& title, const QString& body) const {
  if (body.isEmpty()) return {};
  const bool closed = closed_.contains(id);
  const QChar mark(closed ? 0x25b8 : 0x25be);
  const QString head = QStringLiteral("<h4><a class='head' href='section:%1'>%2 %3</a></h4>")
                           .arg(id, QString(mark), title.toHtmlEscaped());
  return closed ? head : head + body;
}

/// Why it lies where it lies comes before what can be seen elsewhere too.
void Inspector::showStay(const Run& run, StayId stay, const WhyHere& why) {
  const int at = verticalScrollBar()->value();
  const auto& placed = run.plan.addresses[stay];
  QString part;
  if (state_->selectedPart()) {
    part = QStringLiteral("<p>%1</p>")
               .arg(viewText(partLabel(run, state_->selectedPart())).toHtmlEscaped());
  }
  showPage(stayHead(run, stay) + part +
           section(QStringLiteral("why"), tr("Why here"), tinted(why.html)) +
           section(QStringLiteral("constraints"), tr("Constraints"), stayConstraints(run, stay)) +
           section(QStringLiteral("story"), tr("How it got there"), stayStory(run, stay)) +
           section(QStringLiteral("tensor"), tr("Tensor"), stayTensors(run, stay)) +
           fillingSection(run, placed ? placed->pool : PoolId(0), state_->step()) + helpSection());
  if (shown_ == stay) verticalScrollBar()->setValue(at);
  shown_ = stay;
}

/// An explanation costs about one planning: of large problems it comes when it is ready, and is not
/// asked for while nobody wants to read it.
void Inspector::explain(const std::shared_ptr<const Run>& run, StayId stay) {
  const bool wanted = !closed_.contains(QStringLiteral("why"));
  const auto accept = [this, run, stay](WhyHere why) {
    why_ = {stay, std::move(why)};
    state_->setGhosts(why_->second.ghosts);
    showStay(*run, stay, why_->second);
  };
  if (!wanted) {
    why_.reset();
    state_->setGhosts({});
    return showStay(*run, stay, {.html = QStringLiteral("<p></p>")});
  }
  if (why_ && why_->first == stay) return showStay(*run, stay, why_->second);
  if (run->problem.stays.size() <= kMostAtOnce) return accept(whyHere(*run, stay));
  state_->setGhosts({});
  const QString wait = QStringLiteral("<p>%1</p>").arg(tr("Following the allocator again\u2026"));
  showStay(*run, stay, {.html = wait});
  explaining_.start(
      false,
      [run, stay](const std::stop_token& stop) {
        // One that nobody waits for any more is not begun.
        return stop.stop_requested() ? WhyHere() : whyHere(*run, stay);
      },
      accept);
}

void Inspector::follow(const QUrl& link) {
  if (link.scheme() == QLatin1String("section")) {
    if (!closed_.remove(link.path())) closed_.insert(link.path());
    refresh();
    return;
  }
  if (link.scheme() == QLatin1String("command")) {
    Q_EMIT commandWanted(link.path());
    return;
  }
  const auto run = state_->run();
  bool isNumber = false;
  const auto index = link.path().toULongLong(&isNumber);
  if (!run || !isNumber) return;
  if (link.scheme() == QLatin1String("stay")) state_->select(StayId(index));
  if (link.scheme() == QLatin1String("activity")) state_->selectActivity(ActivityId(index));
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
