#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace hw::cli {

/// Text of an option in --help, and what it takes.
struct OptionText {
  std::string help{};
  std::string type{};                  ///< "FILE", "SIZE".
  std::vector<std::string> choices{};  ///< Nothing else is accepted; empty: anything is.
};

/// Role of an option that names an output file.
enum class OutputRole {
  result,   ///< Without it, the result goes to standard output.
  beside,   ///< Another file.
  instead,  ///< Another file; on standard output ("-") it takes the place of the result.
};

/// An option that names an output file, and what was said.
struct OutputOption {
  std::string name{};
  const std::string* path = nullptr;
  OutputRole role = OutputRole::beside;
};

/// The options of one command. Variables are filled in when the command line is read, so they must
/// outlive it. The only place that knows the library behind it is arguments.cpp.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  /// A required argument without a name of its own.
  void positional(const std::string& name, std::string& value, const OptionText& text);
  /// The same, but nobody has to give it; only as the last one.
  void optional(const std::string& name, std::string& value, const OptionText& text);
  /// One or more of them.
  void positional(const std::string& name, std::vector<std::string>& values,
                  const OptionText& text);
  /// `names` are as typed: "-o,--output".
  void option(const std::string& names, std::string& value, const OptionText& text);
  void option(const std::string& names, std::vector<std::string>& values, const OptionText& text);
  void required(const std::string& names, std::string& value, const OptionText& text);
  void number(const std::string& names, int& value, int least, int most, const OptionText& text);
  void number(const std::string& names, double& value, const OptionText& text);
  void flag(const std::string& names, bool& value, const std::string& help);
  /// An option that names a file to write. Two of a command that would write to one are refused.
  void output(const std::string& names, std::string& path, OutputRole role, const OptionText& text);

  const std::vector<OutputOption>& outputs() const { return outputs_; }

 private:
  CLI::App& app_;
  std::vector<OutputOption> outputs_;
};

/// Work of a command once its options are read.
using Action = std::function<Outcome<ExitCode>()>;

/// A command of the program: its name, and how to add its options.
struct CommandInfo {
  std::string name{};
  std::string summary{};
  std::string notes{};  ///< Below the options in --help: rules and examples.
  std::function<Action(Arguments&)> add{};
};

/// Outcome of a command line: something to print, or something to do.
struct ParsedCommandLine {
  std::string print{};
  Action action{};
};

/// Reads the command line. Unknown commands, options and values are failures that name the closest
/// known one.
Outcome<ParsedCommandLine> parseCommandLine(int argc, char** argv,
                                            const std::vector<CommandInfo>& commands);

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
CommandInfo calibrateCommand();
CommandInfo reportCommand();
CommandInfo convertCommand();
CommandInfo sweepCommand();
CommandInfo studyCommand();
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
