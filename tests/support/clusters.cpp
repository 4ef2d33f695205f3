#include "tests/support/clusters.h"

#include <fmt/format.h>

#include "core/machine/platforms.h"
#include "tests/support/graphs.h"
#include "tests/support/machine_judge.h"
#include "tests/support/methods.h"

namespace hw::test {

Platform clusters(std::int64_t nearest, std::int64_t near, const std::string& issue) {
  const std::string l1 = nearest == 0 ? ""
                                      : fmt::format(R"([[device.pool]]
name = "L1"
capacity = "{}"
bandwidth = "8GB/s"
[[device.dma]]
name = "inner"
moves = ["L2>L1", "L1>L2"]
)",
                                                    nearest);
  const std::string l2 = fmt::format(R"([[device.pool]]
name = "L2"
capacity = "{}"
bandwidth = "4GB/s"
latency = "3ns"
[[device.pool]]
use = "L3"
[[device.dma]]
name = "dma"
moves = ["L3>L2", "L2>L3"]
)",
                                     near);
  const std::string unit = "[[device.unit]]\nname = \"unit\"\nops = [\"*\"]\nclock = \"1GHz\"\n";
  return parsePlatform(
             "name = \"clusters\"\n[[memory]]\nname = \"L3\"\nbandwidth = \"1GB/s\"\n" +
             ("[[device]]\nname = \"A\"\nops = [\"Conv\", \"Relu\"]\n" + l1) + l2 + unit +
             fmt::format("[[device]]\nname = \"B\"\nissue = \"{}\"\nops = [\"*\"]\n", issue) + l2 +
             unit)
      .value();
}

std::shared_ptr<const Run> spreadRun(const Graph& graph, const Platform& platform,
                                     const std::string& allocator,
                                     const std::function<void(RunRequest&)>& tell) {
  RunRequest request = requestOn(platform, "partition:allocator=" + allocator);
  request.alignment = Bytes(1);
  tell(request);
  return mustRun(modelOf(graph), request);
}

std::string faultOf(const Run& run) {
  if (const std::string fault = firstOf(validate(run.problem, run.plan)); !fault.empty()) {
    return fault;
  }
  if (const std::string fault = firstOf(replayBytes(run, Bytes(1 << 20))); !fault.empty()) {
    return fault;
  }
  return judgeFault(run.timing);
}

}  // namespace hw::test
