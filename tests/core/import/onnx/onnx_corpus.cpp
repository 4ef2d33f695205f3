#include "tests/core/import/onnx/onnx_corpus.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>

#include "core/base/text.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
using Dimensions = std::map<std::string, std::int64_t>;

/// Those that are not 1.
const std::map<std::string, Dimensions>& bindings() {
  static const std::map<std::string, Dimensions> kBindings = {
      {"diag_attention_loopa24",
       {{"cat_2_d0", 2},
        {"c_lifted_tensor_0", 0},
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
      {"hz_empty_tensor_expand", {{"data[1]", 1}, {"data[3]", 1}}},
      {"hz_loop_sub_one", {{"D[0]", 1}}},
      {"hz_subgraph_input_shadows_outer", {{"my_local[0]", 1}, {"user_defined_vals[0]", 1}}},
      {"hz_unbounded_dds", {{"range_out_9[0]", 13}}},
      {"meo_phi-4-mm-speech",
       {{"num_frames", 498}, {"val_3509[1]", 1}, {"audio_projection_mode", 0}}},
      {"optimum_tiny_bert", {{"sequence", 64}}},
      {"ort_3layer_bloom_training",
       {{"inputs_attention_mask_dim1", 128}, {"inputs_labels_dim1", 128}}},
      {"ort_bert_toy_optimized", {{"max_seq_len_in_batch", 64}}},
      {"ort_dummy_t5", {{"encode_sequence_length", 16}}},
      {"ort_gpt2_embedlayer_one_attn", {{"sequence_length", 64}}},
      {"ort_mlm_bert_e2e", {{"sequence_length", 128}}},
      {"ort_nuphar_tiny_model_with_loop", {{"sequence", 64}}},
      {"ort_tiny_gpt2_beamsearch",
       {{"sequence_length", 8}, {"max_length", 24}, {"num_return_sequences", 1}}},
      {"ppocr_mobile_v2_cls", {{"p2o.DynamicDimension.1", 48}, {"p2o.DynamicDimension.2", 192}}},
      {"ppocr_v4_det", {{"p2o.DynamicDimension.1", 640}, {"p2o.DynamicDimension.2", 640}}},
      {"silero_vad", {{"input[1]", 576}, {"sr", 16000}}},
      {"silero_vad_16k_op15", {{"sequence", 576}, {"sr", 16000}}},
      {"silero_vad_op18_ifless", {{"sequence", 576}, {"sr", 16000}}},
      {"tract_byte_sb_bidi_lstm", {{"length", 64}}},
      {"trt_attention_head", {{"sequence_len", 64}, {"batch", 1}}},
  };
  return kBindings;
}

}  // namespace

ImportOptions corpusOptions(const std::string& model, bool flat) {
  ImportOptions options;
  options.closedBodies = !flat;
  if (const auto found = bindings().find(model); found != bindings().end()) {
    options.dimensions = found->second;
  }
  return options;
}

std::int64_t lowerBoundOf(const std::set<LifetimeRow>& rows) {
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

std::set<LifetimeRow> problemRows(const Graph& graph) {
  const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(graph.ops.size()));
  std::set<LifetimeRow> rows;
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.constant || !tensor.bytes || tensor.bytes->count() == 0) continue;
    const auto step = [](OpId op) { return static_cast<std::int64_t>(op.index()); };
    const std::int64_t lower = tensor.producer ? step(tensor.producer) : 0;
    std::int64_t upper = tensor.consumers.empty() ? lower + 1 : step(tensor.consumers.back()) + 1;
    if (tensor.graphOutput) upper = steps;
    rows.insert({commonName(tensor.name), lower, upper, tensor.bytes->count()});
  }
  return rows;
}

std::set<LifetimeRow> problemRows(const fs::path& csv) {
  const auto problem = loadModel(csv.string(), {});
  std::ifstream table(fs::path(csv).replace_extension(".tensors.tsv"));
  if (!problem || !table) return {};
  std::map<std::string, std::string> names;
  for (std::string line; std::getline(table, line);) {
    const auto cells = splitText(line, '\t');
    if (cells.size() > 1) names[std::string(cells[0])] = commonName(std::string(cells[1]));
  }
  std::set<LifetimeRow> rows;
  for (const Stay& stay : problem->problem->stays) {
    const std::string& id = problem->graph->tensors[TensorId(stay.buffer.index())].name;
    rows.insert({names[id], stay.steps.begin.count(), stay.steps.end.count(), stay.size.count()});
  }
  return rows;
}

std::string commonName(const std::string& name) {
  static const std::regex kCall("[^/]*#([0-9]+)/");
  static const std::regex kBranch("_if[0-9]+/");
  return std::regex_replace(std::regex_replace(name, kCall, "f$1/"), kBranch, "/");
}

}  // namespace hw
