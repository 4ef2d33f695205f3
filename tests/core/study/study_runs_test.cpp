#include "core/study/study_runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "core/base/text.h"
#include "tests/support/must.h"
#include "tests/support/scratch_folder.h"

using namespace hw;

namespace {

StudyRuns runsOf(const std::string& text, const std::filesystem::path& folder = {}) {
  const auto study = test::must(parseStudy(text));
  return test::must(StudyRuns::of(study, folder));
}

std::string refusalOf(const std::string& text) {
  const auto study = parseStudy("models = \"m\"\n" + text);
  if (!study) return study.error().text();
  const auto runs = StudyRuns::of(*study, "");
  return runs ? "accepted" : runs.error().text();
}

std::string valueOf(const StudySetting& setting, const std::string& axis) {
  for (const auto& [name, value] : setting.axes) {
    if (name == axis) return value;
  }
  return "no such axis";
}

/// The values that an axis has over all runs, in the order in which they come first.
std::vector<std::string> valuesOf(const StudyRuns& runs, const std::string& axis) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string value = valueOf(runs.at(i).setting, axis);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

}  // namespace

TEST_CASE("ranges of a study go in equal steps or by equal factors", "[study]") {
  const auto values = [](const std::string& axis, const std::string& range) {
    return valuesOf(runsOf("models = \"m\"\nallocators = \"none\"\nplatform = \"generic-npu\"\n" +
                           axis + " = " + range + "\n"),
                    axis);
  };
  using Texts = std::vector<std::string>;
  CHECK(values("l2", "{from = \"256KiB\", to = \"4MiB\", steps = 5, scale = \"log\"}") ==
        Texts{"256KiB", "512KiB", "1MiB", "2MiB", "4MiB"});
  CHECK(values("l2", "{from = \"64KiB\", to = \"128KiB\", steps = 3}") ==
        Texts{"64KiB", "96KiB", "128KiB"});
  // Between the ends six bits behind the first are kept.
  CHECK(values("l2", "{from = \"256KiB\", to = \"512KiB\", steps = 3, scale = \"log\"}") ==
        Texts{"256KiB", "364KiB", "512KiB"});
  CHECK(values("dma", "{from = \"2GB/s\", to = \"8GB/s\", steps = 3, scale = \"log\"}") ==
        Texts{"2GB/s", "4GB/s", "8GB/s"});
  CHECK(values("channels", "{from = 1, to = 3, steps = 3}") == Texts{"1", "2", "3"});
  CHECK(values("seed", "{from = 1, to = 2, steps = 7}") == Texts{"1", "2"});  // Each once.
}

TEST_CASE("what a study cannot mean is refused, with its key", "[study]") {
  const auto [text, part] = GENERATE(table<std::string, std::string>({
      {"l2 = {from = 1, to = 2}", "l2: a range is {from = A, to = B, steps = N}"},
      {"l2 = {from = 1, to = 2, steps = 1}", "l2: steps is a whole number from 2 to 10000"},
      {"l2 = {from = 2, to = 1, steps = 3}", "l2: a range goes up"},
      {"l2 = {from = 0, to = 9, steps = 3, scale = \"log\"}", "l2: a range goes up"},
      {"l2 = {from = 1, to = 2, steps = 3, stops = 4}", "l2: unknown key 'stops' in a range"},
      {"l2 = {from = \"a\", to = 2, steps = 3}", "l2: from: 'a' is not a size"},
      {"dma = \"4GB/s\"", "dma: say of which platforms"},
      {"platform = \"generic-npu\"\ndma = \"fast\"", "dma: 'fast' is not a rate"},
      {"platform = \"generic-npu:dma=4GB/s\"\ndma = \"8GB/s\"", "dma"},
      {"sample = 5", "sample: expected {runs = N, seed = M}"},
      {"sample = {runs = 0}", "sample: expected {runs = N, seed = M}"},
      {"sample = {runs = 5, sed = 1}", "sample: expected {runs = N, seed = M}"},
      {"chanels = 5", "did you mean 'channels'?"},
      {"platform = \"generic-npu\"\ndevice.npu.L9.capacity = [1, 2]", "no such part; it has"},
      {"device.npu.L2.capacity = [1, 2]", "say of which platforms"},
      {"platform = \"generic-npu\"\ndevice = 5", "expected keys of parts"},
      {"seed = {from = 1, to = 10000, steps = 10000}\nl2 = {from = 1, to = 10000, steps = "
       "10000}\nallocators = \"none,best\"",
       "more than 100,000,000 runs"},
  }));
  CAPTURE(text);
  CHECK_THAT(refusalOf(text), Catch::Contains(part));
}

TEST_CASE("a platform is tuned by axes of a study, a file of one and a tuned one, too", "[study]") {
  const test::ScratchFolder folder;
  folder.write("m.toml", "");
  std::filesystem::copy_file(
      std::filesystem::path(HIGHWATER_SOURCE_DIR) / "core/machine/presets/generic-npu.toml",
      folder / "own.toml");
  const StudyRuns runs = runsOf(
      "models = \"m\"\nallocators = \"none\"\n"
      "platform = [\"generic-npu\", \"own.toml\", \"generic-npu:macs=7\"]\n"
      "dma = [\"1GB/s\", \"2GB/s\"]\nchannels = [1, 2, 3]\n",
      folder.path());
  CHECK(runs.size() == 18);
  std::set<std::string> machines;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const StudyRun run = runs.at(i);
    const Platform& platform = run.setting.request.platform;
    const DeviceSpec& device = platform.devices.front();
    CHECK(std::to_string(device.dma.front().channels) == valueOf(run.setting, "channels"));
    machines.insert(
        fmt::format("{} {}", valueOf(run.setting, "platform"), valueOf(run.setting, "dma")));
    const bool tuned = valueOf(run.setting, "platform").ends_with("macs=7");
    CHECK((device.units.front().macsPerCycle == 7) == tuned);
  }
  CHECK(machines.size() == 6);
}

TEST_CASE("any key of a part of a platform is an axis of a study, with ranges", "[study]") {
  const test::ScratchFolder folder;
  folder.write("m.toml", "");
  const StudyRuns runs = runsOf(
      "models = \"m\"\nallocators = \"none\"\nplatform = \"generic-npu\"\nchannels = [1, 2]\n"
      "[device.npu]\n"
      "L2.capacity = {from = \"256KiB\", to = \"4MiB\", steps = 9, scale = \"log\"}\n"
      "mac.macs_per_cycle = [64, 256]\n",
      folder.path());
  CHECK(runs.size() == 36);
  std::set<Bytes> capacities;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const StudyRun run = runs.at(i);
    const DeviceSpec& device = run.setting.request.platform.devices.front();
    const std::string capacity = valueOf(run.setting, "device.npu.L2.capacity");
    CHECK(device.pools.front().capacity == parseSize(capacity).value());
    CHECK(fmt::format("{}", device.units.front().macsPerCycle) ==
          valueOf(run.setting, "device.npu.mac.macs_per_cycle"));
    CHECK(std::to_string(device.dma.front().channels) == valueOf(run.setting, "channels"));
    capacities.insert(*device.pools.front().capacity);
  }
  CHECK(capacities.size() == 9);
  CHECK(*capacities.begin() == Bytes(256 << 10));
  CHECK(*capacities.rbegin() == Bytes(4 << 20));
}

TEST_CASE("wildcards name the models of a study by name", "[study]") {
  const test::ScratchFolder folder;
  for (const char* name : {"b.onnx", "a.onnx", "c.csv"}) folder.write(name, "");
  const StudyRuns runs =
      runsOf("models = [\"*.onnx\", \"c.csv\"]\nallocators = \"none\"\n", folder.path());
  CHECK(runs.models() == std::vector<std::string>{"a.onnx", "b.onnx", "c.csv"});
  CHECK(runs.pathOf("a.onnx") == (folder / "a.onnx").string());
  CHECK_THAT(refusalOf("models = \"*.none\"\n"), !Catch::Contains("accepted"));
}

TEST_CASE("runs are told apart by model, allocator and values alone", "[study]") {
  const std::string some = "models = [\"m\", \"n\"]\nallocators = \"none,best\"\nalign = [1, 2]\n";
  const StudyRuns runs = runsOf(some);
  const StudyRuns more = runsOf(some + "seed = [\"\", 5]\norder = [\"\", \"least-peak\"]\n");
  std::map<std::string, std::string> known;
  for (std::size_t i = 0; i < more.size(); ++i) {
    const StudyRun run = more.at(i);
    CHECK(known.emplace(run.identity(), run.model).second);
    CHECK(run.model == more.modelOf(i));
  }
  for (std::size_t i = 0; i < runs.size(); ++i) CHECK(known.contains(runs.at(i).identity()));
}

TEST_CASE("a sample has every value of every axis equally often", "[study]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const StudyRuns runs = runsOf(
        fmt::format("models = [\"a\", \"b\", \"c\"]\nallocators = \"none,best\"\n"
                    "seed = {{from = 1, to = 1000, steps = 1000}}\nalign = [1, 2, 4, 8, 16]\n"
                    "sample = {{runs = 120, seed = {}}}\n",
                    seed));
    // Two runs are the same one only where all of four axes agree.
    REQUIRE(runs.size() >= 118);
    REQUIRE(runs.size() <= 120);
    std::map<std::string, std::size_t> count;
    std::set<std::string> identities;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const StudyRun run = runs.at(i);
      ++count[run.model];
      ++count[run.allocator.text()];
      ++count["align " + valueOf(run.setting, "align")];
      identities.insert(run.identity());
    }
    CHECK(identities.size() == runs.size());
    for (const auto& [value, times] : count) {
      const std::size_t wanted = value.starts_with("align") ? 24 : value.size() == 1 ? 40 : 60;
      CAPTURE(value, times);
      CHECK(times <= wanted);
      CHECK(times + 2 >= wanted);
    }
  }
  CHECK(runsOf("models = \"m\"\nallocators = \"none\"\nsample = {runs = 5}\n").size() == 1);
}
