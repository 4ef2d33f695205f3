#include "core/run/run_request.h"

#include "core/machine/platforms.h"

namespace hw {

RunRequest defaultRequest() {
  RunRequest request;
  request.allocator.info = findAllocator(kDefaultAllocator).value();
  request.platform = defaultPlatform();
  return request;
}

RunRequest planningRequest() {
  RunRequest request = defaultRequest();
  request.l2 = {.kind = PoolSize::Kind::unbounded};
  request.l3 = {.kind = PoolSize::Kind::unbounded, .assumed = true};
  return request;
}

}  // namespace hw
