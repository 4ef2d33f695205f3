#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/measured/operator_profile.h"
#include "core/import/plans/planned_rows.h"

// A profile of ONNX Runtime as a graph: its operators, and blocks of what they asked for. It tells
// how many bytes come and go, not whose.

namespace hw {
namespace {

/// What came and went, as blocks that are live as long as can be told.
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

/// Where nothing is said of memory: what each operator wrote, for its own step.
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

PlannedStep stepOf(const MeasuredOperator& op) {
  PlannedStep step{.name = op.name,
                   .type = op.type.empty() ? "Kernel" : op.type,
                   .domain = "ort-profile",
                   .attributes = {{"duration_us", op.micros}}};
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
      groupDigits(profile.liveAt(most).count()), groupDigits(static_cast<std::int64_t>(most)),
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
                    groupDigits(static_cast<std::int64_t>(inside))));
  }
  if (profile.cutOff) {
    plan.notes.emplace_back(
        "the file ends before its list does: what was recorded is read as far as it goes");
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

bool acceptsOrtProfile(std::string_view bytes) { return looksLikeOperatorProfile(bytes); }

Result<Model> readOrtProfile(std::string_view bytes, const ImportOptions& options) {
  constexpr std::size_t kMostParts = 256;
  HW_TRY(run, chosenRun(options.subgraph));
  HW_TRY(profile, readOperatorProfile(bytes, run));
  PlannedRows plan{.format = "ort-profile"};
  std::int64_t micros = 0;
  for (const MeasuredOperator& op : profile.ops) {
    micros += std::min(op.micros, INT64_MAX - micros);
    plan.steps.push_back(stepOf(op));
  }
  plan.is =
      fmt::format("this is a profile by ONNX Runtime of {} operators, which took {} \u00b5s",
                  groupDigits(static_cast<std::int64_t>(profile.ops.size())), groupDigits(micros));
  noteMemory(profile, plan);
  if (profile.hasMemory()) {
    MeasuredBlocks blocks(profile);
    plan.rows = blocks.rows();
    std::string note =
        "whose bytes are given back is not recorded: blocks of the right sizes are "
        "taken to be";
    if (blocks.parted() > 0) {
      note += fmt::format(", {} of them in parts",
                          groupDigits(static_cast<std::int64_t>(blocks.parted())));
    }
    plan.notes.push_back(std::move(note));
  } else {
    plan.rows = outputRows(profile);
  }
  noteReading(profile, plan);
  if (profile.runs > 1) {
    plan.notes.push_back(
        fmt::format("this is run {} of {}; --subgraph chooses", run + 1, profile.runs));
  }
  HW_TRY(model, planModel(std::move(plan)));
  for (std::size_t i = 0; profile.runs > 1 && i < std::min(profile.runs, kMostParts); ++i) {
    model.parts.push_back({std::to_string(i + 1), fmt::format("run {}", i + 1)});
  }
  model.part = model.parts.empty() ? 0 : std::min(run, kMostParts - 1);
  return std::move(model);
}

}  // namespace hw
