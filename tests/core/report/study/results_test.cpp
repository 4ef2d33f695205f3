#include "core/report/study/results.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "core/report/study/study_engine.h"
#include "core/report/study/study_shards.h"
#include "tests/support/must.h"
#include "tests/support/scratch_folder.h"

using namespace hw;

namespace {

constexpr const char* kStudy =
    "models = [\"a.csv\", \"samples:chain\"]\nallocators = \"none,greedy-by-size\"\n"
    "align = [1, 2, 4]\n";

/// A study in a folder, and its results.
struct StudyCase {
  explicit StudyCase(const std::string& text = kStudy) {
    folder.write("a.csv", "id,lower,upper,size\n1,0,2,10\n2,1,3,20\n");
    study = parseStudy(text).value();
    runs = StudyRuns::of(study, folder.path()).value();
  }
  std::string file(const std::string& name = "r.db") const { return (folder / name).string(); }
  Result<StudyResults> open(bool resume = true, const std::string& name = "r.db") const {
    return StudyResults::write(file(name), runs, "text", resume);
  }

  test::ScratchFolder folder;
  Study study;
  StudyRuns runs;
};

std::vector<std::size_t> all(const StudyRuns& runs) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < runs.size(); ++i) numbers.push_back(i);
  return numbers;
}

/// A worker that says of each run that it failed, after it did what `script` says with $n.
StudyWork fakeWork(const std::string& script, int workers = 1) {
  const std::string loop =
      "read first; while read line; do for n in $(echo \"$line\" | tr -d '[]' | tr , ' '); do "
      "echo $n; " +
      script + "; echo \"[$n,1,\\\"no\\\",0.5,[]]\"; done; done";
  return {.worker = {"/bin/sh", "-c", loop}, .workers = workers};
}

std::vector<std::string> texts(StudyResults& results, const std::string& sql) {
  std::vector<std::string> texts;
  auto rows = test::must(results.database().rows(sql));
  for (const auto& row : rows) {
    std::string text;
    for (const Value& value : row) text += (text.empty() ? "" : " ") + value.exact();
    texts.push_back(text);
  }
  return texts;
}

}  // namespace

TEST_CASE("a run in which two workers die has crashed; the others are done", "[study]") {
  const StudyCase study;
  auto results = study.open().value();
  const std::string once = study.file("once");
  const int workers = GENERATE(1, 2);
  const auto tally =
      test::must(runStudy(study.runs, all(study.runs), results,
                          fakeWork("[ $n = 3 ] && kill -9 $$; [ $n = 7 ] && [ ! -e " + once +
                                       " ] && touch " + once + " && kill -11 $$",
                                   workers)));
  CHECK(tally.done == 12);
  CHECK(tally.failed == 11);
  CHECK(tally.crashed == 1);
  CHECK(results.missing().value() == std::vector<std::size_t>{3});  // To be tried again.
  CHECK(texts(results, "SELECT error, allocator, align FROM runs WHERE state = 'crashed'") ==
        std::vector<std::string>{"the process that ran it ended with signal 9 greedy-by-size 2"});
  CHECK(runStudy(study.runs, {3}, results, fakeWork(":"))->done == 1);
  CHECK(results.missing()->empty());
}

TEST_CASE("workers that cannot begin end a study, and so does a stop", "[study]") {
  const StudyCase study;
  auto results = study.open().value();
  const auto begun = runStudy(study.runs, all(study.runs), results, {.worker = {"/bin/false"}});
  REQUIRE(!begun.has_value());
  CHECK(begun.error().text() == "workers end before they begin: exit code 1");
  CHECK(!runStudy(study.runs, all(study.runs), results, {.worker = {"/no/such"}}).has_value());
  std::stop_source stop;
  StudyWork work = fakeWork("[ $n = 5 ] && sleep 60");
  work.stop = stop.get_token();
  work.progress = [&](std::size_t done, std::size_t) {
    if (done > 0) stop.request_stop();
  };
  const auto stopped = test::must(runStudy(study.runs, all(study.runs), results, work));
  CHECK(stopped.done == 5);
  CHECK(results.missing()->size() == 7);
}

TEST_CASE("results are of one study, one version and one writer", "[study]") {
  const StudyCase study;
  {
    const auto first = test::must(study.open(false));
    const auto second = study.open();
    REQUIRE(!second.has_value());
    CHECK_THAT(second.error().text(), Catch::EndsWith("another program writes this file"));
    CHECK(openResults(study.file()).has_value());  // Who reads need not wait.
  }
  CHECK_THAT(study.open(false).error().text(),
             Catch::EndsWith("there are results already; --resume goes on with them"));
  const StudyCase tuned("models = \"a.csv\"\nplatform = \"generic-npu\"\nchannels = [1, 2]\n");
  const auto other = StudyResults::write(study.file(), tuned.runs, "", true);
  REQUIRE(!other.has_value());
  CHECK_THAT(other.error().text(),
             Catch::EndsWith("did not know 'channels' yet: there is no such column"));
  {
    auto database = Database::open(study.file(), Database::Mode::write).value();
    REQUIRE(database.execute("UPDATE meta SET value = 2 WHERE key = 'version'").has_value());
  }
  CHECK_THAT(study.open().error().text(), Catch::Contains("written by a newer highwater"));
  CHECK_THAT(openResults(study.file()).error().text(), Catch::Contains("newer highwater"));
  {  // Whoever began it was killed before there were tables.
    const auto begun = test::must(Database::open(study.file("begun.db"), Database::Mode::write));
  }
  REQUIRE(std::filesystem::file_size(study.file("begun.db")) > 0);
  CHECK(study.open(true, "all.db")->merge(study.file("begun.db")).value() == 0);
  CHECK(study.open(false, "begun.db").has_value());
  study.folder.write("no.db", "this is no database, but long enough to look at its first bytes");
  CHECK_THAT(openResults(study.file("no.db")).error().text(),
             Catch::Contains("file is not a database"));
  CHECK_THAT(study.open(true, "no.db").error().text(), Catch::Contains("not a database"));
  CHECK_THAT(openResults(study.file("none.db")).error().text(), Catch::Contains("No such file"));
}

TEST_CASE("reading a file in the process that writes it costs no results", "[study]") {
  const StudyCase study;
  auto results = study.open().value();
  REQUIRE(results.put({{.number = 0}}).has_value());
  CHECK(openResults(study.file()).has_value());  // Opened and closed again.
  CHECK(!study.open().has_value());              // A second writer, refused.
  const pid_t other = fork();
  if (other == 0) {  // Another program looks, and would tidy up if it were the last one.
    sqlite3* handle = nullptr;
    sqlite3_open(study.file().c_str(), &handle);
    sqlite3_exec(handle, "SELECT count(*) FROM runs", nullptr, nullptr, nullptr);
    sqlite3_close(handle);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(other, &status, 0) == other);
  REQUIRE(results.put({{.number = 1}, {.number = 2}}).has_value());
  { const auto end = std::move(results); }
  auto reader = openResults(study.file()).value();
  CHECK(countsOf(reader)->rows() == 3);
}

TEST_CASE("nobody waits for results from what is no file", "[study]") {
  const StudyCase study;
  REQUIRE(mkfifo(study.file("pipe.db").c_str(), 0600) == 0);  // Nobody waits for who may write it.
  for (const std::string& path :
       {study.file("pipe.db"), study.file(""), std::string("/dev/zero")}) {
    CHECK_THAT(openResults(path).error().text(),
               Catch::EndsWith("a database is a file, no folder, pipe or device"));
  }
}

TEST_CASE("rows are out of date when a model or a platform changes", "[study]") {
  const StudyCase study;
  auto results = study.open().value();
  std::vector<StudyResult> rows;
  for (const std::size_t number : all(study.runs)) rows.push_back({.number = number});
  REQUIRE(results.put(rows).has_value());
  CHECK(results.missing()->empty());
  CHECK(study.open(true, "other.db")->missing()->size() == 12);
  study.folder.write("a.csv", "id,lower,upper,size\n1,0,2,11\n2,1,3,20\n");
  auto reader = openResults(study.file()).value();
  const auto status = test::must(statusOf(reader));
  CHECK(status.states == std::map<std::string, std::size_t>{{"done", 12}});
  CHECK(status.stale == std::map<std::string, std::size_t>{{"model a.csv has changed", 6}});
  // What was read once is not read again, so another process goes on.
  const StudyRuns later = StudyRuns::of(study.study, study.folder.path()).value();
  { const auto end = std::move(results); }
  CHECK(StudyResults::write(study.file(), later, "", true)->missing()->size() == 6);
}

TEST_CASE("merging shards gives what one run gives, once or twice", "[study]") {
  const StudyCase study;
  std::set<std::size_t> covered;
  const std::size_t of = GENERATE(1, 2, 5, 12, 30);
  for (std::size_t number = 1; number <= of; ++number) {
    const auto part = Shard::parse(fmt::format("{}/{}", number, of))->runsOf(study.runs.size());
    std::vector<StudyResult> rows;
    for (std::size_t run = part.begin; run < part.end; ++run) {
      CHECK(covered.insert(run).second);
      rows.push_back({.number = run, .seconds = static_cast<double>(run)});
    }
    auto shard = study.open(true, fmt::format("shards-{}.db", number)).value();
    REQUIRE(shard.put(rows).has_value());
  }
  CHECK(covered.size() == study.runs.size());
  std::filesystem::create_directory(study.folder / "shards");
  for (const auto& entry : std::filesystem::directory_iterator(study.folder.path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("shards-")) continue;
    std::filesystem::copy_file(entry.path(), study.folder / "shards" / name);
  }
  study.folder.write("shards/cut.db", "SQLite format 3");
  auto results = study.open().value();
  for (int times = 0; times < 2; ++times) {
    const auto merged = test::must(collect({study.file("shards")}, results));
    CHECK(merged.rows == 12);
    CHECK(merged.files == of);
    REQUIRE(merged.failures.size() == 1);
    CHECK_THAT(merged.failures.front(), Catch::Contains("cut.db"));
    CHECK(results.missing()->empty());
    CHECK(texts(results, "SELECT count(*), sum(seconds) FROM runs") ==
          std::vector<std::string>{"12 66.0"});
  }
  for (const char* text : {"0/3", "4/3", "1", "a/b", "1/0", "1/2/3", "-1/2"}) {
    CHECK(!Shard::parse(text).has_value());
  }
}
