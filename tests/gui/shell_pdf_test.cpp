#include <catch2/catch.hpp>

#include "app/gui/output/picture.h"
#include "app/gui/output/report_pdf.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/widgets/support.h"

using namespace hw;

namespace {

int pagesOf(const QByteArray& pdf) {
  int pages = 0;
  for (qsizetype at = 0; (at = pdf.indexOf("/Type /Page\n", at)) >= 0; ++at) ++pages;
  return pages;
}

std::shared_ptr<const Run> sampleRun(const char* name) {
  auto model = openModel(name, {});
  REQUIRE(model);
  RunRequest request;
  request.allocator = *AllocatorChoice::parse("free-list");
  request.platform = platformCatalog().front();
  const auto run = execute(std::make_shared<const Model>(*std::move(model)), request, {});
  REQUIRE(run);
  return *run;
}

}  // namespace

TEST_CASE("a PDF has the pages that were asked for, as large as asked for", "[pdf]") {
  const QByteArray pdf =
      pdfOf({400, 300}, QStringLiteral("a title"), 12, [](QPainter& painter, const auto& next) {
        painter.drawText(20, 40, QStringLiteral("one"));
        next();
        painter.drawRect(10, 10, 100, 50);
      });
  CHECK(pagesOf(pdf) == 2);
  CHECK(pdf.contains("/MediaBox [0 0 300.000000 225.000000]"));
}

TEST_CASE("a report as PDF has pages, pictures of shapes and no image", "[pdf]") {
  const auto run = sampleRun("samples:mobilenet_v2");
  const RunReport report = makeReport(*run, nullptr, "highwater report");
  const QByteArray pdf = reportPdf(*run, report);
  CHECK(pagesOf(pdf) >= 3);
  CHECK_FALSE(pdf.contains("/Subtype /Image"));
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
