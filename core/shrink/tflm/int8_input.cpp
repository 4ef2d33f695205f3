#include "core/shrink/tflm/int8_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/exchange/tflm/tflite_rewrite.h"

namespace hw {
namespace {

class InputRewriter {
 public:
  explicit InputRewriter(std::string_view bytes)
      : bytes_(bytes), file_(bytes), graph_(file_.subgraph(0)) {}

  Result<Int8Model> make() {
    // Tensors are written anew, without what variables and sparse weights have besides.
    const bool plain =
        file_.subgraphCount() == 1 && std::ranges::none_of(graph_.tensors, [](const auto& each) {
          return each.isVariable || each.isSparse;
        });
    for (std::size_t op = 0; plain && op < graph_.ops.size(); ++op) {
      if (isQuantizer(op)) gone_.push_back(op);
    }
    if (gone_.empty()) {
      return fail(ErrorCode::unsupported,
                  "no input is in float32 and read by one QUANTIZE to int8 alone");
    }
    for (const std::int32_t input : graph_.inputs) note(input);
    made_.file = write();
    return std::move(made_);
  }

 private:
  const TfliteTensor& tensor(std::int32_t index) const {
    return graph_.tensors[static_cast<std::size_t>(index)];
  }
  bool isTensor(std::int32_t index) const {
    return index >= 0 && static_cast<std::size_t>(index) < graph_.tensors.size();
  }
  std::int64_t readersOf(std::int32_t tensor) const {
    std::int64_t count = std::ranges::count(graph_.outputs, tensor);
    for (const TfliteOp& op : graph_.ops) count += std::ranges::count(op.inputs, tensor);
    return count;
  }

  bool isQuantizer(std::size_t index) const {
    const TfliteOp& op = graph_.ops[index];
    if (!op.is(TfliteOpCode::quantize) || op.inputs.size() != 1 || op.outputs.size() != 1) {
      return false;
    }
    const std::int32_t from = op.inputs[0];
    const std::int32_t to = op.outputs[0];
    if (!isTensor(from) || !isTensor(to) || tensor(from).shape != tensor(to).shape) return false;
    const TfliteQuantization units = file_.quantization(0, static_cast<std::size_t>(to));
    return std::ranges::count(graph_.inputs, from) == 1 && readersOf(from) == 1 &&
           std::ranges::count(graph_.outputs, to) == 0 &&
           tfliteDtype(tensor(from).type) == Dtype::float32 &&
           tfliteDtype(tensor(to).type) == Dtype::int8 && units.scales.size() == 1 &&
           std::isfinite(units.scales[0]) && units.scales[0] > 0;
  }

  /// The QUANTIZE that goes with an input; nothing: it stays as it is.
  const TfliteOp* quantizerOf(std::int32_t input) const {
    for (const std::size_t op : gone_) {
      if (graph_.ops[op].inputs[0] == input) return &graph_.ops[op];
    }
    return nullptr;
  }

  void note(std::int32_t input) {
    const TfliteOp* op = quantizerOf(input);
    if (op == nullptr) return;
    const TfliteQuantization units =
        file_.quantization(0, static_cast<std::size_t>(op->outputs[0]));
    made_.inputs.push_back({.name = tensor(input).name,
                            .scale = units.scales[0],
                            .zero = units.zeros.empty() ? 0 : units.zeros[0]});
    made_.taken += Bytes(elementCount(tensor(input).shape).value_or(0) * 4);
  }

  std::string write() const {
    std::vector<std::int32_t> numbers(graph_.tensors.size(), -1);
    NewSubgraph made;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const auto index = static_cast<std::int32_t>(i);
      if (quantizerOf(index) != nullptr) continue;
      const TfliteTensor& old = graph_.tensors[i];
      NewTensor each{.like = index, .type = old.type, .buffer = old.buffer};
      for (const std::int64_t size : old.shape)
        each.shape.push_back(static_cast<std::int32_t>(size));
      numbers[i] = static_cast<std::int32_t>(made.tensors.size());
      made.tensors.push_back(std::move(each));
    }
    const auto renumbered = [&](std::vector<std::int32_t> list) {
      for (std::int32_t& each : list) {
        if (each >= 0 && !isTensor(each)) refuse(fmt::format("there is no tensor {}", each));
        if (each >= 0) each = numbers[static_cast<std::size_t>(each)];
      }
      return list;
    };
    for (std::size_t op = 0; op < graph_.ops.size(); ++op) {
      if (std::ranges::find(gone_, op) != gone_.end()) continue;
      made.ops.push_back({.inputs = renumbered(graph_.ops[op].inputs),
                          .outputs = renumbered(graph_.ops[op].outputs),
                          .like = static_cast<std::int32_t>(op)});
    }
    for (std::int32_t input : graph_.inputs) {
      if (const TfliteOp* op = quantizerOf(input)) input = op->outputs[0];
      made.inputs.push_back(input);
    }
    made.inputs = renumbered(std::move(made.inputs));
    made.outputs = renumbered(graph_.outputs);
    TfliteRewrite rewrite(bytes_);
    rewrite.setSubgraphs({std::move(made)});
    return rewrite.write();
  }

  std::string_view bytes_;
  TfliteFile file_;
  const TfliteSubgraph& graph_;
  std::vector<std::size_t> gone_;  ///< Operators.
  Int8Model made_;
};

/// What would save less is not worth a line.
constexpr double kLeastGain = 0.01;

}  // namespace

Result<Int8Model> withInt8Inputs(std::string_view file) { return InputRewriter(file).make(); }

Result<RuntimeShrink> searchInputs(std::string_view file, const RuntimeSearchOptions& options,
                                   const RuntimeSearch& search) {
  if (options.floatInputs == FloatInputs::keep) return search(file, options);
  auto model = unlessRefused([&] { return withInt8Inputs(file); });
  if (options.floatInputs == FloatInputs::replace) {
    if (!model) return tl::unexpected(model.error());
    HW_TRY(made, search(model->file, options));
    made.int8Inputs = std::move(model->inputs);
    return std::move(made);
  }
  HW_TRY(made, search(file, options));
  if (!model || made.stopped) return std::move(made);
  const RuntimeWay& least = *std::ranges::min_element(made.ways, {}, &RuntimeWay::total);
  if (model->taken.count() < least.head.count() / 2) return std::move(made);
  RuntimeSearchOptions other = options;
  other.budget.reset();
  const auto instead = search(model->file, other);
  if (!instead) return std::move(made);
  made.stopped = instead->stopped;
  const auto bytes = [](const RuntimeWay& way) { return way.total().real(); };
  if (bytes(instead->best()) > bytes(least) * (1 - kLeastGain)) return std::move(made);
  made.advice = Int8Advice{std::move(model->inputs), instead->best()};
  return std::move(made);
}

}  // namespace hw
