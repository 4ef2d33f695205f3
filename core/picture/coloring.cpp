#include "core/picture/coloring.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/text.h"
#include "core/graph/counterparts.h"
#include "core/graph/scopes.h"
#include "core/graph/tiling.h"
#include "core/ops/op_table.h"
#include "core/run/uses.h"

namespace hw {

BlockClass blockClass(const Op& op) {
  const OpInfo* info = findOp(op);
  // What was measured has names of types, but none of the rules of its domain.
  if (info == nullptr) info = findOp(op.type, {});
  switch (info != nullptr ? info->kind : OpClass::elements) {
    case OpClass::convolution:
      return BlockClass::convolution;
    case OpClass::activation:
      return BlockClass::activation;
    case OpClass::product:
      return BlockClass::product;
    case OpClass::pooling:
      return BlockClass::pooling;
    case OpClass::movement:
      return BlockClass::movement;
    case OpClass::elements:
    case OpClass::body:
      break;
  }
  return BlockClass::elements;
}

BlockClass blockClass(const Graph& graph, TensorId tensor) {
  if (const Tiling::Piece* piece = pieceOf(graph, tensor)) {
    return blockClass(*graph.tiling->original, piece->of);
  }
  const Tensor& own = graph.tensors[tensor];
  if (own.graphOutput || !own.producer) return BlockClass::boundary;
  return blockClass(graph.ops[own.producer]);
}

BlockClass stayClass(const Run& run, StayId stay) {
  const BufferId buffer = run.problem.stays[stay].buffer;
  if (run.graph().ops.empty() || !run.storage.buffers.contains(buffer)) return BlockClass::buffer;
  return blockClass(run.graph(), run.storage.buffers[buffer].root);
}

namespace {

/// Colours of scopes: all of types that differ. Neighbours share one where there are more scopes.
constexpr std::size_t kScopeClasses = kBlockClasses - 1;
/// Each shade of sizes is for four times the bytes of the one before, of waits for twice the steps.
constexpr int kSizeBits = 2;

BlockClass scopeClass(std::size_t index) { return static_cast<BlockClass>(index); }
BlockClass shadeClass(std::size_t index) { return static_cast<BlockClass>(kBlockClasses + index); }

/// The greatest power of two that is not above a number; -1 of 0.
int powerOf(std::uint64_t number) { return static_cast<int>(std::bit_width(number)) - 1; }

/// The shade of a number, of which `least` is the first power of two of the second one.
BlockClass shadeOf(std::uint64_t number, int least, int bits) {
  const int width = powerOf(number);
  if (width < least) return shadeClass(0);
  return shadeClass(std::min<std::size_t>(kShadeClasses - 1,
                                          static_cast<std::size_t>((width - least) / bits) + 1));
}

/// The name of the first shade, and of each other one by the power of two where it begins.
template <class Text>
std::vector<std::string> shadeNames(std::string first, int least, int bits, const Text& text) {
  std::vector<std::string> names{std::move(first)};
  for (std::size_t shade = 1; shade < kShadeClasses; ++shade) {
    names.push_back(text(least + bits * static_cast<int>(shade - 1)));
  }
  return names;
}

std::uint64_t bytesOf(const Tensor& tensor) {
  return static_cast<std::uint64_t>(tensor.bytes.value_or(Bytes()).count());
}

/// By name; where names tell none, as chains of operators, each by its first one.
std::vector<NamedScope> scopesInOrder(const Graph& graph) {
  std::vector<std::string_view> names;
  for (const Op& op : graph.ops) names.push_back(op.name);
  std::vector<NamedScope> scopes = scopesOf(names);
  if (scopes.empty()) {
    for (const OpRange& range : divideOps(graph, {0, names.size()}, kScopeClasses)) {
      scopes.push_back({.ops = range});
    }
  }
  for (NamedScope& scope : scopes) {
    if (scope.name.empty()) scope.name = displayName(graph, OpId(scope.ops.first));
  }
  return scopes;
}

/// The op whose colour a tensor has: that which writes it, else the first that reads it.
OpId opOf(const Graph& graph, TensorId tensor) {
  const Tensor& own = graph.tensors[tensor];
  if (own.producer) return own.producer;
  return own.consumers.empty() ? OpId() : own.consumers.front();
}

}  // namespace

const std::shared_ptr<const Coloring>& Coloring::byType() {
  static const auto kByType = std::make_shared<const Coloring>();
  return kByType;
}

Coloring::Coloring(const Run& run, ColorBy by) : by_(by) {
  if (by == ColorBy::type) return;
  ofTensor_.assign(run.graph().tensors.size(), BlockClass::buffer);
  ofStay_.assign(run.problem.stays.size(), BlockClass::buffer);
  if (by == ColorBy::size) {
    colorBySize(run);
  } else if (run.graph().ops.empty()) {
    return;
  } else if (by == ColorBy::scope) {
    colorByScope(run);
  } else {
    colorByUse(run);
  }
}

void Coloring::colorByScope(const Run& run) {
  const Graph& graph = run.graph();
  const Graph& whole = wholeGraph(graph);
  const std::vector<NamedScope> scopes = scopesInOrder(whole);
  const std::size_t classes = std::min(scopes.size(), kScopeClasses);
  std::vector<BlockClass> ofOp(whole.ops.size());
  std::vector<std::string> firsts(classes);
  std::vector<std::string> lasts(classes);
  for (std::size_t scope = 0; scope < scopes.size(); ++scope) {
    const auto& [range, name] = scopes[scope];
    const std::size_t index = scope * classes / scopes.size();
    if (firsts[index].empty()) firsts[index] = printable(name, 80);
    lasts[index] = printable(name, 80);
    std::fill(ofOp.begin() + static_cast<std::ptrdiff_t>(range.first),
              ofOp.begin() + static_cast<std::ptrdiff_t>(range.last), scopeClass(index));
  }
  for (std::size_t index = 0; index < classes; ++index) {
    const bool one = firsts[index] == lasts[index];
    names_.push_back(one ? firsts[index] : firsts[index] + " to " + lasts[index]);
  }
  for (const TensorId tensor : graph.tensors.keys()) {
    const bool isPiece = pieceOf(graph, tensor) != nullptr;
    const OpId op =
        isPiece ? opOf(whole, wholeTensor(graph, tensor)) : wholeOp(graph, opOf(graph, tensor));
    if (op) ofTensor_[tensor.index()] = ofOp[op.index()];
  }
  for (const StayId stay : run.problem.stays.keys()) {
    const TensorId root = run.stayTensor(stay);
    if (graph.tensors.contains(root)) ofStay_[stay.index()] = ofTensor_[root.index()];
  }
}

void Coloring::colorBySize(const Run& run) {
  std::uint64_t most = 1;
  for (const Stay& stay : run.problem.stays) {
    most = std::max(most, static_cast<std::uint64_t>(stay.size.count()));
  }
  // The last shade begins at the largest power of four that some buffer reaches.
  const int top = powerOf(most) / kSizeBits * kSizeBits;
  const int least = std::max(0, top - kSizeBits * static_cast<int>(kShadeClasses - 2));
  const auto size = [](int bits) { return formatBytes(Bytes(std::int64_t{1} << bits)); };
  names_ = shadeNames("less than " + size(least), least, kSizeBits,
                      [&](int bits) { return "from " + size(bits); });
  for (const TensorId tensor : run.graph().tensors.keys()) {
    ofTensor_[tensor.index()] = shadeOf(bytesOf(run.graph().tensors[tensor]), least, kSizeBits);
  }
  for (const StayId stay : run.problem.stays.keys()) {
    const auto bytes = static_cast<std::uint64_t>(run.problem.stays[stay].size.count());
    ofStay_[stay.index()] = shadeOf(bytes, least, kSizeBits);
  }
}

void Coloring::colorByUse(const Run& run) {
  const Uses uses(run);
  const auto shade = [](std::int64_t steps) {
    return shadeOf(static_cast<std::uint64_t>(steps), 1, 1);
  };
  for (const TensorId tensor : run.graph().tensors.keys()) {
    ofTensor_[tensor.index()] = shade(uses.longestWait(tensor));
  }
  for (const StayId stay : run.problem.stays.keys()) {
    ofStay_[stay.index()] = shade(uses.longestWait(stay));
  }
  names_ = shadeNames("used next step", 1, 1,
                      [](int bits) { return fmt::format("after {} steps", 1 << bits); });
}

BlockClass Coloring::of(const Run& run, StayId stay) const {
  return stay.index() < ofStay_.size() ? ofStay_[stay.index()] : stayClass(run, stay);
}

BlockClass Coloring::of(const Run& run, TensorId tensor) const {
  return tensor.index() < ofTensor_.size() ? ofTensor_[tensor.index()]
                                           : blockClass(run.graph(), tensor);
}

BlockClass Coloring::of(const Run& run, OpId op) const {
  const Op& own = run.graph().ops[op];
  const auto output = std::ranges::find_if(own.outputs, [](TensorId id) { return bool(id); });
  if (by_ == ColorBy::type || output == own.outputs.end()) return blockClass(own);
  return of(run, *output);
}

std::string Coloring::name(BlockClass kind) const {
  const std::size_t place = static_cast<std::size_t>(kind) % kBlockClasses;
  return place < names_.size() ? names_[place]
                               : std::string(className(static_cast<BlockClass>(place)));
}

std::vector<BlockClass> Coloring::classesOf(const Run& run) const {
  std::array<bool, kAllClasses> has{};
  for (const StayId stay : run.problem.stays.keys()) {
    has[static_cast<std::size_t>(of(run, stay))] = true;
  }
  for (const Buffer& buffer : run.storage.buffers) {
    for (const TensorId tensor : buffer.tensors) {
      has[static_cast<std::size_t>(of(run, tensor))] = true;
    }
  }
  std::vector<BlockClass> classes;
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    if (has[kind]) classes.push_back(static_cast<BlockClass>(kind));
  }
  return classes;
}

}  // namespace hw
