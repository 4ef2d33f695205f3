#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/plans/planned_rows.h"
#include "core/import/tflite/flat_table.h"

// ExecuTorch programs: a flatbuffer whose tensors say where their memory plan put them.

namespace hw {
namespace {

// Fields of schema/program.fbs.
namespace program_field {
constexpr int kVersion = 0, kPlans = 1;
}  // namespace program_field
namespace plan_field {
constexpr int kName = 0, kValues = 2, kInputs = 3, kOutputs = 4, kChains = 5, kOperators = 6;
constexpr int kDelegates = 7, kSizes = 8;
}  // namespace plan_field
namespace value_field {
constexpr int kType = 0, kValue = 1;
}  // namespace value_field
namespace et_tensor_field {
constexpr int kScalar = 0, kShape = 2, kAllocation = 6;
}  // namespace et_tensor_field
namespace allocation_field {
constexpr int kMemory = 0, kLow = 1, kHigh = 2;
}  // namespace allocation_field
constexpr int kChainInstructions = 2;
constexpr int kOperatorName = 0, kDelegateName = 0;
constexpr std::uint8_t kTensorValue = 5, kTensorList = 9, kOptionalTensorList = 10;
constexpr std::uint8_t kKernelCall = 1, kDelegateCall = 2, kMoveCall = 3;

struct EtScalar {
  std::int8_t number;
  Dtype dtype;
  int bytes;
};
constexpr EtScalar kScalars[] = {
    {0, Dtype::uint8, 1},     {1, Dtype::int8, 1},    {2, Dtype::int16, 2},
    {3, Dtype::int32, 4},     {4, Dtype::int64, 8},   {5, Dtype::float16, 2},
    {6, Dtype::float32, 4},   {7, Dtype::float64, 8}, {11, Dtype::boolean, 1},
    {12, Dtype::int8, 1},     {13, Dtype::uint8, 1},  {14, Dtype::int32, 4},
    {15, Dtype::bfloat16, 2}, {27, Dtype::uint16, 2}, {28, Dtype::uint32, 4},
    {29, Dtype::uint64, 8}};

class EtReader {
 public:
  explicit EtReader(std::string_view bytes) : bytes_(bytes) {}

  Result<Model> read(const std::string& wanted) {
    const FlatTable program = FlatTable::root(bytes_);
    const auto version = program.number<std::uint32_t>(program_field::kVersion, 0);
    if (version != 0) {
      refuse(fmt::format("ExecuTorch program version {} is not supported; expected 0", version), {},
             ErrorCode::unsupported);
    }
    const auto plans = program.vector<FlatTable>(program_field::kPlans);
    if (plans.empty()) refuse("the ExecuTorch program has no execution plan");
    plan_.format = "executorch";
    // The first method is the main one: "forward".
    const FlatTable plan = plans.at(0, "an execution plan");
    plan_.name = plan.text(plan_field::kName);
    readSteps(plan);
    readEnds(plan);
    readValues(plan);
    if (plans.size() > 1) {
      plan_.notes.push_back(fmt::format("{} is the first of {} methods of the program",
                                        printable(plan_.name, 80), plans.size()));
    }
    return choose(plan, wanted);
  }

 private:
  void touch(std::int32_t value, std::int64_t step) {
    const auto [lived, isNew] = lives_.try_emplace(value, std::pair(step, step));
    if (!isNew) lived->second.second = step;
  }

  void touchAll(const FlatVector<std::int32_t>& values, std::int64_t step) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bytes_.spend(kTouchCost);
      touch(values.at(i, "an argument"), step);
    }
  }

  void readSteps(const FlatTable& plan) {
    const auto operators = plan.vector<FlatTable>(plan_field::kOperators);
    const auto chains = plan.vector<FlatTable>(plan_field::kChains);
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const auto instructions = chains.at(c, "a chain").vector<FlatTable>(kChainInstructions);
      for (std::size_t i = 0; i < instructions.size(); ++i) {
        readInstruction(instructions.at(i, "an instruction"), operators);
      }
    }
  }

  void readInstruction(const FlatTable& instruction, const FlatVector<FlatTable>& operators) {
    bytes_.spend(kStepCost);
    const auto type = instruction.number<std::uint8_t>(0, 0);
    const auto call = instruction.table(1, "a call");
    const auto step = static_cast<std::int64_t>(plan_.steps.size());
    PlannedStep described{.name = fmt::format("instruction {}", step), .type = "Other"};
    if (call && (type == kKernelCall || type == kDelegateCall)) {
      touchAll(call->vector<std::int32_t>(1), step);
      described.type = type == kDelegateCall ? "Delegate" : "Kernel";
      if (type == kDelegateCall) ++delegated_;
      const auto number = call->number<std::int32_t>(0, 0);
      if (type == kKernelCall && number >= 0 &&
          static_cast<std::size_t>(number) < operators.size()) {
        described.type =
            operators.at(static_cast<std::size_t>(number), "an operator").text(kOperatorName);
      }
    } else if (call && type == kMoveCall) {
      described.type = "Move";
      touch(call->number<std::int32_t>(0, 0), step);
      touch(call->number<std::int32_t>(1, 0), step);
    }
    plan_.steps.push_back(std::move(described));
  }

  void readEnds(const FlatTable& plan) {
    const auto last = static_cast<std::int64_t>(std::max<std::size_t>(plan_.steps.size(), 1)) - 1;
    const auto inputs = plan.vector<std::int32_t>(plan_field::kInputs);
    const auto outputs = plan.vector<std::int32_t>(plan_field::kOutputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      bytes_.spend(kTouchCost);
      const auto value = inputs.at(i, "an input");
      inputs_.push_back(value);
      lives_.try_emplace(value, std::pair(std::int64_t{0}, std::int64_t{0})).first->second.first =
          0;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      bytes_.spend(kTouchCost);
      const auto value = outputs.at(i, "an output");
      outputs_.push_back(value);
      touch(value, last);
    }
    std::ranges::sort(inputs_);
    std::ranges::sort(outputs_);
  }

  void readValues(const FlatTable& plan) {
    const auto values = plan.vector<FlatTable>(plan_field::kValues);
    for (std::size_t i = 0; i < values.size(); ++i) {
      bytes_.spend(kTouchCost);
      const FlatTable value = values.at(i, "a value");
      const auto type = value.number<std::uint8_t>(value_field::kType, 0);
      if (type == kTensorList || type == kOptionalTensorList) ++lists_;
      if (type != kTensorValue) continue;
      const auto tensor = value.table(value_field::kValue, "a tensor");
      if (tensor) readTensor(*tensor, static_cast<std::int32_t>(i));
    }
  }

  void readTensor(const FlatTable& tensor, std::int32_t number) {
    const auto allocation = tensor.table(et_tensor_field::kAllocation, "an allocation");
    if (!allocation) return;  // A weight, or somebody else's memory.
    bytes_.spend(kRowCost);
    const auto memory = allocation->number<std::uint32_t>(allocation_field::kMemory, 0);
    const std::uint64_t low = allocation->number<std::uint32_t>(allocation_field::kLow, 0);
    const std::uint64_t high = allocation->number<std::uint32_t>(allocation_field::kHigh, 0);
    const std::uint64_t offset = (high << 32U) | low;
    if (offset > static_cast<std::uint64_t>(kMaxBytes.count())) {
      refuse(fmt::format("value {} has an offset that cannot be", number));
    }
    PlannedRow row{.name = fmt::format("value {}", number),
                   .size = sizeOf(tensor, number),
                   .offset = Bytes(static_cast<std::int64_t>(offset)),
                   .input = std::ranges::binary_search(inputs_, number),
                   .output = std::ranges::binary_search(outputs_, number)};
    if (row.size == Bytes()) return;
    const auto lived = lives_.find(number);
    if (lived == lives_.end()) {
      ++idle_;
      return;
    }
    std::tie(row.first, row.last) = lived->second;
    rows_[memory].push_back(std::move(row));
  }

  Bytes sizeOf(const FlatTable& tensor, std::int32_t number) const {
    const auto type = tensor.number<std::int8_t>(et_tensor_field::kScalar, 0);
    const auto scalar = std::ranges::find(kScalars, type, &EtScalar::number);
    const auto shape = tensor.vector<std::int32_t>(et_tensor_field::kShape);
    std::optional<std::int64_t> bytes = scalar == std::end(kScalars) ? 0 : scalar->bytes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t size = shape.at(i, "a size");
      bytes = bytes && size >= 0 ? checkedMul(*bytes, size) : std::nullopt;
    }
    if (scalar == std::end(kScalars) || !bytes || Bytes(*bytes) > kMaxBytes) {
      refuse(fmt::format("value {} has a type or a shape whose size is not known", number), {},
             ErrorCode::unsupported);
    }
    return Bytes(*bytes);
  }

  std::string whyNoRows(const FlatTable& plan) const {
    const auto delegates = plan.vector<FlatTable>(plan_field::kDelegates);
    if (delegated_ == 0 || delegates.empty()) {
      return "no tensor of the ExecuTorch program has a planned place";
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < delegates.size(); ++i) {
      bytes_.spend(kTouchCost);
      names.insert(printable(delegates.at(i, "a delegate").text(kDelegateName), 80));
    }
    return fmt::format(
        "all tensors of the ExecuTorch program lie in delegates ({}; {} of {} instructions call "
        "one), which plan their own memory: there is no plan in it; give the model that it was "
        "made of",
        fmt::join(names, ", "), delegated_, plan_.steps.size());
  }

  Result<Model> choose(const FlatTable& plan, const std::string& wanted) {
    if (rows_.empty()) return fail(ErrorCode::unsupported, whyNoRows(plan));
    std::vector<std::uint32_t> memories;
    for (const auto& [memory, rows] : rows_) {
      memories.push_back(memory);
      plan_.pools.push_back({std::to_string(memory), fmt::format("memory {}", memory)});
    }
    HW_TRY(chosen, choosePool(plan_, wanted, 0));
    const std::uint32_t memory = memories[chosen];
    plan_.rows = std::move(rows_[memory]);
    const auto sizes = plan.vector<std::int64_t>(plan_field::kSizes);
    if (memory < sizes.size()) {
      plan_.notes.push_back(fmt::format("the program reserves {} bytes for memory {}",
                                        groupDigits(sizes.at(memory, "a size")), memory));
    }
    plan_.notes.emplace_back(
        "ExecuTorch's tensors are taken to live from the first instruction that has them to the "
        "last, views with their own");
    plan_.unknown = {"names"};
    if (idle_ > 0) {
      plan_.notes.push_back(fmt::format("{} planned tensors are used by no instruction", idle_));
    }
    if (lists_ > 0) {
      plan_.notes.push_back(fmt::format(
          "{} lists of tensors are not looked into: what they hold may live longer", lists_));
    }
    return planModel(std::move(plan_));
  }

  // The memory that these take: see FlatBytes::spend.
  static constexpr std::size_t kTouchCost = 80;
  static constexpr std::size_t kStepCost = 512;
  static constexpr std::size_t kRowCost = 768;

  FlatBytes bytes_;
  PlannedRows plan_;
  std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> lives_;  ///< By value.
  std::vector<std::int32_t> inputs_, outputs_;
  std::map<std::uint32_t, std::vector<PlannedRow>> rows_;  ///< By memory.
  std::size_t delegated_ = 0;                              ///< Calls of delegates.
  std::size_t idle_ = 0;
  std::size_t lists_ = 0;
};

}  // namespace

bool acceptsExecutorch(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.substr(4).starts_with("ET");
}

Result<Model> readExecutorch(std::string_view bytes, const ImportOptions& options) {
  if (!bytes.substr(4).starts_with("ET12")) {
    return fail(ErrorCode::unsupported,
                fmt::format("ExecuTorch file '{}' is not supported; expected 'ET12'",
                            printable(bytes.substr(4, 4))),
                "byte 4");
  }
  return unlessRefused([&] { return EtReader(bytes).read(options.subgraph); });
}

}  // namespace hw
