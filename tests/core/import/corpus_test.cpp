#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "core/import/importer.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

/// The folder of real models, if this machine has it; says so once when it has not.
std::optional<fs::path> corpus() {
  const char* given = std::getenv("HIGHWATER_CORPUS");
  const fs::path folder =
      given != nullptr ? fs::path(given) : fs::path(HIGHWATER_SOURCE_DIR) / "../shared/corpus";
  if (fs::is_directory(folder)) return folder;
  WARN("skipped: no corpus of models (set HIGHWATER_CORPUS to its folder)");
  return std::nullopt;
}

std::vector<fs::path> filesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

using Dimensions = std::map<std::string, std::int64_t>;

/// What the free dimensions of some models were when their problems were made; all others are 1.
const std::map<std::string, Dimensions>& bindings() {
  static const std::map<std::string, Dimensions> kBindings = {
      {"diag_attention_loopa24",
       {{"cat_2_d0", 2},
        {"unsqueeze_4_d1", 4},
        {"unsqueeze_4_d2", 16},
        {"unsqueeze_4_d3", 8},
        {"unsqueeze_5_d1", 4},
        {"unsqueeze_5_d2", 16},
        {"unsqueeze_5_d3", 8},
        {"unsqueeze_6_d1", 4},
        {"unsqueeze_6_d2", 16},
        {"unsqueeze_6_d3", 8}}},
      {"ext_superresolution_prepost_op18", {{"num_bytes", 4096}}},
      {"genai_gemma4_dummy_speech", {{"num_frames", 64}}},
      {"genai_synthetic_paged_decoder",
       {{"num_tokens", 4}, {"batch_plus_1", 2}, {"max_blocks", 4}}},
      {"genai_tiny_lfm2_decoder", {{"total_sequence_length", 65}, {"past_sequence_length", 64}}},
      {"hz_dummy_t5_outer_scope_init", {{"encode_sequence_length", 16}}},
      {"meo_phi-4-mm-speech", {{"num_frames", 498}}},
      {"optimum_tiny_bert", {{"sequence", 64}}},
      {"ort_3layer_bloom_training",
       {{"inputs_attention_mask_dim1", 128}, {"inputs_labels_dim1", 128}}},
      {"ort_bert_toy_optimized", {{"max_seq_len_in_batch", 64}}},
      {"ort_dummy_t5", {{"encode_sequence_length", 16}}},
      {"ort_gpt2_embedlayer_one_attn", {{"sequence_length", 64}}},
      {"ort_mlm_bert_e2e", {{"sequence_length", 128}}},
      {"ort_nuphar_tiny_model_with_loop", {{"sequence", 64}}},
      {"ort_tiny_gpt2_beamsearch", {{"sequence_length", 8}}},
      {"ppocr_mobile_v2_cls", {{"p2o.DynamicDimension.1", 48}, {"p2o.DynamicDimension.2", 192}}},
      {"ppocr_v4_det", {{"p2o.DynamicDimension.1", 640}, {"p2o.DynamicDimension.2", 640}}},
      {"silero_vad", {{"input[1]", 576}}},
      {"silero_vad_16k_op15", {{"sequence", 576}}},
      {"silero_vad_op18_ifless", {{"sequence", 576}}},
      {"tract_byte_sb_bidi_lstm", {{"length", 64}}},
      {"trt_attention_head", {{"sequence_len", 64}}},
  };
  return kBindings;
}

/// id, lower, upper, size.
using Row = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;

std::int64_t lowerBound(const std::set<Row>& rows) {
  std::map<std::int64_t, std::int64_t> changes;
  for (const auto& [id, lower, upper, size] : rows) {
    changes[lower] += size;
    changes[upper] -= size;
  }
  std::int64_t live = 0;
  std::int64_t most = 0;
  for (const auto& [step, change] : changes) most = std::max(most, live += change);
  return most;
}

/// The lifetime problem of a graph as the corpus defines it, worked out here from producers and
/// consumers alone.
std::set<Row> rowsOf(const Graph& graph) {
  const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(graph.ops.size()));
  std::set<Row> rows;
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.constant || !tensor.bytes || tensor.bytes->count() == 0) continue;
    const auto step = [](OpId op) { return static_cast<std::int64_t>(op.index()); };
    const std::int64_t lower = tensor.producer ? step(tensor.producer) : 0;
    std::int64_t upper = tensor.consumers.empty() ? lower + 1 : step(tensor.consumers.back()) + 1;
    if (tensor.graphOutput) upper = steps;
    rows.insert({"t" + std::to_string(id.index()), lower, upper, tensor.bytes->count()});
  }
  return rows;
}

std::set<Row> rowsOf(const Model& problem) {
  std::set<Row> rows;
  for (const Stay& stay : problem.problem->stays) {
    const std::string& id = problem.graph->tensors[TensorId(stay.buffer.index())].name;
    rows.insert({id, stay.steps.begin.count(), stay.steps.end.count(), stay.size.count()});
  }
  return rows;
}

/// Both problems of one model: ours, and the corpus' own.
struct Comparison {
  std::set<Row> ours;
  std::set<Row> theirs;
};

std::optional<Comparison> compare(const fs::path& folder, const std::string& name) {
  ImportOptions options;
  if (const auto found = bindings().find(name); found != bindings().end()) {
    options.dimensions = found->second;
  }
  const auto model = loadModel((folder / "onnx" / (name + ".onnx")).string(), options);
  const auto problem = loadModel((folder / "problems" / (name + ".csv")).string(), {});
  if (!model || !problem) return std::nullopt;
  return Comparison{rowsOf(*model->graph), rowsOf(*problem)};
}

std::vector<Row> difference(const std::set<Row>& a, const std::set<Row>& b) {
  std::vector<Row> rows;
  std::ranges::set_difference(a, b, std::back_inserter(rows));
  return rows;
}

}  // namespace

TEST_CASE("real models agree with their independent lifetime problems", "[import][corpus]") {
  const auto folder = corpus();
  if (!folder) return;
  const std::string name = GENERATE(
      as<std::string>(), "light_bvlc_alexnet", "light_densenet121", "light_inception_v1",
      "light_resnet50", "light_squeezenet", "light_vgg19", "keijiro_mlsd_512_large",
      "ort_fns_candy", "ultraface_slim_320_simplified", "ppocr_v4_det", "ppocr_mobile_v2_cls",
      "magika_standard_v3_3", "dtln_model_1", "tract_byte_sb_bidi_lstm");
  CAPTURE(name);
  const auto both = compare(*folder, name);
  REQUIRE(both);
  CHECK(!both->ours.empty());
  CHECK(difference(both->ours, both->theirs) == std::vector<Row>());
  CHECK(difference(both->theirs, both->ours) == std::vector<Row>());
  CHECK(lowerBound(both->ours) == lowerBound(both->theirs));
}

TEST_CASE("most other real models agree as well", "[import][corpus]") {
  const auto folder = corpus();
  if (!folder) return;
  int agreeing = 0;
  int all = 0;
  std::string others;
  for (const fs::path& file : filesIn(*folder / "onnx")) {
    const std::string name = file.stem().string();
    if (!fs::exists(*folder / "problems" / (name + ".csv"))) continue;
    const auto both = compare(*folder, name);
    ++all;
    if (both && both->ours == both->theirs) {
      ++agreeing;
    } else {
      others += " " + name;
    }
  }
  std::cout << "corpus: " << agreeing << " of " << all << " ONNX problems agree; not yet:" << others
            << '\n';
  CHECK(agreeing >= 70);
}

TEST_CASE("every file of the corpus loads or says why not in one line", "[import][corpus]") {
  const auto folder = corpus();
  if (!folder) return;
  for (const std::string part : {"onnx", "tflite", "csv", "problems"}) {
    for (const fs::path& file : filesIn(*folder / part)) {
      CAPTURE(file.filename().string());
      const auto model = loadModel(file.string(), {});
      if (model) {
        CHECK(model->graph != nullptr);
        for (const Tensor& tensor : model->graph->tensors) {
          CHECK(tensor.bytes.has_value() == tensor.unknownReason.empty());
        }
        continue;
      }
      const std::string error = model.error().text();
      CHECK(!error.empty());
      CHECK(error.size() < 300);
      CHECK(error.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("published planning problems load whole", "[import][corpus]") {
  const auto folder = corpus();
  if (!folder) return;
  const auto model = loadModel((*folder / "csv" / "somas_pangu_2.6B.csv").string(), {});
  REQUIRE(model);
  std::int64_t sum = 0;
  for (const Stay& stay : model->problem->stays) sum += stay.size.count();
  CHECK(sum == 276'636'552'888);
}

}  // namespace hw
