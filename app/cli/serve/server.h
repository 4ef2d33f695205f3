#pragma once

#include <functional>
#include <istream>
#include <ostream>

#include "core/allocators/plugin.h"

namespace hw::cli {

/// Answers JSON-RPC 2.0, a message a line, until `in` ends or `shutdown` is called; what was asked
/// before is still answered. Messages that are wrong get an answer that says how, and never end it.
/// One call is at work at a time, in a thread of its own, so that it can be cancelled. When `out`
/// takes nothing more, `unheard` is called, from any thread, and nothing else is answered.
void serve(std::istream& in, std::ostream& out, Plugins plugins,
           const std::function<void()>& unheard);

}  // namespace hw::cli
