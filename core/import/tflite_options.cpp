#include <algorithm>
#include <span>

#include "core/import/tflite_model.h"

namespace hw {
namespace {

/// How an option is stored: int32, int64, int8, bool, and vectors of the first two.
enum class Kind : std::uint8_t { integer, wide, byte, boolean, integers, wides };

/// One option of one operator. `second` options are in the operator's second set.
struct Option {
  std::int32_t code;
  std::string_view name;
  int field;
  Kind kind;
  std::int32_t fallback = 0;
  bool second = false;
};

/// The options that planning can use, ascending by code.
constexpr Option kOptions[] = {
    {1, "padding", 0, Kind::byte},
    {1, "stride_w", 1, Kind::integer},
    {1, "stride_h", 2, Kind::integer},
    {1, "filter_width", 3, Kind::integer},
    {1, "filter_height", 4, Kind::integer},
    {2, "axis", 0, Kind::integer},
    {2, "fused_activation_function", 1, Kind::byte},
    {3, "padding", 0, Kind::byte},
    {3, "stride_w", 1, Kind::integer},
    {3, "stride_h", 2, Kind::integer},
    {3, "dilation_w_factor", 4, Kind::integer, 1},
    {3, "dilation_h_factor", 5, Kind::integer, 1},
    {4, "padding", 0, Kind::byte},
    {4, "stride_w", 1, Kind::integer},
    {4, "stride_h", 2, Kind::integer},
    {4, "depth_multiplier", 3, Kind::integer},
    {4, "dilation_w_factor", 5, Kind::integer, 1},
    {4, "dilation_h_factor", 6, Kind::integer, 1},
    {5, "block_size", 0, Kind::integer},
    {9, "keep_num_dims", 2, Kind::boolean},
    {12, "padding", 0, Kind::byte},
    {12, "stride_w", 1, Kind::integer},
    {12, "stride_h", 2, Kind::integer},
    {12, "filter_width", 3, Kind::integer},
    {12, "filter_height", 4, Kind::integer},
    {17, "padding", 0, Kind::byte},
    {17, "stride_w", 1, Kind::integer},
    {17, "stride_h", 2, Kind::integer},
    {17, "filter_width", 3, Kind::integer},
    {17, "filter_height", 4, Kind::integer},
    {22, "new_shape", 0, Kind::integers},
    {26, "block_size", 0, Kind::integer},
    {27, "rank", 0, Kind::integer},
    {31, "subgraph", 0, Kind::integer},
    {35, "time_major", 0, Kind::boolean},
    {36, "axis", 0, Kind::integer},
    {36, "batch_dims", 1, Kind::integer},
    {40, "keep_dims", 0, Kind::boolean},
    {43, "squeeze_dims", 0, Kind::integers},
    {44, "time_major", 3, Kind::boolean},
    {45, "begin_mask", 0, Kind::integer},
    {45, "end_mask", 1, Kind::integer},
    {45, "ellipsis_mask", 2, Kind::integer},
    {45, "new_axis_mask", 3, Kind::integer},
    {45, "shrink_axis_mask", 4, Kind::integer},
    {45, "offset", 5, Kind::boolean},
    {46, "time_major", 0, Kind::boolean},
    {46, "merge_outputs", 2, Kind::boolean},
    {49, "num_splits", 0, Kind::integer},
    {52, "merge_outputs", 3, Kind::boolean},
    {52, "time_major", 4, Kind::boolean, 1},
    {53, "in_data_type", 0, Kind::byte},
    {53, "out_data_type", 1, Kind::byte},
    {56, "output_type", 0, Kind::byte},
    {67, "padding", 0, Kind::byte},
    {67, "stride_w", 1, Kind::integer},
    {67, "stride_h", 2, Kind::integer},
    {74, "keep_dims", 0, Kind::boolean},
    {77, "out_type", 0, Kind::byte},
    {79, "output_type", 0, Kind::byte},
    {81, "keep_dims", 0, Kind::boolean},
    {82, "keep_dims", 0, Kind::boolean},
    {83, "values_count", 0, Kind::integer},
    {83, "axis", 1, Kind::integer},
    {85, "axis", 0, Kind::integer},
    {88, "num", 0, Kind::integer},
    {88, "axis", 1, Kind::integer},
    {89, "keep_dims", 0, Kind::boolean},
    {91, "keep_dims", 0, Kind::boolean},
    {102, "num_splits", 0, Kind::integer},
    {112, "seq_dim", 0, Kind::integer},
    {112, "batch_dim", 1, Kind::integer},
    {118, "then_subgraph_index", 0, Kind::integer},
    {118, "else_subgraph_index", 1, Kind::integer},
    {119, "cond_subgraph_index", 0, Kind::integer},
    {119, "body_subgraph_index", 1, Kind::integer},
    {126, "adj_x", 0, Kind::boolean},
    {126, "adj_y", 1, Kind::boolean},
    {128, "exclusive", 0, Kind::boolean},
    {128, "reverse", 1, Kind::boolean},
    {129, "init_subgraph_index", 0, Kind::integer},
    {132, "padding", 0, Kind::byte},
    {132, "stride_d", 1, Kind::integer},
    {132, "stride_w", 2, Kind::integer},
    {132, "stride_h", 3, Kind::integer},
    {132, "dilation_d_factor", 5, Kind::integer, 1},
    {132, "dilation_w_factor", 6, Kind::integer, 1},
    {132, "dilation_h_factor", 7, Kind::integer, 1},
    {140, "keep_dims", 0, Kind::boolean},
    {141, "padding", 0, Kind::byte},
    {141, "stride_d", 1, Kind::integer},
    {141, "stride_w", 2, Kind::integer},
    {141, "stride_h", 3, Kind::integer},
    {141, "dilation_d_factor", 5, Kind::integer, 1},
    {141, "dilation_w_factor", 6, Kind::integer, 1},
    {141, "dilation_h_factor", 7, Kind::integer, 1},
    {169, "axis", 0, Kind::wide, 0, true},
    {170, "broadcast_dimensions", 0, Kind::wides, 0, true},
    {171, "window_strides", 0, Kind::wides, 0, true},
    {171, "kernel_input_feature_dimension", 7, Kind::wide, 0, true},
    {171, "kernel_output_feature_dimension", 8, Kind::wide, 0, true},
    {171, "feature_group_count", 13, Kind::wide, 0, true},
    {172, "start_indices", 0, Kind::wides, 0, true},
    {172, "limit_indices", 1, Kind::wides, 0, true},
    {172, "strides", 2, Kind::wides, 0, true},
    {174, "dimensions", 0, Kind::wides, 0, true},
    {193, "slice_sizes", 0, Kind::wides, 0, true},
    {195, "edge_padding_low", 0, Kind::wides, 0, true},
    {195, "edge_padding_high", 1, Kind::wides, 0, true},
    {195, "interior_padding", 2, Kind::wides, 0, true},
    {196, "iota_dimension", 0, Kind::wide, 0, true},
    {197, "lhs_batching_dimensions", 0, Kind::wides, 0, true},
    {197, "rhs_batching_dimensions", 1, Kind::wides, 0, true},
    {197, "lhs_contracting_dimensions", 2, Kind::wides, 0, true},
    {197, "rhs_contracting_dimensions", 3, Kind::wides, 0, true},
    {200, "cond_subgraph_index", 0, Kind::integer, 0, true},
    {200, "body_subgraph_index", 1, Kind::integer, 0, true},
    {202, "permutation", 0, Kind::wides, 0, true},
    {206, "decomposition_subgraph_index", 1, Kind::integer, 0, true},
};

template <class T>
std::vector<std::int64_t> listOf(const FlatVector<T>& list, const FlatBytes& bytes) {
  bytes.spend(list.size() * sizeof(std::int64_t));
  std::vector<std::int64_t> integers;
  for (std::size_t i = 0; i < list.size(); ++i) integers.push_back(list.at(i));
  return integers;
}

AttributeValue valueOf(const Option& option, const FlatTable& table, const FlatBytes& bytes) {
  const int field = option.field;
  switch (option.kind) {
    case Kind::integer:
      return std::int64_t{table.number<std::int32_t>(field, option.fallback)};
    case Kind::wide:
      return table.number<std::int64_t>(field, option.fallback);
    case Kind::byte:
      return std::int64_t{
          table.number<std::int8_t>(field, static_cast<std::int8_t>(option.fallback))};
    case Kind::boolean:
      return std::int64_t{
          table.number<std::uint8_t>(field, static_cast<std::uint8_t>(option.fallback))};
    case Kind::integers:
      return listOf(table.vector<std::int32_t>(field), bytes);
    case Kind::wides:
      return listOf(table.vector<std::int64_t>(field), bytes);
  }
  return std::int64_t{0};
}

}  // namespace

std::map<std::string, AttributeValue> tfliteAttributes(const TfliteOp& op, const FlatBytes& bytes) {
  std::map<std::string, AttributeValue> attributes;
  const Option* option = std::ranges::lower_bound(kOptions, op.code, {}, &Option::code);
  for (; option != std::end(kOptions) && option->code == op.code; ++option) {
    const auto& table = option->second ? op.secondOptions : op.options;
    if (table) attributes.emplace(option->name, valueOf(*option, *table, bytes));
  }
  return attributes;
}

}  // namespace hw
