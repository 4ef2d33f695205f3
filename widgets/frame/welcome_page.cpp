#include "widgets/frame/welcome_page.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextTable>
#include <QUrl>
#include <algorithm>

#include "core/picture/block_store.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// More cannot be told apart in so small a picture.
constexpr std::size_t kMostBlocks = 600;

}  // namespace

SampleCard sampleCard(const Run& run) {
  SampleCard card;
  const std::size_t ops = run.graph().ops.size();
  const Bytes peak = run.plan.footprint(PoolId(0));
  const auto& capacity = run.problem.pools[PoolId(0)].capacity;
  const QString pool = poolText(run, PoolId(0));
  card.figures = tr("%1, %2 in %3")
                     .arg(ops > 0 ? tr("%1 operators").arg(grouped(ops))
                                  : tr("%1 buffers").arg(grouped(run.problem.stays.size())),
                          sizeText(peak),
                          capacity ? tr("%1 of %2").arg(pool, sizeText(*capacity))
                                   : tr("unlimited %1").arg(pool));
  const auto width = static_cast<double>(std::max<std::int64_t>(run.problem.steps.count(), 1));
  const auto height = static_cast<double>(std::max<std::int64_t>(peak.count(), 1));
  std::vector<StayId> stays = run.problem.stays.keys().toVector();
  std::ranges::stable_sort(stays, std::greater{},
                           [&](StayId id) { return run.problem.stays[id].size; });
  stays.resize(std::min(stays.size(), kMostBlocks));
  for (const StayId id : stays) {
    const auto& address = run.plan.addresses[id];
    if (!address || address->pool != PoolId(0)) continue;
    const Stay& stay = run.problem.stays[id];
    const auto low = static_cast<double>(run.plan.flatOffset(id)->count());
    card.blocks.push_back(
        {QRectF(static_cast<double>(stay.steps.begin.count()) / width, low / height,
                static_cast<double>(stay.steps.length().count()) / width,
                static_cast<double>(stay.size.count()) / height),
         stayClass(run, id)});
  }
  return card;
}

QImage cardPicture(const SampleCard& card, const QSize& size, const Theme& theme, double scale) {
  QImage image(size * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(theme.plot);
  QPainter painter(&image);
  const auto width = static_cast<double>(size.width());
  const auto height = static_cast<double>(size.height());
  for (const SampleCard::Block& block : card.blocks) {
    const QRectF& place = block.place;
    const QRectF at(place.left() * width, (1 - place.bottom()) * height,
                    std::max(place.width() * width, 0.6), std::max(place.height() * height, 0.6));
    painter.fillRect(at, theme.classColor(block.kind));
    if (at.width() < 4 || at.height() < 4) continue;
    painter.setPen(QPen(theme.plot, 0.7));
    painter.drawRect(at);
  }
  painter.setPen(theme.grid);
  painter.drawRect(QRectF(0.5, 0.5, width - 1, height - 1));
  return image;
}

namespace {

constexpr qsizetype kMostRecent = 5;
constexpr QSize kPicture(208, 84);
constexpr int kCardWidth = 250;  ///< With the room around it.
constexpr int kPageMargin = 36;
constexpr QMarginsF kCardMargins(10, 8, 10, 8);  ///< As the style sheet has them.

QString modelLink(const QString& name, const QString& text) {
  return QStringLiteral("<a href='model:%1'>%2</a>")
      .arg(QString::fromLatin1(QUrl::toPercentEncoding(name)), text.toHtmlEscaped());
}

}  // namespace

WelcomePage::WelcomePage(QWidget* parent) : QTextBrowser(parent) {
  setAccessibleName(tr("Welcome"));
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  setAcceptDrops(false);  // The window takes drops of models; text has no place here.
  document()->setDocumentMargin(kPageMargin);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (link.scheme() == QLatin1String("open")) Q_EMIT openWanted();
    if (link.scheme() == QLatin1String("model")) {
      const QByteArray encoded = link.toEncoded().mid(qstrlen("model:"));
      Q_EMIT modelChosen(QUrl::fromPercentEncoding(encoded));
    }
  });
  refresh();
}

void WelcomePage::setSamples(std::vector<Sample> samples) {
  samples_ = std::move(samples);
  refresh();
}

void WelcomePage::setRecent(const QStringList& paths) {
  recent_ = paths;
  refresh();
}

QString WelcomePage::recentList() const {
  if (recent_.isEmpty()) return {};
  QString html = QStringLiteral("<h3>%1</h3><p>").arg(tr("Recent"));
  for (const QString& path : recent_.mid(0, kMostRecent)) {
    html += modelLink(path, path) + QStringLiteral("<br>");
  }
  return html + QStringLiteral("</p>");
}

QString WelcomePage::sampleList() const {
  if (samples_.empty()) {
    return QStringLiteral("<p>%1</p>")
        .arg(tr("The samples folder was not found; HIGHWATER_SAMPLES can name it."));
  }
  QString html = QStringLiteral("<h3>%1</h3><table cellspacing='10'>").arg(tr("Samples"));
  int column = 0;
  for (const Sample& sample : samples_) {
    if (column == 0) html += QStringLiteral("<tr>");
    html +=
        QStringLiteral("<td class='card' width='%1'>%2</td>").arg(kCardWidth).arg(cardText(sample));
    column = (column + 1) % columns_;
    if (column == 0) html += QStringLiteral("</tr>");
  }
  if (column > 0) html += QStringLiteral("</tr>");
  return html + QStringLiteral("</table>");
}

QString WelcomePage::cardText(const Sample& sample) const {
  const QString name = QStringLiteral("samples:") + sample.name;
  QString text = QStringLiteral("<p><b>%1</b>").arg(modelLink(name, sample.name));
  const auto card = cards_.find(sample.name);
  if (card != cards_.end()) {
    text += QStringLiteral(
                "<br><img src='card:%1' width='%2' height='%3'>"
                "<br><span class='figures'>%4</span>")
                .arg(sample.name, QString::number(kPicture.width()),
                     QString::number(kPicture.height()), card->figures.toHtmlEscaped());
  }
  return text + QStringLiteral("<br>%1</p>").arg(sample.summary.toHtmlEscaped());
}

void WelcomePage::setCard(const QString& name, const SampleCard& card) {
  cards_.insert(name, card);
  refresh();
}

/// In the colours of the theme, as sharp as the screen.
void WelcomePage::drawCards() {
  for (auto card = cards_.begin(); card != cards_.end(); ++card) {
    document()->addResource(QTextDocument::ImageResource,
                            QUrl(QStringLiteral("card:") + card.key()),
                            cardPicture(*card, kPicture, Theme::current(), devicePixelRatioF()));
  }
}

/// The sample whose card is at a place of the viewport, all of its cell of the table; null: none.
const WelcomePage::Sample* WelcomePage::cardAt(const QPoint& place) const {
  const QPointF at =
      QPointF(place) + QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value());
  for (QTextFrame* frame : document()->rootFrame()->childFrames()) {
    const auto* table = qobject_cast<QTextTable*>(frame);
    for (std::size_t i = 0; table != nullptr && i < samples_.size(); ++i) {
      const auto row = static_cast<int>(i) / columns_;
      const QTextTableCell cell = table->cellAt(row, static_cast<int>(i) % columns_);
      if (cell.isValid() && cardBox(cell).contains(at)) return &samples_[i];
    }
  }
  return nullptr;
}

/// Of the text of a cell, with what is around it.
QRectF WelcomePage::cardBox(const QTextTableCell& cell) const {
  QRectF box;
  const QTextBlock last = cell.lastCursorPosition().block();
  for (QTextBlock block = cell.firstCursorPosition().block(); block.isValid();
       block = block.next()) {
    box |= document()->documentLayout()->blockBoundingRect(block);
    if (block == last) break;
  }
  return box.marginsAdded(kCardMargins);
}

void WelcomePage::mouseMoveEvent(QMouseEvent* event) {
  QTextBrowser::mouseMoveEvent(event);
  const bool over = event->buttons() == Qt::NoButton && cardAt(event->pos()) != nullptr;
  if (over) viewport()->setCursor(Qt::PointingHandCursor);
}

void WelcomePage::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->pos();
  QTextBrowser::mousePressEvent(event);
}

/// A click anywhere on a card opens its sample; links are the browser's, dragging marks text.
void WelcomePage::mouseReleaseEvent(QMouseEvent* event) {
  QTextBrowser::mouseReleaseEvent(event);
  const bool clicked =
      event->button() == Qt::LeftButton && !textCursor().hasSelection() &&
      (event->pos() - pressed_).manhattanLength() < QApplication::startDragDistance();
  if (!clicked || !anchorAt(event->pos()).isEmpty()) return;
  if (const Sample* sample = cardAt(event->pos())) {
    Q_EMIT modelChosen(QStringLiteral("samples:") + sample->name);
  }
}

int WelcomePage::columns() const {
  const int scrollBar = 20;  // With or without one: or it would come and go.
  return std::clamp((width() - scrollBar - 2 * kPageMargin) / (kCardWidth + 10), 1, 6);
}

void WelcomePage::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  if (columns() != columns_) refresh();
}

void WelcomePage::refresh() {
  const Theme& theme = Theme::current();
  const int at = verticalScrollBar()->value();
  columns_ = columns();
  drawCards();
  const QString style =
      QStringLiteral(
          "<style>h1 { font-weight: 600; margin: 0; } h3 { margin: 18px 0 4px 0; }"
          " p { margin: 6px 0; } td.card { padding: 8px 10px; color: %1; background-color: %3; }"
          " .figures { color: %4; } a { color: %2; text-decoration: none; }</style>")
          .arg(theme.mutedText.name(), theme.highWater.name(), theme.window.name(),
               theme.text.name());
  const QString lead =
      tr("Plan, simulate and see the memory of a neural network. %1 (Ctrl+O), drop one onto this "
         "window, or start with a sample: ONNX models, graph JSON and planning problems in CSV "
         "are recognised by their content.")
          .arg(QStringLiteral("<a href='open:'>%1</a>").arg(tr("Open a model")));
  setHtml(style + QStringLiteral("<h1>Highwater</h1><p>%1</p>").arg(lead) + recentList() +
          sampleList());
  verticalScrollBar()->setValue(at);
}

void WelcomePage::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
}

}  // namespace hw
