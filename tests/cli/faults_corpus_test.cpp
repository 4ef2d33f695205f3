// Models and files that once gave wrong answers, held against what is right.

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <vector>

#include "tests/cli/program.h"
#include "tests/support/corpus.h"

namespace hw::test {
namespace {

/// A command whose words "@/" stand for the folder of the corpus.
struct FaultCase {
  std::string arguments;
  std::vector<std::string> has;       ///< Regular expressions that what it prints has to match,
  std::vector<std::string> hasNot{};  ///< and those that it must not.
  int exitCode = 0;
};

void checkCase(const Shell& shell, const std::filesystem::path& folder, const FaultCase& wanted) {
  std::string line = "highwater " + wanted.arguments;
  for (std::size_t at; (at = line.find("@/")) != std::string::npos;) {
    line.replace(at, 1, folder.string());
  }
  const Outcome outcome = shell.run(line);
  CAPTURE(line, outcome.out, outcome.err);
  CHECK(outcome.exitCode == wanted.exitCode);
  const std::string all = outcome.out + outcome.err;
  for (const std::string& words : wanted.has) {
    CAPTURE(words);
    CHECK(std::regex_search(all, std::regex(words)));
  }
  for (const std::string& words : wanted.hasNot) {
    CAPTURE(words);
    CHECK_FALSE(std::regex_search(all, std::regex(words)));
  }
}

/// A tensor's line in `info --all`.
std::string sized(const std::string& tensor, const std::string& bytes) {
  return "\n  " + tensor + " +[^\n]* " + bytes + " B";
}

const std::vector<FaultCase>& modelCases() {
  static const std::vector<FaultCase> kCases = {
      {"info --all @/const_value_floats_resize.onnx", {sized("y", "768")}},
      {"info --all @/const_value_ints_empty.onnx", {sized("c", "0"), sized("y", "4")}},
      {"info --all @/dtype_float4_quantize.onnx", {sized("y", "2,048")}},
      {"info --all @/dequantize_output_dtype.onnx", {sized("y", "8,192")}},
      {"info --all @/mha_past_sequence_length.onnx", {"1x2x16x32 +4,096 B"}, {"1x2x17x32"}},
      {"info --all @/mha_qk_output.onnx", {"1x2x3x10 +240 B"}},
      {"info --all @/qonnx_quant.onnx", {sized("y", "256")}},
      {"info --all @/opset26_bitcast_cumprod.onnx", {sized("b", "512"), sized("y", "512")}},
      {"info --all @/resize_declared_scalar.onnx", {sized("y", "768")}},
      {"info --all @/free_dim_from_weights.onnx", {sized("h", "12,288"), sized("y", "12,288")}},
      {"info --all @/tflite_placeholder_reshape.tflite",
       {sized("r", "512"), sized("y", "512"), "lower bound +1,024 B"}},
      {"info --all --dim batch=2 @/tflite_placeholder_reshape.tflite", {"lower bound +2,048 B"}},
      {"info @/bundle_leading_bytes.task", {"operators +[1-9]"}},
      {"info @/params_pool.mpool", {"--platform"}, {"expected 'highwater-graph'"}, 3},
      {"plan samples:chain --platform @/params_pool.mpool", {"complete|optimal|valid"}},
      {"info @/xla_old_pointer.txt", {"own plan +32,768 B"}},
  };
  return kCases;
}

const std::vector<FaultCase>& planCases() {
  static const std::vector<FaultCase> kCases = {
      {"diff @/diff_bound_free_dim.onnx @/diff_bound_free_dim.profile.json --dim N=8",
       {"65,536 +65,536"},
       {"32,800"}},
      {"diff @/diff_depthwise_in_place.onnx @/diff_depthwise_in_place.profile.json",
       {"147,456 +147,456"},
       {"82,976"}},
      {"diff @/ort_in_place_Add_const_full.onnx @/ort_in_place_Add_const_full.profile.json",
       {"16,384 +16,384"}},
      {"diff @/ort_in_place_BatchNormalization.onnx @/ort_in_place_BatchNormalization.profile.json",
       {"16,384 +16,384"}},
      {"diff @/ort_in_place_Exp.onnx @/ort_in_place_Exp.profile.json", {"16,384 +16,384"}},
      {"diff @/ort_in_place_LayerNormalization.onnx @/ort_in_place_LayerNormalization.profile.json",
       {"16,384 +16,384"}},
      {"simulate @/machine/no_stays.graph.json -a best:for=latency --inputs external "
       "--outputs external --platform one-engine",
       {"latency"}},
      {"simulate @/machine/sig179.graph.json -a best:for=latency --inputs external "
       "--outputs external --platform @/machine/sig179.toml",
       {"latency"}},
      {"shrink --extra-macs 0% --inputs rows --align 1 @/shrink_0pct.graph.json", {"\n +2,912 "}},
      {"report @/c_info_one_buffer_3MiB.json -a embedded -o r.html --l2 platform",
       {"does not fit: L2 needs 3,145,728 bytes"},
       {"cannot all be kept"},
       1},
      {"simulate @/c_info_one_buffer_3MiB.json -a embedded",
       {"does not fit: L2 needs 3,145,728 bytes", "plan over-budget"},
       {"cannot all be kept"},
       1},
      {"compare -a embedded --align 1 @/c_info_chain_not_optimal.json",
       {"240"},
       {"no plan can be smaller"}},
      {"compare -a embedded,best --align 1 @/c_info_chain_not_optimal.json", {"200", "240"}},
  };
  return kCases;
}

const std::vector<FaultCase>& attackCases() {
  static const std::vector<FaultCase> kCases = {
      {"sweep @/attack/toml_dotted_0.toml", {"levels|deep"}, {}, 3},
      {"plan samples:chain --platform @/attack/toml_dotted_0.toml", {"levels|deep"}, {}, 3},
      {"info @/attack/dup2.graph.json", {"twice"}, {}, 3},
      {"simulate --format csv @/attack/name_csv.onnx", {}, {"(^|\n|,)\"?[=+@]"}},
      {"info --all @/attack/name_ansi.onnx", {}, {"\x1b"}},
      {"info --all @/attack/name_badutf.onnx", {}, {"[\x80\xff\xc0\xc1]"}},
      {"info --all @/attack/name_rtl.onnx", {}, {"\xe2\x80[\xaa-\xae]"}},
      {"plan @/attack/l2bad.csv", {"l2bad.csv"}, {"--l2"}, 3},
      {"plan @/attack/alnbad.csv", {"alnbad.csv"}, {"--align"}, 3},
  };
  return kCases;
}

void checkAll(const std::vector<FaultCase>& cases) {
  const auto folder = corpusFolder("faults");
  if (!folder) return;
  const Shell shell;
  for (const FaultCase& each : cases) checkCase(shell, *folder, each);
}

}  // namespace

TEST_CASE("sizes that were wrong are right", "[cli][corpus][faults]") { checkAll(modelCases()); }

TEST_CASE("plans and times that were wrong are right", "[cli][corpus][faults]") {
  checkAll(planCases());
}

TEST_CASE("files that are made to harm are refused or shown harmless", "[cli][corpus][faults]") {
  checkAll(attackCases());
}

}  // namespace hw::test
