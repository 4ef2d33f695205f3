#include <algorithm>
#include <array>

#include "core/import/tflite/model.h"

namespace hw {
namespace {

/// The form of a stored option: int32, int64, int8, bool, vectors of the first two; several int32
/// side by side, the number of a padding; or `implied`, not stored, because TFLite always means it.
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

/// Types, as a byte has them in its upper six bits; the lower two are the width of what is behind.
enum FlexType : unsigned {
  kFlexInt = 1,
  kFlexUint = 2,
  kFlexIndirectInt = 6,
  kFlexIndirectUint = 7,
  kFlexMap = 9
};

/// Bytes of a map that are read where they are; all places are from the front.
///
///     | keys | … | [where keys are] [width of keys] [count] value… type… | [root] [its type]
///     [width] |
///
/// A reader of FlexBuffers, whose offsets are distances backwards.
class FlexReader {
 public:
  explicit FlexReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::int64_t> find(std::string_view key) const {
    const auto rootWidth = number(bytes_.size() - 1, 1);
    const auto rootType = number(bytes_.size() - 2, 1);
    if (!rootWidth || !rootType || *rootType >> 2 != kFlexMap) return {};
    if (*rootWidth > bytes_.size() - 2) return {};
    const auto map = behind(bytes_.size() - 2 - *rootWidth, *rootWidth);
    if (!map) return {};
    const std::uint64_t width = std::uint64_t{1} << (*rootType & 3);
    if (*map < 3 * width) return {};
    const auto count = number(*map - width, width);
    const auto keyWidth = number(*map - 2 * width, width);
    const auto keys = behind(*map - 3 * width, width);
    // A value takes its width, and a byte for its type; a key its width.
    if (!count || !keyWidth || !keys || *count > bytes_.size() / (width + 1)) return {};
    if (*keyWidth > 8) return {};
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto name = behind(*keys + i * *keyWidth, *keyWidth);
      if (!name || !isAt(*name, key)) continue;
      const auto type = number(*map + *count * width + i, 1);
      return type ? value(*map + i * width, width, *type) : std::nullopt;
    }
    return {};
  }

 private:
  /// Little-endian; nothing outside of the bytes, or of a width that there is not.
  std::optional<std::uint64_t> number(std::uint64_t at, std::uint64_t width) const {
    const bool known = width == 1 || width == 2 || width == 4 || width == 8;
    if (!known || at > bytes_.size() || bytes_.size() - at < width) return {};
    std::uint64_t value = 0;
    for (std::uint64_t i = width; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes_[at + i]);
    }
    return value;
  }

  /// The place to which the distance at `at` leads.
  std::optional<std::uint64_t> behind(std::uint64_t at, std::uint64_t width) const {
    const auto distance = number(at, width);
    if (!distance || *distance > at) return {};
    return at - *distance;
  }

  bool isAt(std::uint64_t at, std::string_view key) const {
    const std::string_view rest = bytes_.substr(at);
    return rest.starts_with(key) && rest.size() > key.size() && rest[key.size()] == '\0';
  }

  std::optional<std::int64_t> value(std::uint64_t at, std::uint64_t width,
                                    std::uint64_t type) const {
    std::uint64_t kind = type >> 2;
    if (kind == kFlexIndirectInt || kind == kFlexIndirectUint) {
      const auto place = behind(at, width);
      if (!place) return {};
      at = *place;
      width = std::uint64_t{1} << (type & 3);
      kind = kind == kFlexIndirectInt ? kFlexInt : kFlexUint;
    }
    const auto found = number(at, width);
    if (!found || (kind != kFlexInt && kind != kFlexUint)) return {};
    if (kind == kFlexUint) {
      if (*found > static_cast<std::uint64_t>(INT64_MAX)) return {};
      return static_cast<std::int64_t>(*found);
    }
    const auto shift = static_cast<int>(64 - 8 * width);
    return static_cast<std::int64_t>(*found << shift) >> shift;
  }

  std::string_view bytes_;
};

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

std::optional<std::int64_t> flexNumber(std::string_view bytes, std::string_view key) {
  if (bytes.size() < 3) return std::nullopt;
  return FlexReader(bytes).find(key);
}

}  // namespace hw
