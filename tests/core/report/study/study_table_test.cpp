#include "core/report/study/study_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/study/results.h"
#include "core/report/study/study_file.h"
#include "core/report/study/study_page.h"
#include "core/report/study/study_picture.h"
#include "core/report/study/study_query.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

using namespace hw;

namespace {

/// Two axes of random values, and two figures of which some are not known.
StudyTable randomTable(test::Dice& dice) {
  StudyTable table;
  table.axes = {{"model", {"a", "b"}, {}}, {"l2", {"", "1KiB", "2KiB", "4KiB"}, {}}};
  table.figures = {{"peak", {}}, {"latency_ps", {}}};
  for (std::int64_t i = dice.roll(0, 40); i > 0; --i) {
    table.ids.push_back(static_cast<std::int64_t>(table.ids.size()) + 100);
    for (StudyTable::Axis& axis : table.axes) {
      const auto last = static_cast<std::int64_t>(axis.values.size()) - 1;
      axis.codes.push_back(static_cast<std::uint32_t>(dice.roll(0, last)));
    }
    for (StudyTable::Figure& figure : table.figures) {
      figure.numbers.push_back(dice.chance(10) ? std::nan("") : double(dice.roll(1, 9)));
    }
  }
  return table;
}

/// Results of twelve runs: one without a plan, four that do not fit; the peak tells their number.
StudyRuns writeResults(const test::ScratchFolder& folder) {
  folder.write("a.csv", "id,lower,upper,size\n1,0,2,10\n2,1,3,20\n");
  const std::string text =
      "models = [\"a.csv\", \"samples:chain\"]\nallocators = \"none,greedy-by-size\"\n"
      "l2 = [\"512B\", \"64B\", \"unlimited\"]\n";
  const Study study = parseStudy(text).value();
  StudyRuns runs = StudyRuns::of(study, folder.path()).value();
  auto results = StudyResults::write(folder.file("r.db"), runs, text, false).value();
  std::vector<StudyResult> rows;
  for (std::size_t number = 0; number < runs.size(); ++number) {
    StudyResult row{.number = number, .seconds = 0.5};
    const bool fits = number % 3 != 2;
    for (const auto& figure : studyFigures()) {
      row.figures.push_back(figure.key == "peak"     ? Value(number + 1)
                            : figure.key == "fits"   ? Value(fits ? 1 : 0)
                            : figure.key == "reason" ? Value(fits ? "" : "too large")
                                                     : Value());
    }
    rows.push_back(std::move(row));
  }
  rows[0] = {.number = 0, .state = StudyState::failed, .error = "no plan"};
  REQUIRE(results.put(rows).has_value());
  return runs;
}

}  // namespace

TEST_CASE("filters leave the rows whose values are picked on every axis", "[study]") {
  for (const std::uint64_t seed : test::Seeds(100)) {
    test::Dice dice(seed);
    const StudyTable table = randomTable(dice);
    StudyFilter filter(dice.chance(20) ? 0 : table.axes.size());
    for (std::size_t axis = 0; axis < filter.size(); ++axis) {
      if (dice.chance(30)) continue;
      for (std::size_t i = 0; i < table.axes[axis].values.size(); ++i) {
        filter[axis].push_back(dice.chance(50));
      }
    }
    const StudyRows rows = rowsOf(table, filter);
    CHECK(std::ranges::is_sorted(rows));
    for (std::uint32_t row = 0; row < table.size(); ++row) {
      bool wanted = true;
      for (std::size_t axis = 0; axis < filter.size(); ++axis) {
        const auto picked = std::ranges::count(filter[axis], true);
        if (picked > 0) wanted = wanted && filter[axis][table.axes[axis].codes[row]];
      }
      CHECK(std::ranges::count(rows, row) == (wanted ? 1 : 0));
    }
  }
}

TEST_CASE("a front holds one of each best pair", "[study]") {
  for (const std::uint64_t seed : test::Seeds(100)) {
    test::Dice dice(seed);
    const StudyTable table = randomTable(dice);
    const auto& peaks = table.figures[0].numbers;
    const auto& latencies = table.figures[1].numbers;
    const auto& models = table.axes[0].codes;
    const StudyRows front = frontOf(table, table.all(), 0, {0, 1});
    for (std::uint32_t row = 0; row < table.size(); ++row) {
      const bool known = !std::isnan(peaks[row]) && !std::isnan(latencies[row]);
      bool beaten = !known;
      for (std::uint32_t other = 0; known && other < table.size(); ++other) {
        const bool asGood = peaks[other] <= peaks[row] && latencies[other] <= latencies[row];
        const bool better = peaks[other] < peaks[row] || latencies[other] < latencies[row];
        beaten = beaten || (models[other] == models[row] && asGood && better);
      }
      const auto same = std::ranges::count_if(front, [&](std::uint32_t each) {
        return known && models[each] == models[row] && peaks[each] == peaks[row] &&
               latencies[each] == latencies[row];
      });
      CHECK(same == (beaten ? 0 : 1));
    }
  }
}

TEST_CASE("cells of a pivot know the least of their rows", "[study]") {
  for (const std::uint64_t seed : test::Seeds(100)) {
    test::Dice dice(seed);
    const StudyTable table = randomTable(dice);
    const auto& peaks = table.figures[0].numbers;
    const auto& models = table.axes[0].codes;
    const StudyPivot cells = pivot(table, table.all(), 0, 1, 0);
    for (std::size_t line = 0; line < 2; ++line) {
      for (std::size_t column = 0; column < 4; ++column) {
        double least = INFINITY;
        std::size_t count = 0;
        for (std::uint32_t row = 0; row < table.size(); ++row) {
          const bool here = models[row] == line && table.axes[1].codes[row] == column;
          if (!here || std::isnan(peaks[row])) continue;
          least = std::min(least, peaks[row]);
          ++count;
        }
        const StudyPivot::Cell& cell = cells.at(line, column);
        CHECK(cell.mean.count() == count);
        CHECK(cell.least == least);
        if (count > 0) CHECK(peaks[cell.best] == least);
        CHECK(cells.isKnown(line, column) == (count > 0));
      }
    }
  }
}

TEST_CASE("a file of results is read with its study, and its rows can be opened", "[study]") {
  const test::ScratchFolder folder;
  const StudyRuns runs = writeResults(folder);
  const StudyFile file = readStudyFile(folder.file("r.db")).value();
  CHECK(file.rows() == 12);
  CHECK(file.table.size() == 7);
  CHECK(file.states == std::map<std::string, std::size_t>{{"done", 11}, {"failed", 1}});
  CHECK(file.reasons ==
        std::vector<std::pair<std::string, std::size_t>>{{"too large", 4}, {"no plan", 1}});
  REQUIRE(file.table.figures.size() == 1);  // No row has any other.
  CHECK(file.table.figures[0].key == "peak");
  const StudyTable::Axis& l2 = file.table.axes[file.table.axis("l2")];
  CHECK(std::ranges::find(l2.values, "64B") < std::ranges::find(l2.values, "512B"));
  for (std::uint32_t row = 0; row < file.table.size(); ++row) {
    const auto number = static_cast<std::size_t>(file.table.figures[0].numbers[row]) - 1;
    const StudyRun expected = runs.at(number);
    const auto found = test::must(file.runOf(row));
    CHECK(found.identity() == expected.identity());
    CHECK(found.setting.request.l2.bytes == expected.setting.request.l2.bytes);
  }
  CHECK(!file.runs->find("a.csv", "best", {}).has_value());
  CHECK(!file.runs->find("b.csv", "none", {{"l2", "64B"}}).has_value());
  CHECK(!file.runs->find("a.csv", "none", {{"l2", "65B"}}).has_value());
  CHECK(!readStudyFile(folder.file("none.db")).has_value());
}

TEST_CASE("axes of pictures are those on which rows differ, the most telling first", "[study]") {
  StudyTable table;
  table.axes = {{"model", {"m"}, {}},
                {"allocator", {"x", "y"}, {}},
                {"l2", {"1KiB", "2KiB"}, {}},
                {"align", {"1"}, {}}};
  table.figures = {{"latency_ps", {}}, {"capacity_l2", {}}, {"peak", {}}};
  for (std::uint32_t i = 0; i < 8; ++i) {
    table.ids.push_back(i);
    table.axes[0].codes.push_back(0);
    table.axes[1].codes.push_back(i % 2);
    table.axes[2].codes.push_back(i / 4);
    table.axes[3].codes.push_back(0);
    table.figures[0].numbers.push_back(1000 + 10 * (i % 2) + 500 * (i / 4));
    table.figures[1].numbers.push_back(1024 * (1 + i / 4));
    table.figures[2].numbers.push_back(900);
  }
  const StudyLook look = lookOf(table, table.all(), 0);
  CHECK(look.across == "capacity_l2");
  CHECK(look.axes == std::vector<std::size_t>{2, 1});
  CHECK(lookOf(table, {0, 1}, 0).across == "peak");
  CHECK(lookOf(table, {0, 1}, 0).axes == std::vector<std::size_t>{1});
  CHECK(runName(table, 5) == "y, L2 2KiB");
}

TEST_CASE("axes are shown of figures of zeros, too, but none with more values than fit",
          "[study]") {
  StudyTable table;
  table.axes = {{"model", {"m"}, {}},
                {"allocator", {"x", "y"}, {}},
                {"l2", {"1KiB", "2KiB"}, {}},
                {"seed", {}, {}}};
  table.figures = {{"spilled_bytes", {}}};
  for (std::uint32_t i = 0; i < 400; ++i) {
    table.ids.push_back(i);
    table.axes[0].codes.push_back(0);
    table.axes[1].codes.push_back(i % 2);
    table.axes[2].codes.push_back(i / 200);
    table.axes[3].values.push_back(fmt::format("{:03}", i));
    table.axes[3].codes.push_back(i);
    table.figures[0].numbers.push_back(0);
  }
  const StudyLook look = lookOf(table, table.all(), 0);
  CHECK(look.axes == std::vector<std::size_t>{1, 2});
  CHECK(look.pair == StudyLook::Pair{1, 2});
  CHECK(look.across == "spilled_bytes");  // There is no peak.
}

TEST_CASE("dots that lie apart in the picture are all there", "[study]") {
  StudyTable table;
  table.axes = {{"model", {"m"}, {}}};
  table.figures = {{"peak", {}}, {"latency_ps", {}}};
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    table.ids.push_back(i);
    table.axes[0].codes.push_back(0);
    table.figures[0].numbers.push_back(1'000'000 + 100 * (i % 100));
    table.figures[1].numbers.push_back(2e9 + 1e5 * (i % 100));
  }
  const std::size_t dots = dotsScene(table, table.all(), {}, 0, 1).dots.size();
  CHECK(dots > 80);
  CHECK(dots <= 100);
}

TEST_CASE("files whose tables are not those of results are refused", "[study]") {
  const test::ScratchFolder folder;
  const auto readWith = [&](const std::string& columns) {
    {
      auto database = Database::open(folder.file("r.db"), Database::Mode::write).value();
      REQUIRE(database
                  .execute("DROP TABLE IF EXISTS meta; DROP TABLE IF EXISTS runs; CREATE TABLE "
                           "meta(key, value); INSERT INTO meta VALUES ('version', 1); "
                           "CREATE TABLE runs(" +
                           columns + ")")
                  .has_value());
    }
    return readStudyFile(folder.file("r.db"));
  };
  for (const char* columns :
       {"identity", "model_sha256, identity, model, allocator", "identity, model, model_sha256",
        "identity, mode, allocator, model_sha256, state, fits, error, reason, status, seconds"}) {
    CAPTURE(columns);
    CHECK_THAT(readWith(columns).error().text(),
               Catch::EndsWith("the columns of its runs are not those of results"));
  }
}

TEST_CASE("numbers that no run comes to are none, and too many cells are refused", "[study]") {
  const test::ScratchFolder folder;
  const StudyRuns runs = writeResults(folder);
  {
    auto database = Database::open(folder.file("r.db"), Database::Mode::write).value();
    REQUIRE(
        database
            .execute("UPDATE runs SET peak = 9e999 WHERE peak = 2; UPDATE runs SET peak = 1e300 "
                     "WHERE peak = 4; UPDATE runs SET peak = 'text' WHERE peak = 5")
            .has_value());
  }
  const StudyFile file = readStudyFile(folder.file("r.db")).value();
  REQUIRE(file.table.size() == 7);
  CHECK(std::ranges::count_if(file.table.figures[0].numbers,
                              [](double number) { return std::isnan(number); }) == 3);
  CHECK(studyPage(file, "peak", "command").has_value());
  {
    auto database = Database::open(folder.file("r.db"), Database::Mode::write).value();
    REQUIRE(
        database
            .execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
                     "i < 4000) INSERT INTO runs(identity, model, allocator, l2, program, state, "
                     "fits, peak) SELECT i, 'm' || i, 'a', 'l' || i, '', 'done', 1, i FROM n")
            .has_value());
  }
  auto results = openResults(folder.file("r.db")).value();
  CHECK_THAT(pivotOf({results}, "model", "l2", "peak").error().text(),
             Catch::Contains("more than 10,000,000 cells"));
  CHECK(readStudyFile(folder.file("r.db")).has_value());
}

TEST_CASE("a page counts what a condition leaves, and is about any figure that is there",
          "[study]") {
  const test::ScratchFolder folder;
  const StudyRuns runs = writeResults(folder);
  const StudyFile some = readStudyFile(folder.file("r.db"), "peak < 6", "peak").value();
  CHECK(some.fitting == 7);
  CHECK(some.table.size() == 3);
  const std::string page = studyPage(some, "peak", "the command").value();
  CHECK_THAT(page, Catch::Contains("<span>runs with a plan that fits</span><b>7</b>"
                                   "<small>3 of them are shown</small>"));
  CHECK_THAT(page, Catch::Contains("<span>without</span><b>5</b>"));
  CHECK_THAT(page, Catch::Contains("the command"));
  CHECK_THAT(studyPage(some, "latency", "").error().text(),
             Catch::EndsWith("no row with a plan that fits has latency_ps"));
}
