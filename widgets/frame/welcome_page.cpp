#include "widgets/frame/welcome_page.h"

#include <QEvent>
#include <QScrollBar>
#include <QUrl>
#include <algorithm>

#include "widgets/base/theme.h"

namespace hw {

namespace {

constexpr qsizetype kMostRecent = 5;
constexpr QSize kPicture(208, 84);
constexpr int kCardWidth = 250;  ///< With the room around it.
constexpr int kPageMargin = 36;

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
                "<br><a href='model:%1'><img src='card:%2' width='%3' height='%4'></a>"
                "<br><span class='figures'>%5</span>")
                .arg(QString::fromLatin1(QUrl::toPercentEncoding(name)), sample.name)
                .arg(kPicture.width())
                .arg(kPicture.height())
                .arg(card->figures.toHtmlEscaped());
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
