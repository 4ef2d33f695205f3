#pragma once

#include <QAbstractItemView>
#include <QAction>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "app/gui/studio.h"
#include "tests/widgets/patience.h"

namespace hw::test {

/// The part of `owner` with that name; there must be one.
template <class Part>
Part* part(const QObject& owner, const char* name) {
  auto* found = owner.findChild<Part*>(QString::fromLatin1(name));
  INFO(name);
  REQUIRE(found);
  return found;
}

inline QPushButton* button(const QObject& owner, const char* name) {
  return part<QPushButton>(owner, name);
}

inline QAction* action(Studio& window, const char* name) { return part<QAction>(window, name); }

/// Waits until nothing is being opened or planned, the form's own delay included.
inline void settle(Studio& window) {
  QTest::qWait(1);
  REQUIRE(test::comes([&] { return !window.job()->isRunning(); }));
}

inline void openAndWait(Studio& window, const QString& name) {
  window.openModel(name);
  settle(window);
  REQUIRE(window.state()->run());
}

/// Plans what is open by another allocator.
inline void replan(Studio& window, const std::string& allocator) {
  RunRequest request = window.request();
  request.allocator = AllocatorChoice::parse(allocator).value();
  window.planWith(request);
  settle(window);
}

/// Settings that are there before the window that they are for.
struct Forgetful {
  Settings none{};
};

/// A studio that remembers nothing, shown at `size`, with the model called `name` if any.
struct Opened : private Forgetful, public Studio {
  explicit Opened(const QString& name = {}, QSize size = {}) : Studio(&none) {
    if (size.isValid()) resize(size);
    QWidget::show();
    if (!name.isEmpty()) openAndWait(*this, name);
  }
};

/// The texts of one column of a table, from top to bottom.
inline QStringList columnTexts(const QAbstractItemView& view, int column) {
  QStringList texts;
  for (int row = 0; row < view.model()->rowCount(); ++row) {
    texts.append(view.model()->index(row, column).data().toString());
  }
  return texts;
}

inline const QString kInception = QStringLiteral("samples:inception");
inline const QString kMobilenet = QStringLiteral("samples:mobilenet_v2");

/// A new file with this content; its path.
inline QString inFolder(const QTemporaryDir& folder, const char* name, const std::string& text) {
  QFile file(folder.filePath(QString::fromLatin1(name)));
  REQUIRE(file.open(QIODevice::WriteOnly));
  REQUIRE(file.write(text.data(), qint64(text.size())) == qint64(text.size()));
  return file.fileName();
}

inline std::unique_ptr<QSettings> storeIn(const QTemporaryDir& folder) {
  return std::make_unique<QSettings>(folder.filePath(QStringLiteral("studio.ini")),
                                     QSettings::IniFormat);
}

}  // namespace hw::test
