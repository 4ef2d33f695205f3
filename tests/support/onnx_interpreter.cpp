#include "tests/support/onnx_interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace hw::test {
namespace {

using Ints = std::vector<std::int64_t>;

std::size_t sizeOf(const Ints& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return static_cast<std::size_t>(count);
}

FloatTensor made(Ints shape) {
  const std::size_t count = sizeOf(shape);
  return {std::move(shape), std::vector<float>(count)};
}

void demand(bool holds, const std::string& what) {
  if (!holds) throw OnnxTrouble(what);
}

FloatTensor stored(const onnx::TensorProto& tensor) {
  FloatTensor read = made({tensor.dims().begin(), tensor.dims().end()});
  const bool isFloat = tensor.data_type() == onnx::TensorProto::FLOAT;
  demand(isFloat || tensor.data_type() == onnx::TensorProto::INT64, "type of " + tensor.name());
  for (std::size_t i = 0; i < read.data.size(); ++i) {
    const int at = static_cast<int>(i);
    const std::string& raw = tensor.raw_data();
    if (isFloat && !raw.empty()) {
      std::memcpy(&read.data[i], raw.data() + 4 * i, sizeof(float));
    } else if (!raw.empty()) {
      std::int64_t value = 0;
      std::memcpy(&value, raw.data() + 8 * i, sizeof value);
      read.data[i] = static_cast<float>(value);
    } else {
      read.data[i] = isFloat ? tensor.float_data(at) : static_cast<float>(tensor.int64_data(at));
    }
  }
  return read;
}

/// One node with what it reads.
class Node {
 public:
  Node(const onnx::NodeProto& node, const FloatTensors& values) : node_(node) {
    for (const std::string& name : node.input()) {
      const auto found = values.find(name);
      demand(name.empty() || found != values.end(), node.op_type() + " reads " + name);
      in_.push_back(name.empty() ? nullptr : &found->second);
    }
  }

  FloatTensor run() const {
    const std::string& type = node_.op_type();
    if (type == "Conv") return convolution();
    if (type == "MaxPool" || type == "AveragePool") return pool(type == "MaxPool");
    if (type == "GlobalAveragePool") return globalMean();
    if (type == "Concat") return joined();
    if (type == "Slice") return cut();
    if (type == "Resize") return resized();
    if (type == "Reshape" || type == "Flatten") return reshaped(type == "Flatten");
    if (type == "Transpose") return transposed();
    if (type == "BatchNormalization") return normalized();
    if (type == "Softmax") return softmax();
    return elements(type);
  }

 private:
  const onnx::AttributeProto* attribute(const char* name) const {
    for (const auto& each : node_.attribute()) {
      if (each.name() == name) return &each;
    }
    return nullptr;
  }
  std::int64_t number(const char* name, std::int64_t otherwise) const {
    const auto* found = attribute(name);
    return found ? found->i() : otherwise;
  }
  float real(const char* name, float otherwise) const {
    const auto* found = attribute(name);
    return found ? found->f() : otherwise;
  }
  std::string word(const char* name, const std::string& otherwise) const {
    const auto* found = attribute(name);
    return found ? found->s() : otherwise;
  }
  Ints list(const char* name, Ints otherwise) const {
    const auto* found = attribute(name);
    return found ? Ints(found->ints().begin(), found->ints().end()) : otherwise;
  }
  bool has(std::size_t input) const { return input < in_.size() && in_[input] != nullptr; }
  const FloatTensor& in(std::size_t input) const {
    demand(has(input), node_.op_type() + " lacks an input");
    return *in_[input];
  }
  Ints integers(std::size_t input) const {
    Ints values;
    for (const float value : in(input).data) values.push_back(static_cast<std::int64_t>(value));
    return values;
  }

  /// The window along rows and columns.
  struct Window {
    Ints kernel, stride, dilation, before, behind, from, to;
  };

  Window window(Ints kernel) const {
    const Ints& shape = in(0).shape;
    demand(shape.size() == 4, "an image has four axes");
    Window w{.kernel = std::move(kernel),
             .stride = list("strides", {1, 1}),
             .dilation = list("dilations", {1, 1}),
             .before = {0, 0},
             .behind = {0, 0},
             .from = {shape[2], shape[3]},
             .to = {0, 0}};
    const Ints pads = list("pads", {0, 0, 0, 0});
    const std::string automatic = word("auto_pad", "NOTSET");
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
      if (automatic.starts_with("SAME")) {
        w.to[i] = (w.from[i] + w.stride[i] - 1) / w.stride[i];
        const std::int64_t all =
            std::max<std::int64_t>(0, (w.to[i] - 1) * w.stride[i] + reach - w.from[i]);
        w.before[i] = automatic == "SAME_LOWER" ? all - all / 2 : all / 2;
        w.behind[i] = all - w.before[i];
        continue;
      }
      if (automatic == "NOTSET") {
        w.before[i] = pads[i];
        w.behind[i] = pads[i + 2];
      }
      demand(w.before[i] >= 0 && w.behind[i] >= 0, "negative pads");
      const std::int64_t room = w.from[i] + w.before[i] + w.behind[i] - reach;
      demand(room >= 0, "a window does not fit");
      const bool up = number("ceil_mode", 0) != 0;
      w.to[i] = (room + (up ? w.stride[i] - 1 : 0)) / w.stride[i] + 1;
      if (up && (w.to[i] - 1) * w.stride[i] >= w.from[i] + w.before[i]) --w.to[i];
    }
    return w;
  }

  /// Calls `visit(place, place in the kernel, isInside)` for the taps of the window at (y, x), row
  /// by row.
  template <class Visit>
  static void forEachTap(const Window& w, std::int64_t y, std::int64_t x, const Visit& visit) {
    for (std::int64_t ky = 0; ky < w.kernel[0]; ++ky) {
      for (std::int64_t kx = 0; kx < w.kernel[1]; ++kx) {
        const std::int64_t row = y * w.stride[0] - w.before[0] + ky * w.dilation[0];
        const std::int64_t column = x * w.stride[1] - w.before[1] + kx * w.dilation[1];
        visit(row, column, ky * w.kernel[1] + kx);
      }
    }
  }
  static bool isInside(const Window& w, std::int64_t row, std::int64_t column) {
    return row >= 0 && row < w.from[0] && column >= 0 && column < w.from[1];
  }

  FloatTensor convolution() const {
    const FloatTensor& x = in(0);
    const FloatTensor& weight = in(1);
    const std::int64_t groups = number("group", 1);
    const Window w = window({weight.shape.at(2), weight.shape.at(3)});
    const std::int64_t each = weight.shape[1];
    demand(x.shape[1] == each * groups, "channels of a convolution");
    FloatTensor y = made({x.shape[0], weight.shape[0], w.to[0], w.to[1]});
    const std::int64_t perGroup = weight.shape[0] / groups;
    const std::int64_t taps = w.kernel[0] * w.kernel[1];
    std::size_t at = 0;
    for (std::int64_t n = 0; n < x.shape[0]; ++n) {
      for (std::int64_t m = 0; m < weight.shape[0]; ++m) {
        for (std::int64_t i = 0; i < w.to[0] * w.to[1]; ++i) {
          float sum = has(2) ? in(2).data.at(static_cast<std::size_t>(m)) : 0;
          for (std::int64_t c = 0; c < each; ++c) {
            const std::int64_t plane = (n * x.shape[1] + m / perGroup * each + c) * w.from[0];
            forEachTap(w, i / w.to[1], i % w.to[1],
                       [&](std::int64_t row, std::int64_t column, std::int64_t tap) {
                         if (!isInside(w, row, column)) return;
                         sum +=
                             x.data[static_cast<std::size_t>((plane + row) * w.from[1] + column)] *
                             weight.data[static_cast<std::size_t>((m * each + c) * taps + tap)];
                       });
          }
          y.data[at++] = sum;
        }
      }
    }
    return y;
  }

  FloatTensor pool(bool greatest) const {
    const FloatTensor& x = in(0);
    const Window w = window(list("kernel_shape", {}));
    const bool countsPads = number("count_include_pad", 0) != 0;
    FloatTensor y = made({x.shape[0], x.shape[1], w.to[0], w.to[1]});
    std::size_t at = 0;
    for (std::int64_t plane = 0; plane < x.shape[0] * x.shape[1]; ++plane) {
      for (std::int64_t i = 0; i < w.to[0] * w.to[1]; ++i) {
        float value = greatest ? -std::numeric_limits<float>::infinity() : 0;
        int counted = 0;
        forEachTap(
            w, i / w.to[1], i % w.to[1],
            [&](std::int64_t row, std::int64_t column, std::int64_t /*tap*/) {
              const bool inside = isInside(w, row, column);
              const bool padded = row < w.from[0] + w.behind[0] && column < w.from[1] + w.behind[1];
              if (inside || (countsPads && padded)) ++counted;
              if (!inside) return;
              const float tap =
                  x.data[static_cast<std::size_t>((plane * w.from[0] + row) * w.from[1] + column)];
              value = greatest ? std::max(value, tap) : value + tap;
            });
        y.data[at++] = greatest ? value : value / static_cast<float>(counted);
      }
    }
    return y;
  }

  FloatTensor globalMean() const {
    const FloatTensor& x = in(0);
    FloatTensor y = made({x.shape.at(0), x.shape.at(1), 1, 1});
    const std::size_t each = x.data.size() / y.data.size();
    for (std::size_t i = 0; i < x.data.size(); ++i) y.data[i / each] += x.data[i];
    for (float& value : y.data) value /= static_cast<float>(each);
    return y;
  }

  std::size_t axisOf(std::int64_t axis, std::size_t rank) const {
    const auto count = static_cast<std::int64_t>(rank);
    demand(axis >= -count && axis < count, "axis of " + node_.op_type());
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
  }

  FloatTensor joined() const {
    const std::size_t axis = axisOf(number("axis", 1), in(0).shape.size());
    Ints shape = in(0).shape;
    shape[axis] = 0;
    std::size_t outer = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(shape[i]);
    for (std::size_t i = 0; i < in_.size(); ++i) {
      Ints other = in(i).shape;
      demand(other.size() == shape.size(), "ranks of Concat");
      shape[axis] += other[axis];
      other[axis] = shape[axis];
      demand(other == shape, "shapes of Concat");
    }
    FloatTensor y{shape, {}};
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < in_.size(); ++i) {
        const std::size_t each = in(i).data.size() / outer;
        const auto begin = in(i).data.begin() + static_cast<std::ptrdiff_t>(o * each);
        y.data.insert(y.data.end(), begin, begin + static_cast<std::ptrdiff_t>(each));
      }
    }
    return y;
  }

  /// A tensor of `shape` whose element at `index` is that of `x` at `from(index)`.
  static FloatTensor gathered(const FloatTensor& x, Ints shape,
                              const std::function<Ints(const Ints&)>& from) {
    FloatTensor y = made(std::move(shape));
    Ints index(y.shape.size());
    for (float& value : y.data) {
      const Ints source = from(index);
      std::int64_t at = 0;
      for (std::size_t i = 0; i < source.size(); ++i) at = at * x.shape[i] + source[i];
      value = x.data.at(static_cast<std::size_t>(at));
      for (std::size_t i = index.size(); i-- > 0 && ++index[i] == y.shape[i];) index[i] = 0;
    }
    return y;
  }

  FloatTensor cut() const {
    const bool byInputs = has(1);
    const Ints begins = byInputs ? integers(1) : list("starts", {});
    const Ints ends = byInputs ? integers(2) : list("ends", {});
    const Ints axes = byInputs ? integers(3) : list("axes", {});
    Ints shape = in(0).shape;
    Ints first(shape.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t axis = axisOf(axes[i], shape.size());
      first[axis] = std::min(begins.at(i), shape[axis]);
      shape[axis] = std::min(ends.at(i), shape[axis]) - first[axis];
      demand(first[axis] >= 0 && shape[axis] > 0, "an empty cut");
    }
    return gathered(in(0), shape, [&](Ints index) {
      for (std::size_t i = 0; i < index.size(); ++i) index[i] += first[i];
      return index;
    });
  }

  FloatTensor resized() const {
    demand(word("mode", "nearest") == "nearest", "mode of Resize");
    const bool half = word("coordinate_transformation_mode", "half_pixel") == "half_pixel";
    const std::string nearest = word("nearest_mode", "round_prefer_floor");
    const std::vector<float>& scales = in(2).data;
    Ints shape = in(0).shape;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      shape[i] = static_cast<std::int64_t>(static_cast<float>(shape[i]) * scales.at(i));
    }
    return gathered(in(0), shape, [&](Ints index) {
      for (std::size_t i = 0; i < index.size(); ++i) {
        const float at = static_cast<float>(index[i]);
        const float place = half ? (at + 0.5F) / scales[i] - 0.5F : at / scales[i];
        const float whole = nearest == "floor" ? std::floor(place) : std::ceil(place - 0.5F);
        index[i] =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(whole), 0, in(0).shape[i] - 1);
      }
      return index;
    });
  }

  FloatTensor reshaped(bool flat) const {
    FloatTensor y = in(0);
    if (flat) {
      y.shape = {y.shape.at(0), static_cast<std::int64_t>(y.data.size()) / y.shape.at(0)};
      return y;
    }
    Ints shape = integers(1);
    std::int64_t rest = static_cast<std::int64_t>(y.data.size());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 0) shape[i] = y.shape.at(i);
      if (shape[i] > 0) rest /= shape[i];
    }
    std::ranges::replace(shape, -1, rest);
    demand(sizeOf(shape) == y.data.size(), "size of Reshape");
    y.shape = shape;
    return y;
  }

  FloatTensor transposed() const {
    const Ints order = list("perm", {});
    Ints shape;
    for (const std::int64_t axis : order)
      shape.push_back(in(0).shape.at(static_cast<std::size_t>(axis)));
    return gathered(in(0), shape, [&](const Ints& index) {
      Ints source(index.size());
      for (std::size_t i = 0; i < index.size(); ++i)
        source[static_cast<std::size_t>(order[i])] = index[i];
      return source;
    });
  }

  FloatTensor normalized() const {
    FloatTensor y = in(0);
    const auto channels = static_cast<std::size_t>(y.shape.at(1));
    const std::size_t each = y.data.size() / channels / static_cast<std::size_t>(y.shape[0]);
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      const std::size_t c = i / each % channels;
      const float scale = in(1).data.at(c) / std::sqrt(in(4).data.at(c) + real("epsilon", 1e-5F));
      y.data[i] = (y.data[i] - in(3).data.at(c)) * scale + in(2).data.at(c);
    }
    return y;
  }

  FloatTensor softmax() const {
    FloatTensor y = in(0);
    const std::size_t axis = axisOf(number("axis", -1), y.shape.size());
    std::size_t inner = 1;
    for (std::size_t i = axis + 1; i < y.shape.size(); ++i)
      inner *= static_cast<std::size_t>(y.shape[i]);
    const auto size = static_cast<std::size_t>(y.shape[axis]);
    for (std::size_t i = 0; i < y.data.size(); ++i) {
      if (i / inner % size != 0) continue;
      float sum = 0;
      for (std::size_t k = 0; k < size; ++k) {
        y.data[i + k * inner] = std::exp(y.data[i + k * inner]);
        sum += y.data[i + k * inner];
      }
      for (std::size_t k = 0; k < size; ++k) y.data[i + k * inner] /= sum;
    }
    return y;
  }

  /// An input that is broadcast to `shape`.
  FloatTensor spread(std::size_t input, const Ints& shape) const {
    FloatTensor from = in(input);
    from.shape.insert(from.shape.begin(), shape.size() - from.shape.size(), 1);
    return gathered(from, shape, [&](Ints index) {
      for (std::size_t i = 0; i < index.size(); ++i) index[i] = from.shape[i] == 1 ? 0 : index[i];
      return index;
    });
  }

  template <class Rule>
  FloatTensor combine(const Rule& rule) const {
    Ints shape = in(0).shape;
    for (std::size_t input = 1; input < in_.size(); ++input) {
      Ints other = in(input).shape;
      if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
      other.insert(other.begin(), shape.size() - other.size(), 1);
      for (std::size_t i = 0; i < shape.size(); ++i) {
        demand(shape[i] == other[i] || shape[i] == 1 || other[i] == 1, "shapes to broadcast");
        shape[i] = std::max(shape[i], other[i]);
      }
    }
    FloatTensor y = spread(0, shape);
    for (std::size_t input = 1; input < in_.size(); ++input) {
      const FloatTensor other = spread(input, shape);
      for (std::size_t i = 0; i < y.data.size(); ++i) y.data[i] = rule(y.data[i], other.data[i]);
    }
    return y;
  }

  template <class Rule>
  FloatTensor map(const Rule& rule) const {
    FloatTensor y = in(0);
    for (float& value : y.data) value = rule(value);
    return y;
  }

  FloatTensor elements(const std::string& type) const {
    if (type == "Add") return combine([](float a, float b) { return a + b; });
    if (type == "Sub") return combine([](float a, float b) { return a - b; });
    if (type == "Mul") return combine([](float a, float b) { return a * b; });
    if (type == "PRelu") return combine([](float a, float b) { return a < 0 ? a * b : a; });
    if (type == "Relu") return map([](float a) { return std::max(a, 0.0F); });
    if (type == "LeakyRelu") {
      const float slope = real("alpha", 0.01F);
      return map([=](float a) { return a < 0 ? a * slope : a; });
    }
    if (type == "Sigmoid") return map([](float a) { return 1 / (1 + std::exp(-a)); });
    if (type == "Clip") {
      const float low = in(1).data.at(0);
      const float high = in(2).data.at(0);
      return map([=](float a) { return std::min(std::max(a, low), high); });
    }
    if (type == "HardSwish") {
      return map([](float a) { return a * std::max(0.0F, std::min(1.0F, a / 6 + 0.5F)); });
    }
    throw OnnxTrouble("operator " + type);
  }

  const onnx::NodeProto& node_;
  std::vector<const FloatTensor*> in_;
};

}  // namespace

FloatTensors runOnnx(const onnx::ModelProto& model, const FloatTensors& inputs) {
  FloatTensors values = inputs;
  for (const auto& weight : model.graph().initializer()) values[weight.name()] = stored(weight);
  for (const auto& node : model.graph().node()) {
    FloatTensor output = Node(node, values).run();
    demand(node.output_size() == 1, "outputs of " + node.op_type());
    demand(values.emplace(node.output(0), std::move(output)).second, "two of " + node.output(0));
  }
  return values;
}

}  // namespace hw::test
