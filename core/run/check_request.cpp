#include "core/run/check_request.h"

#include <fmt/format.h>

namespace hw {
namespace {

/// What lies in a ring depends on the order of the parts, and a part is one already.
bool rewritesParts(const RunRequest& request) {
  return request.channelsLast || request.order != OpOrder::given || !request.moves.empty() ||
         request.recompute || request.tile != TileRule::off || request.inputRows ||
         request.allocator.info->way == Way::perDevice;
}

}  // namespace

Result<void> checkRequest(const Model& model, const RunRequest& request) {
  const auto refuse = [](std::string message) {
    return fail(ErrorCode::invalidArgument, std::move(message));
  };
  const Platform& platform = request.platform;
  if (request.allocator.info == nullptr) return refuse("no allocator was chosen");
  if (platform.devices.empty() || platform.devices.front().pools.empty()) {
    return refuse(fmt::format("platform '{}' has no device with a pool", platform.name));
  }
  const Bytes alignment = request.alignment.value_or(kDefaultAlignment);
  if (!isAlignment(alignment)) {
    return refuse(fmt::format("alignment {} is not a power of two up to 1 GiB", alignment.count()));
  }
  if (!model.graph) return refuse("the model has no graph");
  if (model.graph->tiling && rewritesParts(request)) {
    return refuse(
        "the operators of this graph are parts already, or run again: they keep their order, on "
        "one device, and are not rewritten once more");
  }
  return {};
}

}  // namespace hw
