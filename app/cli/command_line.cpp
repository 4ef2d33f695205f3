#include "app/cli/command_line.h"

#include <string_view>
#include <vector>

namespace hw::cli {
namespace {

std::vector<std::string>& words() {
  static std::vector<std::string> typed;
  return typed;
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

void rememberCommandLine(int argc, char** argv) { words().assign(argv + 1, argv + argc); }

std::string commandLine(const std::string& typedOutput, const std::string& output) {
  std::string text = "highwater";
  for (std::string word : words()) {
    if (word == typedOutput) word = output;
    for (const std::string_view option : {"-o", "-o=", "--output="}) {
      if (word == std::string(option) + typedOutput) word = std::string(option) + output;
    }
    text += " " + quoted(word);
  }
  return text;
}

}  // namespace hw::cli
