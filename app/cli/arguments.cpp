#include "app/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "core/base/text.h"
#include "core/files/file.h"

namespace hw::cli {
namespace {

constexpr const char* kAbout =
    "Plans, simulates and compares the memory of neural networks, ahead of time.";
constexpr const char* kNotes =
    "Examples:\n"
    "  highwater info model.onnx\n"
    "  highwater plan model.onnx --allocator free-list:pick=best --l2 1MiB -o plan.json\n"
    "  highwater compare samples:resnet50\n"
    "  highwater check model.onnx plan.json\n"
    "\n"
    "Sizes: 4096, 512KiB, 1.5MiB, 2GB (KiB = 1024, kB = 1000).\n"
    "Exit codes: 0 done; 1 the answer is no; 2 bad usage; 3 bad input, or output that cannot be\n"
    "written; 4 a bug of ours; 130 interrupted. What stands behind -- is no option.\n"
    "'highwater COMMAND --help' tells about a command.";
constexpr std::size_t kHelpColumn = 34;

/// A check for a value: one of `words`, or an error with the closest.
CLI::Validator oneOf(const std::vector<std::string>& words) {
  const auto check = [words](std::string& value) {
    if (std::ranges::find(words, value) != words.end()) return std::string();
    std::string message =
        fmt::format("'{}' is not one of {}", printable(value, 80), fmt::join(words, ", "));
    if (const auto closest = closestWord(value, words)) {
      message += fmt::format("; did you mean '{}'?", *closest);
    }
    return message;
  };
  return CLI::Validator(check, "");
}

/// A check for a number, which --help does not spell out.
CLI::Validator inRange(double least, double most) {
  const auto check = [least, most](std::string& value) {
    const auto number = parseNumber(value);
    if (number && *number >= least && *number <= most) return std::string();
    return fmt::format("'{}' is not a number from {} to {}", printable(value, 80), least, most);
  };
  return CLI::Validator(check, "");
}

CLI::Option* finish(CLI::Option* option, const OptionText& text) {
  option->type_name(text.type);
  if (!text.choices.empty()) option->check(oneOf(text.choices));
  return option;
}

/// Every long and short option of a command, as typed.
std::vector<std::string> optionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known) {
  const auto closest = closestWord(word, known);
  return closest ? fmt::format("; did you mean '{}'?", *closest) : std::string();
}

/// `word` stands where a command was expected.
Failure unknownCommand(const std::string& word, const CLI::App& program) {
  std::vector<std::string> known = optionNames(program);
  const bool option = word.starts_with("-");
  if (!option) {
    known.clear();
    for (const CLI::App* command : program.get_subcommands({})) {
      known.push_back(command->get_name());
    }
  }
  return {ExitCode::badUsage, "",
          fmt::format("unknown {} '{}'{}", option ? "option" : "command", printable(word, 80),
                      didYouMean(word, known))};
}

Failure unexpectedArgument(const std::string& word, const CLI::App& command, bool isOption) {
  if (!isOption) {
    return {ExitCode::badUsage, "",
            fmt::format("'{}' does not take another argument '{}'", command.get_name(),
                        printable(word, 80))};
  }
  const std::string name = word.substr(0, word.find('='));
  return {ExitCode::badUsage, "",
          fmt::format("unknown option '{}' for '{}'{}", printable(name, 80), command.get_name(),
                      didYouMean(name, optionNames(command)))};
}

/// Failure of the first word that nobody took; `arguments` stand behind "--", and none of
/// them is an option.
std::optional<Failure> firstUnexpected(const CLI::App& command,
                                       const std::vector<std::string>& arguments,
                                       bool optionsOnly = false) {
  std::vector<std::string> words = command.remaining();
  // Behind the mark, what is too much for a command is handed to the program around it.
  if (command.get_parent() != nullptr) {
    for (const std::string& word : command.get_parent()->remaining()) words.push_back(word);
  }
  for (const std::string& word : words) {
    if (word == "--") continue;
    const bool isOption =
        word.size() > 1 && word.starts_with("-") && std::ranges::count(arguments, word) == 0;
    if (isOption || !optionsOnly) return unexpectedArgument(word, command, isOption);
  }
  return std::nullopt;
}

/// The file that an output goes to, "-" for standard output; nothing for devices and pipes, which
/// may be written to twice, and where nothing goes.
std::optional<std::string> placeOf(const OutputOption& output) {
  const std::string& path = *output.path;
  if (path.empty() && output.role != OutputRole::result) return std::nullopt;
  if (path.empty() || path == "-") return "-";
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const bool special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  return special ? std::nullopt : std::optional(outputTarget(path));
}

/// Two outputs of which one would replace the other, or be mixed with it.
std::optional<Failure> sameOutput(const std::vector<OutputOption>& outputs) {
  for (auto a = outputs.begin(); a != outputs.end(); ++a) {
    const auto place = placeOf(*a);
    const auto b = std::find_if(a + 1, outputs.end(), [&](const OutputOption& other) {
      const bool instead = a->role == OutputRole::instead || other.role == OutputRole::instead;
      return place && place == placeOf(other) && !(instead && *place == "-");
    });
    if (b == outputs.end()) continue;
    return Failure{
        ExitCode::badUsage, "",
        fmt::format("{} and {} would both be written to {}", a->name, b->name,
                    *place == "-" ? "standard output" : "'" + printable(*b->path, 200) + "'")};
  }
  return std::nullopt;
}

/// The library says "--format: 1 required NAME missing".
std::string reason(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::size_t at = text.find(": 1 required ");
  if (at == std::string::npos || !text.ends_with(" missing")) return text;
  return text.substr(0, at) + " needs a value";
}

/// A program with its commands, before it has seen a command line.
struct ProgramParser {
  CLI::App program{kAbout, "highwater"};
  struct Command {
    CLI::App* app = nullptr;
    Action action{};
    std::vector<OutputOption> outputs{};
  };
  std::vector<Command> commands{};
  std::vector<std::string> arguments{};  ///< What stands behind "--".

  /// Commands that no word of the command line names have no options: building them would cost
  /// more than most commands.
  ProgramParser(const std::vector<CommandInfo>& infos, std::span<char* const> words) {
    const auto mark = std::ranges::find(words, std::string_view("--"));
    if (mark != words.end()) arguments.assign(mark + 1, words.end());
    program.footer(kNotes);
    program.get_formatter()->column_width(kHelpColumn);
    program.set_version_flag("--version", "highwater " HIGHWATER_VERSION, "print the version");
    program.set_help_flag("-h,--help", "print this text");
    program.allow_extras();
    for (const CommandInfo& info : infos) {
      CLI::App* command = program.add_subcommand(info.name, info.summary);
      command->footer(info.notes);
      command->allow_extras();
      if (std::ranges::find(words, info.name) == words.end()) continue;
      Arguments options(*command);
      Action action = info.add(options);
      commands.push_back({command, std::move(action), options.outputs()});
    }
  }

  /// The action, once everything has been understood.
  Outcome<ParsedCommandLine> action() const {
    for (const Command& command : commands) {
      if (!command.app->parsed()) continue;
      if (auto wrong = firstUnexpected(*command.app, arguments)) return tl::unexpected(*wrong);
      if (auto wrong = sameOutput(command.outputs)) return tl::unexpected(*wrong);
      return ParsedCommandLine{.action = command.action};
    }
    const auto extras = program.remaining();
    if (!extras.empty()) return tl::unexpected(unknownCommand(extras.front(), program));
    return failure(ExitCode::badUsage, "", "expected a command; try 'highwater --help'");
  }

  /// An unknown option matters more than the argument it kept from being found.
  Failure explain(const CLI::ParseError& error) const {
    for (const Command& command : commands) {
      if (!command.app->parsed()) continue;
      if (auto wrong = firstUnexpected(*command.app, arguments, true)) return *wrong;
      return {ExitCode::badUsage, "",
              fmt::format("{}: {}", command.app->get_name(), reason(error))};
    }
    return {ExitCode::badUsage, "", error.what()};
  }
};

}  // namespace

void Arguments::positional(const std::string& name, std::string& value, const OptionText& text) {
  finish(app_.add_option(name, value, text.help), text)->required();
}

void Arguments::optional(const std::string& name, std::string& value, const OptionText& text) {
  finish(app_.add_option(name, value, text.help), text);
}

void Arguments::positional(const std::string& name, std::vector<std::string>& values,
                           const OptionText& text) {
  finish(app_.add_option(name, values, text.help), text)->required();
}

void Arguments::option(const std::string& names, std::string& value, const OptionText& text) {
  finish(app_.add_option(names, value, text.help), text);
}

void Arguments::option(const std::string& names, std::vector<std::string>& values,
                       const OptionText& text) {
  finish(app_.add_option(names, values, text.help), text)->allow_extra_args(false);
}

void Arguments::required(const std::string& names, std::string& value, const OptionText& text) {
  finish(app_.add_option(names, value, text.help), text)->required();
}

void Arguments::number(const std::string& names, int& value, int least, int most,
                       const OptionText& text) {
  const auto check = [least, most](std::string& given) {
    const auto number = parseInteger(given);
    if (number && *number >= least && *number <= most) return std::string();
    return fmt::format("'{}' is not a whole number from {} to {}", printable(given, 80), least,
                       most);
  };
  finish(app_.add_option(names, value, text.help), text)->check(CLI::Validator(check, ""));
}

void Arguments::number(const std::string& names, double& value, const OptionText& text) {
  constexpr double kMost = 1e9;
  finish(app_.add_option(names, value, text.help), text)->check(inRange(0, kMost));
}

void Arguments::output(const std::string& names, std::string& path, OutputRole role,
                       const OptionText& text) {
  option(names, path, text);
  outputs_.push_back({names.substr(0, names.find(',')), &path, role});
}

void Arguments::flag(const std::string& names, bool& value, const std::string& help) {
  app_.add_flag(names, value, help);
}

Outcome<ParsedCommandLine> parseCommandLine(int argc, char** argv,
                                            const std::vector<CommandInfo>& commands) {
  ProgramParser parser(commands, {argv, static_cast<std::size_t>(argc)});
  try {
    parser.program.parse(argc, argv);
    return parser.action();
  } catch (const CLI::CallForHelp&) {
    return ParsedCommandLine{.print = parser.program.help()};
  } catch (const CLI::CallForVersion& version) {
    return ParsedCommandLine{.print = std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(parser.explain(error));
  }
}

}  // namespace hw::cli
