#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <onnx/onnx_pb.h>

#include <optional>

#include "core/files/sha256.h"
#include "core/import/formats.h"
#include "core/import/onnx/dimension_solver.h"
#include "core/import/onnx/functions.h"
#include "core/import/onnx/graph_reader.h"
#include "core/import/onnx/inference.h"
#include "core/import/onnx/wire.h"

namespace hw {
namespace {

Result<void> parseModel(const std::string& reduced, onnx::ModelProto& model) {
  if (!model.ParseFromString(reduced)) {
    return fail(ErrorCode::malformed, "the protobuf is not an ONNX model, or is nested too deeply");
  }
  if (!model.has_graph()) {
    return fail(ErrorCode::malformed, "the model has no graph; expected an ONNX ModelProto");
  }
  return {};
}

}  // namespace

bool acceptsOnnx(std::string_view bytes) { return looksLikeOnnx(bytes); }

Result<Model> readOnnx(std::string_view bytes, const ImportOptions& options) {
  HW_TRY(reduced, withoutPayloads(bytes));
  Model model;
  if (bytes.size() > kHashedWhole) model.sha256 = sha256(reduced);
  google::protobuf::Arena arena;  // Models are many small messages, dropped all at once.
  auto& proto = *google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  HW_DO(parseModel(reduced, proto));
  reduced.clear();
  reduced.shrink_to_fit();
  HW_TRY(calls, inlineFunctions(proto));
  std::vector<std::string> notes;
  if (calls > 0) {
    notes.push_back(fmt::format(
        "{} calls of the model's own functions were replaced by what is inside", calls));
  }
  const auto orders = std::make_shared<NodeOrders>();
  std::optional<FreeDimensions> dimensions(options.dimensions);
  std::optional<ShapeInference> inference(std::in_place, proto, *dimensions, orders);
  auto scope = inference->run();
  if (!inference->misfits().empty() && !dimensions->open().empty()) {
    dimensions.emplace(options.dimensions, settleDimensions(proto, options.dimensions, orders));
    inference.emplace(proto, *dimensions, orders);
    scope = inference->run();
  }
  HW_DO(dimensions->checkAllUsed());
  notes.insert(notes.end(), dimensions->notes().begin(), dimensions->notes().end());
  HW_TRY(graph, OnnxGraphReader(proto, *inference, options.closedBodies)
                    .read(std::move(scope), notes, dimensions->openValues()));
  model.graph = std::make_shared<const Graph>(std::move(graph));
  return model;
}

}  // namespace hw
