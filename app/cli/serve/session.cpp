#include "app/cli/serve/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>

#include "app/cli/serve/mcp.h"
#include "core/base/text.h"
#include "core/import/samples.h"
#include "core/plan_file/activities_writer.h"
#include "core/plan_file/events_writer.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/compare/compare_report.h"
#include "core/report/explain/explain_report.h"
#include "core/report/explain/front_report.h"
#include "core/report/model/model_summary.h"
#include "core/report/run/simulation_report.h"
#include "core/report/study/results.h"
#include "core/report/study/study_query.h"
#include "core/run/embedded.h"
#include "core/run/options.h"
#include "core/study/compare.h"

namespace hw::cli {
namespace {

/// Of one answer of `rows`.
constexpr std::int64_t kMostRows = 10'000;
/// Of a parameter that is a list.
constexpr std::size_t kMostWords = 10'000;

tl::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::invalidArgument, std::move(message));
}

Result<void> checkKeys(const ParsedJson& params, const std::vector<std::string>& keys) {
  for (const auto& [key, value] : params.items()) {
    if (key == "progress" || std::ranges::count(keys, key) > 0) continue;
    return wrong(fmt::format("unknown parameter '{}'; expected {}", printable(key, 80),
                             keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", "))));
  }
  return {};
}

/// The text of `key`; empty when it is not there.
Result<std::string> textOf(const ParsedJson& params, const std::string& key) {
  const auto found = params.find(key);
  if (found == params.end()) return std::string();
  if (!found->is_string()) return wrong(fmt::format("'{}' is not a text", key));
  return found->get<std::string>();
}

Result<std::int64_t> numberOf(const ParsedJson& params, const std::string& key,
                              std::int64_t standard, std::int64_t most) {
  const auto found = params.find(key);
  if (found == params.end()) return standard;
  const bool whole = found->is_number_integer() &&
                     !(found->is_number_unsigned() &&
                       found->get<std::uint64_t>() > static_cast<std::uint64_t>(most));
  if (!whole || found->get<std::int64_t>() < 0 || found->get<std::int64_t>() > most) {
    return wrong(fmt::format("'{}' is not a whole number from 0 to {}", key, most));
  }
  return found->get<std::int64_t>();
}

/// One value of an option as the command line has it.
Result<std::string> wordOf(const std::string& option, const ParsedJson& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  return wrong(
      fmt::format("option '{}' is not a text, a number or a list of them", printable(option, 80)));
}

/// Texts of `options`: names are those of the command line without "--". Of `groups` only.
Result<OptionTexts> optionTexts(const ParsedJson& params,
                                std::initializer_list<OptionGroup> groups) {
  OptionTexts texts;
  const auto options = params.find("options");
  if (options == params.end()) return texts;
  if (!options->is_object()) return wrong("'options' is not an object");
  for (const auto& [key, value] : options->items()) {
    const RunOption* option = findOption(key);
    if (option == nullptr || std::ranges::count(groups, option->group) == 0) {
      std::vector<std::string> names;
      for (const RunOption& each : runOptions()) {
        if (std::ranges::count(groups, each.group) > 0) names.emplace_back(each.name);
      }
      const auto close = closestWord(key, names);
      return wrong(fmt::format("unknown option '{}'{}", printable(key, 80),
                               close ? fmt::format("; did you mean '{}'?", *close)
                                     : fmt::format("; expected {}", fmt::join(names, ", "))));
    }
    std::vector<std::string>& words = texts[std::string(option->name)];
    const bool list = value.is_array();
    if (list && value.size() > (option->repeats ? kMostWords : 1)) {
      return wrong(fmt::format("option '{}' has {} values", option->name, value.size()));
    }
    for (const ParsedJson& each : list ? value : ParsedJson::array({value})) {
      HW_TRY(word, wordOf(key, each));
      if (word == "-" || word.starts_with("-:")) {
        return wrong(
            fmt::format("option '{}' is '-', but requests come from standard input", option->name));
      }
      words.push_back(word);
    }
  }
  return texts;
}

int processors() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

template <class Row, class At>
Json page(const Columns<Row>& columns, std::size_t first, std::size_t last, const At& at) {
  Json rows = Json::array();
  for (std::size_t i = first; i < last; ++i) rows.push_back(jsonRow(columns, at(i)));
  return rows;
}

}  // namespace

struct ServeSession::Method {
  std::string name;
  std::vector<std::string> params;
  bool needsModel = false;
  Result<Json> (ServeSession::*function)(const ParsedJson&, const CallContext&) = nullptr;
};

const std::vector<ServeSession::Method>& ServeSession::methods() {
  static const std::vector<Method> kMethods = {
      {"initialize", {}, false, &ServeSession::initialize},
      {"open", {"model", "options"}, false, &ServeSession::open},
      {"close", {}, false, &ServeSession::close},
      {"plan", {"options"}, true, &ServeSession::plan},
      {"simulate", {"options"}, true, &ServeSession::simulate},
      {"compare", {"options", "allocators", "by"}, true, &ServeSession::compare},
      {"shrink", {"options", "budget", "allow"}, true, &ServeSession::shrink},
      {"explain", {"tensor", "step"}, true, &ServeSession::explain},
      {"rows", {"table", "first", "count"}, true, &ServeSession::rows},
      {"study",
       {"file", "pareto", "pivot", "best-by", "baseline", "matters", "sql", "figure", "where"},
       false,
       &ServeSession::study},
  };
  return kMethods;
}

bool ServeSession::knows(const std::string& method) {
  return std::ranges::count(methods(), method, &Method::name) > 0;
}

Result<Json> ServeSession::call(const std::string& method, const ParsedJson& params,
                                const CallContext& context) {
  const auto found = std::ranges::find(methods(), method, &Method::name);
  HW_DO(checkKeys(params, found->params));
  if (found->needsModel && !model_) return wrong("no model is open: call 'open' first");
  return (this->*found->function)(params, context);
}

Result<Json> ServeSession::initialize(const ParsedJson&, const CallContext&) {
  Json names = Json::array();
  for (const Method& method : methods()) names.push_back(method.name);
  names.push_back("shutdown");
  return Json{{"program", "highwater"},
              {"version", HIGHWATER_VERSION},
              {"protocol", kServeProtocol},
              {"methods", names}};
}

Result<Json> ServeSession::open(const ParsedJson& params, const CallContext& context) {
  HW_TRY(name, textOf(params, "model"));
  if (name.empty()) return wrong("'model' is missing: a file, or samples:NAME");
  if (name == "-") return wrong("'model' is '-', but requests come from standard input");
  HW_TRY(texts, optionTexts(params, {OptionGroup::import}));
  RunRequest standard = planningRequest();
  standard.model = name;
  HW_TRY(asked, readRequest(texts, standard, ""));
  HW_TRY(model, hw::openModel(name, asked.import, context.stop));
  opened_ = asked;
  model_ = std::make_shared<const Model>(std::move(model));
  run_ = nullptr;
  return summaryJson(*model_, summarise(*model_));
}

Result<Json> ServeSession::close(const ParsedJson&, const CallContext&) {
  model_ = nullptr;
  run_ = nullptr;
  return Json(nullptr);
}

Result<RunRequest> ServeSession::request(const ParsedJson& params,
                                         const RunRequest& standard) const {
  HW_TRY(texts,
         optionTexts(params, {OptionGroup::allocator, OptionGroup::machine, OptionGroup::storage,
                              OptionGroup::order, OptionGroup::search, OptionGroup::effort}));
  if (const auto said = texts.find("allocator"); said != texts.end()) {
    for (const std::string& text : said->second) HW_DO(checkPlugins(text, plugins_));
  }
  RunRequest base = standard;
  base.model = opened_.model;
  base.import = opened_.import;
  base.threads = processors();
  return asDrawn(*model_, texts, base, "");
}

Result<void> ServeSession::execute(const ParsedJson& params, const RunRequest& standard,
                                   const CallContext& context, bool simulate) {
  HW_TRY(asked, request(params, standard));
  HW_TRY(run,
         hw::execute(model_, asked,
                     {.stop = context.stop, .progress = context.progress, .simulate = simulate}));
  run_ = run;
  simulated_ = simulate;
  return {};
}

Result<Json> ServeSession::plan(const ParsedJson& params, const CallContext& context) {
  HW_DO(execute(params, planningRequest(), context, false));
  std::ostringstream out;
  writePlanJson(*run_, out);
  return Json::parse(out.str());
}

Result<Json> ServeSession::simulate(const ParsedJson& params, const CallContext& context) {
  HW_DO(execute(params, defaultRequest(), context, true));
  return simulationJson(*run_);
}

Result<Json> ServeSession::compare(const ParsedJson& params, const CallContext& context) {
  HW_TRY(list, textOf(params, "allocators"));
  HW_TRY(by, textOf(params, "by"));
  const auto ranking = std::ranges::find(kRankingNames, by);
  if (!by.empty() && ranking == kRankingNames.end()) {
    return wrong(fmt::format("'by' is '{}'; expected {}", printable(by, 80),
                             fmt::join(kRankingNames, ", ")));
  }
  HW_TRY(asked, request(params, planningRequest()));
  HW_DO(checkPlugins(list, plugins_));
  HW_TRY(choices, parseAllocators(list));
  if (choices.empty()) choices = allAllocators(*model_->graph);
  Comparison comparison = compareAllocators(model_, asked, choices,
                                            {.stop = context.stop, .progress = context.progress});
  if (!by.empty()) comparison.rank(static_cast<Ranking>(ranking - kRankingNames.begin()));
  return comparisonJson(comparison, opened_.model);
}

Result<Json> ServeSession::shrink(const ParsedJson& params, const CallContext& context) {
  HW_TRY(budget, textOf(params, "budget"));
  HW_TRY(allow, textOf(params, "allow"));
  ShrinkOptions options;
  if (!budget.empty()) {
    auto bytes = parseSize(budget);
    if (!bytes) return wrong("'budget': " + bytes.error().text());
    options.budget = *bytes;
  }
  if (!allow.empty()) {
    auto rewrites = parseRewrites(allow);
    if (!rewrites) return wrong("'allow': " + rewrites.error().text());
    options.allow = *rewrites;
  }
  HW_TRY(asked, request(params, planningRequest()));
  HW_TRY(front,
         hw::shrink(model_, asked, options, {.stop = context.stop, .progress = context.progress}));
  return shrinkJson(front, opened_.model);
}

Result<Json> ServeSession::explain(const ParsedJson& params, const CallContext&) {
  if (!run_) return wrong("nothing is planned: call 'plan' or 'simulate' first");
  HW_TRY(name, textOf(params, "tensor"));
  if (!name.empty()) {
    if (params.contains("step")) return wrong("'tensor' and 'step' are two questions");
    HW_TRY(tensor, plannedTensor(*run_, name));
    return explainTensorJson(*run_, tensor);
  }
  if (!params.contains("step")) return explainMomentJson(*run_, std::nullopt);
  if (run_->problem.steps == Step(0)) return wrong("'step': the model has none");
  HW_TRY(step, numberOf(params, "step", 0, run_->problem.steps.count() - 1));
  return explainMomentJson(*run_, Step(step));
}

Result<Json> ServeSession::rows(const ParsedJson& params, const CallContext&) {
  if (!run_ || !simulated_) return wrong("nothing is simulated: call 'simulate' first");
  HW_TRY(table, textOf(params, "table"));
  HW_TRY(first, numberOf(params, "first", 0, std::numeric_limits<std::int32_t>::max()));
  HW_TRY(count, numberOf(params, "count", 1000, kMostRows));
  const auto answer = [&](std::size_t total, const auto& columns, const auto& at) {
    const auto from = std::min(static_cast<std::size_t>(first), total);
    const auto to = std::min(from + static_cast<std::size_t>(count), total);
    return Json{{"table", table}, {"total", total}, {"rows", page(columns, from, to, at)}};
  };
  if (table == "events") {
    const EventList events(*run_);
    return answer(events.size(), eventColumns(), [&](std::size_t i) { return events.row(i); });
  }
  if (table == "activities") {
    return answer(run_->timing.activities.activities.size(), activityColumns(*run_),
                  [](std::size_t i) { return ActivityId(i); });
  }
  return wrong(fmt::format("'table' is '{}'; expected events or activities", printable(table, 80)));
}

Result<Json> ServeSession::study(const ParsedJson& params, const CallContext&) {
  HW_TRY(file, textOf(params, "file"));
  if (file.empty()) return wrong("'file' is missing: what 'highwater sweep -o FILE.db' wrote");
  StudyQuestion question;
  const std::pair<const char*, std::string*> texts[] = {
      {"pareto", &question.pareto},     {"pivot", &question.pivot}, {"best-by", &question.bestBy},
      {"baseline", &question.baseline}, {"sql", &question.sql},     {"figure", &question.figure},
      {"where", &question.where}};
  for (const auto& [key, text] : texts) {
    HW_TRY(said, textOf(params, key));
    if (params.contains(key)) *text = said;
  }
  if (const auto matters = params.find("matters"); matters != params.end()) {
    if (!matters->is_boolean()) return wrong("'matters' is not true or false");
    question.matters = matters->get<bool>();
  }
  HW_TRY(results, openResults(file));
  HW_TRY(table, answerStudy(results, question));
  if (table) return Json{{"rows", table->json()}};
  HW_TRY(status, statusOf(results));
  return Json{{"states", status.states},
              {"seconds", status.seconds},
              {"stale", status.stale},
              {"constraints", status.constraints},
              {"unmet", status.unmet}};
}

namespace {

/// Of one message.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
/// Of calls that wait.
constexpr std::size_t kMostCalls = 1000;
/// Between two words about the progress of a call.
constexpr std::chrono::milliseconds kProgressPause{100};

// Of JSON-RPC 2.0, and for us to choose from -32000 on; the last as in the protocol of editors.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kUnknownMethod = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kBadInput = -32000;
constexpr int kTooMany = -32001;
constexpr int kCancelled = -32800;

struct Call {
  ParsedJson id{};
  std::string method{};
  ParsedJson params{};
  std::stop_source stop{};
  ParsedJson token{};  ///< Of the Model Context Protocol: to tell progress with; null: none.
};

int codeOf(const Error& error) {
  if (error.code == ErrorCode::stopped) return kCancelled;
  return error.code == ErrorCode::invalidArgument ? kInvalidParams : kBadInput;
}

/// The lines that go out: whole ones, whoever writes.
class Voice {
 public:
  Voice(std::ostream& out, const std::function<void()>& unheard, Dialect dialect)
      : out_(out), unheard_(unheard), dialect_(dialect) {}

  /// Answers a call.
  void tell(const Call& call, const Result<Json>& result) {
    if (result) {
      answer(call.id, dialect_ == Dialect::mcp ? mcpResult(*result) : *result);
    } else if (dialect_ == Dialect::mcp) {
      answer(call.id, mcpFailure(result.error().text()));
    } else {
      refuse(call.id, codeOf(result.error()), result.error().text());
    }
  }

  void answer(const ParsedJson& id, const Json& result) {
    say(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", jsonLine(id), jsonLine(result)));
  }
  void refuse(const ParsedJson& id, int code, const std::string& message) {
    say(fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}}}}})",
                    jsonLine(id), code, jsonLine(Json(message))));
  }
  void progress(const ParsedJson& id, double part, const std::string& what) {
    if (dialect_ == Dialect::mcp) {
      say(fmt::format(
          R"({{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},)"
          R"("progress":{:.4f},"total":1,"message":{}}}}})",
          jsonLine(id), part, jsonLine(Json(what))));
      return;
    }
    say(fmt::format(
        R"({{"jsonrpc":"2.0","method":"$/progress","params":{{"id":{},"part":{:.4f},"what":{}}}}})",
        jsonLine(id), part, jsonLine(Json(what))));
  }

 private:
  void say(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    if (!out_) return;
    out_ << line << '\n' << std::flush;
    if (!out_) unheard_();
  }

  std::mutex mutex_;
  std::ostream& out_;
  const std::function<void()>& unheard_;
  Dialect dialect_;
};

/// Calls on their way: one thread adds, one takes.
class Calls {
 public:
  /// False: too many wait, or one of that id is not answered yet.
  enum class Added { yes, tooMany, twice };
  Added add(Call call) {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= kMostCalls) return Added::tooMany;
    if (!stops_.emplace(jsonLine(call.id), call.stop).second) return Added::twice;
    waiting_.push_back(std::move(call));
    changed_.notify_one();
    return Added::yes;
  }

  void cancel(const ParsedJson& id) {
    const std::scoped_lock lock(mutex_);
    const auto found = stops_.find(jsonLine(id));
    if (found != stops_.end()) found->second.request_stop();
  }

  void end() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }

  /// The next one; nothing when there will be none.
  std::optional<Call> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    Call call = std::move(waiting_.front());
    waiting_.pop_front();
    return call;
  }

  /// It is answered: its id may come again.
  void done(const Call& call) {
    const std::scoped_lock lock(mutex_);
    stops_.erase(jsonLine(call.id));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Call> waiting_;
  std::map<std::string, std::stop_source> stops_;
  bool ended_ = false;
};

/// Does one call after the other.
void work(Calls& calls, Voice& voice, Plugins plugins) {
  ServeSession session(plugins);
  while (auto call = calls.take()) {
    CallContext context{.stop = call->stop.get_token()};
    if (!call->token.is_null() || call->params.value("progress", false)) {
      context.progress = [&voice, id = call->token.is_null() ? call->id : call->token,
                          mutex = std::make_shared<std::mutex>(),
                          last = std::chrono::steady_clock::time_point()](
                             double part, const std::string& what) mutable {
        const std::scoped_lock lock(*mutex);
        const auto now = std::chrono::steady_clock::now();
        if (now - last < kProgressPause) return;
        last = now;
        voice.progress(id, part, what);
      };
    }
    try {
      if (context.stop.stop_requested()) {
        voice.refuse(call->id, kCancelled, "cancelled before it began");
      } else {
        voice.tell(*call, session.call(call->method, call->params, context));
      }
    } catch (const std::bad_alloc&) {
      voice.refuse(call->id, kInternalError, "out of memory");
    } catch (const std::exception& error) {
      voice.refuse(call->id, kInternalError, std::string("internal error: ") + error.what());
    }
    calls.done(*call);
  }
}

/// Understands the lines that come in.
class Listener {
 public:
  Listener(Calls& calls, Voice& voice, Dialect dialect)
      : calls_(calls), voice_(voice), dialect_(dialect) {}

  /// The next line; nothing at the end. Of one that is too long the rest is passed over.
  std::optional<std::string> line(std::istream& in) {
    std::string text;
    bool tooLong = false;
    int byte = in.get();
    if (byte == std::istream::traits_type::eof()) return std::nullopt;
    for (; byte != '\n' && byte != std::istream::traits_type::eof(); byte = in.get()) {
      tooLong |= text.size() >= kMostBytes;
      if (!tooLong) text += static_cast<char>(byte);
    }
    if (tooLong) {
      refuse(nullptr, kInvalidRequest, fmt::format("a message has more than {} bytes", kMostBytes));
      text.clear();
    }
    return text;
  }

  /// False: that was the last one.
  bool hear(const std::string& line) {
    if (trimText(line).empty()) return true;
    auto message = parseJson(line);
    if (!message) return refuse(nullptr, kParseError, message.error().text());
    if (!message->is_object()) {
      return refuse(nullptr, kInvalidRequest,
                    "a message is not an object; batches are not taken: one request a line");
    }
    const auto given = message->find("id");
    const ParsedJson id = given == message->end() ? ParsedJson() : *given;
    if (!id.is_null() && !id.is_string() && !id.is_number_integer()) {
      return refuse(nullptr, kInvalidRequest, "'id' is not a text or a whole number");
    }
    if (message->value("jsonrpc", ParsedJson()) != "2.0") {
      return refuse(id, kInvalidRequest, "'jsonrpc' is not \"2.0\"");
    }
    const auto method = message->find("method");
    if (method == message->end() || !method->is_string()) {
      return refuse(id, kInvalidRequest, "'method' is not a text");
    }
    ParsedJson params = message->value("params", ParsedJson::object());
    if (!params.is_object()) return refuse(id, kInvalidParams, "'params' is not an object");
    return handle(id, method->get<std::string>(), std::move(params));
  }

 private:
  bool refuse(const ParsedJson& id, int code, const std::string& message) {
    voice_.refuse(id, code, message);
    return true;
  }

  bool handle(const ParsedJson& id, const std::string& method, ParsedJson params) {
    if (dialect_ == Dialect::mcp) return handleMcp(id, method, params);
    if (id.is_null()) {  // A notification: nobody wants an answer.
      if (method == "$/cancel" && params.contains("id")) calls_.cancel(params["id"]);
      return method != "exit";
    }
    if (method == "shutdown") {
      shutdown_ = id;
      return false;
    }
    if (!ServeSession::knows(method)) {
      return refuse(id, kUnknownMethod, fmt::format("unknown method '{}'", printable(method, 80)));
    }
    if (params.contains("progress") && !params["progress"].is_boolean()) {
      return refuse(id, kInvalidParams, "'progress' is not true or false");
    }
    return add({.id = id, .method = method, .params = std::move(params)});
  }

  /// Tools are called like methods; the rest of the protocol is answered here.
  bool handleMcp(const ParsedJson& id, const std::string& method, const ParsedJson& params) {
    if (id.is_null()) {
      const auto request = params.find("requestId");
      if (method == "notifications/cancelled" && request != params.end()) calls_.cancel(*request);
      return true;
    }
    const auto answer = [&](const Json& result) {
      voice_.answer(id, result);
      return true;
    };
    if (method == "initialize") return answer(mcpWelcome(params));
    if (method == "ping") return answer(Json::object());
    if (method == "tools/list") return answer(mcpTools());
    if (method != "tools/call") {
      return refuse(id, kUnknownMethod, fmt::format("unknown method '{}'", printable(method, 80)));
    }
    const auto name = params.find("name");
    if (name == params.end() || !name->is_string() || !isMcpTool(name->get<std::string>())) {
      return refuse(id, kInvalidParams, "'name' is not one of the tools that tools/list names");
    }
    const ParsedJson arguments = params.value("arguments", ParsedJson::object());
    if (!arguments.is_object()) return refuse(id, kInvalidParams, "'arguments' is not an object");
    const auto meta = params.find("_meta");
    const bool told = meta != params.end() && meta->is_object() && meta->contains("progressToken");
    return add({.id = id,
                .method = name->get<std::string>(),
                .params = arguments,
                .token = told ? (*meta)["progressToken"] : ParsedJson()});
  }

  bool add(Call call) {
    const ParsedJson id = call.id;
    switch (calls_.add(std::move(call))) {
      case Calls::Added::tooMany:
        return refuse(id, kTooMany, fmt::format("{} calls wait already", kMostCalls));
      case Calls::Added::twice:
        return refuse(id, kInvalidRequest, "a call of that id is not answered yet");
      case Calls::Added::yes:
        break;
    }
    return true;
  }

  Calls& calls_;
  Voice& voice_;
  Dialect dialect_;

 public:
  ParsedJson shutdown_{};  ///< The id of who asked for the end; null: nobody.
};

}  // namespace

void serve(std::istream& in, std::ostream& out, Plugins plugins,
           const std::function<void()>& unheard, Dialect dialect) {
  Voice voice(out, unheard, dialect);
  Calls calls;
  Listener listener(calls, voice, dialect);
  {
    const std::jthread worker([&] { work(calls, voice, plugins); });
    while (auto line = listener.line(in)) {
      if (!listener.hear(*line)) break;
    }
    calls.end();
  }
  if (!listener.shutdown_.is_null()) voice.answer(listener.shutdown_, Json(nullptr));
}

}  // namespace hw::cli
