#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/import/formats.h"
#include "core/import/tensor_rules.h"
#include "core/rewrite/batches.h"
#include "core/rewrite/graph_builder.h"

namespace hw {
namespace {

class TilingReader {
 public:
  TilingReader(const Graph& graph, std::shared_ptr<const Graph> original)
      : graph_(graph), original_(*original) {
    tiling_.original = std::move(original);
    tiling_.pieces.resize(graph.tensors.size());
    tiling_.wholeOf.resize(graph.tensors.size());
    for (const TensorId id : original_.tensors.keys()) {
      names_.emplace(original_.tensors[id].name, id);
    }
  }

  std::shared_ptr<const Tiling> read(const JsonNode& node, const JsonLists& lists,
                                     const std::function<TensorId(const std::string&)>& find) {
    if (graph_.reordered) {
      node.refuse("operators in parts have to be in the order in which they run");
    }
    lists.forEach(node, "tensors", [&](const JsonNode& each) { readTensor(each, find); });
    for (const TensorId id : graph_.tensors.keys()) checkPlace(id, node.where);
    lists.forEach(node, "ops", [&](const JsonNode& each) { readOp(each); });
    if (tiling_.opOf.size() != graph_.ops.size()) {
      refuse(fmt::format("{} of {} operators are told of", tiling_.opOf.size(), graph_.ops.size()),
             node.where + ".ops");
    }
    checkSoFar(node.where);
    checkScratch(node.where);
    setBatches(node.where);
    tiling_.kind = kindOfGraph();
    return std::make_shared<const Tiling>(std::move(tiling_));
  }

 private:
  /// Files do not state the kind of rewrite: it shows in what is there more than once, or in part.
  Tiling::Kind kindOfGraph() const {
    const auto isPart = [](const auto& part) { return part.has_value(); };
    if (std::ranges::any_of(tiling_.parts, isPart)) return Tiling::Kind::parts;
    if (tiling_.batches > 1) return Tiling::Kind::batches;
    const bool repeats = graph_.ops.size() > original_.ops.size();
    const bool adds = graph_.tensors.size() > original_.tensors.size();
    return adds && !repeats ? Tiling::Kind::scratch : Tiling::Kind::repeats;
  }

  TensorId originalOf(const JsonNode& node) const {
    const auto found = names_.find(node.text("of"));
    if (found != names_.end()) return found->second;
    node.refuse("tensor '{}' is not among those of the original", printable(node.text("of"), 80));
  }

  static Shape shapeAt(const JsonNode& node, const char* key) {
    Shape shape;
    node.forEach(key,
                 [&](const JsonNode& each) { shape.push_back(each.count(kMaxBytes.count())); });
    return shape;
  }

  void readTensor(const JsonNode& node, const std::function<TensorId(const std::string&)>& find) {
    const TensorId id = find(node.object().text("name"));
    if (!id) node.refuse("tensor '{}' is not among the tensors", printable(node.text("name"), 80));
    if (tiling_.pieces[id] || tiling_.wholeOf[id]) {
      node.refuse("tensor '{}' is told of twice", printable(node.text("name"), 80));
    }
    const TensorId of = originalOf(node);
    if (!node.find("host")) {
      tiling_.wholeOf[id] = of;
      return;
    }
    const TensorId host = find(node.text("host"));
    if (!host) {
      node.refuse("tensor '{}' is not among the tensors", printable(node.text("host"), 80));
    }
    tiling_.pieces[id] = Tiling::Piece{of, shapeAt(node, "begin"), host, shapeAt(node, "at")};
  }

  /// `box` lies in `space` from `begin` on.
  static bool fitsIn(const Shape& space, const Shape& begin, const Shape& box) {
    if (begin.size() != space.size() || box.size() != space.size()) return false;
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (box[i] < 1 || begin[i] > space[i] || box[i] > space[i] - begin[i]) return false;
    }
    return true;
  }

  void checkPlace(TensorId id, const std::string& where) const {
    const Tensor& tensor = graph_.tensors[id];
    const auto wrong = [&](std::string_view what) {
      refuse(fmt::format("tensor '{}' {}", printable(tensor.name, 80), what), where);
    };
    if (const TensorId of = tiling_.wholeOf[id]) {
      const Tensor& whole = original_.tensors[of];
      if (tensor.shape != whole.shape || tensor.bytes != whole.bytes) {
        wrong(fmt::format("is not as large as '{}'", printable(whole.name, 80)));
      }
      return;
    }
    if (!tiling_.pieces[id] && tensor.producer) return;  // Scratch: `checkScratch`.
    if (!tiling_.pieces[id]) {
      const bool used =
          !tensor.consumers.empty() || tensor.graphInput || tensor.graphOutput || tensor.constant;
      if (used) wrong("is neither whole nor a piece, so it is a ring, which no operator knows");
      if (!elementSize(tensor)) wrong("is a ring without a size");
      return;
    }
    const Tiling::Piece& piece = *tiling_.pieces[id];
    const Tensor& host = graph_.tensors[piece.host];
    const Tensor& whole = original_.tensors[piece.of];
    if (tiling_.pieces[piece.host]) wrong("lies in a tensor that is a piece itself");
    const auto element = elementSize(tensor);
    // A fold may be wider on its way than what it makes in the end: `checkSoFar`.
    const bool wider = element == Bytes(4) && tensor.shape == whole.shape && elementSize(whole);
    if (!element || element != elementSize(host) || (element != elementSize(whole) && !wider)) {
      wrong("has elements of another size than what it is a piece of, or lies in");
    }
    if (!fitsIn(*whole.shape, piece.begin, *tensor.shape)) {
      wrong(fmt::format("is not inside of '{}'", printable(whole.name, 80)));
    }
    if (!fitsIn(*host.shape, piece.at, *tensor.shape)) {
      wrong(fmt::format("does not lie inside of '{}'", printable(host.name, 80)));
    }
    if (tensor.constant || tensor.graphInput || tensor.graphOutput) {
      wrong("is a piece, and pieces are neither weights nor the caller's");
    }
  }

  void readBatch(const JsonNode& node) {
    const auto batch = node.object().count("batch", kMostBatches - 1).value_or(0);
    const auto before = batches_.empty() ? 0 : std::int64_t{*std::prev(batches_.end())};
    if (batch < before || batch > before + 1) {
      node.refuse("batch {} follows on batch {}; inferences are one behind the other, from 0",
                  batch, before);
    }
    batches_.add(static_cast<std::uint32_t>(batch));
  }

  void setBatches(const std::string& where) {
    tiling_.setBatches(graph_, std::move(batches_));
    if (graph_.inputs.size() % tiling_.batches != 0) {
      refuse(fmt::format("{} inferences cannot have the same number of {} inputs", tiling_.batches,
                         graph_.inputs.size()),
             where);
    }
    for (const OpId op : graph_.ops.keys()) {
      const auto isOthers = [&](TensorId id) {
        return id && tiling_.batches > 1 && !graph_.tensors[id].constant &&
               !graph_.tensors[id].persistent && tiling_.batchOfTensor[id] != tiling_.batchOf[op];
      };
      const std::vector<TensorId> reads = graph_.reads(op);
      const auto other = std::ranges::find_if(reads, isOthers);
      if (other == reads.end()) continue;
      refuse(fmt::format("operator '{}' reads '{}', which belongs to another inference",
                         printable(displayName(graph_, op), 80),
                         printable(displayName(graph_, *other), 80)),
             where);
    }
  }

  void readOp(const JsonNode& node) {
    const OpId id(tiling_.opOf.size());
    if (id.index() >= graph_.ops.size()) node.refuse("more operators are told of than there are");
    readBatch(node);
    const auto of = node.object().count("of", kMaxBytes.count());
    if (!of) {
      checkAdded(graph_.ops[id], node.where);
      tiling_.opOf.add({});
      tiling_.parts.add(std::nullopt);
      return;
    }
    const OpId origin(static_cast<std::size_t>(*of));
    if (origin.index() >= original_.ops.size()) {
      node.refuse("the original has {} operators, and no number {}", original_.ops.size(), *of);
    }
    const Op& op = graph_.ops[id];
    const Op& before = original_.ops[origin];
    if (op.type != before.type || op.domain != before.domain) {
      node.refuse("operator '{}' is of type {}, but of one of type {}", printable(op.name, 80),
                  printable(op.type, 40), printable(before.type, 40));
    }
    tiling_.opOf.add(origin);
    tiling_.parts.add(node.find("rows") ? std::optional(readPart(node, op, origin)) : std::nullopt);
  }

  /// Checks facts that only graphs in parts have.
  void checkAdded(const Op& op, const std::string& where) const {
    const auto hosted = [&](const std::vector<TensorId>& ids, TensorId whole) {
      return std::ranges::all_of(ids, [&](TensorId id) {
        return id && tiling_.pieces[id] && tiling_.pieces[id]->of == tiling_.wholeOf[whole];
      });
    };
    const auto one = [&](const std::vector<TensorId>& ids) {
      return ids.size() == 1 && ids[0] && tiling_.wholeOf[ids[0]];
    };
    const bool ours = op.domain == kTileDomain;
    const bool right =
        (ours && op.type == kPartsType && one(op.inputs) && hosted(op.outputs, op.inputs[0])) ||
        (ours && op.type == kWholeType && one(op.outputs) && hosted(op.inputs, op.outputs[0])) ||
        (ours && op.type == kArriveType && op.inputs.empty() &&
         std::ranges::all_of(op.outputs, [](TensorId id) { return static_cast<bool>(id); }));
    if (right) return;
    refuse(fmt::format("operator '{}' is none of the original, and brings, cuts or joins no pieces",
                       printable(op.name, 80)),
           where);
  }

  /// Checks that a tensor wider than what it is a piece of goes from one part of a fold to the
  /// next.
  void checkSoFar(const std::string& where) const {
    const auto folds = [&](OpId op) {
      return op && tiling_.parts[op] && isFoldPart(*tiling_.parts[op]);
    };
    for (const TensorId id : graph_.tensors.keys()) {
      const auto& piece = tiling_.pieces[id];
      const Tensor& tensor = graph_.tensors[id];
      if (!piece || elementSize(tensor) == elementSize(original_.tensors[piece->of])) continue;
      if (folds(tensor.producer) && std::ranges::all_of(tensor.consumers, folds)) continue;
      refuse(fmt::format("tensor '{}' has elements of another size than what it is a piece of",
                         printable(tensor.name, 80)),
             where);
    }
  }

  /// Checks that a made tensor that is neither whole nor a piece is one more output of an operator
  /// that runs whole.
  void checkScratch(const std::string& where) const {
    for (const TensorId id : graph_.tensors.keys()) {
      const Tensor& tensor = graph_.tensors[id];
      if (tiling_.wholeOf[id] || tiling_.pieces[id] || !tensor.producer) continue;
      const OpId of = tiling_.opOf[tensor.producer];
      const auto& made = graph_.ops[tensor.producer].outputs;
      const bool more = of && !tiling_.parts[tensor.producer] && made.back() == id &&
                        made.size() == original_.ops[of].outputs.size() + 1;
      const bool idle = tensor.consumers.empty() && !tensor.graphOutput && !tensor.constant;
      if (more && idle && elementSize(tensor)) continue;
      refuse(fmt::format("tensor '{}' is neither whole nor a piece, nor scratch, which an operator "
                         "that runs whole makes last, and nobody reads",
                         printable(tensor.name, 80)),
             where);
    }
  }

  /// Of an op whose outputs have no rows: those are of its input.
  Tiling::Part readFold(const JsonNode& node, const Op& op, OpId of) const {
    const auto range = [&](const char* key, const char* size) {
      const Shape ends = shapeAt(node, key);
      const std::int64_t count = node.count(size, kMaxBytes.count()).value_or(0);
      if (ends.size() != 2 || ends[0] >= ends[1] || ends[1] > count) {
        node.refuse("part '{}' has to have {} [first, end) of {}", printable(op.name, 80), key,
                    count);
      }
      return std::pair(Interval<std::int64_t>{ends[0], ends[1]}, count);
    };
    Tiling::Part part{.of = of, .axis = kFoldAxis};
    std::tie(part.rows, part.size) = range("rows", "size");
    if (node.find("columns")) std::tie(part.columns, part.width) = range("columns", "width");
    part.cell = static_cast<std::size_t>(node.count("cell", kMaxBytes.count()).value_or(0));
    if (op.outputs.size() != 1 || !op.outputs[0]) {
      node.refuse("part '{}' of a fold has to make one tensor", printable(op.name, 80));
    }
    return part;
  }

  Tiling::Part readPart(const JsonNode& node, const Op& op, OpId of) const {
    if (node.find("size") && !node.find("axis")) return readFold(node, op, of);
    const auto wrong = [&](std::string_view what) {
      node.refuse("part '{}' {}", printable(op.name, 80), what);
    };
    const Shape rows = shapeAt(node, "rows");
    const auto axis = node.count("axis", 1000);
    const Op& before = original_.ops[of];
    const auto made = std::ranges::find_if(before.outputs, [](TensorId id) { return bool(id); });
    if (made == before.outputs.end() || !original_.tensors[*made].shape) {
      wrong("is of an operator whose outputs have no shape");
    }
    const Shape& shape = *original_.tensors[*made].shape;
    if (!axis || *axis >= static_cast<std::int64_t>(shape.size())) wrong("has no axis of its rows");
    const std::int64_t size = shape[static_cast<std::size_t>(*axis)];
    if (rows.size() != 2 || rows[0] >= rows[1] || rows[1] > size) {
      wrong(fmt::format("has to have rows [first, end) of {}", size));
    }
    for (const auto* tensors : {&op.inputs, &op.outputs}) {
      for (const TensorId id : *tensors) {
        if (id && !graph_.tensors[id].constant && !graph_.tensors[id].shape) {
          wrong("reads or makes a tensor without a shape");
        }
      }
    }
    for (const TensorId id : op.outputs) {
      if (!id || *axis >= static_cast<std::int64_t>(graph_.tensors[id].shape->size())) {
        wrong("makes something that has no rows");
      }
    }
    Tiling::Part part{
        .of = of, .axis = static_cast<int>(*axis), .rows = {rows[0], rows[1]}, .size = size};
    part.cell = static_cast<std::size_t>(node.count("cell", kMaxBytes.count()).value_or(0));
    if (const auto across = node.count("across", 1000)) {
      if (*across >= static_cast<std::int64_t>(shape.size()) || *across == *axis) {
        wrong("has no axis of its columns");
      }
      const Shape columns = shapeAt(node, "columns");
      part.across = static_cast<int>(*across);
      part.width = shape[static_cast<std::size_t>(*across)];
      if (columns.size() != 2 || columns[0] >= columns[1] || columns[1] > part.width) {
        wrong(fmt::format("has to have columns [first, end) of {}", part.width));
      }
      part.columns = {columns[0], columns[1]};
    }
    for (const TensorId id : op.outputs) {
      if (part.across >= std::ssize(*graph_.tensors[id].shape)) {
        wrong("makes something that has no columns");
      }
    }
    return part;
  }

  const Graph& graph_;
  const Graph& original_;
  std::unordered_map<std::string_view, TensorId> names_;
  Tiling tiling_;
  IdMap<OpId, std::uint32_t> batches_;  ///< By op, as told.
};

/// Reads what graph JSON says of a graph whose operators run in parts (docs/formats/graph_json.md).
/// `graph` is what it says it of, `original` the graph that it was made from, and `find` knows the
/// tensors of `graph` by name; `lists` are those of the whole document. What all that works on
/// parts takes for granted is held against both graphs: every piece lies inside of what it is a box
/// of and inside of its host, all others are whole or rings, and every op is one of the original's
/// or joins and cuts pieces. Whether parts read what they need is the replay's question.
std::shared_ptr<const Tiling> readTiling(
    const JsonNode& node, const JsonLists& lists, const Graph& graph,
    std::shared_ptr<const Graph> original,
    const std::function<TensorId(const std::string& name)>& find) {
  return TilingReader(graph, std::move(original)).read(node, lists, find);
}

using Handle = GraphBuilder::Handle;

Shape readShape(const JsonNode& node) {
  Shape shape;
  node.forEach([&](const JsonNode& entry) { shape.push_back(entry.count(kMaxBytes.count())); });
  return shape;
}

/// Fills `tensor.bytes`: the stored size and the one of shape and dtype must agree.
void readSize(const JsonNode& node, Tensor& tensor) {
  const std::string label = fmt::format("tensor '{}'", printable(tensor.name));
  const std::optional<Bytes> stored = node.bytes("bytes");
  const bool typed = tensor.shape && dtypeBits(tensor.dtype) > 0;
  if (typed) {
    const auto elements = elementCount(*tensor.shape);
    tensor.bytes = elements ? packedSize(tensor.dtype, *elements) : std::nullopt;
    if (!tensor.bytes) node.refuse("{} is larger than {} bytes", label, kMaxBytes.count());
    if (stored && *stored != *tensor.bytes) {
      node.refuse("{} has {} bytes, but its shape and dtype make {}", label, stored->count(),
                  tensor.bytes->count());
    }
    return;
  }
  tensor.bytes = stored;
  if (stored) return;
  const bool isUnsized = tensor.dtype == Dtype::string || tensor.dtype == Dtype::opaque;
  if (!isUnsized && !(node.value.contains("bytes") && node.value["bytes"].is_null())) {
    refuse(label + " needs bytes, or shape and dtype", node.where);
  }
  tensor.origin = SizeOrigin::unknown;
  const auto reason = node.find("unknown");
  tensor.unknownReason =
      reason      ? printable(reason->text())
      : isUnsized ? fmt::format("{} elements have no fixed size", dtypeName(tensor.dtype))
                  : "the file gives no size";
}

Tensor readTensor(const JsonNode& node) {
  Tensor tensor{.name = node.object().text("name"), .origin = SizeOrigin::declared};
  if (tensor.name.empty()) node.refuse("a tensor needs a name");
  if (const auto shape = node.find("shape")) tensor.shape = readShape(*shape);
  if (const auto dtype = node.find("dtype")) {
    const auto parsed = parseDtype(dtype->text());
    if (!parsed) {
      dtype->refuse("tensor '{}' has the unknown dtype '{}'", printable(tensor.name),
                    printable(dtype->text()));
    }
    tensor.dtype = *parsed;
  }
  if (const auto constant = node.find("constant")) tensor.constant = constant->flag();
  if (const auto persistent = node.find("persistent")) tensor.persistent = persistent->flag();
  readSize(node, tensor);
  return tensor;
}

/// Numbers and strings, alone or in lists of one kind. Anything richer has no meaning to us.
std::optional<AttributeValue> readAttribute(const ParsedJson& value) {
  const auto allOf = [&](auto predicate) {
    return std::ranges::all_of(value, predicate) && value.is_array();
  };
  // Above 2^63 - 1 an integer is read as the nearest real number rather than wrapped around.
  const auto whole = [](const ParsedJson& entry) {
    return entry.is_number_integer() &&
           !(entry.is_number_unsigned() && entry.get<std::uint64_t>() >> 63U != 0);
  };
  const auto number = [](const ParsedJson& entry) { return entry.is_number(); };
  const auto text = [](const ParsedJson& entry) { return entry.is_string(); };
  if (value.is_boolean()) return std::int64_t{value.get<bool>()};
  if (whole(value)) return value.get<std::int64_t>();
  if (number(value)) return value.get<double>();
  if (text(value)) return value.get<std::string>();
  if (!value.is_array()) return std::nullopt;
  if (allOf(whole)) return value.get<std::vector<std::int64_t>>();
  if (allOf(number)) return value.get<std::vector<double>>();
  if (allOf(text)) return value.get<std::vector<std::string>>();
  return std::nullopt;
}

class GraphReader {
 public:
  /// `document` has `lists` in the text only. `depth`: it is the original of the original of … a
  /// file.
  explicit GraphReader(JsonNode document, const JsonLists& lists, int depth = 0)
      : document_(std::move(document)), lists_(lists), depth_(depth) {}

  Result<Graph> read() {
    checkHeader();
    GraphBuilder builder(document_.text("name"), "graph-json");
    lists_.forEach(document_, "tensors", [&](const JsonNode& node) { addTensor(builder, node); });
    document_.forEach("inputs", [&](const JsonNode& node) { builder.addInput(tensorNamed(node)); });
    document_.forEach("outputs",
                      [&](const JsonNode& node) { builder.addOutput(tensorNamed(node)); });
    lists_.forEach(document_, "ops", [&](const JsonNode& node) { builder.addOp(readOp(node)); });
    std::vector<TensorId> ids;
    HW_TRY(graph, std::move(builder).build(ids));
    HW_DO(addTiling(graph, ids));
    return std::move(graph);
  }

 private:
  /// Of a graph whose operators run in parts: what they are parts of.
  Result<void> addTiling(Graph& graph, const std::vector<TensorId>& ids) const {
    const auto tiling = document_.find("tiling");
    if (!tiling) {
      const auto added = std::ranges::find(graph.ops, kTileDomain, &Op::domain);
      if (added == graph.ops.end()) return {};
      refuse(fmt::format("operator '{}' is of domain '{}', which needs a tiling",
                         printable(added->name), kTileDomain),
             "ops");
    }
    const auto source = tiling->object().find("original");
    if (!source) tiling->refuse("a tiling needs the original graph");
    // The original of parts may run some operators again, and that of these have scratch; its own
    // original has no tiling.
    if (depth_ > 2) source->refuse("the original graph is in parts itself");
    HW_TRY(original, GraphReader(*source, lists_, depth_ + 1).read());
    if (runsInParts(original)) source->refuse("the original graph is in parts itself");
    graph.tiling =
        readTiling(*tiling, lists_, graph, std::make_shared<const Graph>(std::move(original)),
                   [&](const std::string& name) {
                     const auto found = handles_.find(name);
                     return found == handles_.end() ? TensorId() : ids[found->second];
                   });
    return {};
  }

  void checkHeader() const {
    if (!document_.value.is_object()) document_.expected("an object at the top");
    const auto format = document_.find("format");
    if (!format || format->text() != "highwater-graph") {
      refuse(fmt::format("the format is {}; expected 'highwater-graph'",
                         format ? "'" + printable(format->text()) + "'" : "not given"),
             "format");
    }
    const auto version = document_.count("version", std::numeric_limits<std::int64_t>::max());
    if (!version) refuse("the version is not given; expected 1", "version");
    if (*version != 1) {
      refuse(fmt::format("graph JSON of version {} is not known; this program reads version 1",
                         *version),
             "version", ErrorCode::unsupported);
    }
  }

  void addTensor(GraphBuilder& builder, const JsonNode& node) {
    Tensor tensor = readTensor(node);
    const auto [place, isNew] = handles_.emplace(tensor.name, builder.tensorCount());
    if (!isNew) {
      node.refuse("tensor '{}' is listed twice, first as tensors[{}]", printable(tensor.name),
                  place->second);
    }
    builder.addTensor(std::move(tensor));
  }

  Handle tensorNamed(const JsonNode& node) const {
    const auto found = handles_.find(node.text());
    if (found == handles_.end()) {
      node.refuse("tensor '{}' is not among the tensors", printable(node.text()));
    }
    return found->second;
  }

  std::vector<Handle> readTensors(const JsonNode& op, const char* key) const {
    std::vector<Handle> handles;
    op.forEach(key, [&](const JsonNode& node) {
      const bool absent = node.value.is_null() || (node.value.is_string() && node.text().empty());
      handles.push_back(absent ? GraphBuilder::kAbsent : tensorNamed(node));
    });
    return handles;
  }

  GraphBuilder::OpParts readOp(const JsonNode& node) const {
    GraphBuilder::OpParts parts{.where = node.where};
    parts.op.name = node.object().text("name");
    parts.op.type = node.text("type");
    if (parts.op.type.empty()) node.refuse("operator '{}' needs a type", printable(parts.op.name));
    parts.op.domain = node.text("domain");
    parts.inputs = readTensors(node, "inputs");
    parts.outputs = readTensors(node, "outputs");
    parts.captures = readTensors(node, "captures");
    if (const auto attributes = node.find("attributes")) {
      for (const auto& [key, value] : attributes->object().value.items()) {
        if (auto attribute = readAttribute(value)) parts.op.attributes.emplace(key, *attribute);
      }
    }
    return parts;
  }

  JsonNode document_;
  const JsonLists& lists_;
  int depth_;
  std::unordered_map<std::string, Handle> handles_;
};

/// {"allocator": "free-list:threshold=4MiB", "l2": "16MiB"}
Result<void> readAuthorTexts(const ParsedJson& document, Model& model) {
  const auto options = JsonNode{document, {}}.find("options");
  if (!options) return {};
  for (const auto& [name, value] : options->object().value.items()) {
    const JsonNode node{value, "options." + printable(name)};
    HW_DO(addOwnOption(model, name, node.text(), node.where));
  }
  return {};
}

Result<void> readRules(const ParsedJson& document, Model& model) {
  if (const auto node = JsonNode{document, {}}.find("constraints")) {
    model.rules = readTensorRules(*node, *model.graph);
  }
  return {};
}

/// The file that the graph was made from: whatever is told of that, such as a plan, is told of the
/// graph. Empty where it is not said.
std::string madeFrom(const ParsedJson& document) {
  const auto source = JsonNode{document, {}}.find("made_from");
  if (!source) return {};
  std::string sha256 = source->object().text("sha256");
  const bool hexadecimal =
      sha256.size() == 64 && std::ranges::all_of(sha256, [](char digit) {
        return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
      });
  if (!hexadecimal) refuse("expected a SHA-256 of 64 hexadecimal digits", "made_from.sha256");
  return sha256;
}

}  // namespace

bool acceptsGraphJson(std::string_view bytes) {
  const std::string_view text = withoutByteOrderMark(bytes);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

Result<Model> readGraphJson(std::string_view bytes, const ImportOptions&) {
  constexpr std::array<std::string_view, 2> kLists = {"tensors", "ops"};
  const JsonLists lists{withoutByteOrderMark(bytes), kLists};
  HW_TRY(document, parseJson(lists.text, kLists));
  const auto format = document.is_object() ? document.find("format") : document.end();
  if (format == document.end() || *format != "highwater-graph") {
    if (auto other = otherKind(bytes)) return fail(ErrorCode::unsupported, std::move(*other));
  }
  HW_TRY(graph, unlessRefused([&] { return GraphReader({document}, lists).read(); }));
  Model model{.name = graph.name};
  model.graph = std::make_shared<const Graph>(std::move(graph));
  HW_DO(unlessRefused([&] { return readAuthorTexts(document, model); }));
  HW_DO(unlessRefused([&] { return readRules(document, model); }));
  HW_TRY(source, unlessRefused([&] { return Result<std::string>(madeFrom(document)); }));
  model.sha256 = std::move(source);
  return model;
}

}  // namespace hw
