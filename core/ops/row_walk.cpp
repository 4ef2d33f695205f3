#include "core/ops/row_walk.h"

#include <algorithm>

#include "core/graph/tiling.h"
#include "core/ops/op_rules.h"
#include "core/ops/windows.h"

namespace hw {
namespace {

/// Enough for any image; more rows than this are not worth a table.
constexpr std::int64_t kMostRows = std::int64_t{1} << 20;

using Reads = std::vector<Interval<std::int64_t>>;

/// An op with one output, and the input that it works on.
struct Walker {
  const Graph& graph;
  const Op& op;
  const OpInfo& info;
  TensorId input{};
  const Shape& in;
  const Shape& out;

  bool channelsLast() const { return op.intAttribute("channels_last", 0) != 0; }

  const Shape* shapeOf(std::size_t operand) const {
    if (operand >= op.inputs.size() || !op.inputs[operand]) return nullptr;
    const auto& shape = graph.tensors[op.inputs[operand]].shape;
    return shape ? &*shape : nullptr;
  }

  /// Everything but the input is a weight, or left out; `allowed`: one more that need not be.
  bool readsWeightsOnly(std::size_t allowed) const {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const TensorId each = op.inputs[i];
      if (!each || each == input || graph.tensors[each].constant) continue;
      if (i != allowed) return false;
    }
    return std::ranges::count(op.inputs, input) == 1;
  }
};

/// Bytes of one of `count` equal parts of a tensor, whole elements each; nothing where that is not
/// so.
std::optional<Bytes> partOf(const Graph& graph, TensorId id, std::int64_t count) {
  const Tensor& tensor = graph.tensors[id];
  const auto elements = elementCount(*tensor.shape);
  if (!elements || *elements <= 0 || count <= 0 || *elements % count != 0) return std::nullopt;
  // Elements that share bytes belong to no row of their own.
  if (tensor.bytes->count() % *elements != 0) return std::nullopt;
  return Bytes(tensor.bytes->count() / count);
}

std::optional<RowWalk> walkOf(const Walker& walker, std::int64_t planes, std::int64_t inRows,
                              Reads reads) {
  const auto rows = static_cast<std::int64_t>(reads.size());
  if (rows < 1 || rows > kMostRows || inRows < 1 || planes < 1) return std::nullopt;
  const auto inAll = checkedMul(planes, inRows);
  const auto outAll = checkedMul(planes, rows);
  if (!inAll || !outAll) return std::nullopt;
  const auto inRow = partOf(walker.graph, walker.input, *inAll);
  const auto outRow = partOf(walker.graph, walker.op.outputs[0], *outAll);
  if (!inRow || !outRow) return std::nullopt;
  return RowWalk{walker.input, planes, inRows, *inRow, *outRow, std::move(reads)};
}

/// Each output row reads the whole plane.
Reads wholePlane(std::int64_t inRows) { return {{0, inRows}}; }

Interval<std::int64_t> clipped(std::int64_t first, std::int64_t last, std::int64_t rows) {
  const std::int64_t begin = std::clamp<std::int64_t>(first, 0, rows);
  return {begin, std::clamp(last, begin, rows)};
}

/// From the first of `rows` rows that `window` touches for output row `row` to the last; ending
/// before it begins where it touches none.
Interval<std::int64_t> touched(const Window& window, std::int64_t row, std::int64_t rows) {
  const std::int64_t dilation = window.dilation;
  std::int64_t first = row * window.stride - window.padBefore;
  std::int64_t last = first + window.reach() - 1;
  if (first < 0) first += (dilation - 1 - first) / dilation * dilation;
  if (last >= rows) last -= (last - rows + dilation) / dilation * dilation;
  if (first > last) return {rows, 0};
  return {first, last + 1};
}

std::int64_t entry(const Op& op, const char* name, std::size_t count, std::int64_t fallback) {
  const auto list = op.intsAttribute(name);
  return list.size() == count ? list.front() : list.empty() ? fallback : -1;
}

/// Along the rows alone.
std::optional<Window> windowOf(const Walker& walker, std::int64_t kernel, std::int64_t inRows,
                               std::int64_t outRows) {
  constexpr std::int64_t kReasonable = std::int64_t{1} << 20;
  const std::size_t places = walker.in.size() - 2;
  const std::int64_t stride = entry(walker.op, "strides", places, 1);
  const std::int64_t dilation = entry(walker.op, "dilations", places, 1);
  for (const std::int64_t number : {kernel, stride, dilation}) {
    if (number < 1 || number > kReasonable) return std::nullopt;
  }
  Window window{.kernel = kernel, .stride = stride, .dilation = dilation};
  const Windows how{.padding = walker.op.stringAttribute("auto_pad", "NOTSET")};
  if (!how.isSame() && how.padding != "VALID") {
    window.padBefore = entry(walker.op, "pads", 2 * places, 0);
  }
  window.padBefore = padBefore(how, window, inRows, outRows);
  if (window.padBefore < 0 || window.padBefore > kReasonable) return std::nullopt;
  return window;
}

std::optional<RowWalk> slide(const Walker& walker, std::int64_t planes, std::size_t rowAxis,
                             std::int64_t kernel) {
  const std::int64_t inRows = walker.in[rowAxis];
  const std::int64_t outRows = walker.out[rowAxis];
  if (inRows < 1 || outRows < 1 || outRows > kMostRows) return std::nullopt;
  const auto window = windowOf(walker, kernel, inRows, outRows);
  if (!window) return std::nullopt;
  Reads reads;
  for (std::int64_t row = 0; row < outRows; ++row) reads.push_back(touched(*window, row, inRows));
  return walkOf(walker, planes, inRows, std::move(reads));
}

/// Channels first: plane by plane, each with rows of its own where it has two dimensions.
template <class Rows>
std::optional<RowWalk> byChannel(const Walker& walker, const Rows& rows) {
  if (walker.in[0] != 1 || walker.out[1] != walker.in[1]) return std::nullopt;
  if (walker.in.size() < 4) return walkOf(walker, walker.in[1], 1, wholePlane(1));
  return rows(walker.in[1], 2);
}

std::optional<RowWalk> convolution(const Walker& walker) {
  const Shape* weight = walker.shapeOf(walker.info.weight);
  if (weight == nullptr || weight->size() != walker.in.size() || isPooled(walker.op)) {
    return std::nullopt;
  }
  if (!walker.readsWeightsOnly(walker.op.inputs.size())) return std::nullopt;
  const bool last = walker.channelsLast();
  const std::size_t first = !last ? 2 : walker.info.lastChannel && weight->size() == 5 ? 0 : 1;
  const auto kernels = walker.op.intsAttribute("kernel_shape");
  const std::int64_t kernel = kernels.empty() ? (*weight)[first] : kernels.front();
  if (last) return slide(walker, 1, 1, kernel);
  const std::int64_t groups = walker.op.intAttribute("group", 1);
  const std::int64_t channels = walker.in[1];
  if (walker.in[0] != 1 || groups < 2 || channels % groups != 0 || walker.out[1] % groups != 0) {
    return std::nullopt;
  }
  // A channel that others of its group read again is needed until the group is done.
  if (groups != channels || walker.out[1] != channels) {
    return walkOf(walker, groups, 1, wholePlane(1));
  }
  return byChannel(walker, [&](std::int64_t planes, std::size_t axis) {
    return slide(walker, planes, axis, kernel);
  });
}

std::optional<RowWalk> pool(const Walker& walker) {
  const auto kernels = walker.op.intsAttribute("kernel_shape");
  if (kernels.size() != walker.in.size() - 2) return std::nullopt;
  if (!walker.readsWeightsOnly(walker.op.inputs.size())) return std::nullopt;
  if (walker.channelsLast()) return slide(walker, 1, 1, kernels.front());
  return byChannel(walker, [&](std::int64_t planes, std::size_t axis) {
    return slide(walker, planes, axis, kernels.front());
  });
}

/// TFLite adds any number of rows before, and says how many in a tensor whose elements nobody
/// keeps: a row reads one of those that it may be. So it is with images of ONNX that are held
/// channels last, where nothing is mirrored.
std::optional<RowWalk> pad(const Walker& walker) {
  const bool standard = walker.op.type == "Pad" && walker.channelsLast() &&
                        walker.op.stringAttribute("mode", "constant") == "constant";
  const bool known = standard || walker.op.type == "PAD" || walker.op.type == "PADV2";
  if (!known || walker.in.size() != 4 || !walker.readsWeightsOnly(walker.op.inputs.size())) {
    return std::nullopt;
  }
  const std::int64_t rows = walker.in[1];
  const std::int64_t added = walker.out[1] - rows;
  if (walker.in[0] != 1 || rows < 1 || added < 0 || walker.out[1] > kMostRows) return std::nullopt;
  Reads reads;
  for (std::int64_t row = 0; row < walker.out[1]; ++row) {
    reads.push_back(clipped(row - added, row + 1, rows));
  }
  return walkOf(walker, 1, rows, std::move(reads));
}

/// Whatever the way of counting coordinates, a row comes from those around its place, two further
/// ones at most on each side.
Reads resized(std::int64_t inRows, std::int64_t outRows) {
  constexpr std::int64_t kAround = 2;
  Reads reads;
  for (std::int64_t row = 0; row < outRows; ++row) {
    const std::int64_t even = row * inRows / outRows;
    const std::int64_t ends = outRows > 1 ? row * (inRows - 1) / (outRows - 1) : even;
    const std::int64_t middle = ((2 * row + 1) * inRows - outRows) / (2 * outRows);
    const auto [least, most] = std::minmax({even, ends, middle});
    reads.push_back(clipped(least - kAround, most + 2 + kAround, inRows));
  }
  return reads;
}

std::optional<RowWalk> resize(const Walker& walker) {
  const bool last = walker.op.domain == "tflite" || walker.op.type.starts_with("RESIZE_") ||
                    walker.channelsLast();
  if (walker.in.size() != 4 || walker.in[0] != 1 ||
      !walker.readsWeightsOnly(walker.op.inputs.size())) {
    return std::nullopt;
  }
  const std::string how = walker.op.stringAttribute("coordinate_transformation_mode", "");
  if (how == "tf_crop_and_resize" || walker.op.intAttribute("antialias", 0) != 0) {
    return std::nullopt;
  }
  const std::size_t axis = last ? 1 : 2;
  const std::int64_t inRows = walker.in[axis];
  const std::int64_t outRows = walker.out[axis];
  if (inRows < 1 || outRows < 1 || outRows > kMostRows || inRows > kMostRows) return std::nullopt;
  if (last) {
    if (walker.out[3] != walker.in[3]) return std::nullopt;
    return walkOf(walker, 1, inRows, resized(inRows, outRows));
  }
  return byChannel(walker, [&](std::int64_t planes, std::size_t) {
    return walkOf(walker, planes, inRows, resized(inRows, outRows));
  });
}

/// Row by row of A, each with all of B.
std::optional<RowWalk> product(const Walker& walker, std::int64_t rows) {
  if (rows < 2 || rows > kMostRows) return std::nullopt;
  Reads reads;
  for (std::int64_t row = 0; row < rows; ++row) reads.push_back({row, row + 1});
  return walkOf(walker, 1, rows, std::move(reads));
}

std::optional<RowWalk> dense(const Walker& walker) {
  const Shape* weight = walker.shapeOf(1);
  if (weight == nullptr || weight->size() != 2 || !walker.readsWeightsOnly(1)) return std::nullopt;
  const auto elements = elementCount(walker.in);
  if (!elements || weight->back() < 1 || *elements % weight->back() != 0) return std::nullopt;
  const std::int64_t rows = *elements / weight->back();
  const auto made = elementCount(walker.out);
  const auto expected = checkedMul(rows, weight->front());
  return made && expected == made ? product(walker, rows) : std::nullopt;
}

std::optional<RowWalk> matrixProduct(const Walker& walker) {
  const bool plain = walker.op.type == "MatMul" || walker.op.type == "Gemm";
  const auto& in = walker.in;
  const auto& out = walker.out;
  if (!plain || walker.op.intAttribute("transA", 0) != 0 || !walker.readsWeightsOnly(1)) {
    return std::nullopt;
  }
  // A that is broadcast is read again.
  if (in.size() < 2 || in.size() != out.size() ||
      !std::equal(in.begin(), in.end() - 1, out.begin())) {
    return std::nullopt;
  }
  const auto rows = elementCount(Shape(in.begin(), in.end() - 1));
  return rows ? product(walker, *rows) : std::nullopt;
}

bool isConvolution(const OpInfo& info) {
  return info.shape == shapes::convolution || info.shape == shapes::integerConvolution ||
         info.shape == shapes::linearConvolution;
}

}  // namespace

std::optional<RowWalk> rowWalkOf(const Graph& graph, const Op& op) {
  const OpInfo* info = findOp(op);
  const TensorId input = dataInput(op);
  // Parts of operators have windows that their attributes do not tell.
  if (runsInParts(graph) || info == nullptr || op.folded || !op.captures.empty() || !input ||
      op.outputs.empty() || !op.outputs[0]) {
    return std::nullopt;
  }
  const auto made =
      std::ranges::count_if(op.outputs, [&](TensorId id) { return id && !isScratch(graph, id); });
  const Tensor& in = graph.tensors[input];
  const Tensor& out = graph.tensors[op.outputs[0]];
  if (made != 1 || !in.shape || !out.shape || !in.bytes || !out.bytes) return std::nullopt;
  const Walker walker{graph, op, *info, input, *in.shape, *out.shape};
  if (info->shape == shapes::dense) return dense(walker);
  if (info->shape == shapes::fusedMatMul || info->shape == shapes::gemm) {
    return matrixProduct(walker);
  }
  // Images: (N, C, places …) or (N, places …, C), one of them.
  if (in.shape->size() < 3 || out.shape->size() != in.shape->size() || in.shape->front() != 1 ||
      out.shape->front() != 1) {
    return std::nullopt;
  }
  // A deformable convolution reads anywhere.
  if (isConvolution(*info)) return op.type == "DeformConv" ? std::nullopt : convolution(walker);
  if (info->shape == shapes::pool) return pool(walker);
  if (info->shape == shapes::pad) return pad(walker);
  if (info->shape == shapes::resize) return resize(walker);
  return std::nullopt;
}

RowDistances rowDistances(const RowWalk& walk) {
  const auto rows = static_cast<std::int64_t>(walk.reads.size());
  RowDistances least;
  // Linear in the plane, so the first and the last have the largest.
  for (const std::int64_t plane : {std::int64_t{0}, walk.planes - 1}) {
    const std::int64_t in = plane * walk.inRows;
    const std::int64_t out = plane * rows;
    // The first input row that is needed from a row on; below, the end of those needed up to a row.
    std::int64_t needed = walk.inRows;
    for (std::int64_t row = rows; row-- > 0;) {
      needed = std::min(needed, walk.reads[static_cast<std::size_t>(row)].begin);
      const Bytes behind = walk.outRow * (out + row + 1) - walk.inRow * (in + needed);
      least.up = std::max(least.up, behind);
    }
    std::int64_t until = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      until = std::max(until, walk.reads[static_cast<std::size_t>(row)].end);
      const Bytes ahead = walk.inRow * (in + until) - walk.outRow * (out + row);
      least.down = std::max(least.down, ahead);
    }
  }
  return least;
}

}  // namespace hw
