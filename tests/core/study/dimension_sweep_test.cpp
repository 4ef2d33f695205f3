// A model over the values of one of its dimensions.
#include "core/study/dimension_sweep.h"

#include <filesystem>

#include "core/import/samples.h"
#include "core/picture/palette.h"
#include "core/report/study/dimension_report.h"
#include "core/run/options.h"
#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/corpus.h"
#include "tests/support/must.h"

using namespace hw;

namespace {

/// One token of a decoder of one layer with a head of 8: the cache of keys comes in, goes out one
/// token longer, and is scored against the query.
///
///     query ---------------------.
///     key, cache -> Concat -> present -> MatMul -> scores
std::string decoderBytes() {
  OnnxModel onnx;
  addInput(onnx.graph(), "query", {"1", "8"});
  addInput(onnx.graph(), "key", {"8", "1"});
  addInput(onnx.graph(), "cache", {"8", "past"});
  auto& join = addNode(onnx.graph(), "Concat", {"cache", "key"}, {"present"});
  setInt(join, "axis", 1);
  addNode(onnx.graph(), "MatMul", {"query", "present"}, {"scores"});
  addOutput(onnx.graph(), "present");
  addOutput(onnx.graph(), "scores");
  return onnx.bytes();
}

RunRequest dimensionRequest() {
  RunRequest request = defaultRequest();
  request.alignment = Bytes(1);
  request.allocator = AllocatorChoice::parse("greedy-by-size").value();
  return request;
}

OpenAtValue decoder() {
  return [bytes = decoderBytes()](std::int64_t value) -> Result<OpenedModel> {
    HW_TRY(model, importModel(bytes, "decoder.onnx", {.dimensions = {{"past", value}}}));
    return OpenedModel{std::make_shared<const Model>(std::move(model)), dimensionRequest()};
  };
}

const DimensionRange kPast{"past", 0, 96, 32};

}  // namespace

TEST_CASE("a range of a dimension is read, or what is wrong with it said", "[dimension]") {
  const auto range = test::must(DimensionRange::parse("past=0:10:4"));
  CHECK(range.name == "past");
  CHECK(range.values() == std::vector<std::int64_t>{0, 4, 8});
  CHECK(DimensionRange::parse("x[0]=1:3")->values() == std::vector<std::int64_t>{1, 2, 3});
  CHECK(DimensionRange::parse("a=7:7:9")->values() == std::vector<std::int64_t>{7});
  CHECK(DimensionRange::parse("a=0:999:1")->values().size() == DimensionRange::kMost);
  for (const char* text :
       {"", "past", "=0:1:1", "past=", "past=1", "past=0:1:1:1", "past=0:x:1", "past=-1:1:1",
        "past=2:1:1", "past=0:4:0", "past=0:1000:1", "past=0:9223372036854775807:1"}) {
    INFO(text);
    CHECK_FALSE(DimensionRange::parse(text));
  }
}

TEST_CASE("a cache grows: memory and latency with it", "[dimension]") {
  const auto points = sweepDimension(kPast, decoder(), 2, {});
  REQUIRE(points.size() == 4);
  SimTime before;
  for (const DimensionPoint& point : points) {
    INFO("past " << point.value);
    REQUIRE(point.row.fits());
    // query and key, the cache, and the cache one token longer; later the scores, of a token each.
    const std::int64_t tokens = point.value + 1;
    const std::int64_t joining = 32 + 32 + 32 * point.value + 32 * tokens;
    const std::int64_t scoring = 32 + 32 * tokens + 4 * tokens;
    CHECK(point.row.figures.lowerBound == Bytes(std::max(joining, scoring)));
    CHECK(point.row.figures.peak() == point.row.figures.lowerBound);
    CHECK(*point.row.figures.latency > before);
    before = *point.row.figures.latency;
  }
  const auto alone = sweepDimension(kPast, decoder(), 1, {});
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(points[i].row.figures.peak() == alone[i].row.figures.peak());
    CHECK(points[i].row.figures.latency == alone[i].row.figures.latency);
  }
}

TEST_CASE("a sweep of a dimension is one table and one chart", "[dimension]") {
  const auto points = sweepDimension(kPast, decoder(), 1, {});
  const CurvesScene scene = dimensionScene("past", points, "decoder.onnx");
  CHECK(scene.places == std::vector<double>{0, 32, 64, 96});
  REQUIRE(scene.left.values.size() == 4);
  CHECK(*scene.left.values[3] > *scene.left.values[0]);
  CHECK(*scene.right.values[3] > *scene.right.values[0]);
  const std::string svg = dimensionSvg("past", points, "decoder.onnx", Palette::light());
  for (const char* id : {"left-0", "left-3", "right-0", "right-3"}) {
    CHECK(svg.find(id) != std::string::npos);
  }
  const Json json = dimensionJson("past", points, "decoder.onnx");
  CHECK(json["points"].size() == 4);
  CHECK(json["points"][3]["value"] == 96);
  CHECK(json["points"][3]["peak"] == points[3].row.figures.peak().count());
  CHECK(dimensionText("past", points, {}).find("reason") == std::string::npos);
}

TEST_CASE("a value that cannot be opened is a row that says so", "[dimension]") {
  const auto open = [inner = decoder()](std::int64_t value) -> Result<OpenedModel> {
    if (value == 32) return fail(ErrorCode::malformed, "no such cache");
    return inner(value);
  };
  const auto points = sweepDimension(kPast, open, 1, {});
  REQUIRE(points.size() == 4);
  CHECK(points[1].row.error->message == "no such cache");
  CHECK(points[2].row.fits());
  const CurvesScene scene = dimensionScene("past", points, "d");
  CHECK_FALSE(scene.left.values[1]);
  CHECK(scene.left.values[2]);
  CHECK(dimensionText("past", points, {}).find("no such cache") != std::string::npos);
}

TEST_CASE("a decoder of the corpus over its past", "[dimension][corpus]") {
  const auto folder = corpusFolder("onnx");
  if (!folder) return;
  const std::filesystem::path file = *folder / "genai_tiny_lfm2_decoder.onnx";
  const auto open = [&](std::int64_t value) -> Result<OpenedModel> {
    HW_TRY(model, openModel(file.string(), {.dimensions = {{"past_sequence_length", value}}}));
    return OpenedModel{std::make_shared<const Model>(std::move(model)), dimensionRequest()};
  };
  const auto points = sweepDimension({"past_sequence_length", 0, 2048, 512}, open, 2, {});
  REQUIRE(points.size() == 5);
  for (std::size_t i = 1; i < points.size(); ++i) {
    CHECK(points[i].row.figures.peak() > points[i - 1].row.figures.peak());
    CHECK(points[i].row.figures.latency > points[i - 1].row.figures.latency);
  }
}
