#include "tests/support/tflite_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/support/tflite/input_bytes.h"
#include "tests/support/tflite/memory.h"

namespace hw::test::tfl {
namespace {

using Contents = std::vector<std::byte>;

constexpr std::int32_t kWhile = 119;
/// More than any file of a test needs: a loop with more turns does not end.
constexpr std::size_t kMostSteps = 1'000'000;

Contents bytesOf(const Operand& operand) {
  return {operand.data, operand.data + operand.about->bytes()};
}

/// One execution of a model.
class Machine {
 public:
  Machine(const Model& model, std::uint64_t seed) : model_(model), memory_(model, seed) {}

  TfliteExecution run(const std::vector<Contents>& inputs) {
    const Graph& graph = model_.graphs.front();
    if (inputs.size() != graph.inputs.size()) {
      throw Refusal(
          fmt::format("{} inputs given, the file has {}", inputs.size(), graph.inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Operand& input = memory_.at(0, graph.inputs[i]);
      if (inputs[i].size() != input.about->bytes()) {
        throw Refusal(fmt::format("input {} needs {} bytes, given are {}", i, input.about->bytes(),
                                  inputs[i].size()));
      }
      std::ranges::copy(inputs[i], input.data);
      execution_.inputs.push_back({0, -1, graph.inputs[i], inputs[i]});
    }
    runGraph(0, 0);
    for (const std::int32_t output : graph.outputs) {
      execution_.outputs.push_back(bytesOf(memory_.at(0, output)));
    }
    execution_.headBytes = memory_.head();
    return std::move(execution_);
  }

 private:
  void runGraph(std::size_t graph, int depth) {
    if (depth > 8) throw Refusal("subgraphs call one another without end");
    const auto& operators = model_.graphs[graph].operators;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      try {
        runOperator(graph, operators[i], depth);
      } catch (const Refusal& refusal) {
        throw Refusal(fmt::format("operator {} of subgraph {}: {}", i, graph, refusal.what()));
      }
      for (const std::int32_t output : operators[i].outputs) {
        execution_.steps.push_back({static_cast<int>(graph), static_cast<int>(i), output,
                                    bytesOf(memory_.at(graph, output))});
      }
      if (execution_.steps.size() > kMostSteps) throw Refusal("it does not end");
    }
  }

  void runOperator(std::size_t graph, const Operator& op, int depth) {
    Call call{.op = &op};
    for (const std::int32_t input : op.inputs) {
      call.inputs.push_back(input == -1 ? Operand{} : memory_.at(graph, input));
    }
    for (const std::int32_t output : op.outputs) {
      call.outputs.push_back(memory_.at(graph, output));
      call.require(call.outputs.back().about->data.empty(), "its output has data");
    }
    if (op.code == kWhile) return runLoop(call, depth);
    const Kernel kernel = kernelOf(op.code);
    call.require(kernel != nullptr, "this operator is not known");
    kernel(call);
  }

  /// Operands that a subgraph gets or gives.
  std::vector<Operand> operands(std::size_t graph, const std::vector<std::int32_t>& tensors) const {
    std::vector<Operand> all;
    for (const std::int32_t tensor : tensors) all.push_back(memory_.at(graph, tensor));
    return all;
  }

  static void copyAll(const Call& call, const std::vector<Operand>& from,
                      const std::vector<Operand>& to) {
    call.require(from.size() == to.size(), "a subgraph has other inputs or outputs");
    for (std::size_t i = 0; i < from.size(); ++i) {
      call.require(from[i].about != nullptr && from[i].type() == to[i].type() &&
                       from[i].about->bytes() == to[i].about->bytes(),
                   "a subgraph has inputs or outputs of another size");
      copyBytes(call, to[i].data, from[i].data, to[i].about->bytes());
    }
  }

  std::size_t subgraph(const Call& call, int field) const {
    const auto index = call.option<std::int32_t>(field, 0);
    call.require(index > 0 && static_cast<std::size_t>(index) < model_.graphs.size(),
                 "it calls a subgraph that is not there");
    return static_cast<std::size_t>(index);
  }

  /// Loop: what it carries is in its outputs while it runs; the condition and the body get copies
  /// except where they lie at the same address.
  void runLoop(const Call& call, int depth) {
    const std::size_t condition = subgraph(call, 0);
    const std::size_t body = subgraph(call, 1);
    const std::vector<Operand> asked = operands(condition, model_.graphs[condition].inputs);
    const std::vector<Operand> taken = operands(body, model_.graphs[body].inputs);
    const std::vector<Operand> given = operands(body, model_.graphs[body].outputs);
    const std::vector<Operand> answer = operands(condition, model_.graphs[condition].outputs);
    call.require(answer.size() == 1 && answer[0].type() == Type::kBool,
                 "its condition is not one bool");
    copyAll(call, call.inputs, asked);
    copyAll(call, call.inputs, call.outputs);
    runGraph(condition, depth + 1);
    while (*answer[0].as<std::uint8_t>() != 0) {
      copyAll(call, call.outputs, taken);
      runGraph(body, depth + 1);
      copyAll(call, given, call.outputs);
      copyAll(call, call.outputs, asked);
      runGraph(condition, depth + 1);
    }
  }

  const Model& model_;
  Memory memory_;
  TfliteExecution execution_;
};

/// First byte in which two ranges of equal length differ, -1 where they are equal.
std::int64_t firstDifference(std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto at = std::ranges::mismatch(a, b).in1;
  return at == a.end() ? -1 : at - a.begin();
}

std::string differentRow(const StepOutput& step, const StepOutput& whole, const PartRows& part) {
  if (part.count <= 0 || step.bytes.size() % static_cast<std::size_t>(part.count) != 0) {
    return fmt::format("{} bytes are not {} rows", step.bytes.size(), part.count);
  }
  const auto row = static_cast<std::int64_t>(step.bytes.size()) / part.count;
  const auto size = static_cast<std::int64_t>(whole.bytes.size());
  if (row == 0 || size % row != 0 || part.garbage < 0 || part.first + part.garbage < 0 ||
      (part.first + part.count) * row > size) {
    return fmt::format("rows {} to {} of {} bytes are not rows of tensor {} with its {} bytes",
                       part.first, part.first + part.count, row, part.tensor, size);
  }
  for (std::int64_t i = part.garbage; i < part.count; ++i) {
    const auto length = static_cast<std::size_t>(row);
    const std::span made = std::span(step.bytes).subspan(static_cast<std::size_t>(i * row), length);
    const std::span wanted =
        std::span(whole.bytes).subspan(static_cast<std::size_t>((part.first + i) * row), length);
    const std::int64_t at = firstDifference(made, wanted);
    if (at < 0) continue;
    const auto place = static_cast<std::size_t>(at);
    return fmt::format("row {} of tensor {} differs in byte {}: {}, not {}", part.first + i,
                       part.tensor, at, static_cast<int>(made[place]),
                       static_cast<int>(wanted[place]));
  }
  return "";
}

template <class Inputs>
tl::expected<TfliteExecution, std::string> runWith(std::span<const std::byte> file,
                                                   std::uint64_t seed, Inputs inputs) {
  try {
    const Model model = readModel(file);
    return Machine(model, seed).run(inputs(model.graphs.front()));
  } catch (const Refusal& refusal) {
    return tl::unexpected(std::string(refusal.what()));
  }
}

}  // namespace
}  // namespace hw::test::tfl

namespace hw::test {

tl::expected<TfliteExecution, std::string> runTflite(std::span<const std::byte> file,
                                                     std::uint64_t seed) {
  return tfl::runWith(file, seed, [&](const tfl::Graph& graph) {
    std::vector<std::vector<std::byte>> drawn;
    for (const std::int32_t input : graph.inputs) {
      const auto& tensor = graph.tensors[static_cast<std::size_t>(input)];
      drawn.push_back(tfl::drawInput(tensor, seed, drawn.size()));
    }
    return drawn;
  });
}

tl::expected<TfliteExecution, std::string> runTflite(
    std::span<const std::byte> file, const std::vector<std::vector<std::byte>>& inputs) {
  return tfl::runWith(file, 0, [&](const tfl::Graph&) { return inputs; });
}

std::string compareRows(const TfliteExecution& original, const TfliteExecution& rewritten,
                        const std::vector<PartRows>& parts) {
  if (parts.size() != rewritten.steps.size()) {
    return fmt::format("{} parts for {} steps", parts.size(), rewritten.steps.size());
  }
  std::map<int, const StepOutput*> whole;
  for (const StepOutput& input : original.inputs) whole[input.tensor] = &input;
  for (const StepOutput& step : original.steps) {
    if (step.subgraph == 0) whole[step.tensor] = &step;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const StepOutput& step = rewritten.steps[i];
    if (parts[i].tensor == -1) continue;
    const auto found = whole.find(parts[i].tensor);
    const std::string why = found == whole.end()
                                ? fmt::format("the original makes no tensor {}", parts[i].tensor)
                                : tfl::differentRow(step, *found->second, parts[i]);
    if (why.empty()) continue;
    return fmt::format("step {} (operator {} of subgraph {}, tensor {}): {}", i, step.op,
                       step.subgraph, step.tensor, why);
  }
  for (std::size_t i = 0; i < std::max(original.outputs.size(), rewritten.outputs.size()); ++i) {
    if (i >= original.outputs.size() || i >= rewritten.outputs.size()) {
      return fmt::format("{} outputs, not {}", rewritten.outputs.size(), original.outputs.size());
    }
    if (original.outputs[i] != rewritten.outputs[i]) return fmt::format("output {} differs", i);
  }
  return "";
}

}  // namespace hw::test
