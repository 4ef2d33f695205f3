#include "tests/support/machine_draw.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/machine/platforms.h"
#include "core/run/options.h"

namespace hw::test {

Graph MachineDraw::graph() {
  DrawnGraph drawn;
  const std::int64_t inputs = dice_.roll(1, 2);
  for (std::int64_t i = 0; i < inputs; ++i) drawn.inputs.push_back(tensor(drawn, "x"));
  names_ = drawn.inputs;
  const std::int64_t ops = dice_.roll(3, 10);
  for (std::int64_t i = 0; i < ops; ++i) {
    std::string reads = recent();
    if (dice_.chance(40)) reads += ", " + names_[roll(names_.size())];
    if (dice_.chance(60)) {
      drawn.constants.push_back(tensor(drawn, "w"));
      reads += ", " + drawn.constants.back();
    }
    const std::string made = tensor(drawn, "t");
    const char* type = dice_.chance(50) ? "Conv" : "Custom";
    drawn.ops.push_back(fmt::format("{} {} -> {}", type, reads, made));
    names_.push_back(made);
  }
  drawn.outputs = {names_.back()};
  if (dice_.chance(40)) drawn.outputs.push_back(names_[names_.size() - 2]);
  return drawnGraph(drawn);
}

RunRequest MachineDraw::request() {
  RunRequest request{.allocator = AllocatorChoice::parse("best").value(),
                     .platform = platform(),
                     .alignment = Bytes(dice_.chance(50) ? 1 : 8)};
  const ResidencyRule rules[] = {ResidencyRule::wholeLife, ResidencyRule::wholeLife,
                                 ResidencyRule::layer,     ResidencyRule::lru,
                                 ResidencyRule::belady,    ResidencyRule::cost};
  request.residency = rules[roll(std::size(rules))];
  const WeightRule weights[] = {WeightRule::stream, WeightRule::prefetch, WeightRule::prefetch,
                                WeightRule::resident, WeightRule::free};
  request.weights = {.rule = weights[roll(std::size(weights))], .ahead = dice_.roll(1, 2)};
  request.alias = {dice_.chance(70), dice_.chance(70), dice_.chance(70), dice_.chance(30)};
  place(request);
  return request;
}

void MachineDraw::place(RunRequest& request) {
  const bool two = request.platform.devices.size() > 1;
  const std::string inputs =
      two ? any({"arena", "external"}) : any({"arena", "external", "loaded", "near", "rows"});
  const std::string outputs =
      two ? any({"arena", "external"}) : any({"arena", "external", "stored", "near"});
  const auto errors = readOptions({{"inputs", {inputs}}, {"outputs", {outputs}}}, request, "--");
  REQUIRE(errors.empty());
}

Platform MachineDraw::platform() {
  const bool two = dice_.chance(25);
  std::string text = fmt::format("name = \"drawn\"\ncontention = \"{}\"\n",
                                 any({"proportional", "fair", "none", "in order"}));
  if (two) text += device("B", R"(["Conv", "Concat"])");
  text += device("A", R"(["*"])");
  auto read = parsePlatform(text);
  INFO(text);
  REQUIRE(read);
  return *read;
}

std::string MachineDraw::device(const std::string& name, const std::string& ops) {
  const bool middle = dice_.chance(25);
  std::string pools = pool("L1", std::to_string(dice_.roll(40, 400)));
  if (middle) pools += pool("LM", std::to_string(dice_.roll(100, 600)));
  pools += pool("L2", R"("1GiB")");
  const std::string last = middle ? "LM" : "L2";
  const std::string both = fmt::format(R"(["{0}>L1", "L1>{0}"])", last);
  std::string engines = fmt::format("[[device.dma]]\nname = \"dma0\"\nmoves = {}\n",
                                    any({both, fmt::format(R"(["{}>L1"])", last)}));
  engines +=
      fmt::format("channels = {}\nsetup = \"{}ns\"\n{}", dice_.roll(1, 2), any({"0", "10", "100"}),
                  dice_.chance(30) ? "bandwidth = \"1GB/s\"\n" : "");
  const auto unit = [&](const char* its, const char* runs, std::int64_t count) {
    return fmt::format(
        "[[device.unit]]\nname = \"{}\"\nops = [\"{}\"]\nclock = \"1GHz\"\n"
        "elements_per_cycle = {}\ncount = {}\n",
        its, runs, dice_.roll(1, 8), count);
  };
  return fmt::format("[[device]]\nname = \"{}\"\nops = {}\nissue = \"{}\"\n", name, ops,
                     any({"parallel", "parallel", "in-order"})) +
         pools + engines + unit("mac", "Conv", dice_.roll(1, 2)) + unit("rest", "*", 1);
}

std::string MachineDraw::pool(const std::string& name, const std::string& capacity) {
  return fmt::format(
      "[[device.pool]]\nname = \"{}\"\ncapacity = {}\nread = \"{}GB/s\"\nwrite = \"{}GB/s\"\n"
      "duplex = \"{}\"\nlatency = \"{}ns\"\n",
      name, capacity, any({"0.25", "1", "4"}), any({"0.25", "1", "4"}), any({"full", "half"}),
      any({"0", "5", "20"}));
}

std::size_t MachineDraw::roll(std::size_t count) {
  return static_cast<std::size_t>(dice_.roll(0, static_cast<std::int64_t>(count) - 1));
}

std::string MachineDraw::recent() {
  return names_[names_.size() - 1 - roll(std::min<std::size_t>(names_.size(), 3))];
}

std::string MachineDraw::any(const std::vector<std::string>& words) {
  return words[roll(words.size())];
}

std::string MachineDraw::tensor(DrawnGraph& drawn, const std::string& prefix) {
  const std::string name = prefix + std::to_string(drawn.tensors.size());
  drawn.tensors.push_back({name, dice_.roll(4, 120)});
  return name;
}

}  // namespace hw::test
