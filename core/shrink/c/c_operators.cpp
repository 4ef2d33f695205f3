#include <bit>

#include "core/shrink/c/c_function_writer.h"

namespace hw {
namespace {

template <class T>
void appendElements(std::string& text, std::string_view bytes) {
  std::size_t begin = text.size();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T element{};
    std::memcpy(&element, bytes.data() + at, sizeof(T));
    // The least int32 has no constant of its own in C.
    const bool least = std::is_same_v<T, std::int32_t> && element < -2147483647;
    text += least ? "(-2147483647 - 1)" : std::to_string(element);
    text += ',';
    if (text.size() - begin < 90) continue;
    text += '\n';
    begin = text.size();
  }
}

class COperatorWriter : public CFunctionWriter {
 public:
  using CFunctionWriter::CFunctionWriter;

  CFunction write() {
    struct OperatorRow {
      std::string_view type;
      void (COperatorWriter::*write)();
    };
    using W = COperatorWriter;
    static constexpr OperatorRow kRows[] = {{"ADD", &W::sum},
                                            {"SUB", &W::sum},
                                            {"MUL", &W::sum},
                                            {"SOFTMAX", &W::softmax},
                                            {"MEAN", &W::mean},
                                            {"PAD", &W::pad},
                                            {"PADV2", &W::pad},
                                            {"CONCATENATION", &W::concatenation},
                                            {"RESHAPE", &W::reshape},
                                            {"TRANSPOSE", &W::transposition},
                                            {"SLICE", &W::slice},
                                            {"RESIZE_NEAREST_NEIGHBOR", &W::resize},
                                            {"LOGISTIC", &W::curve},
                                            {"TANH", &W::curve},
                                            {"HARD_SWISH", &W::curve},
                                            {"RELU", &W::curve},
                                            {"RELU6", &W::curve},
                                            {"LEAKY_RELU", &W::curve},
                                            {"QUANTIZE", &W::quantization},
                                            {"DEQUANTIZE", &W::quantization}};
    const auto* row = std::ranges::find(kRows, op_.type(), &OperatorRow::type);
    if (row == std::end(kRows)) no("there is no kernel of it for C");
    (this->*row->write)();
    return std::move(made_);
  }

 private:
  /// An operand whose elements are used again and again: `block` of them, which are those of the
  /// last axes of the output.
  struct Repeated {
    std::size_t tensor = 0;
    std::int64_t block = 0;
  };
  Repeated repeated(std::size_t input) const {
    const std::size_t index = in(input);
    needType(index, Dtype::int8);
    const Shape& own = shape(index);
    const Shape& made = shape(out());
    std::size_t skipped = 0;
    while (skipped < own.size() && own[skipped] == 1) ++skipped;
    const std::size_t rank = own.size() - skipped;
    require(rank <= made.size() &&
                std::equal(own.begin() + static_cast<std::ptrdiff_t>(skipped), own.end(),
                           made.end() - static_cast<std::ptrdiff_t>(rank)),
            "an operand is repeated other than along the first axes");
    return {index, elements(index)};
  }

  void sum() {
    const bool multiplies = op_.type() == "MUL";
    needType(out(), Dtype::int8);
    const Repeated a = repeated(0);
    const Repeated b = repeated(1);
    const std::int64_t block = std::min(a.block, b.block);
    const std::int64_t all = elements(out());
    require(block > 0 && std::max(a.block, b.block) == all, "none of its operands has its shape");
    const auto [least, most] = bounds(option<std::int8_t>(0, 0));
    const char* entry = kernel(multiplies ? "multiply" : op_.type() == "ADD" ? "add" : "subtract");
    const auto [inputs, output] = multiplies ? productScales() : sumScales();
    const std::string tail = fmt::format("{}, {}, {}", output, least, most);
    const bool alike = a.block == b.block;
    if (!alike) line("int32_t i, status = 0;");
    measured();
    const auto moving = [&](const Repeated& operand) {
      const std::string at = address(operand.tensor);
      return operand.block == all && !alike ? fmt::format("{} + i * {}", at, block) : at;
    };
    const std::string first = moving(a);
    const std::string second = moving(b);
    if (alike) {
      line("return run->kernels->{}({}, {}, {}, {}, {}, {});", entry, first, second, inputs,
           outAddress(), tail, count());
      return;
    }
    line("for (i = 0; i < {} / {} && status == 0; ++i) {{", count(), block);
    line("  status = run->kernels->{}({}, {}, {}, {} + i * {}, {}, {});", entry, first, second,
         inputs, outAddress(), block, tail, block);
    line("}}");
    line("return status;");
  }
  /// Arguments before the output and behind it.
  using Scales = std::pair<std::string, std::string>;
  Scales productScales() const {
    const CUnits a = units(in(0));
    const CUnits b = units(in(1));
    const CUnits made = units(out());
    const CScale scale = scaleOf(static_cast<double>(a.scale) * static_cast<double>(b.scale) /
                                 static_cast<double>(made.scale));
    return {fmt::format("{}, {}", -a.zero, -b.zero),
            fmt::format("{}, {}, {}", made.zero, scale.multiplier, scale.shift)};
  }
  /// Both operands are brought to twice the larger scale with 20 bits behind the point; quotients
  /// are of float64 for sums, of float32 for differences.
  Scales sumScales() const {
    constexpr int kBits = 20;
    const CUnits a = units(in(0));
    const CUnits b = units(in(1));
    const CUnits made = units(out());
    std::array<double, 3> factors{};
    const float larger = std::max(a.scale, b.scale);
    if (op_.is(TfliteOpCode::add)) {
      const double twice = 2 * static_cast<double>(larger);
      factors = {static_cast<double>(a.scale) / twice, static_cast<double>(b.scale) / twice,
                 twice / ((1 << kBits) * static_cast<double>(made.scale))};
    } else {
      const float twice = 2 * larger;
      factors = {static_cast<double>(a.scale / twice), static_cast<double>(b.scale / twice),
                 static_cast<double>(twice / ((1 << kBits) * made.scale))};
    }
    std::string text;
    for (const auto& [units, factor] : {std::pair(a, factors[0]), std::pair(b, factors[1])}) {
      const CScale scale = scaleOf(factor);
      text += fmt::format("{}, {}, {}, ", -units.zero, scale.multiplier, scale.shift);
    }
    const CScale scale = scaleOf(factors[2]);
    return {fmt::format("{}{}", text, kBits),
            fmt::format("{}, {}, {}", made.zero, scale.multiplier, scale.shift)};
  }

  void softmax() {
    needType(in(0), Dtype::int8);
    needType(out(), Dtype::int8);
    const CUnits made = units(out());
    require(made.scale == 1.0F / 256 && made.zero == -128,
            "its output has another scale than 1/256 or another zero point than -128");
    const std::int64_t depth = shape(in(0)).empty() ? 1 : shape(in(0)).back();
    require(depth > 0 && depth < 4096 && elements(in(0)) == elements(out()),
            "its rows have more than 4,095 elements");
    const double scaled =
        static_cast<double>(realOption(0)) * static_cast<double>(units(in(0)).scale) * (1 << 26);
    const CScale scale = scaleOf(std::min(scaled, 2147483647.0));
    require(scale.shift >= 0, "its input's scale is too small");
    kernel("softmax");
    measured();
    line("run->kernels->softmax({}, {}, {}, {}, {}, {}, {});", address(in(0)),
         elements(in(0)) / depth, depth, scale.multiplier, scale.shift,
         -inputRadiusOf(5, scale.shift), outAddress());
    line("return 0;");
  }

  void mean() {
    needType(in(0), Dtype::int8);
    needType(out(), Dtype::int8);
    const Shape& sizes = shape(in(0));
    std::vector<bool> over(sizes.size());
    for (const std::int32_t axis : integers(1)) {
      const std::int64_t at = axis < 0 ? axis + std::ssize(sizes) : axis;
      require(at >= 0 && at < std::ssize(sizes), "an axis is not there");
      over[static_cast<std::size_t>(at)] = true;
    }
    std::array<std::int64_t, 3> parts{1, 1, 1};  // Before, over and behind the axes.
    std::size_t part = 0;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (sizes[axis] == 1) continue;
      if (over[axis] != (part == 1)) ++part;
      require(part < 3, "it is not over axes that lie beside each other");
      parts[part] *= sizes[axis];
    }
    const auto [outer, counted, inner] = parts;
    require(outer > 0 && counted > 0 && inner > 0 && counted <= kMostTerms * 100 &&
                outer * inner == elements(out()),
            "its output does not fit its axes");
    CScale scale =
        scaleOf(static_cast<double>(units(in(0)).scale) / static_cast<double>(units(out()).scale));
    // The count is part of the factor, as far as its bits allow.
    const int zeros = std::countl_zero(static_cast<std::uint64_t>(counted));
    const int shift = std::min({63 - zeros, 32, 31 + scale.shift});
    scale.multiplier = static_cast<std::int32_t>(std::int64_t{scale.multiplier} *
                                                 (std::int64_t{1} << shift) / counted);
    scale.shift -= shift;
    kernel("mean");
    measured();
    line("run->kernels->mean({}, {}, {}, {}, {}, {}, {}, {}, {});", address(in(0)), outer, counted,
         inner, -units(in(0)).zero, scale.multiplier, scale.shift, units(out()).zero, outAddress());
    line("return 0;");
  }

  void pad() {
    needType(in(0), Dtype::int8);
    needType(out(), Dtype::int8);
    const std::vector<std::int32_t> sides = integers(1);
    const std::size_t rank = shape(in(0)).size();
    require(sides.size() == 2 * rank && shape(out()).size() == rank && rank <= 4,
            "its paddings do not fit its axes");
    std::array<std::int64_t, 4> before{};
    std::array<std::int64_t, 4> behind{};
    for (std::size_t axis = 0; axis < rank; ++axis) {
      before[axis + 4 - rank] = sides[2 * axis];
      behind[axis + 4 - rank] = sides[2 * axis + 1];
      require(sides[2 * axis] >= 0 && sides[2 * axis + 1] >= 0 &&
                  shape(in(0))[axis] + sides[2 * axis] + sides[2 * axis + 1] == shape(out())[axis],
              "its output does not fit its paddings");
    }
    int value = units(out()).zero;
    if (has(2)) {
      const std::string_view own = weight(in(2), Dtype::int8);
      require(own.size() == 1, "it pads with more than one number");
      value = std::bit_cast<std::int8_t>(own[0]) + 0;
    }
    made_.windowed = made_.byRows;
    const auto& [bn, bh, bw, bc] = before;
    const auto& [an, ah, aw, ac] = behind;
    const std::string top = made_.byRows ? "top" : std::to_string(bh);
    const std::string bottom = made_.byRows ? "rows - in_rows - top" : std::to_string(ah);
    const CDims input = dims(in(0));
    kernel("pad");
    line("const cmsis_nn_dims input = {};", made_.byRows ? input.text("in_rows") : input.text());
    line("const cmsis_nn_dims before = {}, behind = {};", CDims{bn, bh, bw, bc}.text(top),
         CDims{an, ah, aw, ac}.text(bottom));
    measured();
    line("return run->kernels->pad({}, {}, {}, &input, &before, &behind);", address(in(0)),
         outAddress(), value);
  }

  void concatenation() {
    const Shape& made = shape(out());
    needType(out(), Dtype::int8);
    const std::int64_t given = option<std::int32_t>(0, 0);
    const std::int64_t axis = given < 0 ? given + std::ssize(made) : given;
    require(axis >= 0 && axis < std::ssize(made), "its axis is not there");
    require(option<std::int8_t>(1, 0) == 0, "it has an activation");
    const auto cut = static_cast<std::size_t>(axis);
    const auto behind = [&](const Shape& sizes) {
      return *elementCount({sizes.begin() + axis, sizes.end()});
    };
    const std::int64_t whole = behind(made);
    require(whole > 0, "it is empty");
    std::int64_t joined = 0;
    std::string copies;
    for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
      const Shape& own = shape(in(input));
      needType(in(input), Dtype::int8);
      for (std::size_t i = 0; i < made.size(); ++i) {
        require(own.size() == made.size() && (i == cut || own[i] == made[i]),
                "its shapes do not fit one another");
      }
      require(units(in(input)).scale == units(out()).scale &&
                  units(in(input)).zero == units(out()).zero,
              "an input has another scale than its output");
      copies += fmt::format("    memcpy({} + i * {} + {}, {} + i * {}, {});\n", outAddress(), whole,
                            joined, address(in(input)), behind(own), behind(own));
      joined += behind(own);
    }
    require(joined == whole, "its output does not fit its inputs");
    line("int32_t i;");
    measured();
    line("for (i = 0; i < {} / {}; ++i) {{", count(), whole);
    made_.body += copies;
    line("}}");
    line("return 0;");
  }

  void reshape() {
    const int bits = tfliteBits(tensor(out()).type);
    require(tensor(in(0)).type == tensor(out()).type && elements(in(0)) == elements(out()) &&
                bits % 8 == 0,
            "its sizes differ");
    require(!isStored(in(0)), "it reads weights alone");
    measured();
    line("memcpy({}, {}, {});", outAddress(), address(in(0)), elements(out()) * bits / 8);
    line("return 0;");
  }

  /// A copy of elements that are `strides` apart in the input, from `first` on.
  void gather(std::int64_t first, const std::array<std::int64_t, 4>& strides) {
    needType(in(0), Dtype::int8);
    needType(out(), Dtype::int8);
    line("static const int32_t sizes[4] = {};", dims(out()).text());
    line("static const int32_t strides[4] = {};",
         CDims{strides[0], strides[1], strides[2], strides[3]}.text());
    measured();
    line("{}_gather({} + {}, sizes, strides, {});", prefix_, address(in(0)), first, outAddress());
    line("return 0;");
  }
  std::array<std::int64_t, 4> stridesOf(std::size_t index) const {
    const CDims sizes = dims(index);
    return {sizes.h * sizes.w * sizes.c, sizes.w * sizes.c, sizes.c, 1};
  }

  void transposition() {
    const std::vector<std::int32_t> order = integers(1);
    const Shape& from = shape(in(0));
    const std::size_t rank = from.size();
    require(order.size() == rank && shape(out()).size() == rank && rank <= 4,
            "its order does not fit its axes");
    const std::array<std::int64_t, 4> own = stridesOf(in(0));
    std::array<std::int64_t, 4> strides{};
    std::set<std::int32_t> seen;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int32_t at = order[axis];
      require(at >= 0 && static_cast<std::size_t>(at) < rank && seen.insert(at).second &&
                  from[static_cast<std::size_t>(at)] == shape(out())[axis],
              "its output does not fit its order");
      strides[axis + 4 - rank] = own[static_cast<std::size_t>(at) + 4 - rank];
    }
    gather(0, strides);
  }

  void slice() {
    const std::vector<std::int32_t> begins = integers(1);
    const Shape& from = shape(in(0));
    const Shape& made = shape(out());
    require(begins.size() == from.size() && made.size() == from.size() && from.size() <= 4,
            "its begins do not fit its axes");
    const std::array<std::int64_t, 4> strides = stridesOf(in(0));
    std::int64_t first = 0;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
      require(begins[axis] >= 0 && begins[axis] + made[axis] <= from[axis],
              "it reads outside its input");
      first += begins[axis] * strides[axis + 4 - from.size()];
    }
    gather(first, strides);
  }

  /// The pixel nearest to each one of an axis, as float32 has it.
  std::string nearest(std::int64_t read, std::int64_t made) {
    const bool corners = option<std::uint8_t>(0, 0) != 0;
    const bool centers = option<std::uint8_t>(1, 0) != 0;
    const float scale = corners && made > 1
                            ? static_cast<float>(read - 1) / static_cast<float>(made - 1)
                            : static_cast<float>(read) / static_cast<float>(made);
    std::vector<std::uint16_t> places;
    for (std::int64_t i = 0; i < made; ++i) {
      const float place = (static_cast<float>(i) + (centers ? 0.5F : 0.0F)) * scale;
      const float whole = corners ? std::round(place) : std::floor(place);
      places.push_back(static_cast<std::uint16_t>(
          std::clamp<std::int64_t>(static_cast<std::int64_t>(whole), 0, read - 1)));
    }
    return needs_.arrays.add("uint16_t", places);
  }

  void resize() {
    needType(in(0), Dtype::int8);
    needType(out(), Dtype::int8);
    const CDims from = dims(in(0));
    const CDims made = dims(out());
    require(shape(in(0)).size() == 4 && shape(out()).size() == 4 && from.n == 1 && made.n == 1 &&
                from.c == made.c && from.h > 0 && from.w > 0,
            "it is not of one image");
    const std::string rows = nearest(from.h, made.h);
    const std::string columns = nearest(from.w, made.w);
    kernel("resize");
    measured();
    line("run->kernels->resize({}, {}, {}, {}, {}, {}, {}, {});", address(in(0)), from.w, from.c,
         rows, columns, outAddress(), made_.byRows ? "rows" : std::to_string(made.h), made.w);
    line("return 0;");
  }

  void lookUp(const std::optional<CTable>& values) {
    const CTable table = tableOf(values);
    require(elements(in(0)) == elements(out()), "its sizes differ");
    kernel("lookup");
    const std::string name = needs_.arrays.add(
        "int8_t", std::string_view(reinterpret_cast<const char*>(table.data()), table.size()));
    measured();
    line("run->kernels->lookup({}, {}, {}, {});", address(in(0)), name, outAddress(), count());
    line("return 0;");
  }

  void curve() {
    needType(in(0), Dtype::int8);
    needType(out(), Dtype::int8);
    const CUnits from = units(in(0));
    const CUnits made = units(out());
    const std::string type = op_.type();
    if (type == "LOGISTIC") return lookUp(logisticTable(from));
    if (type == "TANH") return lookUp(tanhTable(from));
    if (type == "HARD_SWISH") return lookUp(hardSwishTable(from, made));
    if (type == "RELU") return lookUp(reluTable(from, made));
    if (type == "RELU6") return lookUp(relu6Table(from));
    lookUp(leakyReluTable(from, made, realOption(0)));
  }

  void quantization() {
    const Dtype from = dtype(in(0));
    const Dtype made = dtype(out());
    const auto isByte = [](Dtype type) { return type == Dtype::int8 || type == Dtype::uint8; };
    if (isByte(from) && isByte(made)) {
      return lookUp(
          requantizeTable(units(in(0)), from == Dtype::uint8, units(out()), made == Dtype::uint8));
    }
    require(elements(in(0)) == elements(out()), "its sizes differ");
    const bool toBytes = from == Dtype::float32;
    needType(toBytes ? out() : in(0), Dtype::int8);
    needType(toBytes ? in(0) : out(), Dtype::float32);
    const CUnits own = units(toBytes ? out() : in(0));
    measured();
    line("run->kernels->{}({}, {}, {}, {}, {});", kernel(toBytes ? "quantize" : "dequantize"),
         address(in(0), toBytes ? "float" : "int8_t"), cReal(own.scale), own.zero,
         outAddress(toBytes ? "int8_t" : "float"), count());
    line("return 0;");
  }
};

}  // namespace

std::string CArrays::add(const char* type, std::string_view bytes) {
  const std::string kind = type;
  const auto [known, added] = names_.try_emplace({kind, std::string(bytes)}, "");
  if (!added) return known->second;
  const std::size_t width = kind == "int8_t" ? 1 : kind == "uint16_t" ? 2 : 4;
  known->second = fmt::format("{}_data_{}", prefix_, names_.size());
  text_ += fmt::format("static const {} {}[{}] = {{\n", kind, known->second, bytes.size() / width);
  if (width == 1) appendElements<std::int8_t>(text_, bytes);
  if (width == 2) appendElements<std::uint16_t>(text_, bytes);
  if (width == 4) appendElements<std::int32_t>(text_, bytes);
  text_ += "};\n";
  bytes_ += std::ssize(bytes);
  return known->second;
}

std::string cReal(float x) {
  std::string text = fmt::format("{:.9g}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

CFunction cFunction(const TfliteFile& file, const RowModel& model, std::size_t op,
                    const std::string& prefix, CNeeds& needs) {
  constexpr std::string_view kWindows[] = {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED",
                                           "AVERAGE_POOL_2D", "MAX_POOL_2D"};
  const std::string type = file.subgraph(0).ops[op].type();
  if (std::ranges::find(kWindows, type) != std::end(kWindows))
    return cWindowFunction(file, model, op, prefix, needs);
  return COperatorWriter(file, model, op, prefix, needs).write();
}

}  // namespace hw
