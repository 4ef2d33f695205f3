#pragma once

#include <QString>

namespace hw {

/// Two columns: what, and its value in HTML.
class HtmlPage {
 public:
  HtmlPage() { html_ = QStringLiteral("<table>"); }

  HtmlPage(const QString& title, const QString& subtitle) {
    html_ = QStringLiteral("<h3>%1</h3>").arg(title.toHtmlEscaped());
    if (!subtitle.isEmpty()) html_ += QStringLiteral("<p>%1</p>").arg(subtitle.toHtmlEscaped());
    html_ += QStringLiteral("<table>");
  }

  void add(const QString& key, const QString& text) { addHtml(key, text.toHtmlEscaped()); }

  void addHtml(const QString& key, const QString& html) {
    if (html.isEmpty()) return;
    html_ += QStringLiteral("<tr><td class='key'>%1</td><td>%2</td></tr>")
                 .arg(key.toHtmlEscaped(), html);
  }

  QString finish() const { return html_ + QStringLiteral("</table>"); }

 private:
  QString html_;
};

/// A link "kind:index" that the inspector follows.
inline QString link(const char* kind, std::size_t index, const QString& text) {
  return QStringLiteral("<a href='%1:%2'>%3</a>")
      .arg(QLatin1String(kind))
      .arg(index)
      .arg(text.toHtmlEscaped());
}

}  // namespace hw
