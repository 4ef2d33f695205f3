#include "core/import/measured/operator_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/json_node.h"
#include "core/base/refusal.h"
#include "core/base/text.h"
#include "core/import/formats.h"

// [{"cat":"Session", …}, {"cat":"Node","name":"conv_kernel_time","dur":38,"ts":7,"args":{…}}, …
// Of a session that was killed the end is missing, so events are told apart before they are parsed.

namespace hw {
namespace {

constexpr std::int64_t kMostMicros = std::int64_t{1} << 53;
constexpr std::size_t kMostOperators = 1'000'000;  ///< Of a run.
constexpr std::size_t kMostEventBytes = 16 << 20;
constexpr std::int64_t kMostDimensions = 64;
constexpr std::string_view kKernel = "_kernel_time";

/// The objects of a list, one after the other.
class EventList {
 public:
  explicit EventList(std::string_view text) : text_(text) {
    skipBlanks();
    if (at_ < text_.size() && text_[at_] == '[') ++at_;
  }

  /// The next object; nothing behind the last one.
  std::optional<std::string_view> next() {
    skipBlanks();
    if (number_ > 0 && at_ < text_.size() && text_[at_] == ',') ++at_;
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] == ']') return std::nullopt;
    ++number_;
    if (text_[at_] != '{') refuse("expected an event, an object", where());
    const std::size_t begin = at_;
    if (!skipObject()) {
      at_ = text_.size();
      return std::nullopt;
    }
    return text_.substr(begin, at_ - begin);
  }

  /// The list has no end.
  bool cutOff() const { return at_ >= text_.size(); }
  std::string where() const { return fmt::format("event {}, byte {}", number_, at_); }

 private:
  void skipBlanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  /// To behind the end of the object that begins here; false: it has none.
  bool skipObject() {
    const std::size_t begin = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      at_ = std::min(text_.find_first_of("{}[]\"", at_), text_.size());
      if (at_ - begin > kMostEventBytes) refuse("an event takes more than 16 MiB", where());
      if (at_ == text_.size()) return false;
      const char c = text_[at_++];
      if (c == '"' && !skipString()) return false;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return true;
    }
    return false;
  }

  bool skipString() {
    for (;;) {
      at_ = text_.find_first_of("\"\\", at_);
      if (at_ == std::string_view::npos) break;
      if (text_[at_++] == '"') return true;
      ++at_;  // What is escaped.
      if (at_ > text_.size()) break;
    }
    at_ = text_.size();
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
};

/// What ONNX Runtime calls types.
Dtype ortDtype(const std::string& name) {
  static const std::map<std::string, Dtype> kNames = {
      {"float", Dtype::float32},         {"double", Dtype::float64},
      {"bool", Dtype::boolean},          {"float8e4m3fn", Dtype::float8},
      {"float8e4m3fnuz", Dtype::float8}, {"float8e5m2", Dtype::float8},
      {"float8e5m2fnuz", Dtype::float8}, {"float8e8m0", Dtype::float8},
      {"float4e2m1", Dtype::float4}};
  const auto found = kNames.find(name);
  if (found != kNames.end()) return found->second;
  return parseDtype(name).value_or(Dtype::unknown);
}

/// Operators that run others, whose events come before theirs.
bool hasBodies(const std::string& type) {
  constexpr std::string_view kTypes[] = {"If",           "Loop",     "Scan",       "BeamSearch",
                                         "GreedySearch", "Sampling", "SequenceMap"};
  return std::ranges::find(kTypes, type) != std::end(kTypes);
}

/// Reads the events of one run.
class ProfileReader {
 public:
  explicit ProfileReader(std::size_t run) { profile_.run = run; }

  OperatorProfile read(std::string_view bytes) {
    EventList events(bytes);
    while (const auto text = events.next()) {
      const auto event = parseJson(*text);
      if (!event) refuse(event.error().message, events.where());
      add({*event, events.where()});
    }
    if (pending_) ++profile_.runs;
    profile_.cutOff = events.cutOff();
    return std::move(profile_);
  }

 private:
  void add(const JsonNode& event) {
    const std::string category = word(event, "cat");
    std::string name = word(event, "name");
    if (category == "Session" && name == "model_run") {
      ++profile_.runs;
      pending_ = false;
    }
    if (category != "Node" || !name.ends_with(kKernel)) return;
    pending_ = true;
    if (profile_.runs != profile_.run) return;
    name.resize(name.size() - kKernel.size());
    addOperator(event, std::move(name));
  }

  /// A member that is a text; empty where it is none: traces hold other events, too.
  static std::string word(const JsonNode& event, const char* key) {
    const auto found = event.find(key);
    return found && found->value.is_string() ? found->text() : std::string();
  }

  void addOperator(const JsonNode& event, std::string name) {
    const auto start = event.count("ts", kMostMicros);
    const auto args = event.find("args");
    if (!args) event.expected("an operator's event with args");
    args->object();
    MeasuredOperator op{.name = std::move(name),
                        .type = word(*args, "op_name"),
                        .index = figure(*args, "node_index"),
                        .micros = event.count("dur", kMostMicros).value_or(0)};
    op.outputs = bytes(*args, "output_size");
    op.parameters = bytes(*args, "parameter_size");
    op.activations = bytes(*args, "activation_size");
    op.after = bytes(*args, "mem_bytes_requested_in_use");
    const auto change = figure(*args, "mem_requested_in_use_delta");
    if (op.after && change) {
      op.before = Bytes(op.after->count() - *change);
      if (*op.before < Bytes() || *op.before > kMaxBytes) {
        refuse(fmt::format("operator '{}' asks for more than there was", printable(op.name, 80)),
               args->where);
      }
    }
    op.inUse = bytes(*args, "mem_bytes_in_use");
    op.peak = bytes(*args, "mem_in_use_peak");
    op.held = bytes(*args, "mem_arena_held");
    readResults(*args, op);
    if (hasBodies(op.type) && start) takeBodies(*start, op);
    if (profile_.ops.size() >= kMostOperators) {
      refuse(fmt::format("a run has more than {} operators", groupDigits(kMostOperators)),
             event.where, ErrorCode::unsupported);
    }
    profile_.ops.push_back(std::move(op));
    starts_.push_back(start.value_or(0));
  }

  /// What began after it and ended before it ran inside.
  void takeBodies(std::int64_t start, MeasuredOperator& op) {
    while (!profile_.ops.empty() && starts_.back() >= start) {
      const MeasuredOperator& inner = profile_.ops.back();
      op.inside += 1 + inner.inside;
      op.bodies = std::max({op.bodies, inner.bodies, inner.after});
      profile_.ops.pop_back();
      starts_.pop_back();
    }
  }

  /// Numbers are written as texts.
  static std::optional<std::int64_t> figure(const JsonNode& args, const char* key) {
    const auto node = args.find(key);
    if (!node) return std::nullopt;
    std::optional<std::int64_t> number;
    if (node->value.is_string()) {
      if (node->text().empty()) return std::nullopt;
      number = parseInteger(node->text());
    } else if (node->value.is_number_integer()) {
      const bool large = node->value.is_number_unsigned() &&
                         node->value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
      if (!large) number = node->value.get<std::int64_t>();
    }
    if (!number || *number > kMaxBytes.count() || *number < -kMaxBytes.count()) {
      node->expected("a whole number");
    }
    return number;
  }

  static std::optional<Bytes> bytes(const JsonNode& args, const char* key) {
    const auto number = figure(args, key);
    if (!number) return std::nullopt;
    if (*number < 0) args.find(key)->expected("bytes, not below 0");
    return Bytes(*number);
  }

  /// [{"float":[1,1,43844]}, …]; what is no tensor has no list of dimensions.
  static void readResults(const JsonNode& args, MeasuredOperator& op) {
    args.forEach("output_type_shape", [&](const JsonNode& result) {
      result.object();
      MeasuredTensor tensor;
      for (const auto& [type, shape] : result.value.items()) {
        if (!shape.is_array() || shape.size() > kMostDimensions) continue;
        tensor.dtype = ortDtype(type);
        tensor.shape.emplace();
        JsonNode{shape, result.where}.forEach([&](const JsonNode& dimension) {
          tensor.shape->push_back(dimension.count(kMaxBytes.count()));
        });
      }
      op.results.push_back(std::move(tensor));
    });
  }

  OperatorProfile profile_;
  std::vector<std::int64_t> starts_;  ///< When each of them began.
  bool pending_ = false;              ///< Operators of a run that has not ended.
};

}  // namespace

bool OperatorProfile::hasMemory() const {
  return !ops.empty() &&
         std::ranges::all_of(ops, [](const MeasuredOperator& op) { return op.before && op.after; });
}

Bytes OperatorProfile::standing() const {
  return ops.empty() ? Bytes() : ops.front().before.value_or(Bytes());
}

Bytes OperatorProfile::liveAt(std::size_t i) const {
  const Bytes most = std::max({*ops[i].before, *ops[i].after, ops[i].bodies.value_or(Bytes())});
  return std::max(Bytes(), most - standing());
}

bool looksLikeOperatorProfile(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 64 * 1024;
  const std::string_view text = withoutByteOrderMark(bytes).substr(0, kLookedAt);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '[') return false;
  const auto second = text.find_first_not_of(" \t\r\n", first + 1);
  if (second == std::string_view::npos || text[second] != '{') return false;
  if (text.find("\"cat\"") == std::string_view::npos) return false;
  return text.find("\"session_initialization\"") != std::string_view::npos ||
         text.find("\"model_loading_") != std::string_view::npos ||
         text.find("_kernel_time\"") != std::string_view::npos;
}

Result<OperatorProfile> readOperatorProfile(std::string_view bytes, std::size_t run) {
  auto profile =
      unlessRefused([&] { return ProfileReader(run).read(withoutByteOrderMark(bytes)); });
  if (!profile) return profile;
  if (profile->runs == 0) {
    return fail(ErrorCode::malformed,
                fmt::format("the profile has no run of a model{}",
                            profile->cutOff ? ", and ends before its list does" : ""));
  }
  if (run >= profile->runs) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("the profile has no run {}; it has {}", run + 1, profile->runs));
  }
  if (profile->ops.empty()) {
    return fail(ErrorCode::malformed, fmt::format("run {} has no operators", run + 1));
  }
  return profile;
}

}  // namespace hw
