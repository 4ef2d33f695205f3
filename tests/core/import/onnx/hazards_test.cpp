#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "tests/core/import/onnx/onnx_corpus.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

/// What a file becomes: "ops/planned tensors/bytes/unknown", or part of the one line that says why
/// it does not open.
const std::map<std::string, std::string>& expectations() {
  static const std::map<std::string, std::string> kExpectations = {
      {"derived_customop_shape_segv.onnx", "2/1/12/2"},
      {"derived_tflite_named_onnx.onnx", "3/4/34/0"},
      {"derived_truncated_light_resnet50.onnx",
       "the model is cut short: the file ends inside a field"},
      {"derived_zero_bytes.onnx", "the file is empty; expected a model"},
      {"hz_add_opset_314159.onnx", "1/3/60/0"},
      {"hz_alloc_tensor_reuse.onnx", "4/6/240/0"},
      {"hz_avoid_reuse_no_consumers.onnx", "26/28/269/0"},
      {"hz_bad_graph_parallel_invalid.onnx", "9/10/568/6"},
      {"hz_bad_graph_with_dup_value_info.onnx", "1/2/128/0"},
      {"hz_bad_graph_with_no_import_domains.onnx", "1/2/128/0"},
      {"hz_bad_names.onnx", "1/0/0/2"},
      {"hz_capi_symbolic_dims.onnx", "1/2/16/1"},
      {"hz_conv_int4_weights_qdq.onnx", "7/6/3348/0"},
      {"hz_corrupt_model.onnx", "the format is not recognised"},
      {"hz_custom_op_node.onnx", "1/3/48/0"},
      {"hz_custom_op_variadic_io.onnx", "1/0/0/6"},
      {"hz_dummy_t5_outer_scope_init.onnx", "1/3/136/0"},
      {"hz_empty.onnx", "0/0/0/0"},
      {"hz_empty_tensor_expand.onnx", "1/1/40/0"},
      {"hz_ext_weights.onnx", "3/2/24/0"},
      {"hz_foo_truncated.onnx", "1/2/40/0"},
      {"hz_fullonnxdomain.onnx", "1/3/34/0"},
      {"hz_function_with_variadics.onnx", "2/6/1440/0"},
      {"hz_if_mul.onnx", "1/3/49/0"},
      {"hz_initializer_is_output.onnx", "0/0/0/0"},
      {"hz_inp_dim_val_not_set.onnx", "1/2/8/0"},
      {"hz_invalid_dim_param_value_repetition.onnx", "7/9/52/0"},
      {"hz_loop_sub_one.onnx", "4/9/41/0"},
      {"hz_matmul_bf16.onnx", "1/2/384/0"},
      {"hz_mlnet_encoder.onnx", "4/5/128/1"},
      {"hz_model_resize_empty_optional_input.onnx", "1/3/96/0"},
      {"hz_model_with_external_initializers.onnx", "1/2/24/0"},
      {"hz_nested_local_function.onnx", "4/2/12/3"},
      {"hz_node_output_not_used.onnx", "2/5/114/0"},
      {"hz_optional_inputs_ir3.onnx", "2/4/16/0"},
      {"hz_optional_sequence_tensor.onnx", "3/1/1/1"},
      {"hz_pow_scalar.onnx", "1/3/28/0"},
      {"hz_qnn_ctx_multi_embed.onnx", "2/3/144/0"},
      {"hz_sequence_insert.onnx", "1/1/48/2"},
      {"hz_sparse_initializer_as_output.onnx", "1/0/0/1"},
      {"hz_sparse_matmul.onnx", "1/2/768/0"},
      {"hz_sparse_to_dense_matmul.onnx", "1/2/648/1"},
      {"hz_subgraph_implicit_input_from_init.onnx", "1/1/8/0"},
      {"hz_subgraph_input_shadows_outer.onnx", "6/14/91/0"},
      {"hz_te_cast_fp8.onnx", "6/3/147456/0"},
      {"hz_test_evil_weights.onnx", "1/2/88/0"},
      {"hz_test_types_string.onnx", "4/0/0/2"},
      {"hz_unbounded_dds.onnx", "9/8/2012/0"},
      {"hz_unsorted.onnx", "2/3/12/0"},
      {"hz_weightless_qdq_conv.onnx", "3/1/1536/0"},
      {"mnist.ort", "the ONNX Runtime format (.ort) is not supported yet"},
  };
  return kExpectations;
}

std::string outcome(const Result<Model>& model) {
  if (!model) return model.error().text();
  std::size_t planned = 0;
  std::size_t unknown = 0;
  std::int64_t bytes = 0;
  for (const Tensor& tensor : model->graph->tensors) {
    if (tensor.constant) continue;
    if (!tensor.bytes) ++unknown;
    if (!tensor.bytes || tensor.bytes->count() == 0) continue;
    ++planned;
    bytes += tensor.bytes->count();
  }
  return fmt::format("{}/{}/{}/{}", model->graph->ops.size(), planned, bytes, unknown);
}

bool isHazard(const std::string& name) {
  return name.starts_with("hz_") || name.starts_with("derived_") || name == "mnist.ort";
}

}  // namespace

TEST_CASE("each hazard opens as it should, or says why not", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  std::size_t seen = 0;
  for (const fs::path& file : filesIn(*folder / "onnx")) {
    const std::string name = file.filename().string();
    if (!isHazard(name)) continue;
    CAPTURE(name);
    const auto found = expectations().find(name);
    REQUIRE(found != expectations().end());
    const auto model = loadModel(file.string(), {.fuse = {}});
    const bool opens = found->second.find(' ') == std::string::npos;
    CHECK(model.has_value() == opens);
    const std::string result = outcome(model);
    if (opens) CHECK(result == found->second);
    if (!opens) CHECK_THAT(result, Catch::Contains(found->second));
    CHECK(result.find('\n') == std::string::npos);
    ++seen;
  }
  CHECK(seen == expectations().size());
}

}  // namespace hw
