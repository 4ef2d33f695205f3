// Readers of the command line's: lines of `serve`, and what goes for MiniMalloc.

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/cli/minimalloc/request.h"
#include "app/cli/serve/session.h"
#include "core/base/check.h"
#include "core/base/text.h"
#include "tests/fuzz/targets.h"

namespace hw::fuzz {
namespace {

/// Every line that goes out is a message, and an answer is one of two things.
void checkAnswers(const std::string& out) {
  check(out.empty() || out.ends_with('\n'), "whole lines");
  for (const std::string_view line : splitText(out, '\n')) {
    if (line.empty()) continue;
    const auto message = parseJson(line);
    check(message && message->is_object(), "an object a line");
    check(message->value("jsonrpc", "") == "2.0", "a message of JSON-RPC 2.0");
    const bool answers = message->contains("id");
    check(answers != message->contains("method"), "an answer or a notification");
    check(!answers || message->contains("result") != message->contains("error"),
          "an answer that is one thing");
    check(!message->contains("error") || !message->at("error").value("message", "").empty(),
          "an error that says something");
  }
}

/// What a line asks for, if it is a call of the session; the server has no say in how it is done.
struct Asked {
  std::string method{};
  ParsedJson params{};
};

std::optional<Asked> askedBy(std::string_view line) {
  const auto message = parseJson(line);
  if (!message || !message->is_object()) return std::nullopt;
  const auto method = message->find("method");
  if (method == message->end() || !method->is_string()) return std::nullopt;
  Asked asked{method->get<std::string>(), message->value("params", ParsedJson::object())};
  if (!asked.params.is_object() || !cli::ServeSession::knows(asked.method)) return std::nullopt;
  return asked;
}

/// A session in which a small model was simulated: there is something to explain.
const cli::ServeSession& begunSession() {
  static const cli::ServeSession kBegun = [] {
    cli::ServeSession session;
    check(session.call("open", {{"model", "samples:chain"}}, {}).has_value(), "a sample");
    check(session.call("simulate", ParsedJson::object(), {}).has_value(), "a simulated sample");
    return session;
  }();
  return kBegun;
}

/// Nothing is opened that a line names, and who would search is stopped before it begins.
void askSession(cli::ServeSession& session, const Asked& asked) {
  ParsedJson params = asked.params;
  if (asked.method == "open" && params.contains("model") && params["model"].is_string()) {
    params["model"] = "samples:chain";
  }
  const auto options = params.find("options");
  if (options != params.end() && options->is_object()) {
    const auto platform = options->find("platform");
    if (platform != options->end() && platform->is_string()) *platform = "gap8";
  }
  std::stop_source stop;
  stop.request_stop();
  const auto answer = session.call(asked.method, params, {.stop = stop.get_token()});
  check(answer || !answer.error().message.empty(), "an error that says something");
}

}  // namespace

void readServe(std::string_view bytes) {
  constexpr std::size_t kMostAsked = 8;
  std::string lines;
  std::vector<Asked> calls;
  for (const std::string_view line : splitText(bytes, '\n')) {
    auto asked = askedBy(line);
    if (asked && asked->method != "initialize" && asked->method != "close") {
      if (calls.size() < kMostAsked) calls.push_back(*std::move(asked));
      continue;
    }
    lines.append(line).append("\n");
  }
  std::istringstream in(lines);
  std::ostringstream out;
  cli::serve(in, out, Plugins::refuse, [] {});
  checkAnswers(out.str());
  if (calls.empty()) return;
  cli::ServeSession session = begunSession();
  for (const Asked& asked : calls) askSession(session, asked);
}

void readMinimalloc(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  std::vector<std::string> words;
  for (const std::string_view word : splitText(bytes.substr(0, end), ' ')) words.emplace_back(word);
  const auto flags = cli::minimallocFlags(words);
  if (flags) {
    check(std::isfinite(flags->timeout) && flags->timeout >= 0, "a time to wait");
    check(flags->capacity >= Bytes() && flags->capacity <= kMaxBytes, "a capacity within limits");
    check(!flags->input.empty() && !flags->output.empty(), "files to read and to write");
  } else {
    check(!flags.error().message.empty(), "an error that says something");
  }
  readProblem(cli::modernProblem(bytes.substr(std::min(end + 1, bytes.size()))));
}

}  // namespace hw::fuzz
