#pragma once

#include <QCoreApplication>
#include <QString>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "core/base/text.h"

namespace hw {

/// The words of free functions in the user's language: those of no class have one context.
inline QString tr(const char* text) { return QCoreApplication::translate("hw", text); }

/// "1,024".
QString grouped(std::integral auto number) {
  return QString::fromStdString(groupDigits(static_cast<std::int64_t>(number)));
}

/// UTF-8 as core has it.
inline QString viewText(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// A tool tip that shows `text` as it is, whatever tags are in it.
inline QString plainTip(const QString& text) {
  return QStringLiteral("<span>%1</span>").arg(text.toHtmlEscaped());
}

/// `title`, safe and with a capital: the title of a column or a field.
inline QString titleText(std::string_view title) {
  QString text = QString::fromStdString(printable(title));
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

}  // namespace hw
