#include <QRegularExpression>
#include <QThread>
#include <catch2/catch.hpp>
#include <ctime>

#include "app/gui/pdf_file.h"
#include "app/gui/picture.h"
#include "app/gui/report_pdf.h"
#include "core/memory/platforms.h"
#include "core/run/samples.h"
#include "tests/widgets/support.h"

using namespace hw;

namespace {

QByteArray twoPages() {
  return PdfFile::write({400, 300}, QStringLiteral("a title"), 12,
                        [](QPainter& painter, const PdfFile::NextPage& next) {
                          painter.drawText(20, 40, QStringLiteral("one"));
                          next();
                          painter.drawRect(10, 10, 100, 50);
                        });
}

void setZone(const char* zone) {
  qputenv("TZ", zone);
  tzset();
}

int pagesOf(const QByteArray& pdf) {
  int pages = 0;
  for (qsizetype at = 0; (at = pdf.indexOf("/Type /Page\n", at)) >= 0; ++at) ++pages;
  return pages;
}

std::shared_ptr<const Run> sampleRun(const char* name) {
  auto model = openModel(name, {});
  REQUIRE(model);
  RunConfig config;
  config.allocator = *AllocatorChoice::parse("free-list");
  config.platform = platformCatalog().front();
  const auto run = execute(std::make_shared<const Model>(*std::move(model)), config, {});
  REQUIRE(run);
  return *run;
}

}  // namespace

TEST_CASE("a PDF does not know when or where it was made", "[pdf]") {
  const QByteArray before = qgetenv("TZ");
  setZone("UTC");
  const QByteArray here = twoPages();
  setZone("Asia/Tokyo");
  QThread::msleep(1100);  // Times in a PDF are whole seconds.
  const QByteArray there = twoPages();
  setZone("America/New_York");
  const QByteArray elsewhere = twoPages();
  setZone(before.constData());
  CHECK((here == there));
  CHECK((here == elsewhere));
  CHECK(here.contains("(D:20000101000000Z)"));
  CHECK(pagesOf(here) == 2);
}

TEST_CASE("every offset in a PDF's table still points at its object", "[pdf]") {
  for (const char* zone : {"UTC", "Asia/Tokyo"}) {
    CAPTURE(zone);
    setZone(zone);
    const QByteArray pdf = twoPages();
    const qsizetype table = pdf.lastIndexOf("\nxref\n") + 1;
    REQUIRE(table > 0);
    CHECK(pdf.contains("startxref\n" + QByteArray::number(table)));
    const QRegularExpression entry(QStringLiteral("(\\d{10}) 00000 n"));
    int object = 0;
    auto found = entry.globalMatch(QString::fromLatin1(pdf.mid(table)));
    while (found.hasNext()) {
      const qsizetype offset = found.next().captured(1).toLongLong();
      CAPTURE(++object);
      CHECK(pdf.mid(offset, 12).startsWith(QByteArray::number(object) + " 0 obj"));
    }
    CHECK(object > 5);
  }
  setZone("UTC");
}

TEST_CASE("a report as PDF has pages, tells how many, and is the same each time", "[pdf]") {
  const auto run = sampleRun("samples:mobilenet_v2");
  const RunReport report = makeReport(*run, nullptr, "highwater report");
  const QByteArray once = reportPdf(*run, report);
  CHECK(pagesOf(once) >= 3);
  CHECK((once == reportPdf(*run, report)));
}

TEST_CASE("a long table in a report stops and says how much there is", "[pdf]") {
  const auto run = sampleRun("samples:chain");
  RunReport report = makeReport(*run, nullptr, "highwater report");
  const int before = pagesOf(reportPdf(*run, report));
  ReportTable& table = report.tables.back();
  const auto row = table.rows.front();
  table.rows.assign(100'000, row);
  const int after = pagesOf(reportPdf(*run, report));
  CHECK(after > before);
  CHECK(after < before + 12);
}

TEST_CASE("lines break between words, and inside those that are too long", "[pdf]") {
  const QFontMetricsF metrics{QFont()};
  const double width = metrics.horizontalAdvance(QStringLiteral("nine char"));
  const QStringList lines =
      brokenLines(QStringLiteral("a few words abcdefghijklmnopqrstuvwxyz"), metrics, width);
  CHECK(lines.join(QString()).remove(QLatin1Char(' ')) ==
        QStringLiteral("afewwordsabcdefghijklmnopqrstuvwxyz"));
  CHECK(lines.size() > 3);
  for (const QString& line : lines) CHECK(metrics.horizontalAdvance(line) <= width);
  CHECK(brokenLines({}, metrics, width).isEmpty());
}
