#include <QComboBox>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <sstream>

#include "app/gui/features/desk/export_feature.h"
#include "app/gui/output/export_dialog.h"
#include "app/gui/studio.h"
#include "core/base/json.h"
#include "core/files/file.h"
#include "core/import/samples.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/text/text.h"

using namespace hw;

namespace {

Picture plain(const PictureStyle& style) {
  const PresetMeasures measures = measuresOf(style.preset);
  Picture picture{.size = measures.size.isEmpty() ? QSize(300, 200) : measures.size};
  picture.scale = style.scale;
  picture.paint = [](QPainter& painter, const QRect& target) {
    painter.fillRect(target, Qt::darkCyan);
  };
  return picture;
}

QComboBox* box(QDialog& dialog, const char* name) {
  auto* found = dialog.findChild<QComboBox*>(QString::fromLatin1(name));
  REQUIRE(found);
  return found;
}

void choose(QDialog& dialog, const char* name, const char* data) {
  QComboBox* found = box(dialog, name);
  const int index = found->findData(QString::fromLatin1(data));
  REQUIRE(index >= 0);
  found->setCurrentIndex(index);
}

std::unique_ptr<QSettings> storeIn(const QTemporaryDir& folder) {
  return std::make_unique<QSettings>(folder.filePath(QStringLiteral("settings.ini")),
                                     QSettings::IniFormat);
}

void openSample(Studio& window) {
  RunRequest request = defaultRequest();
  request.model = "samples:chain";
  window.open(request);
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != nullptr; }, test::kPatience));
}

}  // namespace

TEST_CASE("the export dialog shows what is chosen and remembers it", "[shell]") {
  const QTemporaryDir folder;
  {
    Settings settings(storeIn(folder));
    ExportDialog dialog(PictureKind::chart, plain, &settings);
    dialog.show();
    choose(dialog, "exportPreset", "16:9");
    choose(dialog, "exportScale", "3");
    choose(dialog, "exportColors", "dark");
    const PictureStyle style = dialog.style();
    CHECK(style.kind == PictureKind::chart);
    CHECK(style.preset == PicturePreset::slide);
    CHECK(style.colors == PictureColors::dark);
    CHECK(style.scale == 3);
    CHECK(style.footer);
    const QPixmap preview = dialog.findChild<QLabel*>(QStringLiteral("exportPreview"))->pixmap();
    CHECK_FALSE(preview.isNull());
    CHECK(std::abs(preview.width() * 9 - preview.height() * 16) < 32);
    QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("exportAccept")),
                      Qt::LeftButton);
    CHECK(dialog.result() == QDialog::Accepted);
  }
  Settings settings(storeIn(folder));
  const ExportDialog again(std::nullopt, plain, &settings);
  CHECK(again.style() == PictureStyle{.kind = PictureKind::chart,
                                      .preset = PicturePreset::slide,
                                      .colors = PictureColors::dark,
                                      .scale = 3});
}

TEST_CASE("what cannot be chosen for a picture says why", "[shell]") {
  Settings none;
  ExportDialog dialog(PictureKind::window, plain, &none);
  CHECK_FALSE(box(dialog, "exportPreset")->isEnabled());
  CHECK_FALSE(box(dialog, "exportPreset")->toolTip().isEmpty());
  choose(dialog, "exportKind", "map");
  CHECK(box(dialog, "exportPreset")->isEnabled());
  CHECK(box(dialog, "exportScale")->isEnabled());
  choose(dialog, "exportFormat", "pdf");
  CHECK_FALSE(box(dialog, "exportScale")->isEnabled());
  CHECK_FALSE(box(dialog, "exportScale")->toolTip().isEmpty());
  CHECK(dialog.format() == QStringLiteral("pdf"));
}

TEST_CASE("the preview of the window does not draw its own dialog", "[shell]") {
  Settings none;
  Studio window(&none);
  window.show();
  int drawn = 0;
  ExportDialog dialog(
      PictureKind::window,
      [&](const PictureStyle& style) {
        ++drawn;
        return window.picture(style, window.size());
      },
      &none, &window);
  dialog.show();  // With a resize still to come, which drawing the window brings about.
  dialog.resize(700, 500);
  dialog.grab();
  CHECK(drawn > 0);
  CHECK(drawn < 10);
}

TEST_CASE("pictures and reports are written from the window", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  auto* feature = window.findChild<ExportFeature*>();
  REQUIRE(feature);
  for (const char* name : {"exportPicture", "exportMap", "exportReport"}) {
    auto* action = window.findChild<QAction*>(QString::fromLatin1(name));
    REQUIRE(action);
    CHECK_FALSE(action->isEnabled());
    CHECK_FALSE(action->toolTip().isEmpty());
  }
  openSample(window);
  const QTemporaryDir folder;
  for (const auto& [name, kind] : pictureKinds()) {
    for (const char* ending : {"png", "svg", "pdf"}) {
      CAPTURE(name, ending);
      const QString file = folder.filePath(QStringLiteral("a.") + QLatin1String(ending));
      feature->writePictureTo({.kind = kind, .colors = PictureColors::dark}, file);
      CHECK(QFileInfo(file).size() > 500);
      QFile::remove(file);
    }
  }
  for (const char* ending : {"html", "pdf", "md", "json", "csv"}) {
    CAPTURE(ending);
    const QString file = folder.filePath(QStringLiteral("report.") + QLatin1String(ending));
    feature->writeReportTo(file);
    CHECK(QTest::qWaitFor([&] { return !feature->isWriting(); }, test::kPatience));
    CHECK(QFileInfo(file).size() > 50);
  }
  CHECK(window.messages()->isVisible());
  feature->writeReportTo(folder.filePath(QStringLiteral("no/such/folder.pdf")));
  CHECK(QTest::qWaitFor([&] { return !feature->isWriting(); }, test::kPatience));
  CHECK_FALSE(QFileInfo::exists(folder.filePath(QStringLiteral("no"))));
}

TEST_CASE("a plan is saved in every format of the command line, as that writes it", "[shell]") {
  Settings none;
  Studio window(&none);
  window.show();
  openSample(window);
  auto* feature = window.findChild<ExportFeature*>();
  const auto run = window.state()->run();
  const QTemporaryDir folder;
  int saved = 0;
  for (const ExporterInfo& format : exporterCatalog()) {
    if (!format.applies(*run)) continue;
    CAPTURE(format.name);
    const QString file = folder.filePath(QStringLiteral("plan") + viewText(format.ending));
    feature->writePlanTo(format, file);
    REQUIRE(QTest::qWaitFor([&] { return !feature->isWriting(); }, test::kPatience));
    std::ostringstream expected;
    REQUIRE(format.write(*run, expected));
    CHECK(readFile(file.toStdString()).value() == expected.str());
    ++saved;
  }
  CHECK(saved >= 10);
}

TEST_CASE("the first dialog for files begins at the model, or among documents", "[shell]") {
  Settings none;
  Studio window(&none);
  const QFileInfo before(window.startFolder());
  CHECK(before.isDir());
  CHECK_FALSE(before.isRoot());
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("a.csv"));
  REQUIRE(writeFile(file.toStdString(), "id,lower,upper,size\na,0,1,4\n"));
  window.openModel(file);
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != nullptr; }, test::kPatience));
  CHECK(QFileInfo(window.startFolder()) == QFileInfo(folder.path()));
}

TEST_CASE("a report compares under the settings on show, tables say what they were made with",
          "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  openSample(window);
  const auto run = window.state()->run();
  const std::vector<AllocatorChoice> choices{AllocatorChoice::parse("none").value(),
                                             AllocatorChoice::parse("greedy-by-size").value()};
  window.comparison()->setComparison(
      std::make_shared<const Comparison>(compareAllocators(run->model, run->request, choices, {})));
  RunRequest other = run->request;
  other.alias = AliasRules::none();
  other.alignment = Bytes(4096);
  window.planWith(other);
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != run; }, test::kPatience));

  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("report.json"));
  auto* feature = window.findChild<ExportFeature*>();
  feature->writeReportTo(file);
  REQUIRE(QTest::qWaitFor([&] { return !feature->isWriting(); }, test::kPatience));
  const Json report = Json::parse(readFile(file.toStdString()).value());
  const Comparison expected =
      compareAllocators(run->model, window.state()->run()->request, choices, {});
  REQUIRE(report["comparison"]["rows"].size() == 2);
  for (std::size_t row = 0; row < 2; ++row) {
    const Json& figures = report["comparison"]["rows"][row];
    CHECK(figures["peak_l2"] == expected.rows[row].figures.peakL2.count());
    CHECK(figures["options"] == "--align 4KiB --alias none");
  }
  // The panel still has the old rows, and its files say of what.
  CHECK(window.comparison()->stamp().endsWith(QStringLiteral("made with default settings")));
  CHECK(window.comparison()->table()->toCsv().contains(QStringLiteral("options")));
}

TEST_CASE("a picture in other colours leaves the window as it is", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  openSample(window);
  QTest::qWait(150);  // The layout settles.
  const QImage before = window.grab().toImage();
  const PictureStyle dark{.kind = PictureKind::views, .colors = PictureColors::dark};
  const PictureStyle light{.kind = PictureKind::views, .colors = PictureColors::light};
  const QImage darkImage = imageOf(window.picture(dark, {800, 600}));
  CHECK(imageOf(window.picture(light, {800, 600})) != darkImage);
  CHECK(qGray(darkImage.pixel(3, 3)) < 100);
  QCoreApplication::processEvents();
  CHECK(window.grab().toImage() == before);
}
