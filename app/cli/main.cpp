#include <exception>
#include <new>
#include <string_view>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/output.h"
#include "core/files/process.h"

namespace hw::cli {
namespace {

Outcome<ExitCode> run(int argc, char** argv) {
  HW_TRY(parsed,
         parseCommandLine(argc, argv,
                          {infoCommand(), planCommand(), compareCommand(), diffCommand(),
                           explainCommand(), simulateCommand(), checkCommand(), reportCommand(),
                           convertCommand(), sweepCommand(), frontCommand(), shrinkCommand(),
                           generateCommand(), listCommand(), lessonCommand(), serveCommand()}));
  if (parsed.action) return parsed.action();
  HW_DO(writeOutput("-", [&](std::ostream& out) { out << parsed.print; }));
  return ExitCode::done;
}

ExitCode runAndReport(int argc, char** argv) {
  try {
    const std::string_view program = argc > 0 ? argv[0] : "";
    if (program.substr(program.rfind('/') + 1) == "minimalloc") return runAsMinimalloc(argc, argv);
    const Outcome<ExitCode> outcome = run(argc, argv);
    if (outcome) return *outcome;
    printFailure(outcome.error());
    return outcome.error().code;
  } catch (const std::bad_alloc&) {
    printFailure({ExitCode::internalError, "", "out of memory"});
  } catch (const std::exception& error) {
    printFailure({ExitCode::internalError, "", std::string("internal error: ") + error.what()});
  }
  return ExitCode::internalError;
}

}  // namespace
}  // namespace hw::cli

int main(int argc, char** argv) {
  hw::openStandardStreams();
  hw::cli::handleSignals();
  return static_cast<int>(hw::cli::runAndReport(argc, argv));
}
