#pragma once

#include <memory>

#include "app/cli/arguments.h"

namespace hw::cli {

/// Adds the options of `Command`, whose constructor does so; they live as long as the action.
template <class Command>
Action actionOf(Arguments& arguments) {
  return [command = std::make_shared<Command>(arguments)] { return command->run(); };
}

CommandInfo infoCommand();
CommandInfo planCommand();
CommandInfo compareCommand();
CommandInfo diffCommand();
CommandInfo explainCommand();
CommandInfo simulateCommand();
CommandInfo checkCommand();
CommandInfo reportCommand();
CommandInfo convertCommand();
CommandInfo sweepCommand();
CommandInfo frontCommand();
CommandInfo shrinkCommand();
CommandInfo generateCommand();
CommandInfo listCommand();
CommandInfo lessonCommand();
CommandInfo serveCommand();

/// The program under the name of another, `minimalloc`: takes its flags and files, and answers as
/// it does (docs/formats/minimalloc.md).
ExitCode runAsMinimalloc(int argc, char** argv);

}  // namespace hw::cli
