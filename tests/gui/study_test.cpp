// The place Study: results and their views, runs that are opened, studies that run.

#include <QApplication>
#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QTest>
#include <QTimer>
#include <catch2/catch.hpp>
#include <cmath>

#include "app/gui/features/study/study_feature.h"
#include "core/report/study/results.h"
#include "core/report/study/study_engine.h"
#include "tests/gui/native_support.h"
#include "tests/support/scratch_folder.h"
#include "widgets/study/study_filters.h"

using namespace hw;

namespace {

constexpr const char* kStudy =
    "models = [\"samples:chain\", \"samples:resnet8\"]\n"
    "allocators = [\"greedy-by-size\", \"free-list\"]\nplatform = \"generic-npu\"\n"
    "l2 = [\"64KiB\", \"128KiB\", \"256KiB\"]\nchannels = [1, 2]\n";

/// Results of all but `missing` runs of a study: made here, so that what views show is known. The
/// latency of a run is 1 ms for each KiB that its L2 is below 320, and a little less with the
/// second channel.
struct ResultsFile {
  explicit ResultsFile(std::size_t missing = 0) {
    folder.write("study.toml", kStudy);
    runs = StudyRuns::of(parseStudy(kStudy).value(), folder.path()).value();
    put(0, runs.size() - missing);
  }
  void put(std::size_t from, std::size_t to) {
    auto results = StudyResults::write(path().toStdString(), runs, kStudy, true).value();
    std::vector<StudyResult> rows;
    for (std::size_t number = from; number < to; ++number) rows.push_back(resultOf(number));
    REQUIRE(results.put(rows).has_value());
  }
  StudyResult resultOf(std::size_t number) const {
    const StudyRun run = runs.at(number);
    std::int64_t kib = 0;
    std::int64_t channels = 0;
    for (const auto& [axis, value] : run.setting.axes) {
      if (axis == "l2") kib = std::stoll(value);
      if (axis == "channels") channels = std::stoll(value);
    }
    StudyResult result{.number = number, .seconds = 0.001};
    for (const auto& figure : studyFigures()) {
      const std::string& key = figure.key;
      result.figures.push_back(key == "fits"          ? Value(1)
                               : key == "peak"        ? Value(kib * 1000)
                               : key == "capacity_l2" ? Value(kib * 1024)
                               : key == "latency_ps"
                                   ? Value((320 - kib) * 1'000'000'000 - channels * 1'000'000)
                                   : Value());
    }
    return result;
  }
  QString path() const { return QString::fromStdString(folder.file("results.db")); }

  test::ScratchFolder folder;
  StudyRuns runs;
};

/// A window with them.
struct OpenedStudy {
  explicit OpenedStudy(std::size_t missing = 0) : file(missing) {
    window.openModel(file.path());
    REQUIRE(test::comes([&] { return study().state()->file() != nullptr; }));
  }
  StudyFeature& study() { return *window.study(); }
  StudyViewState& state() { return *study().state(); }
  /// The value that a row has on an axis.
  std::string valueOf(std::uint32_t row, const char* axis) {
    return state().table().valueOf(state().table().axis(axis), row);
  }

  ResultsFile file;
  test::Opened window{{}, {1400, 900}};
};

}  // namespace

TEST_CASE("results open in the place Study without a model, and Home is left", "[study]") {
  OpenedStudy opened;
  CHECK(opened.window.places()->place().id == QStringLiteral("study"));
  CHECK(opened.study().views()->isVisible());
  CHECK(!opened.window.welcome()->isVisible());
  CHECK(!opened.window.state()->run());
  CHECK(!opened.window.command(QStringLiteral("place:explore"))->isEnabled());
  CHECK(opened.state().table().size() == 24);
  CHECK(opened.study().views()->summary() == QStringLiteral("12 of 12 runs of samples:chain"));
  opened.window.command(QStringLiteral("home"))->trigger();
  CHECK(opened.window.welcome()->isVisible());
  opened.window.command(QStringLiteral("place:study"))->trigger();
  CHECK(opened.study().views()->isVisible());
}

TEST_CASE("filters are shared by all views, and cleared by their chips", "[study]") {
  OpenedStudy opened;
  StudyViews& views = *opened.study().views();
  auto* filters = test::part<StudyFilters>(opened.window, "studyFilters");
  QAbstractButton* one = filters->button(QStringLiteral("channels"), QStringLiteral("1"));
  REQUIRE(one);
  one->click();
  CHECK(opened.state().rows().size() == 6);
  CHECK(views.summary() == QStringLiteral("6 of 12 runs of samples:chain"));
  for (const std::uint32_t row : opened.state().rows()) {
    CHECK(opened.valueOf(row, "channels") == "1");
  }
  views.model()->setAll(true);
  CHECK(views.table()->model()->rowCount() == 6);
  auto* chip = test::part<QToolButton>(opened.window, "chip:channels");
  CHECK(chip->text().startsWith(QStringLiteral("Channels  1")));
  chip->click();
  CHECK(opened.state().rows().size() == 12);
  CHECK(!one->isChecked());
  filters->button(QStringLiteral("l2"), QStringLiteral("64KiB"))->click();
  filters->button(QStringLiteral("l2"), QStringLiteral("256KiB"))->click();
  CHECK(opened.state().rows().size() == 8);
  test::button(opened.window, "clearFilters")->click();
  CHECK(opened.state().rows().size() == 12);
  filters->button(QStringLiteral("model"), QStringLiteral("samples:resnet8"))->click();
  CHECK(views.summary() == QStringLiteral("12 of 12 runs of samples:resnet8"));
}

TEST_CASE("a dot, a cell, a row and a panel choose", "[study]") {
  OpenedStudy opened;
  StudyViews& views = *opened.study().views();
  StudyRunPanel& panel = *opened.study().panel();
  CHECK(panel.title() == QStringLiteral("No run is chosen"));
  REQUIRE(views.model()->front().size() == 3);  // Of each L2 the fastest.
  const auto ids = views.dots()->ids();
  REQUIRE(ids.size() == 3);
  QTest::mouseClick(views.dots(), Qt::LeftButton, {},
                    views.dots()->dotRect(ids[1]).center().toPoint());
  REQUIRE(opened.state().chosen());
  CHECK(opened.valueOf(*opened.state().chosen(), "l2") == "128KiB");
  CHECK(opened.valueOf(*opened.state().chosen(), "channels") == "2");
  CHECK(panel.title() == QStringLiteral("greedy-by-size, L2 128KiB, channels 2"));
  // 64 KiB less are 64 of 192 ms more.
  CHECK(panel.neighbours() ==
        QStringLiteral("L2 64KiB: latency 33.3 % higher\nL2 256KiB: latency 66.7 % lower"));
  const int cell = views.heat()->ids().front();
  QTest::mouseClick(views.heat(), Qt::LeftButton, {},
                    views.heat()->dotRect(cell).center().toPoint());
  CHECK(opened.valueOf(*opened.state().chosen(), "l2") == "64KiB");
  views.table()->setFocus();
  views.table()->selectRow(2);
  CHECK(opened.state().chosen() == views.model()->rowAt(2));
  QTest::mouseClick(views.multiples(), Qt::LeftButton, {},
                    views.multiples()->dotRect(1).center().toPoint());
  CHECK(opened.state().model() == 1);
  auto* pair = test::part<QComboBox>(opened.window, "studyPair");
  const auto before = opened.state().pair();
  pair->setCurrentIndex((pair->currentIndex() + 1) % pair->count());
  Q_EMIT pair->activated(pair->currentIndex());
  CHECK(opened.state().pair() != before);
}

TEST_CASE("a run of a study opens in Explore, and another one below it", "[study]") {
  OpenedStudy opened;
  StudyRunPanel& panel = *opened.study().panel();
  opened.state().choose(opened.study().views()->model()->front().front());
  CHECK(!panel.belowButton()->isEnabled());
  test::button(panel, "studyOpen")->click();
  REQUIRE(test::comes([&] { return opened.window.state()->run() != nullptr; }));
  CHECK(opened.window.places()->place().id == QStringLiteral("explore"));
  const RunRequest& request = opened.window.state()->run()->request;
  CHECK(request.model == "samples:chain");
  CHECK(request.l2.bytes == Bytes(64 * 1024));
  opened.window.command(QStringLiteral("place:study"))->trigger();
  opened.state().choose(opened.study().views()->model()->front().back());
  CHECK(panel.belowButton()->isEnabled());
  panel.belowButton()->click();
  REQUIRE(test::comes([&] { return !opened.window.compareMaps()->runs().empty(); }));
  CHECK(opened.window.compareMaps()->runs()[0]->request.l2.bytes == Bytes(256 * 1024));
}

TEST_CASE("results that grow are read again, and what was chosen stays", "[study]") {
  OpenedStudy opened(8);
  CHECK(opened.state().table().size() == 16);
  opened.state().choose(3);
  const std::string chosen = opened.valueOf(3, "l2") + opened.valueOf(3, "allocator");
  auto* filters = test::part<StudyFilters>(opened.window, "studyFilters");
  filters->button(QStringLiteral("channels"), QStringLiteral("2"))->click();
  opened.file.put(16, 24);
  REQUIRE(test::comes([&] { return opened.state().table().size() == 24; }));
  REQUIRE(opened.state().chosen());
  const std::uint32_t row = *opened.state().chosen();
  CHECK(opened.valueOf(row, "l2") + opened.valueOf(row, "allocator") == chosen);
  CHECK(opened.state().rows().size() == 6);
}

TEST_CASE("what is missing of a study runs in the background", "[study]") {
  OpenedStudy opened(10);
  StudyFeature& study = opened.study();
  study.setWorker({HIGHWATER_STUDIO, std::string(kStudyWorker)});
  CHECK(study.panel()->startButton()->isEnabled());
  study.panel()->startButton()->click();
  CHECK(study.panel()->pauseButton()->isVisible());
  REQUIRE(test::comes([&] { return !study.job()->isRunning(); }));
  REQUIRE(test::comes([&] { return opened.state().file()->rows() == 24; }));
  CHECK(opened.state().file()->states.at("done") == 24);
  CHECK(!study.panel()->pauseButton()->isVisible());
}

TEST_CASE("a study that is paused keeps what is done, and goes on", "[study]") {
  OpenedStudy opened(10);
  StudyFeature& study = opened.study();
  StudyRunPanel& panel = *study.panel();
  // A worker that says of each run that it failed, but never comes to an end with one of them.
  study.setWorker(
      {"/bin/sh", "-c",
       "read first; while read line; do for n in $(echo \"$line\" | tr -d '[]' | tr , ' '); do "
       "echo $n; [ $n = 20 ] && sleep 600; echo \"[$n,1,\\\"no\\\",0.5,[]]\"; done; done"});
  panel.startButton()->click();
  REQUIRE(test::comes([&] { return opened.state().file()->rows() > 14; }));
  CHECK(study.job()->isRunning());
  CHECK(!panel.clusterButton()->isVisible());
  panel.pauseButton()->click();
  REQUIRE(test::comes([&] { return !study.job()->isRunning(); }));
  REQUIRE(test::comes([&] { return opened.state().file()->states.contains("failed"); }));
  CHECK(opened.state().file()->rows() < 24);
  CHECK(panel.startButton()->isVisible());
  study.setWorker({HIGHWATER_STUDIO, std::string(kStudyWorker)});
  panel.startButton()->click();
  REQUIRE(test::comes([&] { return !study.job()->isRunning(); }));
  REQUIRE(test::comes([&] { return opened.state().file()->rows() == 24; }));
}

TEST_CASE("a study that cannot run or be read says why, and nothing is lost", "[study]") {
  OpenedStudy opened;
  opened.file.folder.write("bad.toml", "models = []\n");
  opened.file.folder.write("no.db", "this is no database, but long enough to look at its bytes");
  const auto text = [&] { return opened.window.messages()->text(); };
  opened.study().runStudy(QString::fromStdString(opened.file.folder.file("bad.toml")),
                          QString::fromStdString(opened.file.folder.file("bad.db")));
  REQUIRE(test::comes([&] { return !opened.study().job()->isRunning(); }));
  CHECK(text().startsWith(QStringLiteral("The study does not run:")));
  CHECK(!std::filesystem::exists(opened.file.folder / "bad.db"));
  opened.window.openModel(QString::fromStdString(opened.file.folder.file("no.db")));
  REQUIRE(test::comes([&] { return !opened.state().failure().isEmpty(); }));
  CHECK(text().contains(QStringLiteral("not a database")));
  CHECK(opened.study().views()->summary() == QStringLiteral("12 of 12 runs of samples:chain"));
}

TEST_CASE("a study goes to a cluster, and what its tasks did is collected", "[study]") {
  OpenedStudy opened(10);
  const test::ScratchFolder& folder = opened.file.folder;
  std::filesystem::create_directory(folder / "bin");
  folder.write("bin/sbatch", "#!/bin/sh\necho \"$@\" > " + folder.file("asked") + "; echo 7\n");
  folder.write("bin/highwater", "#!/bin/sh\n");
  for (const char* name : {"bin/sbatch", "bin/highwater"}) {
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  }
  const QByteArray before = qgetenv("PATH");
  qputenv("PATH", QByteArray::fromStdString(folder.file("bin")) + ':' + before);
  StudyRunPanel& panel = *opened.study().panel();
  CHECK(panel.clusterButton()->isVisible());
  CHECK(!panel.collectButton()->isVisible());
  QTimer::singleShot(0, [] {
    auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
    REQUIRE(dialog);
    dialog->setTextValue(QStringLiteral("--partition=short"));
    dialog->accept();
  });
  panel.clusterButton()->click();
  REQUIRE(test::comes([&] { return panel.collectButton()->isVisible(); }));
  qputenv("PATH", before);
  CHECK(opened.window.messages()->text().startsWith(QStringLiteral("Job 7 of Slurm has ")));
  CHECK(folder.read("asked").find("--partition=short") != std::string::npos);
  {
    const std::string shard = folder.file("results.db.shards/shard-1.db");
    auto results = StudyResults::write(shard, opened.file.runs, kStudy, false).value();
    std::vector<StudyResult> rows;
    for (std::size_t number = 14; number < 24; ++number) {
      rows.push_back(opened.file.resultOf(number));
    }
    REQUIRE(results.put(rows).has_value());
  }
  panel.collectButton()->click();
  REQUIRE(test::comes([&] { return opened.state().file()->rows() == 24; }));
  CHECK(opened.window.messages()->text() == QStringLiteral("10 runs of 1 tasks are there."));
}

TEST_CASE("another file takes the place of the first, whatever was on show of that", "[study]") {
  OpenedStudy opened;
  StudyViews& views = *opened.study().views();
  views.model()->setAll(true);
  opened.state().choose(5);
  const test::ScratchFolder folder;
  const std::string text = "models = \"samples:chain\"\nallocators = \"none,fast\"\n";
  const StudyRuns runs = StudyRuns::of(parseStudy(text).value(), folder.path()).value();
  {
    auto results = StudyResults::write(folder.file("small.db"), runs, text, false).value();
    std::vector<StudyResult> rows;
    for (std::size_t number = 0; number < 2; ++number) {
      StudyResult row{.number = number};
      for (const auto& figure : studyFigures()) {
        row.figures.push_back(figure.key == "fits"   ? Value(1)
                              : figure.key == "peak" ? Value(number + 7)
                                                     : Value());
      }
      rows.push_back(std::move(row));
    }
    REQUIRE(results.put(rows).has_value());
  }
  opened.window.openModel(QString::fromStdString(folder.file("small.db")));
  REQUIRE(test::comes([&] { return opened.state().table().size() == 2; }));
  CHECK(views.table()->model()->rowCount() == 2);
  CHECK(!opened.state().chosen());
  CHECK(!opened.state().pair());
  CHECK(opened.study().panel()->title() == QStringLiteral("No run is chosen"));
  CHECK(!views.heat()->isVisible());
  views.table()->sortByColumn(0, Qt::DescendingOrder);
  opened.state().choose(1);
  CHECK(opened.study().panel()->title() == QStringLiteral("fast"));
}

TEST_CASE("a crashed run is missing, and names with tags are shown as they are", "[study]") {
  OpenedStudy opened;
  {
    auto database = Database::open(opened.file.path().toStdString(), Database::Mode::write).value();
    REQUIRE(database
                .execute("UPDATE runs SET state = 'crashed', fits = NULL, error = '<img src=x>' "
                         "WHERE rowid < 3")
                .has_value());
  }
  REQUIRE(test::comes([&] { return opened.state().table().size() == 22; }));
  StudyRunPanel& panel = *opened.study().panel();
  CHECK(panel.startButton()->isEnabled());
  opened.study().setWorker({HIGHWATER_STUDIO, std::string(kStudyWorker)});
  panel.startButton()->click();
  REQUIRE(test::comes([&] { return !opened.study().job()->isRunning(); }));
  REQUIRE(test::comes([&] { return opened.state().table().size() == 24; }));
  for (const QLabel* label : panel.findChildren<QLabel*>()) {
    if (label->text().startsWith(QStringLiteral("<table>"))) continue;  // Escaped by itself.
    if (!label->text().isEmpty()) CHECK(label->textFormat() == Qt::PlainText);
  }
}
