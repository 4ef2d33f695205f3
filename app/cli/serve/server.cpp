#include "app/cli/serve/server.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "app/cli/serve/session.h"
#include "core/base/text.h"

namespace hw::cli {
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
};

/// The lines that go out: whole ones, whoever writes.
class Voice {
 public:
  Voice(std::ostream& out, const std::function<void()>& unheard) : out_(out), unheard_(unheard) {}

  void answer(const ParsedJson& id, const Json& result) {
    say(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", jsonLine(id), jsonLine(result)));
  }
  void refuse(const ParsedJson& id, int code, const std::string& message) {
    say(fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}}}}})",
                    jsonLine(id), code, jsonLine(Json(message))));
  }
  void progress(const ParsedJson& id, double part, const std::string& what) {
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

int codeOf(const Error& error) {
  if (error.code == ErrorCode::stopped) return kCancelled;
  return error.code == ErrorCode::invalidArgument ? kInvalidParams : kBadInput;
}

/// Does one call after the other.
void work(Calls& calls, Voice& voice, Plugins plugins) {
  ServeSession session(plugins);
  while (auto call = calls.take()) {
    CallContext context{.stop = call->stop.get_token()};
    if (call->params.value("progress", false)) {
      context.progress = [&voice, id = call->id, mutex = std::make_shared<std::mutex>(),
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
      } else if (auto result = session.call(call->method, call->params, context)) {
        voice.answer(call->id, *result);
      } else {
        voice.refuse(call->id, codeOf(result.error()), result.error().text());
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
  Listener(Calls& calls, Voice& voice) : calls_(calls), voice_(voice) {}

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
    switch (calls_.add({.id = id, .method = method, .params = std::move(params)})) {
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

 public:
  ParsedJson shutdown_{};  ///< The id of who asked for the end; null: nobody.
};

}  // namespace

void serve(std::istream& in, std::ostream& out, Plugins plugins,
           const std::function<void()>& unheard) {
  Voice voice(out, unheard);
  Calls calls;
  Listener listener(calls, voice);
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
