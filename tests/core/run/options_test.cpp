// Every option of a run through the doors of core: its own text, changes, studies, plan JSON. The
// other doors are in tests/cli/options_test.cpp and tests/gui/shell_options_test.cpp.
#include "core/run/options.h"

#include <sstream>

#include "core/files/file.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/run/run_report.h"
#include "core/study/study.h"
#include "tests/support/must.h"
#include "tests/support/option_samples.h"

using namespace hw;
using test::optionSamples;

namespace {

RunRequest sampled() { return test::must(readRequest(optionSamples(), defaultRequest(), "--")); }

/// The default request but for one option.
RunRequest sampled(const RunOption& option) {
  RunRequest request = defaultRequest();
  test::must(option.read(optionSamples().at(std::string(option.name)), request));
  return request;
}

}  // namespace

TEST_CASE("every option says what it has read", "[run-options]") {
  for (const RunOption& option : runOptions()) {
    CAPTURE(option.name);
    const auto sample = optionSamples().find(option.name);
    REQUIRE(sample != optionSamples().end());
    const RunRequest request = sampled(option);
    CHECK(option.print(request) == sample->second);
    CHECK(option.print(request) != option.print(defaultRequest()));
    CHECK(findOption(option.name) == &option);
    CHECK_FALSE(option.label.empty());
    CHECK_FALSE(option.help.empty());
  }
  CHECK(optionSamples().size() == runOptions().size());
  CHECK(findOption("no-such") == nullptr);
  CHECK(findOption("") == nullptr);
}

TEST_CASE("the default of an option is what a request has that nobody told anything",
          "[run-options]") {
  for (const RunOption& option : runOptions()) {
    if (option.standard.empty()) continue;
    CAPTURE(option.name);
    RunRequest request = sampled(option);
    REQUIRE(option.read({std::string(option.standard)}, request));
    CHECK(option.print(request) == option.print(defaultRequest()));
    CHECK(option.helpText().ends_with("(default " + std::string(option.standard) + ")"));
  }
}

TEST_CASE("what an option offers can be taken, the default first", "[run-options]") {
  for (const RunOption& option : runOptions()) {
    for (const std::string_view example : option.examples) {
      CAPTURE(option.name, example);
      RunRequest request = sampled(option);
      REQUIRE(option.read({std::string(example)}, request));
      CHECK(option.print(request) == std::vector<std::string>{std::string(example)});
      const bool standard = option.print(request) == option.print(defaultRequest());
      CHECK(standard == (example == option.examples.front()));
    }
  }
}

TEST_CASE("both requests that nobody told anything survive as text", "[run-options]") {
  for (const RunRequest& standard : {defaultRequest(), planningRequest()}) {
    const auto back = test::must(readRequest(textsOf(standard), defaultRequest(), ""));
    CHECK(changesBetween(back, standard).empty());
    CHECK(back.l3.assumed == standard.l3.assumed);
  }
}

TEST_CASE("options with choices take them and nothing else", "[run-options]") {
  for (const RunOption& option : runOptions()) {
    for (const std::string_view choice : option.choices) {
      CAPTURE(option.name, choice);
      RunRequest request = defaultRequest();
      REQUIRE(option.read({std::string(choice)}, request));
      CHECK(option.print(request).front() == choice);
    }
    RunRequest request;
    if (!option.choices.empty()) CHECK_FALSE(option.read({"neither"}, request));
  }
}

TEST_CASE("a change of one option is that change, and its words make it again", "[run-options]") {
  for (const RunOption& option : runOptions()) {
    if (option.group == OptionGroup::effort) continue;
    CAPTURE(option.name);
    const RunRequest request = sampled(option);
    const auto changes = changesBetween(defaultRequest(), request);
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().option == &option);
    CHECK_FALSE(sameBut(defaultRequest(), request, {}));
    CHECK(sameBut(defaultRequest(), request, {option.name}));
    std::vector<std::string> words;
    for (const std::string& text : optionSamples().at(std::string(option.name))) {
      words.insert(words.end(), {"--" + std::string(option.name), text});
    }
    if (option.group == OptionGroup::model) words.clear();
    CHECK(optionWords(defaultRequest(), request) == words);
  }
  // How many threads work on it is no part of what a run is.
  CHECK(changesBetween(defaultRequest(), sampled(*findOption("threads"))).empty());
}

TEST_CASE("more of what repeats is only what is more", "[run-options]") {
  RunRequest more = sampled();
  more.moves.push_back(*parseMove("0:after:5"));
  CHECK(optionWords(sampled(), more) == std::vector<std::string>{"--move", "0:after:5"});
}

TEST_CASE("texts of a request make it again", "[run-options]") {
  const RunRequest request = sampled();
  const auto back = test::must(readRequest(textsOf(request), defaultRequest(), ""));
  CHECK(changesBetween(request, back).empty());
  CHECK(textsOf(request).count("threads") == 0);
}

TEST_CASE("the default of every parameter of an allocator is a value of it", "[run-options]") {
  for (const AllocatorInfo& info : allocatorCatalog()) {
    for (const ParamSpec& spec : info.params) {
      CAPTURE(info.name, spec.name);
      const auto value = test::must(parseParam(spec, spec.fallback));
      const auto again = test::must(parseParam(spec, paramText(value)));
      CHECK((again == value));
    }
  }
}

TEST_CASE("an empty text is the default, and one that cannot be says which option",
          "[run-options]") {
  OptionTexts nothing;
  for (const RunOption& option : runOptions()) nothing[std::string(option.name)] = {""};
  CHECK(changesBetween(*readRequest(nothing, defaultRequest(), ""), defaultRequest()).empty());

  const std::pair<const char*, const char*> wrong[] = {
      {"dim", "batch"},       {"dim", "=3"},      {"bodies", "open"}, {"allocator", "nosuch"},
      {"platform", "nosuch"}, {"l2", "-5"},       {"l3", "many"},     {"align", "3"},
      {"align", "2GiB"},      {"alias", "some"},  {"inputs", "out"},  {"weights", "heavy"},
      {"move", "1:by:2"},     {"seed", "-1"},     {"seed", "1e3"},    {"threads", "0"},
      {"time-limit", "-1"},   {"time-limit", "x"}};
  for (const auto& [name, text] : wrong) {
    CAPTURE(name, text);
    RunRequest request = defaultRequest();
    const auto errors = readOptions({{name, {text}}}, request, "--");
    REQUIRE(errors.size() == 1);
    CHECK(errors.front().code == ErrorCode::invalidArgument);
    CHECK(errors.front().message.starts_with("--" + std::string(name) + ": "));
    CHECK(changesBetween(request, defaultRequest()).empty());
  }
  CHECK_FALSE(readRequest({{"align", {"16", "32"}}}, defaultRequest(), ""));
}

TEST_CASE("keys and words of older files are still read", "[run-options]") {
  const auto request = test::must(readRequest({{"dimensions", {"batch=4"}},
                                               {"moves", {"2:before:1 4:before:3"}},
                                               {"timeLimit", {"1.5"}},
                                               {"weights", {"streamed"}},
                                               {"align", {""}}},
                                              sampled(*findOption("weights")), ""));
  CHECK(request.import.dimensions.at("batch") == 4);
  CHECK(request.moves.size() == 2);
  CHECK(request.timeLimit == 1.5);
  CHECK(request.weights == WeightChoice());
  CHECK(findOption("platforms") == findOption("platform"));
  CHECK(findOption("time_limit") == findOption("time-limit"));
}

TEST_CASE("a platform that is named bounds what may be planned, unless sizes say otherwise",
          "[run-options]") {
  RunRequest unlimited = defaultRequest();
  unlimited.l2 = unlimited.l3 = {.kind = PoolSize::Kind::unbounded};
  const auto kinds = [&](const OptionTexts& texts) {
    const auto request = test::must(readRequest(texts, unlimited, ""));
    return std::pair(request.l2.kind, request.l3.kind);
  };
  using enum PoolSize::Kind;
  CHECK(kinds({}) == std::pair(unbounded, unbounded));
  CHECK(kinds({{"platform", {"two-devices"}}}) == std::pair(platform, platform));
  CHECK(kinds({{"platform", {"two-devices"}}, {"l3", {"unlimited"}}}) ==
        std::pair(platform, unbounded));
  CHECK(kinds({{"l2", {"platform"}}}) == std::pair(platform, unbounded));
}

TEST_CASE("a platform from a file keeps its place, whatever its name", "[run-options]") {
  // It has the name of a preset and another L2.
  const std::string file = "options_test_platform.toml";
  REQUIRE(writeFile(
      file,
      "name = \"generic-npu\"\nsource = \"a test\"\n[[device]]\nname = \"npu\"\nops = [\"*\"]\n"
      "[[device.pool]]\nname = \"L2\"\ncapacity = \"64KiB\"\n"
      "[[device.unit]]\nname = \"core\"\nops = [\"*\"]\nclock = \"1GHz\"\n"));
  const auto request = test::must(readRequest({{"platform", {file}}}, defaultRequest(), ""));
  CHECK(request.platform.name == "generic-npu");
  CHECK(request.platform.devices.front().pools.front().capacity == Bytes(64 * 1024));
  CHECK(textsOf(request).at("platform") == std::vector<std::string>{file});
  CHECK(optionWords(defaultRequest(), request) == std::vector<std::string>{"--platform", file});
  std::remove(file.c_str());
}

TEST_CASE("every option goes through a study", "[run-options]") {
  for (const RunOption& option : runOptions()) {
    if (option.group == OptionGroup::model || option.group == OptionGroup::allocator ||
        option.group == OptionGroup::effort) {
      continue;  // Models and allocators are the rows; threads are the program's own.
    }
    CAPTURE(option.name);
    std::string list;
    for (const std::string& text : optionSamples().at(std::string(option.name))) {
      list += (list.empty() ? "\"" : ", \"") + text + "\"";
    }
    const auto study = test::must(parseStudy("models = [\"samples:chain\"]\n\"" +
                                             std::string(option.name) + "\" = [" + list + "]\n"));
    const auto settings = test::must(StudySettings::of(study, ""));
    REQUIRE(settings.size() == 1);
    CHECK(option.print(settings.at(0).request) == optionSamples().at(std::string(option.name)));
  }
}

TEST_CASE("a study runs every combination, and says what it varies", "[run-options]") {
  const auto study = test::must(parseStudy(
      "models = \"samples:chain\"\nallocators = \"none,best\"\nplatforms = [\"two-devices\"]\n"
      "l2 = [\"16\", \"unlimited\"]\nalign = 1\nseeds = [3, 4]\ntime_limit = 2.5\n"));
  CHECK(study.allocators.size() == 2);
  const auto settings = test::must(StudySettings::of(study, ""));
  REQUIRE(settings.size() == 4);
  CHECK(settings.at(1).request.seed == 4);
  CHECK(settings.at(2).request.l2.kind == PoolSize::Kind::unbounded);
  CHECK(settings.at(3).request.timeLimit == 2.5);
  std::string keys;
  for (const auto& [key, value] : settings.at(0).axes) keys += key + "=" + value + " ";
  CHECK(keys ==
        "platform=two-devices l2=16 l3= align=1 alias= overlap= inputs= outputs= weights= layout= "
        "order= recompute= tile= tile-to= extra-work= batches= seed=3 ");
  CHECK_FALSE(parseStudy("models = \"m\"\nthreads = 3\n"));
  CHECK(parseStudy("models = \"m\"\nallocators = \"all\"\n")->allocators.empty());
  CHECK_FALSE(parseStudy("models = \"m\"\nallocators = [\"none\", \"all\"]\n"));
  CHECK_FALSE(parseStudy("models = [\"\"]\n"));
  CHECK_FALSE(StudySettings::of(*parseStudy("models = \"m\"\nalign = [1, 3]\n"), ""));
  CHECK_FALSE(
      StudySettings::of(*parseStudy("models = \"m\"\nbodies = [\"steps\", \"closed\"]\n"), ""));
}

TEST_CASE("every option that makes a plan is in its JSON, and comes back", "[run-options]") {
  RunRequest request = sampled();
  request.import = {};  // The sample has no such parts.
  request.l2 = request.l3 = {.kind = PoolSize::Kind::unbounded};
  auto model = test::must(openModel(request.model, request.import));
  const auto run =
      test::must(execute(std::make_shared<const Model>(std::move(model)), request, {}));
  std::ostringstream json;
  writePlanJson(*run, json);
  const auto document = test::must(readPlan(json.str()));
  RunRequest standard = defaultRequest();
  standard.model = request.model;  // A plan names its model by what is in it, not by a path.
  const auto back = test::must(readRequest(document.settings, standard, ""));
  for (const OptionChange& change : changesBetween(request, back)) FAIL(change.option->name);
}

TEST_CASE("a report says how to make it again, with all that was asked for", "[run-options]") {
  const RunRequest request = sampled();
  CHECK(commandForReport(request, "html") ==
        "highwater report samples:inception --dim a=b=7 --dim batch=4 --bodies closed "
        "--fuse quantized,pads "
        "--weight-bytes stored.csv --subgraph 'main part' --allocator "
        "free-list:pick=best,threshold=4KiB "
        "--platform two-devices --l2 1536 --l3 unlimited --align 4KiB --alias reshape,concat "
        "--overlap kernels --inputs external --outputs external --weights prefetch=3 "
        "--layout nhwc --order depth-first --recompute cheap --tile any --tile-to 12KiB "
        "--extra-work 2.5% --move 2:before:1 "
        "--move 4:before:3 --batches 3 --residency lru --seed 12345678901234567890 --time-limit "
        "1.5 -o report.html");
  CHECK(commandForReport(defaultRequest(), "pdf") == "highwater-studio '' --report report.pdf");
}
