#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <catch2/catch.hpp>

#include "app/gui/request/arguments.h"
#include "core/base/json.h"

using namespace hw;

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
  // The sample brings no plan of its own that `embedded` could follow.
  CHECK(rowsWith("all") == allocatorCatalog().size() - 1);
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
  CHECK(request.planInputs);
  CHECK_FALSE(request.planOutputs);
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
