#include "core/shrink/c/c_function_writer.h"

namespace hw {
namespace {

class CWindowWriter : public CFunctionWriter {
 public:
  using CFunctionWriter::CFunctionWriter;

  CFunction write() {
    needType(in(0), Dtype::int8);
    needType(out(), Dtype::int8);
    const std::string type = op_.type();
    if (type == "FULLY_CONNECTED") {
      connection();
    } else if (type.ends_with("POOL_2D")) {
      pool();
    } else {
      convolution();
    }
    return std::move(made_);
  }

 private:
  /// Stride, padding and dilation of a window as CMSIS-NN has them, width first.
  struct Window {
    std::string stride{};
    std::string padding{};
    std::string dilation{};
  };
  Window window(int strideField, std::int64_t height, std::int64_t width, int dilationField) {
    const auto& geometry = model_.ops[index_].geometry;
    require(geometry.has_value() && geometry->kind == RowGeometry::Kind::window,
            "it is not a window over one image");
    made_.windowed = true;
    const std::int64_t across = option<std::int32_t>(strideField, 0);
    const std::int64_t wide =
        dilationField < 0 ? 1 : std::max<std::int64_t>(1, option<std::int32_t>(dilationField, 1));
    const std::int64_t tall =
        dilationField < 0 ? 1
                          : std::max<std::int64_t>(1, option<std::int32_t>(dilationField + 1, 1));
    require(across > 0 && width > 0 && wide <= kMostAxis && width <= kMostAxis && height > 0,
            "its window or a stride is empty, or larger than 32,767");
    RowGeometry columns = *geometry;
    columns.stride = across;
    columns.kernel = (width - 1) * wide + 1;
    const std::int64_t read = dims(in(0)).w;
    const std::int64_t made =
        columns.samePadding ? (read + across - 1) / across : (read - columns.kernel) / across + 1;
    require(made == dims(out()).w && columns.kernel < (1 << 28), "its width does not fit");
    require(across <= kMostAxis && geometry->stride <= kMostAxis, "a stride is above 32,767");
    return {fmt::format("{{{}, {}}}", across, geometry->stride),
            fmt::format("{{{}, top}}", columns.paddingAbove(read)),
            fmt::format("{{{}, {}}}", wide, tall)};
  }

  /// Multipliers and shifts, one for each channel.
  std::string channelScales(std::size_t filter, std::int64_t channels) {
    const std::vector<float> scales = quantization(filter).scales;
    require(scales.size() == 1 || std::ssize(scales) == channels,
            "its filter has another number of scales than channels");
    std::vector<std::int32_t> multipliers;
    std::vector<std::int32_t> shifts;
    for (std::int64_t i = 0; i < channels; ++i) {
      const float own = scales[scales.size() == 1 ? 0 : static_cast<std::size_t>(i)];
      const CScale scale =
          scaleOf(static_cast<double>(units(in(0)).scale) * static_cast<double>(own) /
                  static_cast<double>(units(out()).scale));
      multipliers.push_back(scale.multiplier);
      shifts.push_back(scale.shift);
    }
    return fmt::format("(int32_t *){}, (int32_t *){}", needs_.arrays.add("int32_t", multipliers),
                       needs_.arrays.add("int32_t", shifts));
  }
  std::string bias(std::int64_t channels) {
    if (!has(2)) return "0";
    require(elements(in(2)) == channels, "its bias has another length than its output");
    return needs_.arrays.add("int32_t", weight(in(2), Dtype::int32));
  }
  void context(const std::string& entry, const std::string& arguments) {
    line("const int32_t size = run->kernels->{0} == 0 ? 0 : run->kernels->{0}({1});", entry,
         arguments);
    line("const cmsis_nn_context context = {{run->scratch, size}};");
    line("const int32_t status = {}_entered(run, size);", prefix_);
  }

  void convolution() {
    const bool depthwise = op_.is(TfliteOpCode::depthwiseConv2d);
    const CDims input = dims(in(0));
    const CDims output = dims(out());
    const std::string weights = needs_.arrays.add("int8_t", weight(in(1), Dtype::int8));
    const CDims filter = dims(in(1));
    require(shape(in(1)).size() == 4 && filter.h * filter.w * filter.c <= kMostTerms * output.c,
            "its filter is larger than sums of 32 bits hold");
    if (depthwise) {
      require(filter.c == output.c && input.c * option<std::int32_t>(3, 0) == output.c &&
                  filter.n == 1 && filter.h * filter.w <= kMostTerms,
              "its filter does not fit the channels");
    } else {
      const std::int64_t groups = filter.c > 0 ? input.c / filter.c : 0;
      require(filter.n == output.c && groups > 0 && input.c % filter.c == 0 &&
                  output.c % groups == 0 && filter.h * filter.w * filter.c <= kMostTerms,
              "its filter does not fit the channels");
    }
    const Window moved = window(1, filter.h, filter.w, depthwise ? 5 : 4);
    const auto [least, most] = bounds(option<std::int8_t>(depthwise ? 4 : 3, 0));
    const std::string repeated =
        depthwise ? fmt::format("{}, ", option<std::int32_t>(3, 0)) : std::string();
    const char* entry = kernel(depthwise ? "depthwise" : "convolve");
    line("const cmsis_nn_{}conv_params params = {{{}, {}, {}{}, {}, {}, {{{}, {}}}}};",
         depthwise ? "dw_" : "", -units(in(0)).zero, units(out()).zero, repeated, moved.stride,
         moved.padding, moved.dilation, least, most);
    line("const cmsis_nn_per_channel_quant_params quant = {{{}}};", channelScales(in(1), output.c));
    line("const cmsis_nn_dims input = {}, filter = {};", input.text("in_rows"), filter.text());
    line("const cmsis_nn_dims bias = {}, output = {};", CDims{.c = output.c}.text(),
         output.text("rows"));
    context(std::string(entry) + "_size", "&params, &input, &filter, &output");
    line("if (status != 0 || run->arena == 0) return status;");
    const std::string added = bias(output.c);
    line("return run->kernels->{}(&context, &params, &quant, &input, {}, &filter, {}, &bias, {},",
         entry, address(in(0)), weights, added);
    line("    &output, {});", outAddress());
  }

  void connection() {
    const Shape& sizes = shape(in(1));
    require(sizes.size() == 2 && !shape(out()).empty(), "its weights have not two axes");
    const std::int64_t depth = sizes[1];
    const std::int64_t outputs = sizes[0];
    require(outputs > 0 && depth > 0 && depth <= kMostTerms && shape(out()).back() == outputs &&
                elements(in(0)) == elements(out()) / outputs * depth,
            "its weights do not fit its input and output");
    require(option<std::int8_t>(1, 0) == 0, "its weights are shuffled");
    const TfliteQuantization own = quantization(in(1));
    require(std::ranges::all_of(own.zeros, [](std::int64_t zero) { return zero == 0; }),
            "its weights have a zero point");
    const std::string weights = needs_.arrays.add("int8_t", weight(in(1), Dtype::int8));
    const std::string added = bias(outputs);
    const auto [least, most] = bounds(option<std::int8_t>(0, 0));
    const bool perChannel = own.scales.size() > 1;
    kernel("connect");
    line("const cmsis_nn_fc_params params = {{{}, 0, {}, {{{}, {}}}}};", -units(in(0)).zero,
         units(out()).zero, least, most);
    line("const cmsis_nn_quant_params quant = {{{}, {}}};",
         perChannel ? channelScales(in(1), outputs) : wholeScale(own.scales[0]),
         perChannel ? 1 : 0);
    const std::int64_t all = elements(out()) / outputs;
    const std::string batches = made_.byRows
                                    ? fmt::format("rows * {}", all / model_.tensors[out()].rows)
                                    : std::to_string(all);
    line("const cmsis_nn_dims input = {{{}, 1, 1, {}}}, filter = {};", batches, depth,
         CDims{.n = depth, .c = outputs}.text());
    line("const cmsis_nn_dims bias = {}, output = {{{}, 1, 1, {}}};", CDims{.c = outputs}.text(),
         batches, outputs);
    context("connect_size", "&filter");
    line("if (status != 0 || run->arena == 0) return status;");
    line("if (size > 0 && run->kernels->connect_sums == 0) return ARM_CMSIS_NN_ARG_ERROR;");
    line(
        "if (size > 0) run->kernels->connect_sums((int32_t *)run->scratch, {}, {}, {}, {}, 0, {});",
        depth, outputs, weights, -units(in(0)).zero, added);
    line("return run->kernels->connect(&context, &params, &quant, &input, {}, &filter, {}, &bias,",
         address(in(0)), weights);
    line("    {}, &output, {});", added, outAddress());
  }
  /// Of a layer with one scale: the product of scales is of float32.
  std::string wholeScale(float weights) {
    const float product = units(in(0)).scale * weights;
    const CScale scale =
        scaleOf(static_cast<double>(product) / static_cast<double>(units(out()).scale));
    return fmt::format("(int32_t *){}, (int32_t *){}",
                       needs_.arrays.add("int32_t", std::vector{scale.multiplier}),
                       needs_.arrays.add("int32_t", std::vector{scale.shift}));
  }

  void pool() {
    const CUnits read = units(in(0));
    const CUnits made = units(out());
    require(std::abs(read.scale - made.scale) <= 1.0e-6F && read.zero == made.zero,
            "its input and output have different scales");
    const std::int64_t height = option<std::int32_t>(4, 0);
    const std::int64_t width = option<std::int32_t>(3, 0);
    const Window moved = window(1, height, width, -1);
    require(height * width <= kMostTerms, "its window has more than 65,000 elements");
    const CDims input = dims(in(0));
    const CDims output = dims(out());
    require(input.c == output.c, "its channels differ");
    const auto [least, most] = bounds(option<std::int8_t>(5, 0));
    const bool averages = op_.type() == "AVERAGE_POOL_2D";
    const char* entry = kernel(averages ? "average_pool" : "max_pool");
    line("const cmsis_nn_pool_params params = {{{}, {}, {{{}, {}}}}};", moved.stride, moved.padding,
         least, most);
    line("const cmsis_nn_dims input = {}, filter = {}, output = {};", input.text("in_rows"),
         CDims{.h = height, .w = width}.text(), output.text("rows"));
    if (averages) {
      context("average_pool_size", fmt::format("{}, {}", output.w, output.c));
      line("if (status != 0 || run->arena == 0) return status;");
    } else {
      line("const cmsis_nn_context context = {{0, 0}};");
      measured();
    }
    line("return run->kernels->{}(&context, &params, &input, {}, &filter, &output, {});", entry,
         address(in(0)), outAddress());
  }
};

}  // namespace

CFunction cWindowFunction(const TfliteFile& file, const RowModel& model, std::size_t op,
                          const std::string& prefix, CNeeds& needs) {
  return CWindowWriter(file, model, op, prefix, needs).write();
}

}  // namespace hw
