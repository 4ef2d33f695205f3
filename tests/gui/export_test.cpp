#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFontInfo>
#include <QImage>
#include <QProcess>
#include <QSettings>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <sstream>

#include "app/gui/features/desk/export_feature.h"
#include "app/gui/output/export_dialog.h"
#include "app/gui/output/picture.h"
#include "app/gui/output/report_file.h"
#include "app/gui/request/arguments.h"
#include "app/gui/studio.h"
#include "core/base/json.h"
#include "core/files/file.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "tests/support/golden_picture.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/text/text.h"

using namespace hw;
using namespace hw::test;
// HIGHWATER_UPDATE_GOLDEN=1 writes them anew: look at what has changed. They are vector graphics,
// Pictures of a small sample as they were when somebody looked at them, in both themes.
// differs, and they are not compared.
// so a difference can be read; where text has another font or Qt another version, every number

namespace {

struct Ended {
  int code = -1;
  QString errors{};
};

/// Runs the studio itself, without any display.
Ended studio(const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
    environment.remove(QString::fromLatin1(name));
  }
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral(HIGHWATER_STUDIO), arguments);
  REQUIRE(process.waitForFinished(120'000));
  REQUIRE(process.exitStatus() == QProcess::NormalExit);
  return {process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString text(const char* word) { return QString::fromLatin1(word); }

ArgumentsOutcome parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "highwater-studio");
  return parseArguments(static_cast<int>(words.size()), words.data());
}

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

void openSample(Studio& window) {
  RunRequest request = defaultRequest();
  request.model = "samples:chain";
  window.open(request);
  REQUIRE(test::comes([&] { return window.state()->run() != nullptr; }));
}

int pagesOf(const QByteArray& pdf) {
  int pages = 0;
  for (qsizetype at = 0; (at = pdf.indexOf("/Type /Page\n", at)) >= 0; ++at) ++pages;
  return pages;
}

/// The file that the studio writes to `name` without a display.
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

TEST_CASE("a platform of ours is not one of Qt's", "[shell]") {
  QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("a.svg"));
  const Ended ended = studio({text("--export"), file, text("--view"), text("map"),
                              text("--platform"), text("two-devices"), text("--allocator"),
                              text("partition"), text("samples:two_devices")});
  CHECK(ended.errors.toStdString().empty());
  CHECK(ended.code == 0);
  CHECK(QSvgRenderer(file).isValid());
}

TEST_CASE("pictures of every view, without a display, equal bytes for equal input", "[shell]") {
  const QString view = text(GENERATE("window", "views", "map", "chart", "now", "compare"));
  const QString ending = text(GENERATE("png", "svg", "pdf"));
  CAPTURE(view.toStdString(), ending.toStdString());
  QTemporaryDir folder;
  const QString first = folder.filePath(QStringLiteral("a.") + ending);
  const QString second = folder.filePath(QStringLiteral("b.") + ending);
  for (const QString& file : {first, second}) {
    const Ended ended = studio({text("--export"), file, text("--view"), view, text("--size"),
                                text("1280x800"), text("samples:chain")});
    CHECK(ended.code == 0);
    CHECK(ended.errors.isEmpty());
  }
  // Qt dates a PDF.
  if (ending != QStringLiteral("pdf")) CHECK((contentOf(first) == contentOf(second)));
  if (ending == QStringLiteral("png")) {
    const QImage image(first);
    CHECK(image.size() == QSize(1280, 800));
    // Something is drawn: a flat picture would have a single colour.
    CHECK(image.convertToFormat(QImage::Format_Indexed8).colorCount() > 8);
  } else if (ending == QStringLiteral("pdf")) {
    CHECK(contentOf(first).startsWith("%PDF-"));
    CHECK(contentOf(first).contains("/MediaBox [0 0 960.000000 600.000000]"));
  } else {
    QSvgRenderer renderer(first);
    CHECK(renderer.isValid());
    // Text stays text, but in a picture of the whole window, which is an image.
    CHECK(contentOf(first).contains("<text") == (view != QStringLiteral("window")));
  }
}

TEST_CASE("what is asked of a picture is what is drawn", "[shell]") {
  QTemporaryDir folder;
  const auto picture = [&](const char* name, const QStringList& options) {
    const QString file = folder.filePath(text(name));
    const QStringList arguments =
        QStringList{text("--export"), file, text("--view"), text("map")} + options;
    CHECK(studio(arguments + QStringList{text("samples:mobilenet_v2")}).code == 0);
    return contentOf(file);
  };
  const QByteArray usual = picture("usual.png", {});
  CHECK((usual != picture("dark.png", {text("--theme"), text("dark")})));
  CHECK((usual != picture("step.png", {text("--step"), text("40")})));
  CHECK((usual != picture("none.png", {text("--allocator"), text("none")})));
  CHECK((usual != picture("l2.png", {text("--l2"), text("1MiB")})));
  CHECK((usual != picture("time.png", {text("--axis"), text("time")})));
}

TEST_CASE("presets have a size of their own, and a PNG as many pixels as asked for", "[shell]") {
  QTemporaryDir folder;
  const auto image = [&](const char* preset, const char* scale) {
    const QString file = folder.filePath(text("a.png"));
    const Ended ended =
        studio({text("--export"), file, text("--view"), text("map"), text("--preset"), text(preset),
                text("--scale"), text(scale), text("samples:chain")});
    CHECK(ended.errors.toStdString().empty());
    return QImage(file);
  };
  CHECK(image("16:9", "1").size() == QSize(1280, 720));
  CHECK(image("column", "3").size() == QSize(999, 900));
  CHECK(image("a4", "2").size() == QSize(2246, 1588));
}

TEST_CASE("the footer says where a picture comes from, unless it is not wanted", "[shell]") {
  QTemporaryDir folder;
  const QString file = folder.filePath(text("a.svg"));
  const QString view = text(GENERATE("map", "chart", "now", "views"));
  CAPTURE(view.toStdString());
  const auto contains = [&](const char* footer, const char* word) {
    CHECK(studio({text("--export"), file, text("--view"), view, text("--footer"), text(footer),
                  text("samples:chain")})
              .code == 0);
    return contentOf(file).contains(word);
  };
  for (const char* word : {"Highwater ", "SHA-256", "seed"}) {
    CAPTURE(word);
    CHECK(contains("yes", word));
  }
  CHECK_FALSE(contains("no", "SHA-256"));
}

TEST_CASE("reports in every format, equal bytes for equal input", "[shell]") {
  const QString ending = text(GENERATE("html", "pdf", "md", "json", "csv"));
  CAPTURE(ending.toStdString());
  QTemporaryDir folder;
  const QString first = folder.filePath(text("a.") + ending);
  const QString second = folder.filePath(text("b.") + ending);
  CHECK(studio({text("--report"), first, text("--compare"), text("samples:chain")}).code == 0);
  CHECK(studio({text("--export"), second, text("--view"), text("report"), text("--compare"),
                text("samples:chain")})
            .code == 0);
  CHECK_FALSE(contentOf(first).isEmpty());
  if (ending != QStringLiteral("pdf")) CHECK((contentOf(first) == contentOf(second)));
}

TEST_CASE("a report compares those that were asked for", "[shell]") {
  QTemporaryDir folder;
  const QString file = folder.filePath(text("a.json"));
  const auto rowsWith = [&](const char* allocators) {
    CHECK(studio({text("--report"), file, text("--compare"), text("--allocators"), text(allocators),
                  text("samples:chain")})
              .code == 0);
    const auto json = parseJson(contentOf(file).toStdString());
    REQUIRE(json);
    return json->at("comparison").at("rows").size();
  };
  CHECK(rowsWith("none,free-list") == 2);
  // The sample brings no plan of its own that `embedded` could follow, and `caching` is named.
  CHECK(rowsWith("all") == allocatorCatalog().size() - 2);
}

TEST_CASE("exit codes say whose fault it was, and nothing is left behind", "[shell]") {
  QTemporaryDir folder;
  const QString file = folder.filePath(text("out.png"));
  const QString sample = text("samples:chain");
  const auto check = [&](const QStringList& arguments, int code, const char* word) {
    const Ended ended = studio(arguments);
    CAPTURE(arguments.join(QLatin1Char(' ')).toStdString(), ended.errors.toStdString());
    CHECK(ended.code == code);
    CHECK(ended.errors.contains(text(word)));
    CHECK_FALSE(QFile::exists(file));
  };
  const QString out = text("--export");
  check({out, file, text("missing.onnx")}, 3, "missing.onnx");
  check({out, file, text("samples:nothing")}, 2, "nothing");
  check({out, file}, 2, "MODEL");
  check({out, file + text(".gif"), sample}, 2, ".svg");
  check({out, folder.filePath(text("no/such/folder.png")), sample}, 3, "cannot be written");
  check({out, file, sample, text("--step"), text("999")}, 2, "steps 0 to");
  check({out, file, sample, text("--size"), text("600x200")}, 2, "at least");
  check({out, file, sample, text("--preset"), text("a4")}, 2, "--preset");
  check({out, file, sample, text("--scale"), text("9")}, 2, "--scale");
  check({text("--report"), file, sample}, 2, ".html");
  check({text("--report"), folder.filePath(text("a.pdf"))}, 2, "MODEL");
  check({out, file, sample, text("--allocator"), text("fre-list")}, 2, "free-list");
  check({sample}, 2, "--export");  // No display.
}

TEST_CASE("a plan that does not fit is drawn, and says so", "[shell]") {
  QTemporaryDir folder;
  const QString file = folder.filePath(text("out.png"));
  const Ended ended = studio({text("--export"), file, text("--l2"), text("64"), text("--l3"),
                              text("64"), text("samples:mobilenet_v2")});
  CHECK(ended.code == 1);
  CHECK(ended.errors.contains(text("does not fit")));
  CHECK_FALSE(QImage(file).isNull());
}

TEST_CASE("the command line is understood", "[shell]") {
  const auto outcome =
      parsed({"model.onnx", "--dim",    "batch=4", "--allocator", "free-list:pick=best",
              "--l2",       "512KiB",   "--l3",    "unlimited",   "--align",
              "128",        "--alias",  "none",    "--outputs",   "external",
              "--weights",  "resident", "--theme", "dark",        "--size",
              "800x500"});
  REQUIRE(outcome.arguments);
  const RunRequest& request = outcome.arguments->request;
  CHECK(request.model == "model.onnx");
  CHECK(request.import.dimensions.at("batch") == 4);
  CHECK(request.allocator.text() == "free-list:pick=best");
  CHECK(request.l2.bytes == Bytes(512 * 1024));
  CHECK(request.l3.kind == PoolSize::Kind::unbounded);
  CHECK(request.alignment == Bytes(128));
  CHECK(request.alias == AliasRules::none());
  CHECK(request.plansInputs());
  CHECK_FALSE(request.plansOutputs());
  CHECK(request.weights.rule == WeightRule::resident);
  CHECK(outcome.arguments->theme == ThemeChoice::dark);
  CHECK(outcome.arguments->size == QSize(800, 500));
}

TEST_CASE("bad arguments are refused with the option's name", "[shell]") {
  const auto [words, name] = GENERATE(table<std::vector<const char*>, const char*>({
      {{"m", "--dim", "batch"}, "--dim"},
      {{"m", "--dim", "=3"}, "--dim"},
      {{"m", "--l2", "many"}, "--l2"},
      {{"m", "--align", "3"}, "--align"},
      {{"m", "--size", "10x10"}, "--size"},
      {{"m", "--size", "1e9x5"}, "--size"},
      {{"m", "--step", "-1"}, "--step"},
      {{"m", "--alias", "some"}, "--alias"},
      {{"m", "--theme", "pink"}, "--theme"},
      {{"m", "--nonsense"}, "--nonsense"},
  }));
  CAPTURE(name);
  const auto outcome = parsed(words);
  CHECK_FALSE(outcome.arguments);
  CHECK(outcome.exitCode == 2);
  CHECK(outcome.text.find(name) != std::string::npos);
}

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
    const QPixmap preview = test::part<QLabel>(dialog, "exportPreview")->pixmap();
    CHECK_FALSE(preview.isNull());
    CHECK(std::abs(preview.width() * 9 - preview.height() * 16) < 32);
    QTest::mouseClick(test::part<QPushButton>(dialog, "exportAccept"), Qt::LeftButton);
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
  test::Opened window({}, {1280, 800});
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
    CHECK(test::comes([&] { return !feature->isWriting(); }));
    CHECK(QFileInfo(file).size() > 50);
  }
  CHECK(window.messages()->isVisible());
  feature->writeReportTo(folder.filePath(QStringLiteral("no/such/folder.pdf")));
  CHECK(test::comes([&] { return !feature->isWriting(); }));
  CHECK_FALSE(QFileInfo::exists(folder.filePath(QStringLiteral("no"))));
}

TEST_CASE("a plan is saved in every format of the command line, as that writes it", "[shell]") {
  test::Opened window;
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
    REQUIRE(test::comes([&] { return !feature->isWriting(); }));
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
  REQUIRE(test::comes([&] { return window.state()->run() != nullptr; }));
  CHECK(QFileInfo(window.startFolder()) == QFileInfo(folder.path()));
}

TEST_CASE("a report compares under the settings on show, tables say what they were made with",
          "[shell]") {
  test::Opened window({}, {1280, 800});
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
  REQUIRE(test::comes([&] { return window.state()->run() != run; }));

  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("report.json"));
  auto* feature = window.findChild<ExportFeature*>();
  feature->writeReportTo(file);
  REQUIRE(test::comes([&] { return !feature->isWriting(); }));
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
  test::Opened window({}, {1280, 800});
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
  const auto run = sampleRun("mobilenet_v2", requestBy("free-list"));
  const RunReport report = makeReport(*run, nullptr, "highwater report");
  const QByteArray pdf = reportPdf(*run, report);
  CHECK(pagesOf(pdf) >= 3);
  CHECK_FALSE(pdf.contains("/Subtype /Image"));
}

TEST_CASE("a report on paper is the same in every theme", "[pdf]") {
  const auto run = sampleRun("chain", requestBy("free-list"));
  const RunReport report = makeReport(*run, nullptr, "highwater report");
  const auto page = [&] {
    const ThemeScope paper(Theme::light());
    QImage image(ReportPages::kSize.toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setFont(paperFont(ReportPages::kLetters));
    ReportPages(*run, report, painter.font()).paint(painter, 0);
    return image;
  };
  const QImage light = page();
  Theme::apply(Theme::darkTheme());
  const QImage dark = page();
  Theme::apply(Theme::light());
  CHECK(dark == light);
}

TEST_CASE("a long table in a report stops and says how much there is", "[pdf]") {
  const auto run = sampleRun("chain", requestBy("free-list"));
  RunReport report = makeReport(*run, nullptr, "highwater report");
  const int before = pagesOf(reportPdf(*run, report));
  ReportTable& table = report.tables.back();
  const auto row = table.rows.front();
  table.rows.assign(100'000, row);
  const int after = pagesOf(reportPdf(*run, report));
  CHECK(after > before);
  CHECK(after < before + 12);
}

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
