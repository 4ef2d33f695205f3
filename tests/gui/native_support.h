#pragma once

#include <QAction>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <memory>

#include "app/gui/studio.h"
#include "tests/widgets/patience.h"

namespace hw::test {

inline QAction* action(Studio& window, const char* name) {
  auto* found = window.findChild<QAction*>(QString::fromLatin1(name));
  INFO(name);
  REQUIRE(found);
  return found;
}

/// Waits until nothing is being opened or planned, the form's own delay included.
inline void settle(Studio& window) {
  QTest::qWait(1);
  REQUIRE(QTest::qWaitFor([&] { return !window.job()->isRunning(); }, test::kPatience));
}

inline void openAndWait(Studio& window, const QString& name) {
  window.openModel(name);
  settle(window);
  REQUIRE(window.state()->run());
}

inline std::unique_ptr<QSettings> storeIn(const QTemporaryDir& folder) {
  return std::make_unique<QSettings>(folder.filePath(QStringLiteral("studio.ini")),
                                     QSettings::IniFormat);
}

}  // namespace hw::test
