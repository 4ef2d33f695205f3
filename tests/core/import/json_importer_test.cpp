#include <algorithm>
#include <string>

#include "core/import/importer.h"
#include "tests/support/must.h"

namespace hw {
namespace {

Result<Model> importText(const std::string& text) { return importModel(text, "test.json", {}); }

std::string errorOf(const std::string& text) { return test::mustFail(importText(text)).text(); }

/// A whole document around some of its members.
std::string graphJson(const std::string& members) {
  return R"({"format": "highwater-graph", "version": 1, "name": "g", )" + members + "}";
}

struct BadCase {
  std::string text;
  std::string error;  ///< Or how it begins, when it ends with "...".
};

}  // namespace

TEST_CASE("graph JSON becomes a graph", "[import][json]") {
  const auto model = test::must(importText(graphJson(R"("extra": {"kept": []},
    "tensors": [{"name": "x", "bytes": 4},
                {"name": "a", "shape": [1, 16, 8, 8], "dtype": "float32", "bytes": 4096},
                {"name": "w", "shape": [16, 3, 3, 3], "dtype": "int8", "constant": true},
                {"name": "packed", "shape": [3], "dtype": "int4"},
                {"name": "words", "shape": [2], "dtype": "string"},
                {"name": "open", "bytes": null, "unknown": "depends on the data"},
                {"name": "empty", "shape": [0, 4], "dtype": "int64"}],
    "inputs": ["x"], "outputs": ["a"],
    "ops": [{"name": "late", "type": "Add", "inputs": ["empty"], "outputs": ["packed"]},
            {"name": "g0", "type": "Conv", "inputs": ["x", "", "w"],
             "outputs": ["a", null, "empty"],
             "attributes": {"group": 1, "pads": [0, 1], "scale": 0.5, "mode": "same", "on": true,
                            "odd": {"a": 1}, "names": ["p", "q"], "mixed": [1, 2.5]}},
            {"type": "Split", "inputs": ["a"], "outputs": ["words", "open"]}])")));
  const Graph& graph = *model.graph;
  CHECK(model.name == "g");
  CHECK(model.format == "graph-json");
  CHECK(model.sha256.size() == 64);
  CHECK(graph.reordered);
  REQUIRE(graph.notes.size() == 2);  // Sorted; late and the split reach no output.
  CHECK(graph.notes[1].find("2 operators reach no graph output") == 0);
  REQUIRE(graph.tensors.size() == 7);

  const Op& conv = graph.ops[OpId(0)];
  CHECK(conv.name == "g0");
  CHECK_FALSE(conv.inputs[1]);
  CHECK(conv.intAttribute("group", 0) == 1);
  CHECK(conv.intAttribute("on", 0) == 1);
  CHECK(conv.intsAttribute("pads") == std::vector<std::int64_t>{0, 1});
  CHECK(conv.stringAttribute("mode", "") == "same");
  CHECK(std::get<double>(conv.attributes.at("scale")) == 0.5);
  CHECK(std::get<std::vector<double>>(conv.attributes.at("mixed")) == std::vector{1.0, 2.5});
  CHECK(conv.attributes.count("odd") == 0);

  const auto tensor = [&](const std::string& name) {
    return *std::ranges::find(graph.tensors, name, &Tensor::name);
  };
  CHECK(tensor("a").bytes == Bytes(4096));
  CHECK(tensor("packed").bytes == Bytes(2));
  CHECK(tensor("empty").bytes == Bytes(0));
  CHECK(tensor("w").constant);
  CHECK_FALSE(tensor("words").bytes);
  CHECK(tensor("words").unknownReason == "string elements have no fixed size");
  CHECK_FALSE(tensor("open").bytes);
  CHECK(tensor("open").unknownReason == "depends on the data");
}

TEST_CASE("bad graph JSON is refused with the thing and its place", "[import][json]") {
  const std::string op = R"("tensors": [{"name": "x", "bytes": 4}, {"name": "y", "bytes": 4}],
                            "inputs": ["x"], "ops": [)";
  const BadCase bad = GENERATE_COPY(values<BadCase>({
      {"{", "not valid JSON: syntax error while parsing object key..."},
      {"{\n\"a\":\n}", "not valid JSON: ..."},
      {"{\"a\": 1e999}", "not valid JSON: number overflow..."},
      {"{\"a\": \"\xff\"}", "not valid JSON: ..."},
      {"[1]", "expected an object at the top, found [1]"},
      {"{}", "the format is not given; expected 'highwater-graph' (format)"},
      {R"({"format": "highwater-study"})",
       "the format is 'highwater-study'; expected 'highwater-graph' (format)"},
      {R"({"format": "highwater-graph", "version": 2})",
       "graph JSON of version 2 is not known; this program reads version 1 (version)"},
      {R"({"format": "highwater-graph", "version": "1"})",
       "expected a whole number from 0 to 9223372036854775807, found \"1\" (version)"},
      {graphJson(R"("tensors": {})"), "expected an array, found {} (tensors)"},
      {graphJson(R"("tensors": [4])"), "expected an object, found 4 (tensors[0])"},
      {graphJson(R"("tensors": [{"bytes": 4}])"), "a tensor needs a name (tensors[0])"},
      {graphJson(R"("tensors": [{"name": "x"}])"),
       "tensor 'x' needs bytes, or shape and dtype (tensors[0])"},
      {graphJson(R"("tensors": [{"name": "x", "bytes": -1}])"),
       "expected a whole number from 0 to 1152921504606846976, found -1 (tensors[0].bytes)"},
      {graphJson(R"("tensors": [{"name": "x", "bytes": 1.5}])"),
       "expected a whole number from 0 to 1152921504606846976, found 1.5 (tensors[0].bytes)"},
      {graphJson(R"("tensors": [{"name": "x", "bytes": 18446744073709551615}])"),
       "expected a whole number from 0 to 1152921504606846976, found 18446744073709551615 "
       "(tensors[0].bytes)"},
      {graphJson(R"("tensors": [{"name": "x", "shape": [2, -3], "dtype": "int8"}])"),
       "expected a whole number from 0 to 1152921504606846976, found -3 (tensors[0].shape[1])"},
      {graphJson(
           R"("tensors": [{"name": "x", "shape": [4294967296, 4294967296], "dtype": "int8"}])"),
       "tensor 'x' is larger than 1152921504606846976 bytes (tensors[0])"},
      {graphJson(R"("tensors": [{"name": "x", "shape": [2], "dtype": "float31"}])"),
       "tensor 'x' has the unknown dtype 'float31' (tensors[0].dtype)"},
      {graphJson(R"("tensors": [{"name": "x", "shape": [2], "dtype": "int8", "bytes": 3}])"),
       "tensor 'x' has 3 bytes, but its shape and dtype make 2 (tensors[0])"},
      {graphJson(R"("tensors": [{"name": "x", "bytes": 1}, {"name": "x", "bytes": 1}])"),
       "tensor 'x' is listed twice, first as tensors[0] (tensors[1])"},
      {graphJson(R"("tensors": [{"name": "x", "bytes": 1152921504606846976},
                                {"name": "y", "bytes": 1}])"),
       "the tensors add up to more than 1152921504606846976 bytes"},
      {graphJson(R"("inputs": ["q"])"), "tensor 'q' is not among the tensors (inputs[0])"},
      {graphJson(R"("outputs": [1])"), "expected a string, found 1 (outputs[0])"},
      {graphJson(op + R"({"name": "a\u001bb"}])"), "operator 'a\\x1bb' needs a type (ops[0])"},
      {graphJson(op + R"({"type": "Add", "inputs": ["z"]}])"),
       "tensor 'z' is not among the tensors (ops[0].inputs[0])"},
      {graphJson(op + R"({"type": "Add", "attributes": []}])"),
       "expected an object, found [] (ops[0].attributes)"},
      {graphJson(op + R"({"type": "A", "outputs": ["y"]}, {"type": "B", "outputs": ["y"]}])"),
       "operator 'B' produces tensor 'y', which already comes from operator 'A' (ops[1])"},
      {graphJson(op + R"({"type": "A", "inputs": ["y"], "outputs": ["y"]}])"),
       "the operators form a cycle: operator 'A' (ops[0])"},
      {graphJson(op + R"({"type": "A", "inputs": ["y"]}])"),
       "operator 'A' reads tensor 'y', which is neither..."},
  }));
  CAPTURE(bad.text);
  const std::string error = errorOf(bad.text);
  CHECK(error.find('\n') == std::string::npos);
  if (bad.error.ends_with("...")) {
    CHECK_THAT(error, Catch::StartsWith(bad.error.substr(0, bad.error.size() - 3)));
  } else {
    CHECK(error == bad.error);
  }
}

TEST_CASE("what is not JSON names the line", "[import][json]") {
  CHECK_THAT(errorOf("{\n\"a\": 1,\n\"b\" 2}"), Catch::EndsWith("(line 3, column 5)"));
}

TEST_CASE("deep nesting is refused before it can exhaust anything", "[import][json]") {
  const auto refused = Catch::StartsWith("JSON nested more than 64 levels deep (");
  CHECK_THAT(errorOf(std::string(1'000'000, '[') + std::string(1'000'000, ']')), refused);
  std::string deep = R"({"a":)";
  for (int i = 0; i < 100'000; ++i) deep += R"({"a":)";
  CHECK_THAT(errorOf(deep + "0" + std::string(100'001, '}')), refused);
}

TEST_CASE("a file of another kind is named for what it is", "[import]") {
  const auto said = [](const std::string& bytes) {
    const auto model = importModel(bytes, "m", {});
    return model ? "opened" : model.error().message;
  };
  CHECK(said(R"({"memory": {"mempools": []}})") ==
        "the file describes a machine (of ST Edge AI), not a model; give it with --platform, "
        "beside a model");
  CHECK(said(R"({"peak MAC/cycle": 1, "memory": {}})") ==
        "the file describes a machine (of DORY), not a model; give it with --platform, beside a "
        "model");
  CHECK(said("# Ours.\nname = \"x\"\n\n[[device]]\nname = \"a\"\n") ==
        "the file is a platform, a machine in TOML, not a model; give it with --platform, beside a "
        "model");
  CHECK(said(R"({"a": 1})") == "the format is not given; expected 'highwater-graph'");
}

}  // namespace hw
