#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <stop_token>
#include <string>

#include "core/allocators/plugin.h"
#include "core/base/json.h"
#include "core/run/options.h"
#include "core/run/run.h"

namespace hw::cli {

/// Of `initialize`: raised when an answer changes so that a client has to know.
inline constexpr int kServeProtocol = 1;

/// Context of a call: when to stop, and whom to tell how far it is.
struct CallContext {
  std::stop_token stop{};
  std::function<void(double, const std::string&)> progress{};
};

/// One model that is kept open, and the last run of it: what calls of `highwater serve` do, without
/// the lines they come in. Methods and their parameters: docs/formats/serve.md.
class ServeSession {
 public:
  /// `plugins`: whether a call may name a plug-in among the allocators.
  explicit ServeSession(Plugins plugins = Plugins::refuse) : plugins_(plugins) {}

  /// Fails with a sentence that names the parameter; `invalidArgument`: the call is wrong.
  Result<Json> call(const std::string& method, const ParsedJson& params,
                    const CallContext& context);
  /// True if there is such a method.
  static bool knows(const std::string& method);

 private:
  struct Method;
  static const std::vector<Method>& methods();

  Result<Json> initialize(const ParsedJson& params, const CallContext& context);
  Result<Json> open(const ParsedJson& params, const CallContext& context);
  Result<Json> close(const ParsedJson& params, const CallContext& context);
  Result<Json> plan(const ParsedJson& params, const CallContext& context);
  Result<Json> simulate(const ParsedJson& params, const CallContext& context);
  Result<Json> compare(const ParsedJson& params, const CallContext& context);
  Result<Json> shrink(const ParsedJson& params, const CallContext& context);
  Result<Json> explain(const ParsedJson& params, const CallContext& context);
  Result<Json> rows(const ParsedJson& params, const CallContext& context);
  Result<Json> study(const ParsedJson& params, const CallContext& context);

  Result<RunRequest> request(const ParsedJson& params, const RunRequest& standard) const;
  Result<void> execute(const ParsedJson& params, const RunRequest& standard,
                       const CallContext& context, bool simulate);

  Plugins plugins_;
  RunRequest opened_{};  ///< Its name, and how it was opened.
  std::shared_ptr<const Model> model_{};
  std::shared_ptr<const Run> run_{};
  bool simulated_ = false;
};

/// The form of messages: calls as they are, or as tools of the Model Context Protocol (mcp.h).
enum class Dialect : std::uint8_t { calls, mcp };

/// Answers JSON-RPC 2.0, a message a line, until `in` ends or `shutdown` is called; what was asked
/// before is still answered. Messages that are wrong get an answer that says how, and never end it.
/// One call is at work at a time, in a thread of its own, so that it can be cancelled. When `out`
/// takes nothing more, `unheard` is called, from any thread, and nothing else is answered.
void serve(std::istream& in, std::ostream& out, Plugins plugins,
           const std::function<void()>& unheard, Dialect dialect = Dialect::calls);

}  // namespace hw::cli
