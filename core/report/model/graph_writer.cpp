#include "core/report/model/graph_writer.h"

#include "core/base/json.h"
#include "core/graph/tiling.h"
#include "core/import/tensor_rules.h"
#include "core/plan_file/tensor_names.h"

namespace hw {
namespace {

/// The size as shape and dtype where they say it, else as bytes, else as null with the reason.
Json tensorJson(const Tensor& tensor, const std::string& name) {
  Json json = {{"name", name}};
  const bool typed = tensor.shape && dtypeBits(tensor.dtype) > 0;
  const auto elements = typed ? elementCount(*tensor.shape) : std::nullopt;
  const auto packed = elements ? packedSize(tensor.dtype, *elements) : std::nullopt;
  const bool sized = typed && packed && tensor.bytes == packed;
  if (!sized) json["bytes"] = tensor.bytes ? Json(tensor.bytes->count()) : Json(nullptr);
  // A shape and dtype that contradict the bytes would be refused by whoever reads this.
  if (sized || !typed) {
    if (tensor.shape) json["shape"] = *tensor.shape;
    if (tensor.dtype != Dtype::unknown) json["dtype"] = std::string(dtypeName(tensor.dtype));
  }
  if (tensor.constant && !tensor.producer) json["constant"] = true;
  if (tensor.persistent) json["persistent"] = true;
  if (!tensor.bytes && !tensor.unknownReason.empty()) json["unknown"] = tensor.unknownReason;
  return json;
}

class GraphWriter {
 public:
  explicit GraphWriter(const Graph& graph) : graph_(graph), names_(graph) {}

  Json json() const {
    Json json = {{"format", "highwater-graph"}, {"version", 1}, {"name", graph_.name}};
    json["tensors"] = jsonList(graph_.tensors.keys(), [&](TensorId id) {
      return tensorJson(graph_.tensors[id], names_.of(id));
    });
    json["inputs"] = list(graph_.inputs);
    json["outputs"] = list(graph_.outputs);
    json["ops"] = jsonList(graph_.ops, [&](const Op& op) { return opJson(op); });
    // A graph held in another layout is written like any other.
    if (graph_.tiling && !isRelaid(graph_)) json["tiling"] = tilingJson(*graph_.tiling);
    return json;
  }

 private:
  /// Names in order; an absent optional tensor is an empty one.
  Json list(const std::vector<TensorId>& ids) const {
    return jsonList(ids, [&](TensorId id) { return id ? names_.of(id) : ""; });
  }

  Json tilingJson(const Tiling& tiling) const {
    const TensorNames before(*tiling.original);
    Json json = {{"original", GraphWriter(*tiling.original).json()}};
    json["tensors"] = Json::array();
    for (const TensorId id : graph_.tensors.keys()) {
      if (const auto& piece = tiling.pieces[id]) {
        json["tensors"].push_back({{"name", names_.of(id)},
                                   {"of", before.of(piece->of)},
                                   {"begin", piece->begin},
                                   {"host", names_.of(piece->host)},
                                   {"at", piece->at}});
      } else if (const TensorId whole = tiling.wholeOf[id]) {
        json["tensors"].push_back({{"name", names_.of(id)}, {"of", before.of(whole)}});
      }
    }
    json["ops"] = Json::array();
    for (const OpId id : graph_.ops.keys()) {
      Json op = Json::object();
      if (const OpId of = tiling.opOf[id]) op["of"] = of.index();
      if (const auto& part = tiling.parts[id]) {
        if (!isFoldPart(*part)) op["axis"] = part->axis;
        op["rows"] = {part->rows.begin, part->rows.end};
        if (isFoldPart(*part)) op["size"] = part->size;
        if (part->across >= 0) op["across"] = part->across;
        if (isFoldPart(*part) && part->width > 1) op["width"] = part->width;
        if (part->across >= 0 || part->width > 1) {
          op["columns"] = {part->columns.begin, part->columns.end};
        }
        if (part->cell > 0) op["cell"] = part->cell;
      }
      if (batchOf(graph_, id) > 0) op["batch"] = batchOf(graph_, id);
      json["ops"].push_back(std::move(op));
    }
    return json;
  }

  Json opJson(const Op& op) const {
    Json json = {{"name", op.name}, {"type", op.type}};
    if (!op.domain.empty()) json["domain"] = op.domain;
    json["inputs"] = list(op.inputs);
    json["outputs"] = list(op.outputs);
    if (!op.captures.empty()) json["captures"] = list(op.captures);
    if (!op.attributes.empty()) {
      Json attributes = Json::object();
      for (const auto& [key, value] : op.attributes) {
        attributes[key] = std::visit([](const auto& plain) { return Json(plain); }, value);
      }
      json["attributes"] = attributes;
    }
    return json;
  }

  const Graph& graph_;
  TensorNames names_;
};

void writeDocument(const Graph& graph, const TensorRules* rules, std::ostream& out,
                   const std::string& madeFrom) {
  Json json = GraphWriter(graph).json();
  if (rules != nullptr) json["constraints"] = tensorRulesJson(*rules, graph);
  if (!madeFrom.empty()) json["made_from"] = {{"sha256", madeFrom}};
  out << jsonDocument(json);
}

}  // namespace

void writeGraphJson(const Graph& graph, std::ostream& out, const std::string& madeFrom) {
  writeDocument(graph, nullptr, out, madeFrom);
}

void writeGraphJson(const Model& model, std::ostream& out) {
  writeDocument(*model.graph, model.rules.get(), out, model.sha256);
}

}  // namespace hw
