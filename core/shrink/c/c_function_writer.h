#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/base/text.h"
#include "core/shrink/c/c_operators.h"
#include "core/shrink/c/c_tables.h"

namespace hw {

/// An image, or the like of one: axes that a tensor does not have are 1.
struct CDims {
  std::int64_t n = 1;
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t c = 1;

  std::string text() const { return fmt::format("{{{}, {}, {}, {}}}", n, h, w, c); }
  std::string text(const std::string& rows) const {
    return fmt::format("{{{}, {}, {}, {}}}", n, rows, w, c);
  }
};

/// Windows and rows of weights have no more elements: sums of 32 bits hold them.
inline constexpr std::int64_t kMostTerms = 65'000;
/// Axes of images: kernels count them in 16 bits.
inline constexpr std::int64_t kMostAxis = 32'767;

/// An operator whose function is being written: its operands, checked, and lines of the body.
class CFunctionWriter {
 public:
  CFunctionWriter(const TfliteFile& file, const RowModel& model, std::size_t op,
                  const std::string& prefix, CNeeds& needs)
      : file_(file),
        graph_(file.subgraph(0)),
        model_(model),
        index_(op),
        op_(graph_.ops[op]),
        prefix_(prefix),
        needs_(needs) {
    require(op_.outputs.size() == 1, "it has not one output");
    made_.byRows = model.ops[op].geometry.has_value();
  }

 protected:
  [[noreturn]] void no(const std::string& why) const {
    refuse(fmt::format("operator {} ({}): {}", index_, printable(op_.type(), 80), why), {},
           ErrorCode::unsupported);
  }
  void require(bool holds, const char* why) const {
    if (!holds) no(why);
  }
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    made_.body += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  // Operands.

  bool has(std::size_t input) const { return input < op_.inputs.size() && op_.inputs[input] >= 0; }
  std::size_t in(std::size_t input) const {
    if (!has(input)) no(fmt::format("it has no input {}", input));
    return static_cast<std::size_t>(op_.inputs[input]);
  }
  std::size_t out() const { return static_cast<std::size_t>(op_.outputs[0]); }
  const TfliteTensor& tensor(std::size_t index) const { return graph_.tensors[index]; }
  const Shape& shape(std::size_t index) const { return tensor(index).shape; }
  Dtype dtype(std::size_t index) const { return tfliteDtype(tensor(index).type); }
  std::int64_t elements(std::size_t index) const {
    const auto count = elementCount(shape(index));
    if (!count) no("its sizes are too large");
    return *count;
  }
  bool isStored(std::size_t index) const { return file_.isStored(tensor(index).buffer); }

  void needType(std::size_t index, Dtype type) const {
    if (dtype(index) == type) return;
    no(fmt::format("tensor '{}' is of {}; expected {}", printable(tensor(index).name, 80),
                   dtypeName(dtype(index)), dtypeName(type)));
  }
  /// The bytes of a weight.
  std::string_view weight(std::size_t index, Dtype type) const {
    needType(index, type);
    const std::string_view bytes = file_.bufferBytes(tensor(index).buffer);
    const std::int64_t width = type == Dtype::int8 ? 1 : 4;
    if (bytes.empty() || tensor(index).isSparse || std::ssize(bytes) != elements(index) * width) {
      no(fmt::format("tensor '{}' is no plain weight in the file",
                     printable(tensor(index).name, 80)));
    }
    return bytes;
  }
  std::vector<std::int32_t> integers(std::size_t input) const {
    const std::string_view bytes = weight(in(input), Dtype::int32);
    std::vector<std::int32_t> numbers(bytes.size() / sizeof(std::int32_t));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  TfliteQuantization quantization(std::size_t index) const {
    TfliteQuantization found = file_.quantization(0, index);
    const auto isScale = [](float scale) { return std::isfinite(scale) && scale > 0; };
    if (!found.scales.empty() && std::ranges::all_of(found.scales, isScale)) return found;
    no(fmt::format("tensor '{}' has no scale", printable(tensor(index).name, 80)));
  }
  CUnits units(std::size_t index) const {
    const TfliteQuantization found = quantization(index);
    const std::int64_t zero = found.zeros.empty() ? 0 : found.zeros[0];
    const std::int64_t least = dtype(index) == Dtype::uint8 ? 0 : -128;
    if (zero < least || zero > least + 255) {
      no(fmt::format("tensor '{}' has the zero point {}", printable(tensor(index).name, 80), zero));
    }
    return {found.scales[0], static_cast<std::int32_t>(zero)};
  }
  CDims dims(std::size_t index) const {
    const Shape& sizes = shape(index);
    require(sizes.size() <= 4, "it has more than four axes");
    std::array<std::int64_t, 4> all{1, 1, 1, 1};
    std::ranges::copy(sizes, all.end() - std::ssize(sizes));
    require(std::ranges::all_of(all, [](std::int64_t size) { return size <= kMostAxis; }),
            "an axis has more than 32,767 elements");
    return {all[0], all[1], all[2], all[3]};
  }
  template <class T>
  std::int64_t option(int field, T standard) const {
    return op_.options ? op_.options->number<T>(field, standard) : standard;
  }
  float realOption(int field) const {
    return op_.options ? op_.options->number<float>(field, 0) : 0;
  }
  CScale scaleOf(double factor) const {
    const auto scale = CScale::of(factor);
    if (!scale) no("its scales are too far apart");
    return *scale;
  }
  CTable tableOf(const std::optional<CTable>& table) const {
    if (!table) no("its scales are too far apart");
    return *table;
  }

  /// The address of a tensor that the operator reads: in the arena, or a constant.
  std::string address(std::size_t index, const char* type = "int8_t") {
    if (isStored(index)) return needs_.arrays.add(type, weight(index, dtype(index)));
    made_.operands.push_back(index);
    return fmt::format("(const {} *)(const void *)(run->arena + in{})", type,
                       made_.operands.size() - 1);
  }
  std::string outAddress(const char* type = "int8_t") const {
    return fmt::format("({} *)(void *)(run->arena + out)", type);
  }
  /// Elements of the output.
  std::string count() const {
    const std::int64_t all = elements(out());
    if (!made_.byRows) return std::to_string(all);
    return fmt::format("rows * {}", all / model_.tensors[out()].rows);
  }
  void measured() { line("if (run->arena == 0) return 0;"); }
  const char* kernel(const char* name) {
    needs_.kernels.insert(name);
    return name;
  }

  /// Bounds that a fused activation sets: none, RELU, RELU_N1_TO_1, RELU6.
  std::pair<int, int> bounds(std::int64_t activation) const {
    const CUnits made = units(out());
    const auto at = [&](float value) {
      const float whole = std::round(value / made.scale);
      return std::clamp(static_cast<int>(std::clamp(whole, -512.0F, 512.0F)) + made.zero, -128,
                        127);
    };
    if (activation == 0) return {-128, 127};
    if (activation == 1) return {at(0), 127};
    if (activation == 2) return {at(-1), at(1)};
    if (activation == 3) return {at(0), at(6)};
    no("its activation is none of RELU, RELU_N1_TO_1 and RELU6");
  }

  const TfliteFile& file_;
  const TfliteSubgraph& graph_;
  const RowModel& model_;
  std::size_t index_;
  const TfliteOp& op_;
  const std::string& prefix_;
  CNeeds& needs_;
  CFunction made_;
};

/// Functions of convolutions, fully connected layers and pools.
CFunction cWindowFunction(const TfliteFile& file, const RowModel& model, std::size_t op,
                          const std::string& prefix, CNeeds& needs);

}  // namespace hw
