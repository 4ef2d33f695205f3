// Networks of ai8x-synthesis: maps in data memories, checked and planned.

#include <map>
#include <sstream>

#include "core/base/yaml.h"
#include "core/check/plan_audit.h"
#include "core/import/importer.h"
#include "core/plan/validate.h"
#include "core/run/options.h"
#include "core/run/planner.h"
#include "tests/support/findings.h"
#include "tests/support/must.h"

namespace hw {
namespace {

constexpr const char* kAi8xHead = "arch: ai85small\ndataset: CIFAR-10\nlayers:\n";

Result<Model> openedAi8x(const std::string& layers,
                         std::map<std::string, std::int64_t> dimensions = {}) {
  return importModel(kAi8xHead + layers, "n.yaml", {.dimensions = std::move(dimensions)});
}

/// Lines as of a problem CSV: name,lower,upper,size,offset,pool.
std::string rowsOfAi8x(const Model& model) {
  std::ostringstream out;
  for (const StayId id : model.problem->stays.keys()) {
    const Stay& stay = model.problem->stays[id];
    out << model.graph->tensors[TensorId(stay.buffer.index())].name << ","
        << stay.steps.begin.count() << "," << stay.steps.end.count() << "," << stay.size.count()
        << "," << model.offsets[id]->count() << "," << model.problem->pools[stay.pool].name << "\n";
  }
  return out.str();
}

Audit auditedAi8x(const Model& model) {
  return auditPlan(std::make_shared<const Model>(model), embeddedPlan(model).value(), {});
}

std::string notesOfAi8x(const Model& model) {
  std::string notes;
  for (const std::string& note : model.graph->notes) notes += note + "\n";
  return notes;
}

constexpr const char* kAi8xPair =
    "  - {processors: 0x7, output_processors: 0xff0, out_offset: 0x2000, operation: conv2d,"
    " max_pool: 2, pool_stride: 2, name: first}\n"
    "  - {processors: 0xff0, output_processors: 0xf, out_offset: 64, operation: conv2d}\n";

struct BadAi8x {
  const char* layers;
  const char* error;
};

constexpr BadAi8x kBadAi8x[] = {
    {"  - {operation: conv2d}\n# processors:\n", "the field 'processors' is missing (layers[0])"},
    {"  - {processors: 0}\n",
     "expected processors, one or more of 64, such as 0xffff, found 0 (layers[0].processors)"},
    {"  - {processors: 1, op: sing}\n",
     "expected an operation, such as conv2d, passthrough or add, found \"sing\" (layers[0].op)"},
    {"  - {processors: 1, in_sequences: later}\n",
     "expected a layer before this one, or input, found \"later\" (layers[0].in_sequences)"},
    {"  - {processors: 1, in_sequences: []}\n",
     "expected one layer or more, found [] (layers[0].in_sequences)"},
    {"  - {processors: 1, max_pool: 40, pool_stride: 1}\n",
     "'layer 0' has 4 channels of 0 x 0; expected 1 or more, and sides of 1 to 4096 (layers[0])"},
    {"  - {processors: 1, kernel_size: 3x3x3}\n",
     "expected a kernel, such as 3x3, found \"3x3x3\" (layers[0].kernel_size)"},
    {"  - {processors: 1, out_offset: 99999999}\n",
     "expected a whole number from 0 to 16777216, found 99999999 (layers[0].out_offset)"},
    {"  - {processors: 1, name: a}\n  - {processors: 1, name: A}\n",
     "layer 'a' is there twice (layers[1])"},
    {"  - {processors: 1}\n  - {processors: 1, sequence: 0}\n",
     "layer 0 is there twice (layers[1])"},
    {"  []\n# processors:\n", "there are no layers; expected one or more (layers)"},
};

}  // namespace

TEST_CASE("maps of a network lie where its layers put them", "[import][ai8x]") {
  const auto model = test::must(openedAi8x(kAi8xPair));
  CHECK(model.format == "ai8x");
  CHECK(model.name == "ai85small");
  CHECK(rowsOfAi8x(model) ==
        "input,0,2,4096,0,memory 0\n"
        "first,1,3,1024,8192,memory 1-2\n"
        "layer 1,2,3,1024,64,memory 0\n");
  CHECK(model.problem->pools[PoolId(0)].capacity == Bytes(32'768));
  CHECK(notesOfAi8x(model).find("3 channels of 32 x 32, as samples of data set 'CIFAR-10'") !=
        std::string::npos);
  const Audit audit = auditedAi8x(model);
  CHECK(test::firstOf(audit.findings).empty());
  CHECK(audit.remarks.empty());
}

TEST_CASE("options say what a network leaves to its weights and data", "[import][ai8x]") {
  const auto model = test::must(openedAi8x(
      kAi8xPair, {{"height", 10}, {"width", 6}, {"first.channels", 16}, {"memory", 1000}}));
  CHECK(rowsOfAi8x(model) ==
        "input,0,2,240,0,memory 0\n"
        "first,1,3,120,8192,memory 1-2\n"
        "layer 1,2,3,60,64,memory 0\n");
  CHECK(test::firstOf(auditedAi8x(model).findings) ==
        "memory 1-2 needs 8,312 bytes, 7,312 more than its capacity of 1,000");
  CHECK(test::mustFail(
            importModel("arch: a\ndataset: mine\nlayers:\n  - processors: 1\n", "n.yaml", {}))
            .message.find("--dim height=ROWS --dim width=COLUMNS") != std::string::npos);
}

TEST_CASE("a map over its own input is told from one over another's", "[import][ai8x]") {
  const auto own = test::must(openedAi8x(
      "  - {processors: 0xf, out_offset: 0x1000, op: passthrough, output_processors: 0xf}\n"
      "  - {processors: 0xf, out_offset: 0x0800, op: passthrough, output_processors: 0xf}\n"));
  const Audit legal = auditedAi8x(own);
  CHECK(legal.findings.empty());
  REQUIRE(legal.remarks.size() == 1);
  CHECK(legal.remarks[0] ==
        "legal if one is made row by row of the other: 'layer 0' and 'layer 1' share bytes "
        "4096-6143 of memory 0 in step 2 (2,048 bytes)");
  const auto others = test::must(openedAi8x(
      "  - {processors: 0xf, out_offset: 0x1000, op: passthrough, output_processors: 0xf}\n"
      "  - {processors: 0xf, out_offset: 0x0ff8, op: passthrough, output_processors: 0xf}\n"
      "  - {processors: 0xf, in_sequences: [0], op: passthrough, output_processors: 0xf0}\n"));
  CHECK(test::firstOf(auditedAi8x(others).findings) ==
        "'layer 0' and 'layer 1' share bytes 4096-8183 of memory 0 in steps 2-3 (4,088 bytes)");
}

TEST_CASE("operands in each other's gaps are one buffer", "[import][ai8x]") {
  const auto model = test::must(openedAi8x(
      "  - {processors: 0xf, out_offset: 0x1000, op: passthrough, output_processors: 0xf0}\n"
      "  - {processors: 0xf0, out_offset: 0x2000, op: none, write_gap: 1}\n"
      "  - {processors: 0xf0, in_sequences: 0, out_offset: 0x2004, kernel_size: 1x1, pad: 0,"
      " write_gap: 1}\n"
      "  - {processors: 0xf0, in_sequences: [1, 2], in_offset: 0x2000, out_offset: 0,"
      " eltwise: add, output_width: 32, output_processors: 0xff0000000000}\n"));
  CHECK(rowsOfAi8x(model) ==
        "input,0,2,4096,0,memory 0\n"
        "layer 0,1,4,4096,4096,memory 1\n"
        "layer 1 + layer 2,2,5,8192,8192,memory 1\n"
        "layer 3,4,5,16384,0,memory 10-11\n");
}

TEST_CASE("planes, streams and buffers that stay have places of their own", "[import][ai8x]") {
  const auto model = test::must(importModel(
      "arch: ai87x\ndataset: KWS_20\n"
      "data_buffer:\n  - {processors: 0xf0, dim: 5, channels: 8, offset: 256, name: past}\n"
      "layers:\n"
      "  - {processors: 0x1, data_format: CHW, op: conv1d, kernel_size: 3, pad: 0, streaming: true,"
      " output_processors: 0xf}\n"
      "  - {processors: 0xf, op: conv1d, kernel_size: 2, pad: 0, output_processors: 0xf0,"
      " buffer_insert: 1, in_offset: 16}\n"
      "  - {processors: 0xf0, in_sequences: past, in_offset: 256, in_dim: 5, op: conv1d,"
      " kernel_size: 5, pad: 0, output: true}\n",
      "n.yaml", {}));
  CHECK(rowsOfAi8x(model) ==
        "past,0,4,40,256,memory 1\n"
        "layer 0,1,3,504,0,memory 0\n"
        "layer 2,3,4,4,0,memory 0\n");
  CHECK(model.problem->pools[PoolId(0)].capacity == Bytes(81'920));
  CHECK(notesOfAi8x(model).find("1 maps are read as a stream") != std::string::npos);
}

TEST_CASE("a map in several banks is planned at one offset", "[import][ai8x]") {
  auto model = test::must(openedAi8x(
      "  - {processors: 0xf, out_offset: 0, op: conv2d, output_processors: 0xff}\n"
      "  - {processors: 0xff, out_offset: 0x4000, op: conv2d, output_processors: 0xff0}\n"
      "  - {processors: 0xff0, out_offset: 0, op: conv2d, output_processors: 0xff}\n"));
  CHECK(model.problem->constraints.together.size() == 3);
  const auto shared = std::make_shared<const Model>(std::move(model));
  const auto run = test::must(execute(shared, defaultRequest(), {}));
  CHECK(validate(run->problem, run->plan).empty());
  const Audit audit = auditPlan(shared, describePlan(*run), {});
  CHECK(test::firstOf(audit.findings).empty());
}

TEST_CASE("networks that make no sense are refused with their place", "[import][ai8x]") {
  const BadAi8x bad = GENERATE(from_range(std::begin(kBadAi8x), std::end(kBadAi8x)));
  CAPTURE(bad.layers);
  CHECK(test::mustFail(openedAi8x(bad.layers)).text() == bad.error);
}

TEST_CASE("YAML becomes JSON within limits", "[yaml][limits]") {
  const auto parsed = test::must(
      parseYaml("a: [1, -2, 0xffffffffffffffff, 0xfg, true, ~, '3', 1.5]\nb:\n  c: x y # no\n"));
  CHECK(parsed.dump() ==
        R"({"a":[1,-2,18446744073709551615,"0xfg",true,null,"3","1.5"],"b":{"c":"x y"}})");
  const auto error = [](const std::string& text) {
    const DocumentLimits small{"YAML", 100, 3, 8, 10};
    const auto read = parseYaml(text, small);
    return read ? "" : read.error().text();
  };
  CHECK(error("- - - 1").empty());
  CHECK(error("- - - - 1") == "YAML nested more than 3 levels deep (line 1, column 7)");
  CHECK(error("[1, 2, 3, 4, 5, 6, 7, 8]") == "YAML with more than 8 values (line 1, column 23)");
  CHECK(error("a: 12345678901") == "YAML with a text of more than 10 bytes (line 1, column 4)");
  CHECK(error(std::string(101, ' ')) == "YAML of 101 bytes; at most 100 are read");
  CHECK(error("a: 1\na: 2") == "the key 'a' is there twice (line 2, column 1)");
  CHECK(error("[a]: 1") == "a key is a list or a map; expected a text (line 1, column 1)");
  CHECK(error("a: &b 1").find("anchors and aliases are not read") == 0);
  CHECK(error("a\n---\nb").find("a second document begins") == 0);
  CHECK(error("a: [1").find("not valid YAML") == 0);
}

}  // namespace hw
