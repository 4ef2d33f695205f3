#include <cstdlib>
#include <iostream>

#include "app/cli/arguments.h"
#include "app/cli/options.h"
#include "app/cli/serve/session.h"
#include "core/files/file.h"

namespace hw::cli {
namespace {

struct ServeCommand {
  explicit ServeCommand(Arguments& arguments) : plugins(arguments) {
    arguments.flag("--stdio", stdio, "requests from standard input, answers to standard output");
    arguments.flag("--mcp", mcp, "the same for agents, as tools of the Model Context Protocol");
  }

  Outcome<ExitCode> run() const {
    if (stdio == mcp) return failure(ExitCode::badUsage, "", "serve: say --stdio or --mcp");
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);  // Reading would flush what another thread is writing.
    auto output = OutputFile::open("-");
    if (!output) return failure(output.error(), "standard output");
    // The next request may be long in coming: nobody would hear that there will be no answer.
    const auto unheard = [&] {
      const auto written = output->commit();
      if (!output->readerIsGone()) {
        printFailure({ExitCode::badInput, "standard output", written.error().text()});
      }
      std::_Exit(static_cast<int>(ExitCode::badInput));
    };
    serve(std::cin, output->stream(), plugins.value(), unheard,
          mcp ? Dialect::mcp : Dialect::calls);
    return ExitCode::done;
  }

  PluginOption plugins;
  bool stdio = false;
  bool mcp = false;
};

}  // namespace

CommandInfo serveCommand() {
  return {.name = "serve",
          .summary = "answers editors and notebooks: one model kept open, JSON-RPC",
          .notes =
              "JSON-RPC 2.0, a message a line: initialize, open, plan, simulate, compare, shrink,\n"
              "explain, rows, study, close, shutdown; '$/cancel' stops a call. It ends with its "
              "input.\n"
              "\n"
              "Examples:\n"
              "  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}' | highwater serve "
              "--stdio",
          .add = actionOf<ServeCommand>};
}

}  // namespace hw::cli
