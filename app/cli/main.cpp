#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/output.h"
#include "core/files/process.h"
#include "core/report/study/study_engine.h"

namespace hw::cli {
namespace {

Outcome<ExitCode> run(int argc, char** argv) {
  HW_TRY(parsed,
         parseCommandLine(
             argc, argv,
             {infoCommand(), planCommand(), compareCommand(), diffCommand(), explainCommand(),
              simulateCommand(), checkCommand(), reportCommand(), convertCommand(), sweepCommand(),
              frontCommand(), shrinkCommand(), generateCommand(), listCommand(), lessonCommand(),
              serveCommand(), studyCommand(), calibrateCommand()}));
  if (parsed.action) return parsed.action();
  HW_DO(writeOutput("-", [&](std::ostream& out) { out << parsed.print; }));
  return ExitCode::done;
}

ExitCode runAndReport(int argc, char** argv) {
  try {
    const std::string_view program = argc > 0 ? argv[0] : "";
    if (program.substr(program.rfind('/') + 1) == "minimalloc") return runAsMinimalloc(argc, argv);
    if (argc == 2 && argv[1] == kStudyWorker) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // Its results would reach nobody.
      return workOnStudy(std::cin, std::cout) ? ExitCode::done : ExitCode::badInput;
    }
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
