#include "widgets/panels/welcome_page.h"

#include <QEvent>
#include <QUrl>
#include <algorithm>

#include "widgets/theme.h"

namespace hw {

namespace {

constexpr qsizetype kMostRecent = 5;

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
  document()->setDocumentMargin(36);
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
  QString html = QStringLiteral("<h3>%1</h3><table>").arg(tr("Samples"));
  for (const Sample& sample : samples_) {
    html += QStringLiteral("<tr><td class='name'>%1</td><td>%2</td></tr>")
                .arg(modelLink(QStringLiteral("samples:") + sample.name, sample.name),
                     sample.summary.toHtmlEscaped());
  }
  return html + QStringLiteral("</table>");
}

void WelcomePage::refresh() {
  const Theme& theme = Theme::current();
  const QString style =
      QStringLiteral(
          "<style>h1 { font-weight: 600; margin: 0; } h3 { margin: 18px 0 4px 0; }"
          " p { margin: 6px 0; } td { padding: 3px 0; color: %1; } td.name { padding-right: 20px; }"
          " a { color: %2; text-decoration: none; }</style>")
          .arg(theme.mutedText.name(), theme.highWater.name());
  const QString lead =
      tr("Plan, simulate and see the memory of a neural network. %1 (Ctrl+O), drop one onto this "
         "window, or start with a sample: ONNX models, graph JSON and planning problems in CSV "
         "are recognised by their content.")
          .arg(QStringLiteral("<a href='open:'>%1</a>").arg(tr("Open a model")));
  setHtml(style + QStringLiteral("<h1>Highwater</h1><p>%1</p>").arg(lead) + recentList() +
          sampleList());
}

void WelcomePage::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
}

}  // namespace hw
