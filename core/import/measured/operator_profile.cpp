#include "core/import/measured/operator_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/plans/planned_rows.h"

// [{"cat":"Session", …}, {"cat":"Node","name":"conv_kernel_time","dur":38,"ts":7,"args":{…}}, …
// Of a session that was killed the end is missing, so events are told apart before they are parsed.
// A profile of ONNX Runtime as a graph: its operators, and blocks of what they asked for. It tells
// how many bytes come and go, not whose.

namespace hw {
namespace {

constexpr std::int64_t kMostMicros = std::int64_t{1} << 53;
constexpr std::size_t kMostOperators = 1'000'000;  ///< Of a run.
constexpr std::size_t kMostEventBytes = 16 << 20;
constexpr std::int64_t kMostDimensions = 64;
constexpr std::string_view kKernel = "_kernel_time";
constexpr const char* kFormat = "ort-profile";
constexpr const char* kDuration = "duration_us";

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

/// The names of types in ONNX Runtime.
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
        args->refuse("operator '{}' asks for more than there was", printable(op.name, 80));
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

  /// Takes operators that began after it and ended before it as run inside.
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

/// The bytes that came and went, as blocks that are live as long as can be told.
class MeasuredBlocks {
 public:
  explicit MeasuredBlocks(const OperatorProfile& profile) : profile_(profile) {}

  std::vector<PlannedRow> rows() {
    const auto& ops = profile_.ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      // Between two operators it is given back what nobody reads any more; seldom more is taken.
      const Bytes was = i == 0 ? *ops[i].before : *ops[i - 1].after;
      if (*ops[i].before < was) release(was - *ops[i].before, i - 1);
      if (*ops[i].before > was) take("before " + ops[i].name, *ops[i].before - was, i, nullptr);
      if (*ops[i].after > *ops[i].before) {
        take(ops[i].name, *ops[i].after - *ops[i].before, i, &ops[i]);
      }
      if (*ops[i].after < *ops[i].before) release(*ops[i].before - *ops[i].after, i);
    }
    for (auto& [size, blocks] : live_) {
      for (const std::size_t block : blocks) {
        rows_[block].last = static_cast<std::int64_t>(ops.size()) - 1;
        rows_[block].output = true;
      }
    }
    return std::move(rows_);
  }

  /// Blocks that were given back in pieces, as far as can be told.
  std::size_t parted() const { return parted_; }

 private:
  void take(std::string name, Bytes size, std::size_t step, const MeasuredOperator* op) {
    PlannedRow row{.name = std::move(name), .first = static_cast<std::int64_t>(step), .size = size};
    if (op != nullptr && op->results.size() == 1 && op->results[0].shape) {
      const auto count = elementCount(*op->results[0].shape);
      if (count && packedSize(op->results[0].dtype, *count) == size) {
        row.dtype = op->results[0].dtype;
        row.shape = op->results[0].shape;
      }
    }
    live_[size].push_back(rows_.size());
    rows_.push_back(std::move(row));
  }

  /// The latest block of that size, or two that make it up, or as many as do.
  void release(Bytes size, std::size_t last) {
    if (live_.contains(size)) return end(size, last);
    constexpr std::size_t kMostPairs = 256;
    if (live_.size() <= kMostPairs) {
      for (const auto& [first, blocks] : live_) {
        const auto second = live_.find(size - first);
        if (first >= size || second == live_.end()) continue;
        if (first == second->first && blocks.size() < 2) continue;
        const Bytes other = second->first;
        end(Bytes(first), last);
        return end(other, last);
      }
    }
    while (size > Bytes() && !live_.empty()) {
      auto next = live_.upper_bound(size);
      if (next == live_.begin()) return part(size, last);
      const Bytes whole = std::prev(next)->first;
      size -= whole;
      end(whole, last);
    }
  }

  void end(Bytes size, std::size_t last) {
    const auto found = live_.find(size);
    // The latest that was there before this step: what a step makes, it seldom gives back.
    auto& blocks = found->second;
    auto at = std::prev(blocks.end());
    if (at != blocks.begin() && rows_[*at].first == static_cast<std::int64_t>(last)) --at;
    rows_[*at].last = static_cast<std::int64_t>(last);
    blocks.erase(at);
    if (blocks.empty()) live_.erase(found);
  }

  /// Of the smallest block, which is larger.
  void part(Bytes size, std::size_t last) {
    const Bytes whole = live_.begin()->first;
    auto& blocks = live_.begin()->second;
    const std::size_t block = blocks.back();
    blocks.pop_back();
    if (blocks.empty()) live_.erase(live_.begin());
    PlannedRow rest = rows_[block];
    rest.dtype = Dtype::unknown;
    rest.shape.reset();
    rows_[block] = rest;
    rows_[block].size = size;
    rows_[block].last = static_cast<std::int64_t>(last);
    rest.size = whole - size;
    live_[rest.size].push_back(rows_.size());
    rows_.push_back(std::move(rest));
    ++parted_;
  }

  const OperatorProfile& profile_;
  std::vector<PlannedRow> rows_;
  std::map<Bytes, std::vector<std::size_t>> live_;  ///< By size; in the order in which they came.
  std::size_t parted_ = 0;
};

/// The rows of a profile without memory: the outputs of each operator, for its own step.
std::vector<PlannedRow> outputRows(const OperatorProfile& profile) {
  std::vector<PlannedRow> rows;
  for (std::size_t i = 0; i < profile.ops.size(); ++i) {
    const MeasuredOperator& op = profile.ops[i];
    const auto step = static_cast<std::int64_t>(i);
    if (!op.outputs || *op.outputs == Bytes()) continue;
    rows.push_back({.name = op.name, .first = step, .last = step, .size = *op.outputs});
  }
  return rows;
}

PlannedStep stepOf(MeasuredOperator op) {
  PlannedStep step{.name = std::move(op.name),
                   .type = op.type.empty() ? "Kernel" : std::move(op.type),
                   .domain = kFormat,
                   .attributes = {{kDuration, op.micros}}};
  const auto add = [&](const char* key, const std::optional<Bytes>& bytes) {
    if (bytes) step.attributes[key] = bytes->count();
  };
  add("output_size", op.outputs);
  add("parameter_size", op.parameters);
  add("activation_size", op.activations);
  add("requested", op.after);
  add("in_use", op.inUse);
  add("in_use_peak", op.peak);
  add("arena_held", op.held);
  if (op.index) step.attributes["node_index"] = *op.index;
  return step;
}

void noteMemory(const OperatorProfile& profile, PlannedRows& plan) {
  if (!profile.hasMemory()) {
    plan.notes.emplace_back(
        "it does not tell what was asked for (older versions do not): each output stands for its "
        "own step, and how long it lives is not known");
    return;
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < profile.ops.size(); ++i) {
    if (profile.liveAt(i) > profile.liveAt(most)) most = i;
  }
  plan.notes.push_back(fmt::format(
      "at the most {} bytes were asked for at once, at operator {}, '{}'; {} bytes that were there "
      "before the first operator, weights and states, are left out",
      groupDigits(profile.liveAt(most).count()), groupDigits(most),
      printable(profile.ops[most].name, 80), groupDigits(profile.standing().count())));
  std::optional<Bytes> peak;
  std::optional<Bytes> held;
  for (const MeasuredOperator& op : profile.ops) {
    peak = std::max(peak, op.peak);
    held = std::max(held, op.held);
  }
  if (!peak || !held) return;
  plan.notes.push_back(
      fmt::format("rounded up and with what kernels take for themselves, {} bytes were in use at "
                  "the most, of {} that the allocator held",
                  groupDigits(peak->count()), groupDigits(held->count())));
}

void noteReading(const OperatorProfile& profile, PlannedRows& plan) {
  std::size_t inside = 0;
  for (const MeasuredOperator& op : profile.ops) inside += op.inside;
  if (inside > 0) {
    plan.notes.push_back(
        fmt::format("{} operators ran inside bodies and belong to the operator around them",
                    groupDigits(inside)));
  }
  if (profile.cutOff) {
    plan.notes.emplace_back(
        "the file ends before its list does: what was recorded is read as far as it goes");
  }
}

void addRows(const OperatorProfile& profile, PlannedRows& plan) {
  if (!profile.hasMemory()) {
    plan.rows = outputRows(profile);
    return;
  }
  MeasuredBlocks blocks(profile);
  plan.rows = blocks.rows();
  plan.notes.emplace_back(
      "whose bytes are given back is not recorded: blocks of the right sizes are taken to be");
  if (blocks.parted() > 0) {
    plan.notes.back() += fmt::format(", {} of them in parts", groupDigits(blocks.parted()));
  }
}

Result<std::size_t> chosenRun(const std::string& wanted) {
  if (wanted.empty()) return std::size_t{0};
  const auto number = parseInteger(wanted);
  if (!number || *number < 1) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("a profile has runs, from 1; it has no '{}'", printable(wanted, 40)));
  }
  return static_cast<std::size_t>(*number - 1);
}

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

std::optional<SimTime> measuredTime(const Graph& graph) {
  constexpr std::int64_t kPicoseconds = 1'000'000;
  if (graph.format != kFormat) return std::nullopt;
  std::int64_t micros = 0;
  for (const Op& op : graph.ops) {
    micros += std::min(op.intAttribute(kDuration, 0), INT64_MAX / kPicoseconds - micros);
  }
  return SimTime(micros * kPicoseconds);
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

bool acceptsOrtProfile(std::string_view bytes) { return looksLikeOperatorProfile(bytes); }

Result<Model> readOrtProfile(std::string_view bytes, const ImportOptions& options) {
  constexpr std::size_t kMostParts = 256;
  HW_TRY(run, chosenRun(options.subgraph));
  HW_TRY(profile, readOperatorProfile(bytes, run));
  if (options.release) options.release();
  PlannedRows plan{.format = kFormat};
  std::int64_t micros = 0;
  for (const MeasuredOperator& op : profile.ops) micros += std::min(op.micros, INT64_MAX - micros);
  plan.is = fmt::format("this is a profile by ONNX Runtime of {} operators, which took {} \u00b5s",
                        groupDigits(profile.ops.size()), groupDigits(micros));
  noteMemory(profile, plan);
  addRows(profile, plan);
  noteReading(profile, plan);
  if (profile.runs > 1) {
    plan.notes.push_back(
        fmt::format("this is run {} of {}; --subgraph chooses", run + 1, profile.runs));
  }
  plan.steps.reserve(profile.ops.size());
  for (MeasuredOperator& op : profile.ops) plan.steps.push_back(stepOf(std::move(op)));
  std::exchange(profile.ops, {});  // Assigning {} would keep the memory.
  HW_TRY(model, planModel(std::move(plan)));
  for (std::size_t i = 0; profile.runs > 1 && i < std::min(profile.runs, kMostParts); ++i) {
    model.parts.push_back({std::to_string(i + 1), fmt::format("run {}", i + 1)});
  }
  model.part = model.parts.empty() ? 0 : std::min(run, kMostParts - 1);
  return std::move(model);
}

}  // namespace hw
