// Files that runtimes load: headers through compilers, planned models through a real runtime.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/base/json.h"
#include "tests/cli/program.h"
#include "tests/support/corpus.h"
#include "tests/support/rounds.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;

std::string shellQuoted(const fs::path& path) { return "'" + path.string() + "'"; }

/// Compiles header.h, included twice, by both languages; what a compiler says is captured.
void checkCompiles(const Shell& shell) {
  shell.write("use.c", "#include \"header.h\"\n#include \"header.h\"\nint unused_unit;\n");
  shell.write("use.cpp", "#include \"header.h\"\n#include \"header.h\"\n");
  const std::string strict = " -pedantic -Wall -Wextra -Wconversion -Werror -c -o out.o ";
  for (const char* compiler : {"gcc -std=c99", "g++ -std=c++11"}) {
    const std::string source = compiler[1] == 'c' ? "use.c" : "use.cpp";
    const Outcome built = shell.run(compiler + strict + source);
    CAPTURE(compiler, built.err);
    CHECK(built.exitCode == 0);
  }
}

bool hasCompilers(const Shell& shell) {
  if (shell.run("gcc --version && g++ --version").exitCode == 0) return true;
  WARN("skipped: no gcc and g++ to compile headers with");
  return false;
}

/// Of "…: tflite-micro's head takes 55,296 bytes, 73,728 without this plan" the number behind
/// `mark`.
std::int64_t headOf(const std::string& line, const std::string& mark = "head takes ") {
  std::string digits;
  for (std::size_t at = line.find(mark) + mark.size(); line[at] != ' '; ++at) {
    if (line[at] != ',') digits += line[at];
  }
  return std::stoll(digits);
}

}  // namespace

TEST_CASE("plan headers compile as C99 and C++ without a warning", "[cli][exchange]") {
  const Shell shell;
  if (!hasCompilers(shell)) return;
  shell.write("odd.json", R"({"format":"highwater-graph","version":1,"name":"1 */ odd",
    "tensors":[{"name":"*/ int x;","bytes":4},{"name":"arena size","bytes":300000},
               {"name":"Arena/size","bytes":2},{"name":"\\\n","bytes":70000}],
    "inputs":["*/ int x;"],"outputs":["\\\n"],
    "ops":[{"type":"Conv","inputs":["*/ int x;"],"outputs":["arena size"]},
           {"type":"Conv","inputs":["arena size"],"outputs":["Arena/size"]},
           {"type":"Conv","inputs":["Arena/size"],"outputs":["\\\n"]}]})");
  shell.write("none.json", R"({"format":"highwater-graph","version":1,"name":"",
    "tensors":[{"name":"x","bytes":0}],"inputs":["x"],"outputs":["x"],"ops":[]})");
  for (const char* model : {"odd.json", "none.json", "samples:late_input"}) {
    CAPTURE(model);
    const Outcome plan = shell.run(std::string("highwater plan -o header.h ") + model);
    CAPTURE(plan.err);
    REQUIRE(plan.exitCode == 0);
    checkCompiles(shell);
  }
}

TEST_CASE("headers of real models compile, and are not let through where a tensor sticks out",
          "[cli][exchange][corpus]") {
  const Shell shell;
  const auto corpus = corpusFolder("tflite");
  if (!hasCompilers(shell) || !corpus) return;
  const std::string name = GENERATE("vww_96_int8", "keyword_scrambled", "mww_alexa_v1",
                                    "litert_multi_signature_model", "basic_pitch_nmp_tfl");
  CAPTURE(name);
  const std::string model = shellQuoted(*corpus / (name + ".tflite"));
  REQUIRE(shell.run("highwater plan " + model + " -o header.h").exitCode == 0);
  checkCompiles(shell);
  REQUIRE(shell.run("sed -i 's/_ARENA_SIZE [0-9]*ul/_ARENA_SIZE 16ul/' header.h").exitCode == 0);
  CHECK(shell.run("gcc -c -o out.o use.c").exitCode != 0);
}

TEST_CASE("heads of planned files are those of the real runtime", "[cli][exchange][corpus]") {
  const auto corpus = corpusFolder("tflite");
  if (!corpus) return;
  const Shell shell;
  // As tflite-micro 90b983c measured them, without a plan and with one.
  const auto [name, own, planned] = GENERATE(table<std::string, std::int64_t, std::int64_t>({
      {"vww_96_int8", 73728, 55296},
      {"basic_pitch_nmp_tfl", 5388416, 4843520},
      {"mww_alexa_v1", 21216, 14864},
      {"keyword_scrambled", 672, 672},
      {"litert_multi_signature_model", 2400, 1200},
      {"mww_hey_jarvis_v2", 3424, 3200},
  }));
  CAPTURE(name);
  const Outcome plan = shell.run("highwater plan " + shellQuoted(*corpus / (name + ".tflite")) +
                                 " -o planned.tflite");
  CAPTURE(plan.out, plan.err);
  REQUIRE(plan.exitCode == 0);
  CHECK(headOf(plan.out) == planned);
  CHECK(headOf(plan.out, " bytes, ") == own);
  // Opened again it brings the plan along, and an audit of it finds nothing.
  const Outcome check = shell.run("highwater check planned.tflite embedded");
  CAPTURE(check.out, check.err);
  CHECK(check.exitCode == 0);
  CHECK(check.out.find("declared overlap") == std::string::npos);
  const Outcome again = shell.run("highwater plan planned.tflite -a embedded -o again.tflite");
  CAPTURE(again.err);
  REQUIRE(again.exitCode == 0);
  CHECK(headOf(again.out) == planned);
}

TEST_CASE("outputs over their inputs make heads smaller", "[cli][exchange][corpus]") {
  const auto corpus = corpusFolder("tflite");
  if (!corpus) return;
  const Shell shell;
  // As tflite-micro 90b983c measured them; every operator's output was the same, bit for bit.
  const auto [name, overlapped] = GENERATE(table<std::string, std::int64_t>({
      {"vww_96_int8", 37632},
      {"person_detect", 37632},
      {"kws_ref_model", 11840},
  }));
  CAPTURE(name);
  // The memory of that platform would hold any of them: it does not end the search.
  const Outcome plan =
      shell.run("highwater plan " + shellQuoted(*corpus / (name + ".tflite")) +
                " --overlap kernels --platform reference-kernels -o planned.tflite");
  CAPTURE(plan.out, plan.err);
  REQUIRE(plan.exitCode == 0);
  CHECK(headOf(plan.out) == overlapped);
}

TEST_CASE("files for runtimes are refused where they would be wrong", "[cli][exchange]") {
  const Shell shell;
  const auto refuses = [&](const std::string& arguments, const std::string& words) {
    const Outcome outcome = shell.run("highwater " + arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.exitCode != 0);
    CHECK(outcome.err.find(words) != std::string::npos);
  };
  const auto says = [&](const std::string& arguments, const std::string& words) {
    refuses("plan " + arguments, words);
  };
  says("samples:chain -o x.tflite", "only a TFLite file can be written with a plan inside");
  says("samples:chain --scratch tflm", "known for TFLite models only");
  says("- -o x.tflite < /dev/null", "name the model's file");
  says("samples:resnet50 --tile lines -o x.h", "run in parts");
  if (const auto folder = corpusFolder()) {
    const std::string file = shellQuoted(*folder / "tflite/person_detect.tflite");
    for (const char* what : {"pads", "activations", "pools"}) {
      says(file + " -o x.tflite --fuse " + what, "expected --fuse none");
    }
  }
  refuses("shrink samples:chain --runtime tflm", "made of a TFLite file");
  refuses("shrink " HIGHWATER_SOURCE_DIR "/README.md --runtime tflm", "this is none");
  refuses("shrink none.tflite --runtime tflm", "none.tflite");
  refuses("shrink x.tflite --runtime tflm -o x.json", "expected .tflite");
  refuses("shrink x.tflite --runtime tflm --allow order", "does not go with --runtime");
  refuses("shrink x.tflite --runtime tvm", "tflm");
  refuses("shrink x.tflite --kernels unknown", "expected --runtime, too");
  refuses("shrink x.tflite --int8-input", "expected --runtime, too");
  refuses("shrink x.onnx --runtime ort --int8-input", "is of tflm and c alone");
  refuses("shrink x.tflite --runtime c -o net.tflite", "expected .c");
  refuses("shrink x.tflite --runtime c --pointers 64", "is of tflm alone");
  refuses("shrink " HIGHWATER_SOURCE_DIR "/README.md --runtime c", "this is none");
  refuses("shrink x.onnx --runtime ort --kernels unknown", "is of tflm and c alone");
  refuses("shrink x.onnx --runtime ort --pointers 64", "is of tflm alone");
  refuses("shrink x.onnx --runtime ort -o x.tflite", "expected .onnx");
  refuses("shrink samples:chain --runtime ort", "made of an ONNX file");
  refuses("shrink " HIGHWATER_SOURCE_DIR "/README.md --runtime ort", "this is none");
  refuses("shrink " HIGHWATER_SOURCE_DIR "/sample_graphs/unet.onnx --runtime ort -o x.onnx",
          "expected an output in its folder");
  refuses("convert samples:chain -o x.onnx", "expected --model");
  refuses("convert samples:chain -o x.csv --model x.onnx", "goes with an ONNX file");
  CHECK_FALSE(shell.has("x.onnx"));
  CHECK_FALSE(shell.has("x.tflite"));
  CHECK_FALSE(shell.has("x.h"));
}

TEST_CASE("models in parts for ONNX Runtime take the bytes that were told", "[cli][exchange]") {
  const Shell shell;
  REQUIRE(shell.run("cp " HIGHWATER_SOURCE_DIR "/sample_graphs/squeezenet.onnx .").exitCode == 0);
  const Outcome shrunk =
      shell.run("highwater shrink squeezenet.onnx --runtime ort --format json -o small.onnx");
  CAPTURE(shrunk.err);
  REQUIRE(shrunk.exitCode == 0);
  const Json made = Json::parse(shrunk.out);
  const Json& ways = made.at("ways");
  const auto chosen =
      std::ranges::find_if(ways, [](const Json& way) { return way.at("chosen") == true; });
  REQUIRE(chosen != ways.end());
  CHECK(chosen->at("part") < 0.4);
  const std::string free = chosen->at("free").get<std::string>();
  REQUIRE_FALSE(free.empty());
  CHECK(made.at("notes").at(0).get<std::string>().find("free") != std::string::npos);
  const std::string info = shell.run("highwater info small.onnx --dim " + free).out;
  CHECK(info.find("operators    " + std::to_string(chosen->at("operators").get<int>())) !=
        std::string::npos);
  // A budget that cannot be met: the nearest, and 1.
  const Outcome never =
      shell.run("highwater shrink squeezenet.onnx --runtime ort --budget 1KiB -o least.onnx");
  CHECK(never.exitCode == 1);
  CHECK(never.err.find("nothing fits") != std::string::npos);
  CHECK(shell.read("least.onnx") == shell.read("small.onnx"));
  const Outcome within = shell.run(
      "highwater shrink squeezenet.onnx --runtime ort --budget 2MiB --format json -o mid.onnx");
  CHECK(within.exitCode == 0);
  CHECK(shell.read("mid.onnx") != shell.read("small.onnx"));
}

TEST_CASE("graphs in parts leave as ONNX files of their model", "[cli][exchange]") {
  const Shell shell;
  REQUIRE(shell.run("cp " HIGHWATER_SOURCE_DIR "/sample_graphs/*.onnx .").exitCode == 0);
  const Outcome tiled =
      shell.run("highwater shrink squeezenet.onnx --allow tile --sizes 0 --graph parts.graph.json");
  CAPTURE(tiled.err);
  REQUIRE(tiled.exitCode == 0);
  const Outcome made =
      shell.run("highwater convert parts.graph.json --model squeezenet.onnx -o tiled.onnx");
  CAPTURE(made.err);
  REQUIRE(made.exitCode == 0);
  CHECK(shell.run("highwater info tiled.onnx").out.find("Concat") != std::string::npos);
  const Outcome other =
      shell.run("highwater convert parts.graph.json --model unet.onnx -o other.onnx");
  CHECK(other.exitCode == 3);
  CHECK(other.err.find("is a graph of another file") != std::string::npos);
  const Outcome whole =
      shell.run("highwater convert squeezenet.onnx --model squeezenet.onnx -o whole.onnx");
  CHECK(whole.err.find("no operator of the graph runs in parts") != std::string::npos);
  CHECK_FALSE(shell.has("other.onnx"));
}

/// The program that runs a model on tflite-micro, as docs/formats/tflite.md says; null: there is
/// none.
const char* realRuntime() {
  const char* program = std::getenv("HIGHWATER_TFLM_RUN");
  if (program == nullptr) {
    WARN("skipped: no tflite-micro to run (set HIGHWATER_TFLM_RUN to a program)");
  }
  return program;
}

TEST_CASE("a real model becomes C that compiles and runs", "[cli][exchange][corpus]") {
  const Shell shell;
  if (!hasCompilers(shell)) return;
  // A smaller network under sanitizers, where the search takes minutes for the other.
  const char* model = test::kSanitized ? "micro_speech_quantized." : "person_detect.";
  for (const fs::path& file : corpusFiles("tflite", model)) {
    const std::string shrink = "highwater shrink " + shellQuoted(file) + " -q --extra-macs 0 ";
    const Outcome made = shell.run(shrink + "--runtime c --format json -o my-net.c");
    CAPTURE(made.err);
    REQUIRE(made.exitCode == 0);
    const Json json = Json::parse(made.out);
    CHECK(json.at("format") == "highwater-c-shrink");
    shell.write(
        "main.cpp",
        "#include \"my-net.h\"\nalignas(16) static unsigned char arena[MY_NET_ARENA_BYTES];\n"
        "int main() { return my_net_scratch_bytes(&my_net_reference_kernels) != 0 ||\n"
        "  my_net_invoke(arena, nullptr, 0, nullptr) == 0 ||\n"
        "  my_net_invoke(arena, nullptr, 0, &my_net_reference_kernels) != 0; }\n");
    const Outcome ran = shell.run(
        "gcc -std=c99 -pedantic -Wall -Wextra -Werror -Os -c my-net.c -o net.o && "
        "g++ -std=c++17 -pedantic -Wall -Wextra -Werror main.cpp net.o -o run && ./run");
    CAPTURE(ran.err);
    CHECK(ran.exitCode == 0);
    CHECK(shell.run(shrink + "--runtime c --budget 1KiB -o small.c").exitCode == 1);
  }
}

TEST_CASE("models in parts give a real runtime's results in a smaller arena",
          "[cli][exchange][corpus]") {
  const auto corpus = corpusFolder("tflite");
  const char* program = realRuntime();
  if (!corpus || program == nullptr) return;
  const Shell shell;
  std::size_t smaller = 0;
  for (const fs::path& file : filesIn(*corpus)) {
    CAPTURE(file.filename().string());
    const std::string runner = shellQuoted(program) + " ";
    const Outcome before = shell.run(runner + shellQuoted(file));
    if (before.exitCode != 0) continue;
    const Outcome shrunk = shell.run("highwater shrink " + shellQuoted(file) +
                                     " --runtime tflm --format json -o small.tflite");
    CAPTURE(shrunk.err);
    REQUIRE(shrunk.exitCode == 0);
    const Outcome after = shell.run(runner + "small.tflite");
    CAPTURE(after.out);
    REQUIRE(after.exitCode == 0);
    const Json own = Json::parse(before.out);
    const Json ours = Json::parse(after.out);
    CHECK(ours.at("final") == own.at("final"));
    const Json ways = Json::parse(shrunk.out).at("ways");
    const auto chosen =
        std::ranges::find_if(ways, [](const Json& way) { return way.at("chosen") == true; });
    REQUIRE(chosen != ways.end());
    // Kernels that ask for scratch that is not known put it on top.
    const auto head = ours.at("head_bytes").get<std::int64_t>();
    CHECK(head <= own.at("head_bytes").get<std::int64_t>());
    if (chosen->at("way") != "in parts") continue;
    CHECK(head == chosen->at("head").get<std::int64_t>());
    ++smaller;
  }
  CHECK(smaller >= 2);
}

TEST_CASE("planned models give a real runtime's results bit for bit", "[cli][exchange][corpus]") {
  const auto corpus = corpusFolder("tflite");
  const char* program = realRuntime();
  if (!corpus || program == nullptr) return;
  const std::string options =
      GENERATE(as<std::string>(), "", " --overlap kernels --platform reference-kernels");
  CAPTURE(options);
  const Shell shell;
  std::size_t ran = 0;
  for (const fs::path& file : filesIn(*corpus)) {
    CAPTURE(file.filename().string());
    const Outcome before = shell.run(shellQuoted(program) + " " + shellQuoted(file));
    if (before.exitCode != 0) continue;
    const Outcome plan =
        shell.run("highwater plan " + shellQuoted(file) + options + " -o planned.tflite");
    CAPTURE(plan.out, plan.err);
    CHECK(plan.exitCode == 0);
    if (plan.exitCode != 0) continue;
    const Outcome after = shell.run(shellQuoted(program) + " planned.tflite");
    REQUIRE(after.exitCode == 0);
    const Json own = Json::parse(before.out);
    const Json ours = Json::parse(after.out);
    ++ran;
    CHECK(ours.at("trace") == own.at("trace"));
    CHECK(ours.at("outputs") == own.at("outputs"));
    CHECK(ours.at("head_bytes").get<std::int64_t>() <= own.at("head_bytes").get<std::int64_t>());
    if (plan.out.find("is not known") != std::string::npos) continue;
    CHECK(ours.at("head_bytes").get<std::int64_t>() == headOf(plan.out));
    CHECK(own.at("head_bytes").get<std::int64_t>() == headOf(plan.out, " bytes, "));
  }
  // Of the corpus 24 run with all reference kernels but those for signals.
  CHECK(ran >= 20);
}

}  // namespace hw::test
