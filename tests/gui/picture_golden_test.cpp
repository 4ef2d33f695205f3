#include <QFile>
#include <QFontInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <catch2/catch.hpp>

#include "tests/support/golden_picture.h"

// Pictures of a small sample as they were when somebody looked at them, in both themes.
// HIGHWATER_UPDATE_GOLDEN=1 writes them anew: look at what has changed. They are vector graphics,
// so a difference can be read; where text has another font or Qt another version, every number
// differs, and they are not compared.

namespace {

/// What the studio writes to `name` without a display.
std::string written(const QTemporaryDir& folder, const QString& name, QStringList arguments) {
  const QString file = folder.filePath(name);
  const bool report = arguments.contains(QStringLiteral("--report"));
  arguments << (report ? file : QStringLiteral("--export"));
  if (!report) arguments << file;
  QProcess process;
  process.start(QStringLiteral(HIGHWATER_STUDIO), arguments);
  REQUIRE(process.waitForFinished(120'000));
  INFO(process.readAllStandardError().toStdString());
  REQUIRE(process.exitCode() == 0);
  return hw::test::contentOf(file.toStdString());
}

}  // namespace

TEST_CASE("pictures are as they were looked at", "[golden]") {
  if (QFontInfo(QFont(QStringLiteral("Sans Serif"))).family() != QLatin1String("DejaVu Sans") ||
      QLatin1String(qVersion()) != QLatin1String("6.4.2")) {
    WARN("skipped: the golden pictures are of Qt 6.4.2 and DejaVu Sans");
    return;
  }
  const QTemporaryDir folder;
  const QString sample = QStringLiteral("samples:inception");
  for (const char* theme : {"light", "dark"}) {
    for (const char* view : {"map", "chart", "now", "compare"}) {
      const QString name =
          QStringLiteral("%1_%2.svg").arg(QLatin1String(view), QLatin1String(theme));
      hw::test::checkPicture(
          name.toStdString(),
          written(folder, name,
                  {sample, QStringLiteral("--view"), QLatin1String(view), QStringLiteral("--theme"),
                   QLatin1String(theme), QStringLiteral("--size"), QStringLiteral("900x500"),
                   QStringLiteral("--allocator"), QStringLiteral("free-list"),
                   QStringLiteral("--below"), QStringLiteral("greedy-by-size")}));
    }
  }
  // One file for both: its style sheet follows the reader's theme.
  const QString report = QStringLiteral("report.html");
  hw::test::checkPicture(
      "report.html", written(folder, report,
                             {sample, QStringLiteral("--allocator"), QStringLiteral("free-list"),
                              QStringLiteral("--report")}));
}
