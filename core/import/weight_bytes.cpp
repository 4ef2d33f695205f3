#include "core/import/weight_bytes.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>
#include <vector>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/files/file.h"

namespace hw {
namespace {

enum WeightField : std::size_t { kWeightOperator, kWeightBytes, kWeightColumns };
constexpr std::array<std::string_view, kWeightColumns> kWeightNames = {"operator", "bytes"};

class WeightTable {
 public:
  WeightTable(std::string_view text, Graph& graph)
      : graph_(graph),
        rows_(text, {.names = kWeightNames,
                     .required = {kWeightOperator, kWeightBytes},
                     .expected = "operator,bytes",
                     .row = "operator",
                     .others = {{"op", "operator"}}}) {
    for (const OpId op : graph.ops.keys()) byName_[displayName(graph, op)].push_back(op);
  }

  Result<void> apply() {
    HW_TRY(some, rows_.readHeader());
    while (some) {
      HW_TRY(more, rows_.next());
      if (!more) break;
      HW_TRY(bytes, rows_.number(kWeightBytes, 1, kMaxBytes.count()));
      if (!bytes) return rows_.refuse("has no bytes");
      HW_DO(store(Bytes(*bytes)));
    }
    return {};
  }

 private:
  Result<OpId> operatorOf(std::string_view name) const {
    const auto found = byName_.find(std::string(name));
    if (found != byName_.end() && found->second.size() == 1) return found->second.front();
    if (found != byName_.end()) return rows_.refuse("is several operators: give its number");
    const auto number = parseInteger(name);
    const bool known =
        number && *number >= 0 && static_cast<std::size_t>(*number) < graph_.ops.size();
    if (known) return OpId(static_cast<std::size_t>(*number));
    return rows_.refuse("is no operator of the model");
  }

  Result<void> store(Bytes bytes) {
    HW_TRY(op, operatorOf(rows_.field(kWeightOperator)));
    Bytes all;
    std::vector<TensorId> weights;
    for (const TensorId id : graph_.reads(op)) {
      const Tensor& tensor = graph_.tensors[id];
      if (!tensor.constant || !tensor.bytes || !tensor.shape || tensor.shape->size() < 2) continue;
      weights.push_back(id);
      all += *tensor.bytes;
    }
    if (all == Bytes()) return rows_.refuse("has no weights of known size");
    const double ratio = bytes.real() / all.real();
    for (const TensorId id : weights) {
      double& known = graph_.tensors[id].weightRatio;
      if (known != 0 && known != ratio) {
        return rows_.refuse("has weights of which another row says other bytes");
      }
      known = ratio;
    }
    return {};
  }

  Graph& graph_;
  CsvTable rows_;
  std::unordered_map<std::string, std::vector<OpId>> byName_;
};

}  // namespace

Result<void> applyWeightBytes(const std::string& file, Graph& graph) {
  auto applied = readFile(file).and_then(
      [&](const std::string& text) { return WeightTable(text, graph).apply(); });
  if (!applied) applied.error().message = printable(file) + ": " + applied.error().message;
  return applied;
}

}  // namespace hw
