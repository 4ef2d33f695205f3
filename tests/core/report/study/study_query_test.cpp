#include "core/report/study/study_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/report/study/results.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

using namespace hw;

namespace {

/// A row as the test made it.
struct Made {
  std::string model{}, allocator{}, align{}, order{};
  std::int64_t peak = 0, latency = 0, energy = 0;
  bool fits = true;
};

/// Random results of a study with two models, three allocators, three alignments and two orders.
struct AskedStudy {
  explicit AskedStudy(std::uint64_t seed) {
    study = parseStudy(
                "models = [\"a\", \"b\"]\nallocators = \"none,best,fast\"\n"
                "align = [1, 2, 16]\norder = [\"given\", \"least-peak\"]\n")
                .value();
    runs = StudyRuns::of(study, folder.path()).value();
    auto results = StudyResults::write((folder / "r.db").string(), runs, "", false).value();
    test::Dice dice(seed);
    std::vector<StudyResult> rows;
    for (std::size_t number = 0; number < runs.size(); ++number) {
      const StudyRun run = runs.at(number);
      Made one{.model = run.model,
               .allocator = run.allocator.text(),
               .peak = dice.roll(1, 9),
               .latency = dice.roll(1, 9),
               .energy = dice.roll(1, 9),
               .fits = dice.chance(80)};
      for (const auto& [axis, value] : run.setting.axes) {
        if (axis == "align") one.align = value;
        if (axis == "order") one.order = value;
      }
      StudyResult result{.number = number};
      for (const auto& figure : studyFigures()) {
        const std::string& key = figure.key;
        result.figures.push_back(key == "peak"         ? Value(one.peak)
                                 : key == "latency_ps" ? Value(one.latency)
                                 : key == "energy_pj"  ? Value(one.energy)
                                 : key == "fits"       ? Value(one.fits ? 1 : 0)
                                                       : Value());
      }
      rows.push_back(std::move(result));
      if (one.fits) made.push_back(one);
    }
    REQUIRE(results.put(rows).has_value());
  }
  Database open() const { return openResults((folder / "r.db").string()).value(); }

  test::ScratchFolder folder;
  Study study;
  StudyRuns runs;
  std::vector<Made> made;  ///< Those that fit.
};

std::size_t columnOf(const ResultTable& table, const std::string& key) {
  const auto found = std::ranges::find(table.columns, key, &ResultTable::Column::key);
  REQUIRE(found != table.columns.end());
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::string refusal(const Result<ResultTable>& table) {
  return table ? "accepted" : table.error().text();
}

}  // namespace

TEST_CASE("the rows of a Pareto front are those that no other is as good as", "[study]") {
  for (const std::uint64_t seed : test::Seeds(20)) {
    const AskedStudy study(seed);
    Database results = study.open();
    const bool three = seed % 2 == 0;
    const auto table =
        test::must(paretoOf({results}, three ? std::vector<std::string>{"peak", "latency", "energy"}
                                             : std::vector<std::string>{"peak", "latency"}));
    const auto figuresOf = [&](const Made& one) {
      return std::tuple(one.model, one.peak, one.latency, three ? one.energy : 0);
    };
    std::set<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>> expected, found;
    for (const Made& one : study.made) {
      const bool beaten = std::ranges::any_of(study.made, [&](const Made& other) {
        return other.model == one.model && other.peak <= one.peak && other.latency <= one.latency &&
               (!three || other.energy <= one.energy) && figuresOf(other) != figuresOf(one);
      });
      if (!beaten) expected.insert(figuresOf(one));
    }
    for (const auto& row : table.rows) {
      const auto number = [&](const std::string& key) {
        return *row[columnOf(table, key)].whole();
      };
      CHECK(found
                .emplace(row[0].exact(), number("peak"), number("latency_ps"),
                         three ? number("energy_pj") : 0)
                .second);  // Of equal ones, one.
    }
    CHECK(found == expected);
  }
}

TEST_CASE("pivots are of the means of all rows", "[study]") {
  for (const std::uint64_t seed : test::Seeds(20)) {
    const AskedStudy study(seed);
    Database results = study.open();
    const auto pivot = pivotOf({results, "model = 'a'"}, "align", "allocator", "peak").value();
    for (const auto& row : pivot.rows) {
      for (std::size_t i = 1; i < row.size(); ++i) {
        double logs = 0;
        int count = 0;
        for (const Made& one : study.made) {
          if (one.model != "a" || one.align != row[0].exact()) continue;
          if (one.allocator != pivot.columns[i].key) continue;
          logs += std::log(one.peak);
          ++count;
        }
        CHECK(row[i].isNone() == (count == 0));
        if (count > 0) CHECK(row[i].whole() == std::llround(std::exp(logs / count)));
      }
    }
    std::vector<std::string> aligns;
    for (const auto& row : pivot.rows) aligns.push_back(row[0].exact());
    CHECK(std::ranges::is_sorted(aligns, {}, [](const std::string& a) { return std::stoi(a); }));
  }
}

TEST_CASE("bests and baselines are those of all rows", "[study]") {
  for (const std::uint64_t seed : test::Seeds(20)) {
    const AskedStudy study(seed);
    Database results = study.open();
    const auto best = bestBy({results}, "allocator", "latency").value();
    for (const auto& row : best.rows) {
      std::int64_t least = 100;
      for (const Made& one : study.made) {
        if (one.model == row[0].exact() && one.allocator == row[1].exact()) {
          least = std::min(least, one.latency);
        }
      }
      CHECK(row[columnOf(best, "latency_ps")].whole() == least);
    }

    const auto against = againstBaseline({results}, "allocator", "none", "peak").value();
    for (const auto& row : against.rows) {
      double logs = 0;
      std::int64_t pairs = 0, lower = 0;
      for (const Made& base : study.made) {
        for (const Made& one : study.made) {
          if (base.allocator != "none" || one.allocator != row[0].exact()) continue;
          if (one.model != base.model || one.align != base.align || one.order != base.order)
            continue;
          logs += std::log(double(one.peak) / double(base.peak));
          ++pairs;
          lower += one.peak < base.peak ? 1 : 0;
        }
      }
      CHECK(row[1].whole() == pairs);
      CHECK(row[2].whole() == lower);
      CHECK(*row[4].number() == Approx(std::exp(logs / double(pairs)) - 1).margin(1e-9));
    }
  }
}

TEST_CASE("an axis that a figure depends on alone has all of its variance", "[study]") {
  const AskedStudy study(1);
  {
    auto database = Database::open((study.folder / "r.db").string(), Database::Mode::write).value();
    REQUIRE(database.execute("UPDATE runs SET fits = 1, peak = 10 * align").has_value());
  }
  Database results = study.open();
  const auto table = whatMatters({results}, "peak").value();
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[0][0].exact() == "align");
  CHECK(*table.rows[0][2].number() == Approx(1));
  for (std::size_t i = 1; i < 4; ++i) CHECK(*table.rows[i][2].number() == Approx(0).margin(1e-12));
}

TEST_CASE("questions that have no answer name what is wrong", "[study]") {
  const AskedStudy study(1);
  Database results = study.open();
  CHECK_THAT(refusal(paretoOf({results}, {"peak", "latencey"})),
             Catch::Contains("unknown figure 'latencey'; did you mean"));
  CHECK_THAT(refusal(paretoOf({results}, {"peak"})), Catch::Contains("two figures or more"));
  CHECK_THAT(refusal(paretoOf({results}, {"latency", "latency_ps"})), Catch::Contains("twice"));
  CHECK_THAT(refusal(pivotOf({results}, "aling", "model", "peak")),
             Catch::Contains("unknown axis 'aling'; did you mean 'align'?"));
  CHECK_THAT(refusal(bestBy({results, "no such column"}, "model", "peak")),
             Catch::StartsWith("where: "));
  CHECK_THAT(refusal(againstBaseline({results}, "allocator", "exact", "peak")),
             Catch::Contains("no row has allocator = 'exact'"));
  {  // What a schema says is not carried out: a view in the place of the table is refused.
    auto database = Database::open((study.folder / "view.db").string(), Database::Mode::write);
    REQUIRE(database
                ->execute("CREATE TABLE meta(key, value); INSERT INTO meta VALUES ('version', 1); "
                          "CREATE VIEW runs AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x "
                          "+ 1 FROM n) SELECT x AS model FROM n")
                .has_value());
  }
  auto view = openResults((study.folder / "view.db").string()).value();
  CHECK(!answerSql(view, "SELECT count(*) FROM runs").has_value());
  for (const char* statement :
       {"DELETE FROM runs", "SELECT 1; SELECT 2", "", "PRAGMA user_version = 5",
        "ATTACH 'other.db' AS other", "CREATE TABLE t(x)", "SELECT * FROM nothing"}) {
    CAPTURE(statement);
    const auto answer = answerSql(results, statement);
    CHECK(!answer.has_value());
  }
  CHECK(!std::filesystem::exists("other.db"));
  CHECK(answerSql(results, "SELECT count(*) FROM runs").value().rows[0][0].whole() == 36);
  // A condition cannot end the statement that it is in.
  CHECK(!bestBy({results, "1); DELETE FROM runs; --"}, "model", "peak").has_value());
  CHECK(bestBy({results, "1 -- remark"}, "model", "peak").has_value());
}

TEST_CASE("files of results with wrong bytes are asked without harm", "[study]") {
  const AskedStudy study(1);
  const std::string whole = study.folder.read("r.db");
  REQUIRE(whole.size() > 8'192);
  std::size_t answered = 0;
  const auto ask = [&](const std::string& file) {
    auto results = openResults((study.folder / file).string());
    if (!results) return;
    (void)statusOf(*results);
    for (const StudyQuestion& question :
         {StudyQuestion{.pareto = "peak,latency"}, StudyQuestion{.pivot = "align,allocator"},
          StudyQuestion{.bestBy = "order"}, StudyQuestion{.baseline = "allocator=none"},
          StudyQuestion{.matters = true}, StudyQuestion{.sql = "select * from runs"}}) {
      const auto answer = answerStudy(*results, question);
      answered += answer ? 1 : 0;
      if (answer && *answer) (void)((*answer)->text({}) + jsonLine((*answer)->json()));
    }
  };
  test::Dice dice(7);
  for (std::uint64_t i = 0; i < test::rounds(400); ++i) {
    CAPTURE(i);
    std::string bytes = whole;
    for (std::int64_t changes = dice.roll(1, 20); changes > 0; --changes) {
      const auto most = static_cast<std::int64_t>(bytes.size()) - 1;
      // Half of them where the schema and the heads of pages are.
      const std::int64_t at = dice.chance(50) ? dice.roll(0, 4'095) : dice.roll(0, most);
      bytes[static_cast<std::size_t>(at)] = static_cast<char>(dice.roll(0, 255));
    }
    if (dice.chance(20)) bytes.resize(static_cast<std::size_t>(dice.roll(0, 8'192)));
    study.folder.write("wrong.db", bytes);
    ask("wrong.db");
  }
  ask("r.db");
  CHECK(answered >= 6);
}

TEST_CASE("a table of results leaves in every form", "[study]") {
  const ResultTable table{
      .columns = {{"name"}, {"peak", ColumnKind::bytes}, {"mean", ColumnKind::count}},
      .rows = {{"a|b", 1234567, 2.5}, {Value(), 5, 3}}};
  CHECK(table.csv() == "name,peak,mean\na|b,1234567,2.5\n,5,3\n");
  CHECK(table.markdown() ==
        "| name | peak | mean |\n|-|-:|-:|\n| a\\|b | 1,234,567 | 2.5 |\n| - | 5 | 3 |\n");
  CHECK(table.json().dump() ==
        R"([{"name":"a|b","peak":1234567,"mean":2.5},{"name":null,"peak":5,"mean":3}])");
  CHECK(table.jsonLines() ==
        "{\"name\":\"a|b\",\"peak\":1234567,\"mean\":2.5}\n"
        "{\"name\":null,\"peak\":5,\"mean\":3}\n");
  CHECK(table.text({.rows = 1}) ==
        "  name       peak  mean\n  a|b   1,234,567   2.5\n  and 1 row more\n");
}
