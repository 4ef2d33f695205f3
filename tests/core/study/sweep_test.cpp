#include <fmt/format.h>

#include "core/import/samples.h"
#include "core/study/study.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;

namespace {

Study studyOf(const std::string& text) { return test::must(parseStudy("models = \"m\"\n" + text)); }

/// All but the time that planning took.
std::string textOf(const StudySetting& setting, const Comparison& comparison) {
  std::string text;
  for (const auto& [key, value] : setting.axes) text += value + ",";
  for (const ComparisonRow& row : comparison.rows) {
    text += fmt::format(" {} {} {} {}", row.allocator.text(), row.figures.peakL2.count(),
                        row.figures.latency.value_or(SimTime(-1)).count(),
                        row.run ? row.run->plan.addresses.size() : 0);
  }
  return text + "\n";
}

}  // namespace

TEST_CASE("a sweep is the comparisons of its settings, whatever the threads", "[sweep]") {
  const auto model = test::sample("mobilenet_v1");
  const Study study = studyOf(
      "allocators = \"greedy-by-size,free-list,block-id,partition,embedded\"\n"
      "platform = \"two-devices\"\nl2 = [\"256KiB\", \"unlimited\"]\nalign = [1, 64]\n"
      "alias = [\"views\", \"all\"]\noverlap = [\"none\", \"kernels\"]\n"
      "inputs = [\"arena\", \"external\"]\norder = [\"given\", \"least-peak\"]\n");
  const StudySettings settings = StudySettings::of(study, "").value();
  REQUIRE(settings.size() == 64);
  std::string expected;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const StudySetting setting = settings.at(i);
    std::vector<RunRequest> requests(study.allocators.size(), setting.request);
    Comparison alone = openComparison(model, requests);
    for (std::size_t row = 0; row < requests.size(); ++row) {
      alone.rows[row].allocator = alone.rows[row].request.allocator = study.allocators[row];
      fillRow(alone, alone.rows[row], {});  // Nothing is kept from one to the next.
    }
    closeComparison(alone);
    expected += textOf(setting, alone);
  }
  for (const int threads : {1, 2, 5}) {
    std::string swept;
    const auto take = [&](const StudySetting& setting, const Comparison& comparison) {
      swept += textOf(setting, comparison);
      return true;
    };
    CHECK(sweepSettings(model, settings, study.allocators, threads, {}, take) == 64);
    CHECK(swept == expected);
  }
}

TEST_CASE("a study of billions of settings takes no more memory than one", "[sweep]") {
  std::string seeds;
  for (int i = 0; i < 10'000; ++i) seeds += fmt::format("{}{}", i == 0 ? "" : ",", i);
  const Study study =
      studyOf("seeds = [" + seeds + "]\nalias = [\"none\", \"all\"]\nl2 = [" + seeds + "]\n");
  const StudySettings settings = StudySettings::of(study, "").value();
  CHECK(settings.size() == 200'000'000);
  CHECK(settings.at(199'999'999).request.seed == 9'999);
  CHECK(settings.at(20'001).request.l2.bytes == Bytes(1));
  std::size_t taken = 0;
  const auto three = [&](const StudySetting&, const Comparison&) { return ++taken < 3; };
  const auto none = AllocatorChoice::parse("none").value();
  const int threads = GENERATE(1, 4);
  CHECK(sweepSettings(test::sample("chain"), settings, {none}, threads, {}, three) == 3);
  CHECK(taken == 3);
}

TEST_CASE("a sweep that is stopped hands over what was begun", "[sweep]") {
  const StudySettings settings =
      StudySettings::of(studyOf("align = [1, 2, 4, 8, 16, 32, 64, 128]\nseeds = [1, 2, 3]\n"), "")
          .value();
  std::stop_source stop;
  std::size_t rows = 0;
  const auto take = [&](const StudySetting&, const Comparison& comparison) {
    rows += comparison.rows.size();
    stop.request_stop();
    return true;
  };
  const std::vector<AllocatorChoice> choices = parseAllocators("none,greedy-by-size").value();
  const int threads = GENERATE(1, 3);
  const std::size_t taken = sweepSettings(test::sample("chain"), settings, choices, threads,
                                          {.stop = stop.get_token()}, take);
  CHECK(taken >= 1);
  CHECK(taken < settings.size());
  CHECK(rows == 2 * taken);
}
