#pragma once

#include "app/cli/arguments.h"

namespace hw::cli {

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
CommandInfo listCommand();

}  // namespace hw::cli
