#include "core/ops/op_table.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/ops/op_rows.h"

namespace hw {
namespace {

using Key = std::pair<std::string_view, std::string_view>;

Key keyOf(const OpInfo& row) { return {row.domain, row.type}; }

const OpInfo* findIn(std::span<const OpInfo> rows, const Key& key) {
  const auto found = std::ranges::lower_bound(rows, key, {}, keyOf);
  return found != rows.end() && keyOf(*found) == key ? &*found : nullptr;
}

std::vector<OpInfo> joined() {
  std::vector<OpInfo> all;
  const auto add = [&](std::string_view domain, OpInfo row) {
    row.domain = domain;
    all.push_back(row);
  };
  for (const OpInfo& row : standardOps()) add("", row);
  for (const OpInfo& row : microsoftOps()) add("com.microsoft", row);
  for (const OpInfo& row : classicOps()) add("ai.onnx.ml", row);
  for (const DomainOps& others : otherOps()) {
    for (const OpInfo& row : others.rows) add(others.domain, row);
  }
  for (const OpInfo& row : customOps()) add("custom", row);
  for (const NumberedOp& op : tfliteOps()) add("tflite", op.row);
  // The ends of opened loops (core/import/tflite/reader.h).
  for (const char* type : {"WHILE_END", "STABLEHLO_WHILE_END"}) add("tflite", op(type));
  for (const char* domain : {"com.microsoft.extensions", "ai.onnx.contrib"}) {
    add(domain, op("DecodeImage").bounded(bounds::decodeImage));
    add(domain, op("EncodeImage").bounded(bounds::encodeImage));
  }
  std::ranges::sort(all, {}, keyOf);
  for (OpInfo& row : all) {
    if (row.standard.empty()) continue;
    const OpInfo named = row;
    row = *findIn(all, {"", named.standard});
    row.type = named.type;
    row.domain = named.domain;
    row.standard = named.standard;
  }
  return all;
}

/// Rows by type alone, for few types are in several domains: whole graphs are asked about op by op,
/// again and again.
class RowsByType {
 public:
  RowsByType() {
    for (const OpInfo& row : opTable()) rows_.emplace(row.type, &row);
  }

  const OpInfo* find(std::string_view type, std::string_view domain) const {
    const OpInfo* runtimes = nullptr;
    const auto [begin, end] = rows_.equal_range(type);
    for (auto row = begin; row != end; ++row) {
      if (row->second->domain == domain) return row->second;
      if (row->second->domain == "com.microsoft") runtimes = row->second;
    }
    return domain.empty() ? runtimes : nullptr;
  }

 private:
  std::unordered_multimap<std::string_view, const OpInfo*> rows_;
};

}  // namespace

std::span<const OpInfo> opTable() {
  static const std::vector<OpInfo> kTable = joined();
  return kTable;
}

const OpInfo* findOp(std::string_view type, std::string_view domain) {
  static const RowsByType kRows;
  return kRows.find(type, domain);
}

ViewFamily viewFamilyOf(const Op& op) {
  const OpInfo* info = findOp(op);
  if (info == nullptr || info->view == ViewFamily::none) return ViewFamily::none;
  return op.intAttribute(std::string(kRescales), 0) != 0 ? ViewFamily::none : info->view;
}

TensorId dataInput(const Op& op) {
  const OpInfo* info = findOp(op);
  const std::size_t at = info != nullptr ? info->data : 0;
  return at < op.inputs.size() ? op.inputs[at] : TensorId();
}

std::string_view opClassName(OpClass kind) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "convolution", "activation", "product", "elements", "pooling", "movement", "body"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view inPlaceName(InPlace rule) {
  return rule == InPlace::first       ? "data"
         : rule == InPlace::any       ? "any input"
         : rule == InPlace::sameWidth ? "data, same width"
         : rule == InPlace::depthwise ? "data, when depthwise"
                                      : "";
}

std::string_view viewFamilyName(ViewFamily family) {
  return family == ViewFamily::reshape  ? "reshape"
         : family == ViewFamily::concat ? "concat"
         : family == ViewFamily::split  ? "split"
                                        : "";
}

}  // namespace hw
