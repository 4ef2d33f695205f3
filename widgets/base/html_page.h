#pragma once

#include <QString>

#include "widgets/base/theme.h"

namespace hw {

/// The looks of a page in the theme in force, to be put before it: keys and what `why` marks are
/// muted, links have no line.
inline QString pageStyle() {
  const Theme& theme = Theme::current();
  return QStringLiteral(
             "<style>h3 { margin: 0 0 4px 0; } td { padding: 2px 0; }"
             " td.key { color: %1; padding-right: 10px; }"
             " p { color: %1; margin: 2px 0 6px 0; }"
             " h4 { margin: 8px 0 2px 0; } .why { color: %1; }"
             " a { color: %2; text-decoration: none; }"
             " a.head { color: %3; }</style>")
      .arg(theme.mutedText.name(), theme.highWater.name(), theme.text.name());
}

/// Two columns: what, and its value in HTML.
class HtmlPage {
 public:
  HtmlPage() { html_ = QStringLiteral("<table>"); }

  /// `title` is in HTML.
  HtmlPage(const QString& title, const QString& subtitle) {
    html_ = QStringLiteral("<h3>%1</h3>").arg(title);
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

}  // namespace hw
