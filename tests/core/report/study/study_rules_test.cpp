#include "core/report/study/study_rules.h"

#include <fmt/format.h>

#include "core/base/dice.h"
#include "core/report/study/results.h"
#include "core/report/study/study_query.h"
#include "core/report/study/study_shards.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

using namespace hw;

namespace {

Study studyOf(const std::string& rules) {
  return parseStudy(
             "models = [\"a\", \"b\"]\nallocators = \"none,best,fast\"\nalign = [1, 2, 16]\n" +
             rules)
      .value();
}

std::string refusalOf(const std::string& rules) {
  const auto read = StudyRules::of(studyOf(rules));
  return read ? "accepted" : read.error().text();
}

/// Puts random rows of a study into a file, the same ones for the same seed.
Result<StudyResults> fill(const std::string& file, const StudyRuns& runs, std::uint64_t seed) {
  auto results = StudyResults::write(file, runs, "text", true);
  if (!results) return results;
  Dice dice(seed);
  std::vector<StudyResult> rows;
  for (std::size_t number = 0; number < runs.size(); ++number) {
    StudyResult row{.number = number};
    for (const auto& figure : studyFigures()) {
      row.figures.push_back(figure.key == "fits"     ? Value(dice.chance(80) ? 1 : 0)
                            : figure.key == "gap"    ? Value(0.01 * double(dice.roll(1, 9)))
                            : isNumber(figure.kind)  ? Value(dice.roll(1, 9))
                            : figure.key == "status" ? Value("complete")
                                                     : Value());
    }
    rows.push_back(std::move(row));
  }
  HW_DO(results->put(rows));
  return results;
}

/// A study whose results are in a folder.
struct RuledStudy {
  RuledStudy(const std::string& rules, std::uint64_t seed)
      : runs(StudyRuns::of(studyOf(rules), folder.path()).value()) {
    REQUIRE(fill(file(), runs, seed).has_value());
  }
  std::string file() const { return (folder / "r.db").string(); }
  Database open() const { return openResults(file()).value(); }

  test::ScratchFolder folder;
  StudyRuns runs;
};

std::string answer(Database& results, StudyQuestion question, const std::string& where = "") {
  question.where = where;
  const auto table = answerStudy(results, question);
  return table ? (*table)->csv() : table.error().text();
}

std::string sqlAnswer(Database& results, const std::string& sql) {
  return answerSql(results, sql).value().csv();
}

}  // namespace

TEST_CASE("constraints are read with the units of their figures", "[study]") {
  const std::pair<const char*, const char*> texts[] = {
      {"peak <= 1MiB", "peak <= 1048576"},
      {" peak_l2<512 ", "peak_l2 < 512"},
      {"spilled = 0", "spilled_bytes = 0"},
      {"latency <= 5 ms", "latency_ps <= 5000000000"},
      {"latency_ps > 300us", "latency_ps > 300000000"},
      {"latency >= 1.5\u00b5s", "latency_ps >= 1500000"},
      {"latency < 17", "latency_ps < 17"},
      {"plan_seconds < 20ms", "plan_seconds < 0.02"},
      {"seconds < 2s", "seconds < 2"},
      {"plan_seconds < 1e-07", "plan_seconds < 1e-07"},
      {"gap <= 12.5 %", "gap <= 0.125"},
      {"reuse > 0.5", "reuse > 0.5"},
      {"energy < 1e6", "energy_pj < 1000000"}};
  for (const auto& [text, sql] : texts) {
    CAPTURE(text);
    const auto read = test::must(Constraint::parse(text));
    const std::string said = StudyRules{.constraints = {read}}.condition();
    CHECK(said == sql);
    CHECK(StudyRules{.constraints = {Constraint::parse(said).value()}}.condition() == said);
  }
}

TEST_CASE("rules of a study that cannot be read say what was expected", "[study]") {
  const std::string shape = "expected a figure, one of < <= > >= = and a value";
  const std::pair<const char*, std::string> wrong[] = {
      {"", shape},
      {"peak", shape},
      {"peak << 5", shape},
      {"peak => 5", shape},
      {"peek <= 5", "unknown figure 'peek'; did you mean 'peak'?"},
      {"status = 5", "unknown figure 'status'"},
      {"peak <= 5 ms", "expected a size such as 512KiB"},
      {"peak <=", "expected a size such as 512KiB"},
      {"latency <= 5KiB", "expected a time such as 5ms or 300us"},
      {"gap <= ten", "expected a ratio such as 0.1 or 10%"},
      {"energy <= 5 J", "expected a number"},
      {"peak <= 5 AND 1 = 1", "expected a size such as 512KiB"}};
  for (const auto& [text, why] : wrong) {
    CAPTURE(text);
    CHECK_THAT(refusalOf(fmt::format("constraints = [\"{}\"]\n", text)),
               Catch::StartsWith("constraints: '") && Catch::Contains(why));
  }
  CHECK(refusalOf("record = [\"peak\", \"latencey\"]\n") ==
        "record: unknown figure 'latencey'; did you mean 'latency'?");
  CHECK_THAT(refusalOf("record = \"peak\"\nconstraints = \"latency < 5ms\"\n"),
             Catch::Contains("a figure that is not recorded: name it in record, too"));
}

TEST_CASE("constraints hold in every answer as conditions of it do", "[study]") {
  const StudyQuestion questions[] = {{.pareto = "peak,latency"},
                                     {.pivot = "align,allocator"},
                                     {.bestBy = "align", .figure = "latency"},
                                     {.baseline = "allocator=none"},
                                     {.matters = true}};
  for (const std::uint64_t seed : test::Seeds(20)) {
    const RuledStudy ruled("constraints = [\"latency > 2ps\", \"gap < 8%\"]\n", seed);
    const RuledStudy free("", seed);
    Database results = ruled.open();
    Database all = free.open();
    for (const StudyQuestion& question : questions) {
      CHECK(answer(results, question) == answer(all, question, "latency_ps > 2 and gap < 0.08"));
      CHECK(answer(results, question, "peak < 8") ==
            answer(all, question, "latency_ps > 2 and gap < 0.08 and peak < 8"));
    }
    CHECK(answer(results, questions[3]) != answer(all, questions[3]));
    const auto status = statusOf(results).value();
    CHECK(status.constraints == "latency_ps > 2 AND gap < 0.08");
    CHECK(sqlAnswer(all,
                    "SELECT count(*) AS unmet FROM runs WHERE fits = 1 AND NOT (latency_ps > 2 "
                    "AND gap < 0.08)") == fmt::format("unmet\n{}\n", status.unmet));
    CHECK(statusOf(all)->constraints.empty());
  }
}

TEST_CASE("a resumed study has the constraints that it has now", "[study]") {
  const RuledStudy study("constraints = \"peak < 5\"\n", 1);
  const auto met = [&] {
    Database results = study.open();
    return StudyRules::of(results).value().condition();
  };
  CHECK(met() == "peak < 5");
  for (const auto& [rules, condition] :
       {std::pair("constraints = \"latency < 7ps\"\n", "latency_ps < 7"), std::pair("", "")}) {
    const StudyRuns runs = StudyRuns::of(studyOf(rules), study.folder.path()).value();
    CHECK(StudyResults::write(study.file(), runs, "text", true)->missing()->empty());
    CHECK(met() == condition);
  }
  {  // Written by others: nothing but constraints is carried out.
    auto database = Database::open(study.file(), Database::Mode::write).value();
    REQUIRE(database
                .execute("UPDATE meta SET value = 'peak < 5 OR (SELECT 1)' WHERE key = "
                         "'constraints'")
                .has_value());
  }
  Database results = study.open();
  CHECK_THAT(answer(results, {.matters = true}),
             Catch::Contains("r.db: constraints: 'peak < 5 OR"));
}

TEST_CASE("rows keep the figures that a study records", "[study]") {
  const RuledStudy study("record = [\"peak\", \"latency\"]\n", 1);
  {
    Database results = study.open();
    CHECK(sqlAnswer(results,
                    "SELECT count(peak) AS a, count(latency_ps) AS b, count(fits) AS c, "
                    "count(status) AS d, count(seconds) AS e, count(energy_pj) AS f, "
                    "count(peak_l2) AS g FROM runs") == "a,b,c,d,e,f,g\n18,18,18,18,18,0,0\n");
    CHECK(answer(results, {.pareto = "peak,latency"}).starts_with("model,"));
    const std::string refused =
        "'energy' was not recorded: the study has record = peak, latency_ps";
    CHECK(answer(results, {.pareto = "peak,energy"}) == refused);
    CHECK(answer(results, {.matters = true, .figure = "energy"}) == refused);
    CHECK(answer(results, {.matters = true}, "peak < 5 and energy_pj < 5") == refused);
    CHECK(answer(results, {.matters = true}, "model <> 'energy_pj'").starts_with("axis,"));
  }
  // Rows cannot be given figures afterwards; fewer can be asked for.
  const StudyRuns more = StudyRuns::of(studyOf(""), study.folder.path()).value();
  CHECK_THAT(
      StudyResults::write(study.file(), more, "", true).error().text(),
      Catch::EndsWith("its rows were recorded without capacity_l2, which the study records"));
  auto other = StudyResults::write((study.folder / "all.db").string(), more, "", true).value();
  const auto collected = collect({study.file()}, other).value();
  CHECK(collected.files == 0);
  REQUIRE(collected.failures.size() == 1);
  CHECK_THAT(collected.failures.front(), Catch::Contains("recorded without capacity_l2"));
  const StudyRuns fewer =
      StudyRuns::of(studyOf("record = \"peak\"\n"), study.folder.path()).value();
  auto peaks = StudyResults::write((study.folder / "peaks.db").string(), fewer, "", true).value();
  CHECK(peaks.merge(study.file()).value() == 18);
  CHECK(StudyResults::write(study.file(), fewer, "", true).has_value());
  Database results = study.open();
  CHECK(answer(results, {.matters = true, .figure = "latency"}) ==
        "'latency' was not recorded: the study has record = peak");
}
