#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/json_node.h"
#include "core/base/refusal.h"
#include "core/base/text.h"
#include "core/graph/graph_builder.h"
#include "core/import/formats.h"

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
  explicit GraphReader(const ParsedJson& document) : document_{document, {}} {}

  Result<Graph> read() {
    checkHeader();
    GraphBuilder builder(document_.text("name"), "graph-json");
    document_.forEach("tensors", [&](const JsonNode& node) { addTensor(builder, node); });
    document_.forEach("inputs", [&](const JsonNode& node) { builder.addInput(tensorNamed(node)); });
    document_.forEach("outputs",
                      [&](const JsonNode& node) { builder.addOutput(tensorNamed(node)); });
    document_.forEach("ops", [&](const JsonNode& node) { builder.addOp(readOp(node)); });
    return std::move(builder).build();
  }

 private:
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
  std::unordered_map<std::string, Handle> handles_;
};

}  // namespace

bool acceptsGraphJson(std::string_view bytes) {
  const std::string_view text = withoutByteOrderMark(bytes);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

Result<Model> readGraphJson(std::string_view bytes, const ImportOptions&) {
  HW_TRY(document, parseJson(withoutByteOrderMark(bytes)));
  HW_TRY(graph, unlessRefused([&] { return GraphReader(document).read(); }));
  Model model{.name = graph.name};
  model.graph = std::make_shared<const Graph>(std::move(graph));
  return model;
}

}  // namespace hw
