#include "core/import/tflite/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr std::int32_t kResource = 13;
/// What a tensor or operator of an opened call takes in memory: see FlatBytes::spend.
constexpr std::size_t kOpenedCost = 512;

/// What is known of the size of a tensor with `bits` to an element.
std::optional<Bytes> sizeOf(const Shape& shape, int bits) {
  const auto count = elementCount(shape);
  const auto total = count ? checkedMul(*count, bits) : std::nullopt;
  if (!total || *count < 0) return std::nullopt;
  const Bytes bytes(*total / 8 + (*total % 8 != 0 ? 1 : 0));
  return bytes <= kMaxBytes ? std::optional(bytes) : std::nullopt;
}

}  // namespace

TfliteReader::TfliteReader(const TfliteFile& file, std::string name, bool closed)
    : file_(file), closed_(closed), builder_(std::move(name), "tflite") {}

Result<Graph> TfliteReader::read(Request request) && {
  states_ = tfliteStates(file_);
  offsets_ = std::move(request.offsets);
  std::vector<std::string>& notes = request.notes;
  Level level = enter(request.subgraph, std::move(request.shapes));
  const TfliteSubgraph& graph = level.graph;
  HW_DO(handlesOf(level, graph.inputs, level.where + ".inputs"));
  std::unordered_set<std::int32_t> listed;
  for (const std::int32_t input : graph.inputs) {
    if (input < 0) continue;
    if (!listed.insert(input).second) {
      notes.push_back(fmt::format("input '{}' is listed more than once; the first one counts",
                                  printable(graph.tensors[static_cast<std::size_t>(input)].name)));
      continue;
    }
    const auto index = static_cast<std::size_t>(input);
    level.handles[index] = addTensor(level, index, true);
    builder_.addInput(level.handles[index]);
  }
  HW_DO(addTensors(level));
  HW_DO(addOps(level));
  HW_TRY(outputs, handlesOf(level, graph.outputs, level.where + ".outputs"));
  for (const Handle handle : outputs) {
    if (handle != GraphBuilder::kAbsent) builder_.addOutput(handle);
  }
  constexpr std::size_t kMostGuesses = 8;
  const std::size_t told = std::min(guesses_.size(), kMostGuesses);
  notes.insert(notes.end(), guesses_.begin(), guesses_.begin() + static_cast<std::ptrdiff_t>(told));
  if (guesses_.size() > told) {
    notes.push_back(fmt::format("{} more branches and loops were guessed at like these",
                                guesses_.size() - told));
  }
  for (std::string& note : notes) builder_.addNote(std::move(note));
  return std::move(builder_).build();
}

TfliteReader::Level TfliteReader::enter(std::size_t subgraph,
                                        std::shared_ptr<const TfliteShapes> shapes) const {
  Level level{.graph = file_.subgraph(subgraph),
              .subgraph = subgraph,
              .shapes = std::move(shapes),
              .where = fmt::format("subgraph[{}]", subgraph)};
  level.handles.resize(level.graph.tensors.size(), GraphBuilder::kAbsent);
  level.made.resize(level.graph.tensors.size());
  for (const TfliteOp& op : level.graph.ops) {
    for (const std::int32_t output : op.outputs) {
      if (output >= 0 && static_cast<std::size_t>(output) < level.made.size()) {
        level.made[static_cast<std::size_t>(output)] = true;
      }
    }
  }
  return level;
}

/// Adds what the level's operators and outputs name and is not there yet, in the file's order.
Result<void> TfliteReader::addTensors(Level& level) {
  std::vector<bool> named(level.handles.size());
  const auto mark = [&](const std::vector<std::int32_t>& list) {
    for (const std::int32_t tensor : list) {
      if (tensor >= 0 && static_cast<std::size_t>(tensor) < named.size()) {
        named[static_cast<std::size_t>(tensor)] = true;
      }
    }
  };
  for (const TfliteOp& op : level.graph.ops) {
    mark(op.inputs);
    mark(op.outputs);
  }
  mark(level.graph.outputs);
  for (std::size_t index = 0; index < named.size(); ++index) {
    if (!named[index] || level.handles[index] != GraphBuilder::kAbsent) continue;
    const TfliteTensor& tensor = level.graph.tensors[index];
    if (std::ranges::any_of(tensor.shape, [](auto size) { return size < -1; })) {
      return fail(ErrorCode::malformed,
                  fmt::format("tensor '{}' has a negative dimension", printable(tensor.name)),
                  fmt::format("{}.tensor[{}]", level.where, index));
    }
    level.handles[index] = addTensor(level, index, false);
  }
  return {};
}

TfliteReader::Handle TfliteReader::addTensor(const Level& level, std::size_t index, bool isInput) {
  if (level.depth > 0) file_.bytes().spend(kOpenedCost);
  const TfliteTensor& stored = level.graph.tensors[index];
  Tensor tensor{.name = level.prefix + stored.name};
  describe(tensor, stored, level.shapes->tensors[index]);
  const bool made = level.made[index];
  tensor.persistent = stored.isVariable && !isInput;
  if (stored.type == kResource) {
    tensor.persistent = !isInput;
    tensor.unknownReason = "a resource has no size of its own";
  }
  const bool isStored = file_.isStored(stored.buffer) || tensor.bytes == Bytes();
  tensor.constant = isStored && !made && !isInput && !tensor.persistent;
  if (level.subgraph < offsets_.size()) {
    tensor.plannedOffset = offsets_[level.subgraph][index];
  }
  scratch_.push_back(!made && !isInput && !tensor.constant && !tensor.persistent);
  return builder_.addTensor(std::move(tensor));
}

void TfliteReader::describe(Tensor& tensor, const TfliteTensor& stored,
                            const TfliteKnown& known) const {
  tensor.dtype = tfliteDtype(stored.type);
  tensor.shape = known.shape;
  tensor.origin = SizeOrigin::unknown;
  const int bits = tfliteBits(stored.type);
  if (tensor.dtype == Dtype::string) {
    tensor.unknownReason = "string elements have no fixed size";
  } else if (tensor.dtype == Dtype::opaque) {
    tensor.unknownReason = "a variant has no fixed size";
  } else if (!tensor.shape) {
    tensor.unknownReason = known.reason;
  } else if (bits == 0) {
    tensor.unknownReason = fmt::format("element type {} is not known", stored.type);
  } else {
    tensor.bytes = sizeOf(*tensor.shape, bits);
    if (tensor.bytes) tensor.origin = known.origin;
    if (!tensor.bytes) tensor.unknownReason = "its size is beyond what can be planned";
  }
}

Result<std::vector<TfliteReader::Handle>> TfliteReader::handlesOf(
    const Level& level, const std::vector<std::int32_t>& list, const std::string& where) const {
  std::vector<Handle> handles;
  for (const std::int32_t tensor : list) {
    if (tensor < -1 || tensor >= static_cast<std::int64_t>(level.handles.size())) {
      return fail(ErrorCode::malformed,
                  fmt::format("tensor {} does not exist; the subgraph has {}", tensor,
                              level.handles.size()),
                  where);
    }
    handles.push_back(tensor < 0 ? GraphBuilder::kAbsent
                                 : level.handles[static_cast<std::size_t>(tensor)]);
  }
  return handles;
}

Result<void> TfliteReader::addOps(Level& level) {
  for (std::size_t index = 0; index < level.graph.ops.size(); ++index) {
    HW_DO(addOp(level, index));
  }
  return {};
}

Result<void> TfliteReader::addOp(Level& level, std::size_t index) {
  if (level.depth > 0) file_.bytes().spend(kOpenedCost);
  const TfliteOp& op = level.graph.ops[index];
  GraphBuilder::OpParts parts{.where = fmt::format("{}.operator[{}]", level.where, index)};
  HW_TRY(inputs, handlesOf(level, op.inputs, parts.where));
  HW_TRY(outputs, handlesOf(level, op.outputs, parts.where));
  parts.inputs = std::move(inputs);
  parts.outputs = std::move(outputs);
  claimScratch(parts);
  if (opens(level, index)) {
    const bool loops = op.is(TfliteOpCode::loop) || op.is(TfliteOpCode::stablehloLoop);
    return loops ? openLoop(level, index, std::move(parts))
                 : openCall(level, index, std::move(parts));
  }
  parts.op = opOf(level, op);
  if (op.is(TfliteOpCode::variableHandle)) sizeState(op, parts);
  builder_.addOp(std::move(parts));
  return {};
}

/// A tensor that nothing makes and the file does not store is scratch memory of the operator.
void TfliteReader::claimScratch(GraphBuilder::OpParts& parts) {
  for (Handle& input : parts.inputs) {
    if (input == GraphBuilder::kAbsent || !scratch_[input]) continue;
    scratch_[input] = false;
    parts.outputs.push_back(std::exchange(input, GraphBuilder::kAbsent));
  }
}

/// The state behind a variable handle: counted once, however many handles lead to it.
void TfliteReader::sizeState(const TfliteOp& op, const GraphBuilder::OpParts& parts) {
  if (parts.outputs.empty() || parts.outputs[0] == GraphBuilder::kAbsent) return;
  const std::string key = tfliteStateName(op);
  const auto state = states_.find(key);
  if (state == states_.end()) return;
  Tensor& tensor = builder_.tensor(parts.outputs[0]);
  tensor.bytes = placedStates_.insert(key).second ? state->second : Bytes();
  tensor.origin = SizeOrigin::declared;
  tensor.unknownReason.clear();
}

Op TfliteReader::opOf(const Level& level, const TfliteOp& op) const {
  std::vector<OpFacts::Input> operands;
  for (const std::int32_t input : op.inputs) {
    const bool exists = input >= 0 && static_cast<std::size_t>(input) < level.handles.size();
    operands.push_back(
        factsOf(exists ? &level.shapes->tensors[static_cast<std::size_t>(input)] : nullptr));
  }
  return tfliteOperation(op, file_.bytes(), operands);
}

}  // namespace hw
