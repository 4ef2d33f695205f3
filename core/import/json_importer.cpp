#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/text.h"
#include "core/graph/graph_builder.h"
#include "core/import/formats.h"

namespace hw {
namespace {

using Json = nlohmann::json;
using Handle = GraphBuilder::Handle;

/// Thrown inside this file only: a document is refused from the depth of its own structure.
struct Refusal {
  Error error;
};

[[noreturn]] void refuse(std::string message, std::string where,
                         ErrorCode code = ErrorCode::malformed) {
  throw Refusal{{code, std::move(message), std::move(where)}};
}

/// A value of the document and its place, such as "tensors[3].shape".
struct Node {
  const Json& value;
  std::string where;

  /// The member `key`; nothing when there is none or it is null.
  std::optional<Node> find(const char* key) const {
    const auto member = value.find(key);
    if (member == value.end() || member->is_null()) return std::nullopt;
    return Node{*member, where.empty() ? key : where + "." + key};
  }

  Node at(std::size_t index) const { return {value[index], fmt::format("{}[{}]", where, index)}; }

  [[noreturn]] void expected(std::string_view what) const {
    refuse(fmt::format("expected {}, found {}", what, value.type_name()), where);
  }

  const std::string& text() const {
    if (!value.is_string()) expected("a string");
    return value.get_ref<const std::string&>();
  }

  bool flag() const {
    if (!value.is_boolean()) expected("true or false");
    return value.get<bool>();
  }

  /// A whole number from 0 to `most`.
  std::int64_t count(std::int64_t most) const {
    if (!value.is_number_integer()) expected("a whole number");
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                          : value.get<std::int64_t>() >= 0;
    if (!fits) refuse(fmt::format("{} is not between 0 and {}", value.dump(), most), where);
    return value.get<std::int64_t>();
  }

  /// Calls `visit` with each element.
  template <class Visit>
  void forEach(Visit visit) const {
    if (!value.is_array()) expected("an array");
    for (std::size_t i = 0; i < value.size(); ++i) visit(at(i));
  }
};

Shape readShape(const Node& node) {
  Shape shape;
  node.forEach([&](const Node& entry) { shape.push_back(entry.count(kMaxBytes.count())); });
  return shape;
}

/// Fills `tensor.bytes`: the stored size and the one of shape and dtype must agree.
void readSize(const Node& node, Tensor& tensor) {
  const std::string label = fmt::format("tensor '{}'", printable(tensor.name));
  std::optional<Bytes> stored;
  if (const auto bytes = node.find("bytes")) stored = Bytes(bytes->count(kMaxBytes.count()));
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

Tensor readTensor(const Node& node) {
  if (!node.value.is_object()) node.expected("an object");
  const auto name = node.find("name");
  if (!name || name->text().empty()) refuse("a tensor needs a name", node.where);
  Tensor tensor{.name = name->text(), .origin = SizeOrigin::declared};
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
std::optional<AttributeValue> readAttribute(const Json& value) {
  const auto allOf = [&](auto predicate) {
    return std::ranges::all_of(value, predicate) && value.is_array();
  };
  // Above 2^63 - 1 an integer is read as the nearest real number rather than wrapped around.
  const auto whole = [](const Json& entry) {
    return entry.is_number_integer() &&
           !(entry.is_number_unsigned() && entry.get<std::uint64_t>() >> 63U != 0);
  };
  const auto number = [](const Json& entry) { return entry.is_number(); };
  const auto text = [](const Json& entry) { return entry.is_string(); };
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
  explicit GraphReader(const Json& document) : document_{document, {}} {}

  Result<Graph> read() {
    checkHeader();
    const auto name = document_.find("name");
    GraphBuilder builder(name ? name->text() : std::string(), "graph-json");
    if (const auto tensors = document_.find("tensors")) {
      tensors->forEach([&](const Node& node) { addTensor(builder, node); });
    }
    if (const auto inputs = document_.find("inputs")) {
      inputs->forEach([&](const Node& node) { builder.addInput(tensorNamed(node)); });
    }
    if (const auto outputs = document_.find("outputs")) {
      outputs->forEach([&](const Node& node) { builder.addOutput(tensorNamed(node)); });
    }
    if (const auto ops = document_.find("ops")) {
      ops->forEach([&](const Node& node) { builder.addOp(readOp(node)); });
    }
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
    const auto version = document_.find("version");
    if (!version) refuse("the version is not given; expected 1", "version");
    const auto number = version->count(std::numeric_limits<std::int64_t>::max());
    if (number != 1) {
      refuse(fmt::format("graph JSON of version {} is not known; this program reads version 1",
                         number),
             "version", ErrorCode::unsupported);
    }
  }

  void addTensor(GraphBuilder& builder, const Node& node) {
    Tensor tensor = readTensor(node);
    const auto [place, isNew] = handles_.emplace(tensor.name, builder.tensorCount());
    if (!isNew) {
      refuse(fmt::format("tensor '{}' is listed twice, first as tensors[{}]",
                         printable(tensor.name), place->second),
             node.where);
    }
    builder.addTensor(std::move(tensor));
  }

  Handle tensorNamed(const Node& node) const {
    const auto found = handles_.find(node.text());
    if (found == handles_.end()) {
      refuse(fmt::format("tensor '{}' is not among the tensors", printable(node.text())),
             node.where);
    }
    return found->second;
  }

  std::vector<Handle> readTensors(const Node& op, const char* key) const {
    std::vector<Handle> handles;
    if (const auto list = op.find(key)) {
      list->forEach([&](const Node& node) {
        const bool absent = node.value.is_null() || (node.value.is_string() && node.text().empty());
        handles.push_back(absent ? GraphBuilder::kAbsent : tensorNamed(node));
      });
    }
    return handles;
  }

  GraphBuilder::OpParts readOp(const Node& node) const {
    if (!node.value.is_object()) node.expected("an object");
    GraphBuilder::OpParts parts{.where = node.where};
    if (const auto name = node.find("name")) parts.op.name = name->text();
    const auto type = node.find("type");
    if (!type || type->text().empty()) {
      refuse(fmt::format("operator '{}' needs a type", printable(parts.op.name)), node.where);
    }
    parts.op.type = type->text();
    if (const auto domain = node.find("domain")) parts.op.domain = domain->text();
    parts.inputs = readTensors(node, "inputs");
    parts.outputs = readTensors(node, "outputs");
    parts.captures = readTensors(node, "captures");
    if (const auto attributes = node.find("attributes")) {
      if (!attributes->value.is_object()) attributes->expected("an object");
      for (const auto& [key, value] : attributes->value.items()) {
        if (auto attribute = readAttribute(value)) parts.op.attributes.emplace(key, *attribute);
      }
    }
    return parts;
  }

  Node document_;
  std::unordered_map<std::string, Handle> handles_;
};

Json parseDocument(std::string_view bytes) {
  const auto limitDepth = [](int depth, Json::parse_event_t, Json&) {
    constexpr int kMost = 64;  // The format itself needs four.
    if (depth > kMost) refuse(fmt::format("nested more than {} deep", kMost), {});
    return true;
  };
  return Json::parse(bytes, limitDepth);
}

Error notJson(std::string_view bytes, const Json::parse_error& error) {
  const std::size_t at = std::min<std::size_t>(error.byte, bytes.size());
  const auto line = std::ranges::count(bytes.substr(0, at), '\n') + 1;
  // "[json.exception.parse_error.101] parse error at line 1, column 2: what is wrong; …"
  std::string_view reason(error.what());
  if (const auto colon = reason.find(": "); colon != std::string_view::npos) {
    reason.remove_prefix(colon + 2);
  }
  return {ErrorCode::malformed, "not JSON: " + printable(reason), fmt::format("line {}", line)};
}

}  // namespace

bool acceptsGraphJson(std::string_view bytes) {
  const std::string_view text = withoutByteOrderMark(bytes);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

Result<Model> readGraphJson(std::string_view bytes, const ImportOptions&) {
  const auto problem = [](Error error) { return tl::unexpected<Error>(std::move(error)); };
  try {
    const Json document = parseDocument(withoutByteOrderMark(bytes));
    Result<Graph> graph = GraphReader(document).read();
    if (!graph) return problem(std::move(graph.error()));
    Model model{.name = graph->name};
    model.graph = std::make_shared<const Graph>(std::move(*graph));
    return model;
  } catch (const Refusal& refusal) {
    return problem(refusal.error);
  } catch (const Json::parse_error& error) {
    return problem(notJson(bytes, error));
  } catch (const Json::exception& error) {
    return fail(ErrorCode::malformed, "not JSON we can read: " + printable(error.what()));
  }
}

}  // namespace hw
