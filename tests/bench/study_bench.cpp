// Studies: runs a second into a database, how busy processors are, and what questions about a large
// file of results take.

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "core/base/dice.h"
#include "core/report/study/results.h"
#include "core/report/study/study_file.h"
#include "core/report/study/study_picture.h"
#include "core/report/study/study_query.h"
#include "tests/bench/whole_process.h"

using namespace hw;

namespace {

namespace fs = std::filesystem;

constexpr const char* kStudy =
    "models = [\"samples:resnet8\", \"samples:mobilenet_v1\", \"samples:squeezenet\", "
    "\"samples:resnet50\", \"samples:inception_v3\", \"samples:densenet121\"]\n"
    "allocators = [\"best\", \"free-list\"]\nplatform = [\"generic-npu\"]\n"
    "l2 = [\"256KiB\", \"1MiB\", \"4MiB\"]\nchannels = [1, 2, 4]\n"
    "dma = {from = \"2GB/s\", to = \"32GB/s\", steps = 24, scale = \"log\"}\n"
    "align = [16, 64]\nalias = [\"views\", \"all\"]\n";

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void reportRuns(const fs::path& folder, int workers) {
  const std::string file = (folder / fmt::format("runs{}.db", workers)).string();
  const std::string study = (folder / "study.toml").string();
  const bench::ProcessCost cost = bench::runWhole(
      {"sweep", study, "-o", file, "--threads", std::to_string(workers)}, "/dev/null");
  auto results = openResults(file).value();
  const auto rows = results.rows("SELECT count(*), sum(seconds) FROM runs").value();
  fmt::print(
      "{} runs of six networks, {} workers: {:.0f} a second (wanted with 2: 300), {:.0f} % of the "
      "workers' time in runs{}\n",
      rows[0][0].exact(), workers, *rows[0][0].number() / cost.wall,
      100 * *rows[0][1].number() / (cost.wall * workers), cost.status == 0 ? "" : ", FAILED");
  const bench::ProcessCost again =
      bench::runWhole({"sweep", study, "-o", file, "--resume"}, "/dev/null");
  fmt::print("  --resume with nothing to do: {:.2f} s\n", again.wall);
  std::fflush(stdout);
}

/// Random rows of a study of so many runs.
void makeRows(const std::string& file) {
  const Study study =
      parseStudy(
          "models = [\"a\", \"b\", \"c\", \"d\"]\nallocators = \"none,best,fast,exact,"
          "free-list\"\nl2 = {from = 1, to = 50, steps = 50}\nalign = [1, 2, 4, 8, 16]\n"
          "seed = {from = 1, to = 20, steps = 20}\n")
          .value();
  const StudyRuns runs = StudyRuns::of(study, "").value();
  StudyResults results = StudyResults::write(file, runs, "", false).value();
  Dice dice(1);
  std::vector<StudyResult> rows;
  for (std::size_t number = 0; number < runs.size(); ++number) {
    StudyResult row{.number = number, .seconds = 0.001};
    for (const auto& figure : studyFigures()) {
      row.figures.push_back(figure.key == "fits"     ? Value(1)
                            : !isNumber(figure.kind) ? Value("complete")
                                                     : Value(dice.roll(1, 1'000'000'000)));
    }
    rows.push_back(std::move(row));
  }
  const double put = seconds([&] { (void)results.put(rows); });
  fmt::print("{} rows: written in {:.2f} s\n", rows.size(), put);
}

void line(std::string_view what, double took, double wanted) {
  fmt::print("  {}: {:.1f} ms{}\n", what, took * 1e3,
             wanted > 0 ? fmt::format(" (wanted {:.0f})", wanted * 1e3) : "");
  std::fflush(stdout);
}

template <class Question>
void ask(std::string_view what, double wanted, const Question& question) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) least = std::min(least, seconds([&] { (void)question(); }));
  line(what, least, wanted);
}

void reportQuestions(const std::string& file) {
  std::optional<Database> results;
  line("open", seconds([&] { results = openResults(file).value(); }), 1);
  const ResultScope all{*results};
  ask("Pareto of peak and latency", 0.05, [&] { return paretoOf(all, {"peak", "latency"}); });
  ask("Pareto of three figures", 0, [&] {
    return paretoOf({*results, "model = 'a'"}, {"peak", "latency", "energy"});
  });
  ask("pivot", 0, [&] { return pivotOf(all, "l2", "allocator", "latency"); });
  ask("baseline", 0, [&] { return againstBaseline(all, "allocator", "none", "peak"); });
  ask("what matters", 0, [&] { return whatMatters(all, "latency"); });
  ask("status", 0, [&] { return statusOf(*results); });
}

/// The work of the studio on a file of results.
void reportViews(const std::string& file) {
  StudyFile read;
  line("read for the studio", seconds([&] { read = readStudyFile(file).value(); }), 1);
  const StudyTable& table = read.table;
  StudyFilter picks(table.axes.size());
  const std::size_t align = table.axis("align");
  picks[align].assign(table.axes[align].values.size(), true);
  picks[align][0] = false;
  const std::size_t figure = table.figure("latency_ps");
  const StudyLook look = lookOf(table, table.all(), figure);
  // All that the place Study makes anew when somebody picks a value; 80,000 rows are left.
  ask("a filter, and all that shows it", 0.05, [&] {
    const StudyRows rows = rowsOf(table, picks);
    const StudyPivot cells = pivot(table, rows, look.pair->down, look.pair->over, figure);
    const DotsScene dots = dotsScene(table, rows, {}, table.figure("peak"), figure);
    const MultiplesScene models =
        multiplesScene(table, rows, look.pair->over, look.seriesOf(table, *look.pair), figure);
    return heatScene(table, cells, look.pair->down, look.pair->over, figure).cells.size() +
           dots.dots.size() + models.panels.size() + sharesOf(table, rows, figure).size();
  });
}

}  // namespace

int main() {
  const fs::path folder = fs::temp_directory_path() / "highwater_study_bench";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "study.toml") << kStudy;
  for (const int workers : {1, 2}) reportRuns(folder, workers);
  makeRows((folder / "rows.db").string());
  reportQuestions((folder / "rows.db").string());
  reportViews((folder / "rows.db").string());
  fs::remove_all(folder);
}
