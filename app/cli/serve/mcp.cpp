#include "app/cli/serve/mcp.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace hw::cli {
namespace {

struct Argument {
  std::string_view name{};
  std::string_view type{};
  std::string_view description{};
  bool required = false;
};

struct Tool {
  std::string_view name{};
  std::string_view description{};
  std::vector<Argument> arguments{};
};

constexpr Argument kOptions{"options", "object",
                            "options of the command line without '--': allocator, platform, l2, "
                            "align, alias, order, tile, ..."};

constexpr Argument kStudyArguments[] = {
    {"file", "string", "FILE.db", true},
    {"pareto", "string", "figures: peak,latency"},
    {"pivot", "string", "two axes: l2,allocator"},
    {"best-by", "string", "an axis: l2"},
    {"baseline", "string", "AXIS=VALUE: allocator=free-list"},
    {"matters", "boolean", "which axes the figure depends on"},
    {"sql", "string", "a SELECT on the table runs"},
    {"figure", "string", "peak (default), latency, energy, moved, ..."},
    {"where", "string", "a condition of SQL on rows"}};

const std::vector<Tool>& tools() {
  static const std::vector<Tool> kTools = {
      {"open",
       "Opens a neural network (ONNX, TFLite, graph JSON) or a planning problem, and sums it up: "
       "operators, tensors, bytes, the lower bound of its peak. Other tools are about it.",
       {{"model", "string", "a file, or samples:NAME", true},
        {"options", "object", "how it is opened: dim, bodies, fuse, subgraph"}}},
      {"plan", "Plans where each tensor lies in memory: addresses, peak, status.", {kOptions}},
      {"simulate",
       "Plans and simulates one inference on a platform: latency, traffic, energy, stalls.",
       {kOptions}},
      {"compare",
       "Plans by several allocators: peak, fragmentation, latency of each.",
       {kOptions,
        {"allocators", "string", "A,B:key=value,...; left out: all"},
        {"by", "string", "sorted by peak, latency, traffic or energy"}}},
      {"shrink",
       "Finds rewrites (order, parts, rematerialization, overlaps) that need less memory, and what "
       "they cost.",
       {kOptions,
        {"budget", "string", "bytes that are enough: 256KiB"},
        {"allow", "string", "rewrites that may be used"}}},
      {"explain",
       "Why a tensor lies where it lies, or what fills a step; of the last plan. Without "
       "arguments: "
       "the peak.",
       {{"tensor", "string", "its name"}, {"step", "integer", "a step of the schedule"}}},
      {"study",
       "Asks the results of a sweep, a database: one of pareto, pivot, best-by, baseline, matters, "
       "sql; without a question: how many rows there are, and which are out of date.",
       {std::begin(kStudyArguments), std::end(kStudyArguments)}},
  };
  return kTools;
}

constexpr std::array<std::string_view, 3> kRevisions = {"2025-06-18", "2025-03-26", "2024-11-05"};

Json textContent(const std::string& text) {
  return Json::array({{{"type", "text"}, {"text", text}}});
}

}  // namespace

Json mcpWelcome(const ParsedJson& params) {
  const auto asked = params.find("protocolVersion");
  const auto known = std::ranges::find_if(kRevisions, [&](std::string_view revision) {
    return asked != params.end() && *asked == std::string(revision);
  });
  return {{"protocolVersion", known == kRevisions.end() ? kRevisions.front() : *known},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "highwater"}, {"version", HIGHWATER_VERSION}}},
          {"instructions",
           "Plans the memory of neural networks. Call 'open' first; sizes are in bytes, latencies "
           "in picoseconds where their names end in _ps."}};
}

Json mcpTools() {
  Json list = Json::array();
  for (const Tool& tool : tools()) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const Argument& argument : tool.arguments) {
      properties[std::string(argument.name)] = {{"type", argument.type},
                                                {"description", argument.description}};
      if (argument.required) required.push_back(argument.name);
    }
    list.push_back({{"name", tool.name},
                    {"description", tool.description},
                    {"inputSchema",
                     {{"type", "object"},
                      {"properties", properties},
                      {"required", required},
                      {"additionalProperties", false}}}});
  }
  return {{"tools", list}};
}

bool isMcpTool(const std::string& name) {
  return std::ranges::any_of(tools(), [&](const Tool& tool) { return tool.name == name; });
}

Json mcpResult(const Json& result) {
  return {{"content", textContent(jsonLine(result))}, {"isError", false}};
}

Json mcpFailure(const std::string& message) {
  return {{"content", textContent(message)}, {"isError", true}};
}

}  // namespace hw::cli
