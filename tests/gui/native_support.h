#pragma once

#include <QAbstractItemView>
#include <QAction>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <memory>

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

inline std::unique_ptr<QSettings> storeIn(const QTemporaryDir& folder) {
  return std::make_unique<QSettings>(folder.filePath(QStringLiteral("studio.ini")),
                                     QSettings::IniFormat);
}

}  // namespace hw::test
