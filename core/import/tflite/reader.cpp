#include "core/import/tflite/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

// Turns TFLite subgraphs into graphs and opens those that operators call.

namespace hw {
namespace {

constexpr std::int32_t kResource = 13;
/// The memory that a tensor or operator of an opened call takes: see FlatBytes::spend.
constexpr std::size_t kOpenedCost = 512;

/// The size of a tensor with `bits` to an element, where it is known.
std::optional<Bytes> sizeOf(const Shape& shape, int bits) {
  const auto count = elementCount(shape);
  const auto total = count ? checkedMul(*count, bits) : std::nullopt;
  if (!total || *count < 0) return std::nullopt;
  const Bytes bytes(*total / 8 + (*total % 8 != 0 ? 1 : 0));
  return bytes <= kMaxBytes ? std::optional(bytes) : std::nullopt;
}

/// All bytes that a subgraph's tensors would take, none shared: what branches are compared by.
double volume(const TfliteShapes& shapes) {
  double bytes = 0;
  for (const TfliteKnown& known : shapes.tensors) {
    const auto count = known.shape ? elementCount(*known.shape) : std::nullopt;
    if (count) bytes += static_cast<double>(*count) * tfliteBits(known.type);
  }
  return bytes;
}

bool allExist(const std::vector<std::int32_t>& list, const TfliteSubgraph& graph) {
  return std::ranges::all_of(list, [&](std::int32_t tensor) {
    return tensor >= 0 && static_cast<std::size_t>(tensor) < graph.tensors.size();
  });
}

/// Bytes of a tensor as the file stores its shape; nothing when a dimension is free or it has no
/// fixed size.
std::optional<Bytes> storedBytes(const TfliteSubgraph& graph, std::int32_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= graph.tensors.size()) return std::nullopt;
  const TfliteTensor& tensor = graph.tensors[static_cast<std::size_t>(index)];
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.isFree(axis)) return std::nullopt;
  }
  const auto count = elementCount(tensor.shape);
  return count ? packedSize(tfliteDtype(tensor.type), *count) : std::nullopt;
}

void collect(const TfliteSubgraph& graph, std::map<std::string, Bytes>& states) {
  std::map<std::int32_t, std::string> variables;  // By the tensor that is the handle.
  for (const TfliteOp& op : graph.ops) {
    if (op.is(TfliteOpCode::variableHandle) && !op.outputs.empty()) {
      variables[op.outputs[0]] = tfliteStateName(op);
    }
    const auto found = op.inputs.empty() ? variables.end() : variables.find(op.inputs[0]);
    if (found == variables.end()) continue;
    std::optional<Bytes> bytes;
    if (op.is(TfliteOpCode::assignVariable) && op.inputs.size() > 1) {
      bytes = storedBytes(graph, op.inputs[1]);
    } else if (op.is(TfliteOpCode::readVariable) && !op.outputs.empty()) {
      bytes = storedBytes(graph, op.outputs[0]);
    }
    if (!bytes) continue;
    Bytes& state = states[found->second];
    state = std::max(state, *bytes);
  }
}

}  // namespace

std::vector<bool> madeIn(const TfliteSubgraph& graph) {
  std::vector<bool> made(graph.tensors.size());
  for (const TfliteOp& op : graph.ops) {
    for (const std::int32_t output : op.outputs) {
      if (output >= 0 && static_cast<std::size_t>(output) < made.size()) {
        made[static_cast<std::size_t>(output)] = true;
      }
    }
  }
  return made;
}

TfliteReader::TfliteReader(const TfliteFile& file, std::string name, bool closed)
    : file_(file), closed_(closed), builder_(std::move(name), "tflite") {}

Result<Graph> TfliteReader::read(Request request) && {
  HW_DO(addEntry(std::move(request)));
  file_.forget();  // Linking takes memory of its own.
  return std::move(builder_).build();
}

Result<void> TfliteReader::addEntry(Request request) {
  states_ = tfliteStates(file_);
  offsets_ = std::move(request.offsets);
  release_ = std::move(request.release);
  std::vector<std::string>& notes = request.notes;
  Level level = enter(request.subgraph, std::move(request.shapes));
  const TfliteSubgraph& graph = level.graph;
  builder_.reserve(graph.tensors.size(), graph.ops.size());
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
  return {};
}

TfliteReader::Level TfliteReader::enter(std::size_t subgraph,
                                        std::shared_ptr<const TfliteShapes> shapes) const {
  Level level{.graph = file_.subgraph(subgraph),
              .subgraph = subgraph,
              .shapes = std::move(shapes),
              .where = fmt::format("subgraph[{}]", subgraph)};
  level.handles.resize(level.graph.tensors.size(), GraphBuilder::kAbsent);
  level.made = madeIn(level.graph);
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
  if (level.subgraph < offsets_.size()) tensor.plannedOffset = offsets_[level.subgraph][index];
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
  constexpr std::size_t kBetween = 65'536;
  for (std::size_t index = 0; index < level.graph.ops.size(); ++index) {
    HW_DO(addOp(level, index));
    if (release_ && index % kBetween == kBetween - 1) release_();
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

/// A callee that takes or gives other than the operator does makes no sense: it stays closed, and
/// so does one whose shapes were not worked out, since it lies too deep or calls itself.
bool TfliteReader::opens(const Level& level, std::size_t index) const {
  const auto shapes = level.shapes->calls.find(index);
  if (closed_ || shapes == level.shapes->calls.end()) return false;
  const TfliteOp& op = level.graph.ops[index];
  const auto calls = tfliteCalls(op, file_);
  const bool branches = op.is(TfliteOpCode::branch);
  const bool loops = !branches && calls.size() == 2;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const TfliteSubgraph& callee = file_.subgraph(calls[i]);
    const std::size_t outputs = loops && i == 0 ? 1 : op.outputs.size();
    if (callee.inputs.size() + (branches ? 1 : 0) != op.inputs.size()) return false;
    if (callee.outputs.size() != outputs) return false;
    if (!allExist(callee.inputs, callee) || !allExist(callee.outputs, callee)) return false;
  }
  return !loops || op.inputs.size() == op.outputs.size();
}

TfliteReader::Level TfliteReader::innerLevel(const Level& level, std::size_t index,
                                             std::size_t call) {
  const TfliteOp& op = level.graph.ops[index];
  const std::size_t subgraph = tfliteCalls(op, file_)[call];
  Level inner = enter(subgraph, level.shapes->calls.at(index)[call]);
  const std::string& name = inner.graph.name;
  const std::string base =
      level.prefix + (name.empty() ? fmt::format("subgraph_{}", subgraph) : name);
  inner.prefix = base + "/";
  for (int number = 2; !prefixes_.insert(inner.prefix).second; ++number) {
    inner.prefix = fmt::format("{}_{}/", base, number);
  }
  inner.where = fmt::format("{}.operator[{}] > {}", level.where, index, inner.where);
  inner.depth = level.depth + 1;
  return inner;
}

Result<void> TfliteReader::openCall(Level& level, std::size_t index, GraphBuilder::OpParts parts) {
  const TfliteOp& op = level.graph.ops[index];
  std::size_t call = 0;
  if (op.is(TfliteOpCode::branch)) {
    const auto& branches = level.shapes->calls.at(index);
    call = volume(*branches[1]) > volume(*branches[0]) ? 1 : 0;
    guesses_.push_back(fmt::format(
        "the condition of {} is not known ahead of time: its larger branch is shown", parts.where));
    // The decision itself stays a step, so that the condition is kept until then.
    GraphBuilder::OpParts decision{.op = opOf(level, op), .where = parts.where};
    decision.op.attributes["turns"] = std::int64_t{1};  // What it runs stands beside it.
    decision.inputs = {parts.inputs[0]};
    builder_.addOp(std::move(decision));
    parts.inputs.erase(parts.inputs.begin());
  }
  Level inner = innerLevel(level, index, call);
  for (std::size_t i = 0; i < inner.graph.inputs.size(); ++i) {
    inner.handles[static_cast<std::size_t>(inner.graph.inputs[i])] = parts.inputs[i];
  }
  // Tensors that the callee makes are handed out by the call; those it only passes on are copied.
  const std::vector<bool> made = madeIn(inner.graph);
  std::vector<std::size_t> copied;
  for (std::size_t i = 0; i < inner.graph.outputs.size(); ++i) {
    const auto output = static_cast<std::size_t>(inner.graph.outputs[i]);
    if (parts.outputs[i] == GraphBuilder::kAbsent) continue;
    if (made[output] && inner.handles[output] == GraphBuilder::kAbsent) {
      inner.handles[output] = parts.outputs[i];
    } else {
      copied.push_back(i);
    }
  }
  HW_DO(addTensors(inner));
  HW_DO(addOps(inner));
  for (const std::size_t i : copied) {
    GraphBuilder::OpParts copy{.op = {.type = "Identity"}, .where = parts.where};
    copy.inputs = {inner.handles[static_cast<std::size_t>(inner.graph.outputs[i])]};
    copy.outputs = {parts.outputs[i]};
    builder_.addOp(std::move(copy));
  }
  return {};
}

Result<void> TfliteReader::openLoop(Level& level, std::size_t index, GraphBuilder::OpParts parts) {
  const TfliteOp& op = level.graph.ops[index];
  guesses_.push_back(fmt::format(
      "how often {} runs is not known ahead of time: one turn is counted", parts.where));
  Level condition = innerLevel(level, index, 0);
  Level body = innerLevel(level, index, 1);

  GraphBuilder::OpParts begin{.op = opOf(level, op), .where = parts.where};
  begin.op.attributes["turns"] = std::int64_t{1};
  begin.inputs = parts.inputs;
  for (std::size_t i = 0; i < body.graph.inputs.size(); ++i) {
    const auto input = static_cast<std::size_t>(body.graph.inputs[i]);
    if (body.handles[input] != GraphBuilder::kAbsent) continue;  // It is an input twice.
    body.made[input] = true;
    body.handles[input] = addTensor(body, input, false);
    begin.outputs.push_back(body.handles[input]);
  }
  for (std::size_t i = 0; i < condition.graph.inputs.size(); ++i) {
    condition.handles[static_cast<std::size_t>(condition.graph.inputs[i])] =
        body.handles[static_cast<std::size_t>(body.graph.inputs[i])];
  }
  builder_.addOp(std::move(begin));
  for (Level* part : {&condition, &body}) {
    HW_DO(addTensors(*part));
    HW_DO(addOps(*part));
  }
  GraphBuilder::OpParts end{.op = {.type = op.type() + "_END", .domain = "tflite"},
                            .where = parts.where};
  end.inputs = {condition.handles[static_cast<std::size_t>(condition.graph.outputs[0])]};
  for (const std::int32_t output : body.graph.outputs) {
    end.inputs.push_back(body.handles[static_cast<std::size_t>(output)]);
  }
  end.outputs = std::move(parts.outputs);
  builder_.addOp(std::move(end));
  return {};
}

std::string tfliteStateName(const TfliteOp& op) {
  constexpr int kContainer = 0;
  constexpr int kSharedName = 1;
  if (!op.options) return {};
  return op.options->text(kContainer) + "/" + op.options->text(kSharedName);
}

std::map<std::string, Bytes> tfliteStates(const TfliteFile& file) {
  std::map<std::string, Bytes> states;
  if (!file.hasOpCode(TfliteOpCode::variableHandle)) return states;
  for (std::size_t index = 0; index < file.subgraphCount(); ++index) {
    collect(file.subgraph(index), states);
  }
  return states;
}

}  // namespace hw
