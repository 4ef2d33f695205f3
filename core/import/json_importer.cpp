#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/base/json_node.h"
#include "core/base/refusal.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/other_kind.h"
#include "core/import/own_options.h"
#include "core/import/tiling_json.h"
#include "core/rewrite/graph_builder.h"

namespace hw {
namespace {

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
    if (!tensor.bytes) {
      refuse(fmt::format("{} is larger than {} bytes", label, kMaxBytes.count()), node.where);
    }
    if (stored && *stored != *tensor.bytes) {
      refuse(fmt::format("{} has {} bytes, but its shape and dtype make {}", label, stored->count(),
                         tensor.bytes->count()),
             node.where);
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
  if (tensor.name.empty()) refuse("a tensor needs a name", node.where);
  if (const auto shape = node.find("shape")) tensor.shape = readShape(*shape);
  if (const auto dtype = node.find("dtype")) {
    const auto parsed = parseDtype(dtype->text());
    if (!parsed) {
      refuse(fmt::format("tensor '{}' has the unknown dtype '{}'", printable(tensor.name),
                         printable(dtype->text())),
             dtype->where);
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
    return graph;
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
    if (!source) refuse("a tiling needs the original graph", tiling->where);
    // The original of parts may run some operators again, and that of these have scratch; its own
    // original has no tiling.
    if (depth_ > 2) refuse("the original graph is in parts itself", source->where);
    HW_TRY(original, GraphReader(*source, lists_, depth_ + 1).read());
    if (runsInParts(original)) refuse("the original graph is in parts itself", source->where);
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
      refuse(fmt::format("tensor '{}' is listed twice, first as tensors[{}]",
                         printable(tensor.name), place->second),
             node.where);
    }
    builder.addTensor(std::move(tensor));
  }

  Handle tensorNamed(const JsonNode& node) const {
    const auto found = handles_.find(node.text());
    if (found == handles_.end()) {
      refuse(fmt::format("tensor '{}' is not among the tensors", printable(node.text())),
             node.where);
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
    if (parts.op.type.empty()) {
      refuse(fmt::format("operator '{}' needs a type", printable(parts.op.name)), node.where);
    }
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
  HW_TRY(source, unlessRefused([&] { return Result<std::string>(madeFrom(document)); }));
  model.sha256 = std::move(source);
  return model;
}

}  // namespace hw
