#pragma once

#include <string>

#include "core/base/json.h"

namespace hw::cli {

// The Model Context Protocol (modelcontextprotocol.io, revision 2025-06-18) over the calls of
// `highwater serve`: tools are methods, and their arguments are params.

/// The answer to `initialize`: the revision that the client names where it is a known one.
Json mcpWelcome(const ParsedJson& params);

/// The tools: `tools/list`.
Json mcpTools();
/// True if there is a tool of that name.
bool isMcpTool(const std::string& name);

/// The result of a call, as a text for the model that reads it.
Json mcpResult(const Json& result);
/// A call that failed: the model is told why, and may try again.
Json mcpFailure(const std::string& message);

}  // namespace hw::cli
