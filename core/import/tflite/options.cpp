#include <algorithm>
#include <array>

#include "core/import/tflite/flex_map.h"
#include "core/import/tflite/model.h"

namespace hw {
namespace {

/// How an option is stored: int32, int64, int8, bool, vectors of the first two; several int32 side
/// by side, the number of a padding; or `implied`, not stored, because TFLite always means it.
enum class Kind : std::uint8_t {
  integer,
  wide,
  byte,
  boolean,
  integers,
  wides,
  several,
  padding,
  implied
};

/// One option under the name that standard operators have for it, where they have one.
struct Option {
  std::array<std::int16_t, 8> codes;  ///< Of the operators that have it; 0, ADD, has none.
  std::string_view name;
  Kind kind;
  std::array<std::int8_t, 3> fields{};
  std::int32_t fallback = 0;
  bool second = false;  ///< In the operator's second set.
};

/// The options that planning can use, and some for people.
constexpr Option kOptions[] = {
    {{1, 3, 4, 12, 17, 67, 132, 141}, "auto_pad", Kind::padding, {0}},
    {{1, 3, 4, 12, 17, 67}, "strides", Kind::several, {2, 1}},
    {{132, 141}, "strides", Kind::several, {1, 3, 2}},
    {{3}, "dilations", Kind::several, {5, 4}, 1},
    {{4}, "dilations", Kind::several, {6, 5}, 1},
    {{132, 141}, "dilations", Kind::several, {5, 7, 6}, 1},
    {{1, 12, 17}, "kernel_shape", Kind::several, {4, 3}},
    {{1, 3, 4, 5, 12, 17, 26, 132}, "channels_last", Kind::implied, {}, 1},
    {{23}, "align_corners", Kind::boolean, {2}},
    {{23}, "half_pixel_centers", Kind::boolean, {3}},
    {{97}, "align_corners", Kind::boolean, {0}},
    {{97}, "half_pixel_centers", Kind::boolean, {1}},
    {{2, 36, 85}, "axis", Kind::integer, {0}},
    {{83, 88}, "axis", Kind::integer, {1}},
    {{2}, "fused_activation_function", Kind::byte, {1}},
    {{4}, "depth_multiplier", Kind::integer, {3}},
    {{5, 26}, "blocksize", Kind::integer, {0}},
    {{9}, "keep_num_dims", Kind::boolean, {2}},
    {{22}, "shape", Kind::integers, {0}},
    {{22}, "allowzero", Kind::implied, {}, 1},
    {{27}, "rank", Kind::integer, {0}},
    {{31}, "subgraph", Kind::integer, {0}},
    {{35, 46}, "time_major", Kind::boolean, {0}},
    {{44}, "time_major", Kind::boolean, {3}},
    {{52}, "time_major", Kind::boolean, {4}, 1},
    {{46}, "merge_outputs", Kind::boolean, {2}},
    {{52}, "merge_outputs", Kind::boolean, {3}},
    {{36}, "batch_dims", Kind::integer, {1}},
    {{40, 74, 81, 82, 89, 91, 140}, "keepdims", Kind::boolean, {0}},
    {{40, 74, 81, 82, 89, 91, 140}, "noop_with_empty_axes", Kind::implied, {}, 1},
    {{56, 79}, "keepdims", Kind::implied, {}, 0},
    {{43}, "axes", Kind::integers, {0}},
    {{45}, "begin_mask", Kind::integer, {0}},
    {{45}, "end_mask", Kind::integer, {1}},
    {{45}, "ellipsis_mask", Kind::integer, {2}},
    {{45}, "new_axis_mask", Kind::integer, {3}},
    {{45}, "shrink_axis_mask", Kind::integer, {4}},
    {{45}, "offset", Kind::boolean, {5}},
    {{112}, "seq_dim", Kind::integer, {0}},
    {{112}, "batch_dim", Kind::integer, {1}},
    {{118}, "then_subgraph_index", Kind::integer, {0}},
    {{118}, "else_subgraph_index", Kind::integer, {1}},
    {{119}, "cond_subgraph_index", Kind::integer, {0}},
    {{119}, "body_subgraph_index", Kind::integer, {1}},
    {{126}, "transA", Kind::boolean, {0}},
    {{126}, "transB", Kind::boolean, {1}},
    {{128}, "exclusive", Kind::boolean, {0}},
    {{128}, "reverse", Kind::boolean, {1}},
    {{129}, "init_subgraph_index", Kind::integer, {0}},
    {{169}, "axis", Kind::wide, {0}, 0, true},
    {{170}, "broadcast_dimensions", Kind::wides, {0}, 0, true},
    {{171}, "window_strides", Kind::wides, {0}, 0, true},
    {{171}, "kernel_input_feature_dimension", Kind::wide, {7}, 0, true},
    {{171}, "kernel_output_feature_dimension", Kind::wide, {8}, 0, true},
    {{171}, "feature_group_count", Kind::wide, {13}, 0, true},
    {{172}, "start_indices", Kind::wides, {0}, 0, true},
    {{172}, "limit_indices", Kind::wides, {1}, 0, true},
    {{172}, "strides", Kind::wides, {2}, 0, true},
    {{174}, "dimensions", Kind::wides, {0}, 0, true},
    {{193}, "slice_sizes", Kind::wides, {0}, 0, true},
    {{195}, "edge_padding_low", Kind::wides, {0}, 0, true},
    {{195}, "edge_padding_high", Kind::wides, {1}, 0, true},
    {{195}, "interior_padding", Kind::wides, {2}, 0, true},
    {{196}, "iota_dimension", Kind::wide, {0}, 0, true},
    {{197}, "lhs_batching_dimensions", Kind::wides, {0}, 0, true},
    {{197}, "rhs_batching_dimensions", Kind::wides, {1}, 0, true},
    {{197}, "lhs_contracting_dimensions", Kind::wides, {2}, 0, true},
    {{197}, "rhs_contracting_dimensions", Kind::wides, {3}, 0, true},
    {{200}, "cond_subgraph_index", Kind::integer, {0}, 0, true},
    {{200}, "body_subgraph_index", Kind::integer, {1}, 0, true},
    {{202}, "perm", Kind::wides, {0}, 0, true},
    {{206}, "decomposition_subgraph_index", Kind::integer, {1}, 0, true},
};

template <class T>
std::vector<std::int64_t> listOf(const FlatVector<T>& list, const FlatBytes& bytes) {
  bytes.spend(list.size() * sizeof(std::int64_t));
  std::vector<std::int64_t> integers;
  for (std::size_t i = 0; i < list.size(); ++i) integers.push_back(list.at(i));
  return integers;
}

AttributeValue valueOf(const Option& option, const FlatTable& table, const FlatBytes& bytes) {
  const int field = option.fields[0];
  const auto integer = [&](int at) -> std::int64_t {
    return table.number<std::int32_t>(at, option.fallback);
  };
  switch (option.kind) {
    case Kind::integer:
      return integer(field);
    case Kind::wide:
      return table.number<std::int64_t>(field, option.fallback);
    case Kind::byte:
      return std::int64_t{table.number<std::int8_t>(field, 0)};
    case Kind::boolean:
      return std::int64_t{
          table.number<std::uint8_t>(field, static_cast<std::uint8_t>(option.fallback))};
    case Kind::integers:
      return listOf(table.vector<std::int32_t>(field), bytes);
    case Kind::wides:
      return listOf(table.vector<std::int64_t>(field), bytes);
    case Kind::several: {
      std::vector<std::int64_t> list;
      for (const std::int8_t at : option.fields) {
        if (at > 0) list.push_back(integer(at));
      }
      return list;
    }
    case Kind::padding:
      return std::string(table.number<std::int8_t>(field, 0) == 0 ? "SAME_UPPER" : "VALID");
    case Kind::implied:
      break;
  }
  return std::int64_t{option.fallback};
}

}  // namespace

std::map<std::string, AttributeValue> tfliteAttributes(const TfliteOp& op, const FlatBytes& bytes) {
  std::map<std::string, AttributeValue> attributes;
  for (const Option& option : kOptions) {
    if (op.code == 0 || std::ranges::find(option.codes, op.code) == option.codes.end()) continue;
    const auto& table = option.second ? op.secondOptions : op.options;
    if (option.kind == Kind::implied)
      attributes.emplace(option.name, std::int64_t{option.fallback});
    if (option.kind != Kind::implied && table) {
      attributes.emplace(option.name, valueOf(option, *table, bytes));
    }
  }
  if (op.custom == kDetectionPostprocess) {
    for (const char* key : {"max_detections", "num_classes"}) {
      const auto number = flexNumber(op.customOptions, key);
      if (number) attributes.emplace(key, *number);
    }
  }
  return attributes;
}

}  // namespace hw
