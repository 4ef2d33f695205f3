#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/graph/tiling.h"

namespace hw {

/// Elements of a graph whose tensors are held in another layout, and which of the model's they are.
class ElementTrail {
 public:
  /// A tensor of the model, and where in it.
  using Element = std::pair<TensorId, Shape>;
  /// Which input of an op, and where in that.
  using Source = std::pair<std::size_t, Shape>;

  explicit ElementTrail(const Graph& graph);

  /// The op that carries out one of the model's; none for Transposes that are gone, which are
  /// followed.
  OpId carrier(OpId of) const { return carrier_[of]; }

  /// Of an element of this graph: through what was added to where an op of the model made it.
  /// Nothing where that leads nowhere.
  std::optional<Element> held(TensorId tensor, Shape index) const;
  /// Of an element of the model: through Transposes that are gone.
  std::optional<Element> model(TensorId tensor, Shape index) const;

  /// What an element of an output is made of in either graph, ascending, each once; weights, too,
  /// where they are broadcast. Nothing where nobody knows.
  std::optional<std::vector<Source>> sourcesHeld(OpId op, std::size_t output,
                                                 const Shape& index) const;
  std::optional<std::vector<Source>> sourcesInModel(OpId op, std::size_t output,
                                                    const Shape& index) const;

 private:
  const Graph& graph_;
  const Tiling& tiling_;
  Graph held_;  ///< Either graph as if weights were tensors like others.
  Graph model_;
  IdMap<OpId, OpId> carrier_;
};

}  // namespace hw
