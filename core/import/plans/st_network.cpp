#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/plans/planned_rows.h"

// network_c_info.json of ST Edge AI, schema 2: buffers with memory pool, offset, size and the
// epochs in which they are live.

namespace hw {
namespace {

constexpr std::int64_t kMostEpochs = 1'000'000'000;

struct StPool {
  std::int64_t id = 0;
  std::string name{};
  std::optional<Bytes> used{};
  std::vector<PlannedRow> rows{};
};

/// "STAI_FORMAT_S8" and its like.
Dtype stDtype(const std::string& format) {
  static const std::map<std::string, Dtype> kFormats = {
      {"STAI_FORMAT_FLOAT", Dtype::float32},   {"STAI_FORMAT_FLOAT32", Dtype::float32},
      {"STAI_FORMAT_FLOAT16", Dtype::float16}, {"STAI_FORMAT_S8", Dtype::int8},
      {"STAI_FORMAT_U8", Dtype::uint8},        {"STAI_FORMAT_S16", Dtype::int16},
      {"STAI_FORMAT_U16", Dtype::uint16},      {"STAI_FORMAT_S32", Dtype::int32},
      {"STAI_FORMAT_U32", Dtype::uint32},      {"STAI_FORMAT_BOOL", Dtype::boolean}};
  const auto found = kFormats.find(format);
  return found == kFormats.end() ? Dtype::unknown : found->second;
}

class StReader {
 public:
  StReader(const ParsedJson& document, const JsonLists& lists) : root_{document}, lists_(lists) {}

  Result<Model> read(const std::string& wanted) {
    const std::string version = root_.text("json_schema_version");
    if (!version.starts_with("2.")) {
      refuse(fmt::format("schema version '{}' of ST Edge AI is not supported; expected 2.0",
                         printable(version, 40)),
             "json_schema_version", ErrorCode::unsupported);
    }
    root_.forEach("memory_pools", [&](const JsonNode& node) { readPool(node); });
    lists_.forEach(root_, "buffers", [&](const JsonNode& node) { readBuffer(node); });
    lists_.forEach(root_, "graphs", [&](const JsonNode& node) {
      if (plan_.name.empty()) plan_.name = node.object().text("name");
    });
    // Memories without activations hold weights, which are no part of a plan.
    std::erase_if(pools_, [](const StPool& pool) { return pool.rows.empty(); });
    if (pools_.empty()) {
      return fail(ErrorCode::malformed, "no memory pool has a buffer that is not a parameter",
                  "buffers");
    }
    return choose(wanted);
  }

 private:
  void readPool(const JsonNode& node) {
    StPool pool{.name = node.object().text("name")};
    pool.id = node.count("id", INT32_MAX).value_or(-1);
    const auto used = node.find("used_size_bytes");
    if (used && used->value.is_number_unsigned()) pool.used = node.bytes("used_size_bytes");
    if (!places_.emplace(pool.id, pools_.size()).second) {
      node.refuse("memory pool {} is listed twice", pool.id);
    }
    if (pool.name.empty()) pool.name = fmt::format("pool {}", pool.id);
    pools_.push_back(std::move(pool));
  }

  void readBuffer(const JsonNode& node) {
    const auto parameter = node.object().find("is_param");
    if (parameter && parameter->flag()) {
      ++weights_;
      return;
    }
    const auto pool = places_.find(node.count("mpool_id", INT32_MAX).value_or(-1));
    if (pool == places_.end()) {
      node.refuse("buffer '{}' is in no memory pool of the file", printable(node.text("name"), 80));
    }
    const auto epochs = node.find("epochs");
    const auto size = node.bytes("size_bytes");
    if (!epochs || !size) node.expected("a buffer with epochs and size_bytes");
    const auto first = epochs->object().count("start", kMostEpochs);
    const auto last = epochs->count("end", kMostEpochs);
    if (!first || !last) epochs->expected("a start and an end");
    const std::string flags = node.text("flags");
    const auto has = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
    PlannedRow row{.name = node.text("name"),
                   .first = *first,
                   .last = *last,
                   .size = *size,
                   .offset = node.bytes("offset_start"),
                   .input = has("STAI_FLAG_INPUTS"),
                   .output = has("STAI_FLAG_OUTPUTS"),
                   .dtype = stDtype(node.text("format"))};
    if (has("STAI_FLAG_SCRATCHS")) ++scratch_;
    pools_[pool->second].rows.push_back(std::move(row));
  }

  Result<Model> choose(const std::string& wanted) {
    plan_.format = "st-network";
    plan_.unknown = {"operators"};
    for (const StPool& pool : pools_) plan_.pools.push_back({pool.name, printable(pool.name, 80)});
    const auto largest = std::ranges::max_element(
        pools_, {}, [](const StPool& pool) { return pool.used.value_or(Bytes()); });
    HW_TRY(chosen, choosePool(plan_, wanted, static_cast<std::size_t>(largest - pools_.begin())));
    StPool& pool = pools_[chosen];
    plan_.rows = std::move(pool.rows);
    plan_.notes.push_back(fmt::format(
        "a step is an epoch of ST's; {} of all are scratch, and {} weights are left out", scratch_,
        weights_));
    if (pool.used) {
      plan_.notes.push_back(fmt::format("it says that {} takes {} bytes", printable(pool.name, 80),
                                        groupDigits(pool.used->count())));
    }
    return planModel(std::move(plan_));
  }

  JsonNode root_;
  const JsonLists& lists_;
  PlannedRows plan_;
  std::vector<StPool> pools_;
  std::map<std::int64_t, std::size_t> places_;  ///< In pools_, by id.
  std::size_t weights_ = 0;
  std::size_t scratch_ = 0;
};

}  // namespace

bool acceptsStNetwork(std::string_view bytes) {
  // Its keys are sorted, so those that tell it stand at both ends of a file of any length.
  const std::string_view text = withoutByteOrderMark(bytes);
  return opensObject(text) && text.find("\"json_schema_version\"") != std::string_view::npos &&
         text.find("\"memory_pools\"") != std::string_view::npos;
}

Result<Model> readStNetwork(std::string_view bytes, const ImportOptions& options) {
  constexpr std::array<std::string_view, 2> kLists = {"buffers", "graphs"};
  const JsonLists lists{withoutByteOrderMark(bytes), kLists};
  HW_TRY(document, parseJson(lists.text, kLists));
  return unlessRefused([&] { return StReader(document, lists).read(options.subgraph); });
}

}  // namespace hw
