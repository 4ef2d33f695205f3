#pragma once

#include <istream>
#include <ostream>

namespace hw::cli {

/// Answers JSON-RPC 2.0, a message a line, until `in` ends or `shutdown` is called; what was asked
/// before is still answered. Messages that are wrong get an answer that says how, and never end it.
/// One call is at work at a time, in a thread of its own, so that it can be cancelled.
void serve(std::istream& in, std::ostream& out);

}  // namespace hw::cli
