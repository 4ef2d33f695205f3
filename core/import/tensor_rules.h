#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/graph/graph.h"
#include "core/import/stated_rules.h"
#include "core/storage/aliasing.h"

namespace hw {

/// Rules about the tensors of a graph as its file states them: what `Constraints`, pins and
/// reserved ranges say of the stays of a problem (docs/constraints.md, docs/formats/graph_json.md).
struct TensorRules {
  struct Pair {
    PairRule rule{};
    TensorId a{};
    TensorId b{};
    std::int64_t cost = 0;  ///< Of a penalty.
    std::string where{};    ///< In the file, for messages.
  };
  struct Allowed {
    TensorId tensor{};
    std::vector<std::string> memories{};
    std::string where{};
  };
  struct Pin {
    TensorId tensor{};
    Bytes offset{};
    std::string where{};
  };
  struct Reserved {
    std::string memory{};
    std::vector<Interval<Bytes>> ranges{};  ///< As stated.
    std::string where{};
  };
  std::vector<Pair> pairs{};
  std::vector<Allowed> allowed{};
  std::vector<Pin> pins{};
  std::vector<Reserved> reserved{};

  bool empty() const {
    return pairs.empty() && allowed.empty() && pins.empty() && reserved.empty();
  }
};

/// Reads the object `constraints` of a graph whose tensors have names of their own. What is not as
/// it should be is refused with its place: tensors that the graph lacks or that are never planned,
/// a tensor paired with itself, costs and offsets out of range, empty ranges, more than 254
/// memories. Null where it says nothing.
std::shared_ptr<const TensorRules> readTensorRules(const JsonNode& constraints, const Graph& graph);

/// The memories that they name, each once.
std::vector<std::string> memoriesOf(const TensorRules& rules);

/// The same object once more.
Json tensorRulesJson(const TensorRules& rules, const Graph& graph);

/// Puts the rules into `problem`, the stays of whose buffers have the numbers of these, and whose
/// pools are there. Rules of tensors without a buffer say nothing, as a note that comes back says;
/// nor do those of two that fill one buffer. Fails, with the place in the file, where tensors of
/// one buffer are apart, rules are of a tensor inside of a buffer that has to begin somewhere, or a
/// memory is not among the pools, and as `StatedRules::apply` does.
Result<std::vector<std::string>> applyTensorRules(const TensorRules& rules, const Graph& graph,
                                                  const Storage& storage, Problem& problem);

}  // namespace hw
