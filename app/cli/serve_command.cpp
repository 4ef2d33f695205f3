#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/serve/server.h"

namespace hw::cli {
namespace {

struct ServeCommand {
  explicit ServeCommand(Arguments& arguments) {
    arguments.flag("--stdio", stdio, "requests from standard input, answers to standard output");
  }

  Outcome<ExitCode> run() const {
    if (!stdio) return failure(ExitCode::badUsage, "", "serve: say --stdio; there is no other way");
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);  // Reading would flush what another thread is writing.
    serve(std::cin, std::cout);
    return ExitCode::done;
  }

  bool stdio = false;
};

}  // namespace

CommandInfo serveCommand() {
  return {.name = "serve",
          .summary = "answers editors and notebooks: one model kept open, JSON-RPC",
          .notes =
              "JSON-RPC 2.0, a message a line: initialize, open, plan, simulate, compare, shrink,\n"
              "explain, rows, close, shutdown; '$/cancel' stops a call. It ends with its input.\n"
              "\n"
              "Examples:\n"
              "  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}' | highwater serve "
              "--stdio",
          .add = actionOf<ServeCommand>};
}

}  // namespace hw::cli
