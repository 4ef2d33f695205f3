#include "tests/support/tflite/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/tflite/input_bytes.h"

namespace hw::test::tfl {
namespace {

/// Larger than the memory of any machine that such files are for.
constexpr std::int64_t kLargestArena = std::int64_t{1} << 30;

/// Offsets of a graph's tensors, -1 without a plan.
std::vector<std::int32_t> offsetsOf(const Model& model, std::size_t graph) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < graph; ++i) first += model.graphs[i].tensors.size();
  const std::size_t count = model.graphs[graph].tensors.size();
  if (!model.plan) return std::vector<std::int32_t>(count, -1);
  const auto begin = model.plan->begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::string called(std::size_t graph, std::size_t tensor, const Tensor& about) {
  return fmt::format("tensor {} of subgraph {} ('{}')", tensor, graph, about.name);
}

/// Tensors that have bytes of their own making: weights, variables, inputs, outputs of operators.
std::vector<bool> madeTensors(const Graph& graph) {
  std::vector<bool> made;
  for (const Tensor& tensor : graph.tensors) {
    made.push_back(!tensor.data.empty() || tensor.variable || tensor.elements() == 0);
  }
  const auto mark = [&](const std::vector<std::int32_t>& tensors) {
    for (const std::int32_t tensor : tensors) made[static_cast<std::size_t>(tensor)] = true;
  };
  mark(graph.inputs);
  for (const Operator& op : graph.operators) mark(op.outputs);
  return made;
}

}  // namespace

Memory::Memory(const Model& model, std::uint64_t seed) : model_(model), seed_(seed) {
  std::vector<std::vector<std::int32_t>> offsets;
  for (std::size_t graph = 0; graph < model.graphs.size(); ++graph) {
    offsets.push_back(offsetsOf(model, graph));
    const auto& tensors = model.graphs[graph].tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const std::int32_t offset = offsets.back()[i];
      if (offset == -1) continue;
      const std::string name = called(graph, i, tensors[i]);
      if (offset < 0) throw Refusal(fmt::format("{} has the offset {}", name, offset));
      if (!tensors[i].data.empty() || tensors[i].elements() == 0) continue;
      const std::size_t bytes = tensors[i].bytes();
      if (static_cast<std::size_t>(offset) % tensors[i].width() != 0) {
        throw Refusal(fmt::format("{} lies at {}, amid its elements", name, offset));
      }
      head_ = std::max(head_, offset + static_cast<std::int64_t>((bytes + 15) / 16 * 16));
      if (head_ > kLargestArena) {
        throw Refusal(fmt::format("{} lies at {}, outside any arena", name, offset));
      }
    }
  }
  arena_ = noise(static_cast<std::size_t>(head_), seed);
  for (std::size_t graph = 0; graph < model.graphs.size(); ++graph) {
    operands_.emplace_back();
    for (std::size_t i = 0; i < offsets[graph].size(); ++i) place(graph, i, offsets[graph][i]);
    const std::vector<bool> made = madeTensors(model.graphs[graph]);
    for (const Operator& op : model.graphs[graph].operators) {
      for (const std::int32_t input : op.inputs) {
        const auto tensor = static_cast<std::size_t>(input);
        if (input == -1 || made[tensor] || offsets[graph][tensor] != -1) continue;
        throw Refusal(fmt::format("{} reads {}, which nothing makes and which has no place",
                                  op.name,
                                  called(graph, tensor, model.graphs[graph].tensors[tensor])));
      }
    }
  }
}

void Memory::place(std::size_t graph, std::size_t tensor, std::int32_t offset) {
  const Tensor& about = model_.graphs[graph].tensors[tensor];
  Operand operand{.about = &about};
  if (!about.data.empty()) {
    operand.data = own(about.data.size());
    std::ranges::copy(about.data, operand.data);
  } else if (offset >= 0 && about.elements() != 0) {
    operand.data = arena_.data() + offset;
  } else {
    operand.data = own(about.bytes());
  }
  if (about.variable) {
    const int value = about.type == Type::kInt8 ? operand.zero() : 0;
    std::fill_n(operand.data, about.bytes(), static_cast<std::byte>(value));
  }
  operands_[graph].push_back(operand);
}

std::byte* Memory::own(std::size_t bytes) {
  owned_.push_back(noise(bytes + 1, seed_ + owned_.size() + 1));
  return owned_.back().data();
}

}  // namespace hw::test::tfl
