// Tables of ExecuTorch's Inspector, in the four ways in which they reach a file, and the operators
// of a model that they are about.
#include "core/import/measured/executorch.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/base/dice.h"
#include "core/insight/measured_diff.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

// As save_data_to_tsv writes it: the first column is the row's number.
constexpr std::string_view kTsv =
    "\tevent_block_name\tevent_name\tp50 (ms)\tavg (ms)\top_types\tis_delegated_op\n"
    "0\tDefault\tMethod::init\t0.03\t0.03\t[]\tFalse\n"
    "1\tExecute\tnative_call_convolution.out\t0.9\t0.958706\t['aten.convolution.default']\tFalse\n"
    "2\tExecute\tOPERATOR_CALL\t0.9\t0.96\t[]\tFalse\r\n"
    "3\tExecute\tnative_call_quantized::add.out\t0.2\t0.25\t[]\tFalse\n"
    "4\tExecute\tFully Connected (NC, F32) GEMM #1\t0.5\t0.5\t['aten.linear.default', "
    "'aten.relu.default']\tTrue\n"
    "5\tExecute\tDELEGATE_CALL\t0.5\t0.51\t[]\tFalse\n"
    "6\tExecute\tMethod::execute\t1.7\t1.75\t[]\tFalse\n";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// Kernels, and operators of models that they run.
constexpr std::pair<const char*, const char*> kRuns[] = {
    {"convolution", "Conv"},
    {"addmm", "Gemm"},
    {"bmm", "MatMul"},
    {"max_pool2d_with_indices", "MaxPool"},
    {"avg_pool2d", "AveragePool"},
    {"mean", "GlobalAveragePool"},
    {"mean", "ReduceMean"},
    {"upsample_nearest2d", "Resize"},
    {"relu", "Relu"},
    {"hardtanh", "Clip"},
    {"hardsigmoid", "HardSigmoid"},
    {"sigmoid", "Sigmoid"},
    {"tanh", "Tanh"},
    {"gelu", "Gelu"},
    {"_softmax", "Softmax"},
    {"_log_softmax", "LogSoftmax"},
    {"add", "Add"},
    {"mul", "Mul"},
    {"where", "Where"},
    {"argmax", "ArgMax"},
    {"native_layer_norm", "LayerNormalization"},
    {"_native_batch_norm_legit_no_training", "BatchNormalization"},
    {"quantize_per_tensor", "QuantizeLinear"},
    {"exp", "Exp"},
    {"sqrt", "Sqrt"},
    {"view_copy", "Reshape"},
    {"permute_copy", "Transpose"},
    {"slice_copy", "Slice"},
    {"cat", "Concat"},
    {"split_with_sizes_copy", "Split"},
    {"embedding", "Gather"},
    {"constant_pad_nd", "Pad"},
    {"_to_copy", "Cast"},
    {"convolution", "CONV_2D"},
    {"linear", "FULLY_CONNECTED"},
    {"avg_pool2d", "AVERAGE_POOL_2D"},
    {"add", "ADD"},
    {"_softmax", "SOFTMAX"},
    {"sigmoid", "LOGISTIC"},
    {"view_copy", "RESHAPE"}};

/// The most operators of a model that can be matched, by every choice of them.
int longestMatch(const std::vector<OpClass>& kinds, const OperatorProfile& profile) {
  int longest = 0;
  for (unsigned chosen = 0; chosen < 1U << kinds.size(); ++chosen) {
    auto next = profile.ops.begin();
    int size = 0;
    for (std::size_t op = 0; op < kinds.size() && next != profile.ops.end(); ++op) {
      if ((chosen >> op & 1U) == 0) continue;
      next = std::ranges::find(next, profile.ops.end(), kinds[op], &MeasuredOperator::kind);
      if (next == profile.ops.end()) {
        size = 0;
      } else {
        ++next;
        ++size;
      }
    }
    longest = std::max(longest, size);
  }
  return longest;
}

}  // namespace

TEST_CASE("kernels of ExecuTorch are read with their mean times", "[import][calibrate]") {
  const std::string printed =
      replaced(replaced(std::string("│") + std::string(kTsv), "\n", "│\n│"), "\t", " │  ");
  // A rule between two rows, and a word in front of the table.
  const std::string boxed =
      "table:\n╒═══╤═══╕\n" + replaced(printed, "\n│1", "\n├───┼───┤\n│1") + "\n╘═══╧═══╛\n";
  std::string commas = replaced(std::string(kTsv), "['aten.linear.default', 'aten.relu.default']",
                                "\"['aten.linear.default', 'aten.relu.default']\"");
  commas = replaced(commas, "Fully Connected (NC, F32)", "Fully Connected");
  for (const std::string& text :
       {std::string(kTsv), boxed, replaced(commas, "\t", ","),
        replaced("number" + std::string(kTsv), "\t", "   "), replaced(boxed, "│", "|")}) {
    CAPTURE(text);
    const OperatorTimes times = test::must(readOperatorTimes(text));
    REQUIRE(times.spans.size() == 3);
    CHECK(times.spans[0].microseconds(1) == Approx(958.706));
    CHECK(times.spans[1].microseconds(1) == Approx(250));
    CHECK(times.spans[2].microseconds(1) == Approx(500));
    CHECK(times.profile.ops[0].name == "native_call_convolution.out");
    CHECK(times.profile.ops[0].kind == OpClass::convolution);
    CHECK(times.profile.ops[1].kind == OpClass::elements);
    CHECK(times.profile.ops[2].kind == OpClass::product);
  }
}

TEST_CASE("times of ExecuTorch have a unit, and say where they are wrong", "[import][calibrate]") {
  const auto read = [](std::string_view what, std::string_view by) {
    return readOperatorTimes(replaced(std::string(kTsv), what, by));
  };
  CHECK(test::must(read("avg (ms)", "avg (cycles)")).spans[1].microseconds(1'000'000) == 0.25);
  CHECK(test::must(read("avg (ms)", "avg (s)")).spans[1].microseconds(1) == 250'000);
  for (const char* unit : {"avg", "avg (h)", "avg ("}) {
    CAPTURE(unit);
    CHECK(test::mustFail(read("avg (ms)", unit)).message ==
          "expected a column 'avg (ms)', or with another unit of ExecuTorch's Inspector");
  }
  for (const char* bad : {"-0.25", "x", "", "1e10", "nan"}) {
    CAPTURE(bad);
    CHECK(test::mustFail(read("0.25", bad)).text() ==
          "event 'native_call_quantized::add.out' has the time '" + std::string(bad) +
              "', which is no number up to 1e9 (line 5)");
  }
  // Without any kernel it is a table like others, of which no column is known.
  CHECK(test::mustFail(readOperatorTimes("event_name,avg (ms)\nMethod::execute,1\n")).message ==
        "column 'operator' is missing; expected operator,cycles or operator,us");
}

TEST_CASE("kernels have the classes of the operators that they run", "[import][calibrate]") {
  for (const auto& [kernel, type] : kRuns) {
    CAPTURE(kernel, type);
    Op op{.type = type};
    if (op.type.find('_') != std::string::npos || op.type == "ADD" || op.type == "SOFTMAX" ||
        op.type == "LOGISTIC" || op.type == "RESHAPE") {
      op.domain = "tflite";
    }
    const OpInfo* info = findOp(op);
    REQUIRE(info != nullptr);
    CHECK(classOfAten(kernel) == info->kind);
  }
  CHECK_FALSE(classOfAten("my_kernel"));
  CHECK_FALSE(classOfAten("add mul"));
  CHECK_FALSE(classOfAten(""));
}

TEST_CASE("operators of other runtimes are matched by class in their order",
          "[insight][calibrate]") {
  constexpr std::pair<const char*, OpClass> kTypes[] = {{"Conv", OpClass::convolution},
                                                        {"Relu", OpClass::activation},
                                                        {"Add", OpClass::elements},
                                                        {"Reshape", OpClass::movement}};
  for (const std::uint64_t seed : test::Seeds(200)) {
    Dice dice(seed);
    test::DrawnGraph drawn{.tensors = {{"t0", 4}}, .inputs = {"t0"}};
    const std::size_t count = dice.roll(1, 9);
    std::vector<OpClass> kinds;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [type, kind] = kTypes[dice.roll(0, 3)];
      drawn.tensors.push_back({fmt::format("t{}", i + 1), 4});
      drawn.ops.push_back(fmt::format("{} t{} -> t{}", type, i, i + 1));
      kinds.push_back(kind);
    }
    drawn.outputs = {fmt::format("t{}", count)};
    const Graph graph = test::drawnGraph(drawn);
    OperatorProfile profile;
    for (std::size_t i = dice.roll(1, 9); i > 0; --i) {
      profile.ops.push_back({.name = "kernel", .kind = kTypes[dice.roll(0, 3)].second});
    }
    profile.ops.push_back({.name = "unknown"});
    const auto matched = matchOperators(graph, profile);
    REQUIRE(matched.size() == profile.ops.size());
    std::optional<OpId> last;
    int pairs = 0;
    for (std::size_t i = 0; i < matched.size(); ++i) {
      if (!matched[i]) continue;
      CHECK(profile.ops[i].kind == kinds[matched[i].index()]);
      CHECK((!last || *last < matched[i]));
      last = matched[i];
      ++pairs;
    }
    CHECK(pairs == longestMatch(kinds, profile));
  }
}
