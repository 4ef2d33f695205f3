#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <onnx/onnx_pb.h>

#include "core/import/formats.h"
#include "core/import/onnx_functions.h"
#include "core/import/onnx_graph_reader.h"
#include "core/import/onnx_inference.h"
#include "core/import/onnx_wire.h"
#include "core/import/sha256.h"

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
  auto reduced = withoutPayloads(bytes);
  if (!reduced) return tl::unexpected<Error>(std::move(reduced.error()));
  Model model;
  if (bytes.size() > kHashedWhole) model.sha256 = sha256(*reduced);
  google::protobuf::Arena arena;  // Models are many small messages, dropped all at once.
  auto& proto = *google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (auto ok = parseModel(*reduced, proto); !ok) return tl::unexpected<Error>(ok.error());
  reduced->clear();
  reduced->shrink_to_fit();
  FreeDimensions dimensions(options.dimensions);
  const auto calls = inlineFunctions(proto);
  if (!calls) return tl::unexpected<Error>(calls.error());
  std::vector<std::string> notes;
  if (*calls > 0) {
    notes.push_back(fmt::format(
        "{} calls of the model's own functions were replaced by what is inside", *calls));
  }
  ShapeInference inference(proto, dimensions);
  auto scope = inference.run();
  if (auto ok = dimensions.checkAllUsed(); !ok) return tl::unexpected<Error>(std::move(ok.error()));
  notes.insert(notes.end(), dimensions.notes().begin(), dimensions.notes().end());
  auto graph = OnnxGraphReader(proto, inference, options.closedBodies)
                   .read(std::move(scope), notes, dimensions.openValues());
  if (!graph) return tl::unexpected<Error>(std::move(graph.error()));
  model.graph = std::make_shared<const Graph>(std::move(*graph));
  return model;
}

}  // namespace hw
